//! Databases of earlier versions.

use super::{Deployment, Engine};

/// Triggers are not dropped alike.
const UNTRIGGERED: &str = match crate::ENGINE {
    Engine::Sqlite => {
        "DROP TRIGGER fact_added; DROP TRIGGER fact_changed; DROP TRIGGER fact_removed;
         DROP TRIGGER statement_text_added; DROP TRIGGER statement_text_removed;"
    }
    Engine::Postgres => {
        "DROP FUNCTION storage_use_add CASCADE; DROP FUNCTION storage_use_remove CASCADE;
         DROP FUNCTION storage_use_change CASCADE;"
    }
};

const UNTOUCHED: &str = match crate::ENGINE {
    Engine::Sqlite => "",
    Engine::Postgres => "DROP FUNCTION touched CASCADE;",
};

/// What takes back each version of the schema, the newest first.
const BACK: [(i64, &str); 8] = [
    (8, "ALTER TABLE space DROP COLUMN user_key;"),
    (7, UNTOUCHED),
    (6, "ALTER TABLE audit_entry DROP COLUMN changes; DROP TABLE audit_subtree;"),
    (5, UNTRIGGERED),
    (
        5,
        "DROP TABLE storage_use;
         ALTER TABLE fact DROP COLUMN writer;
         ALTER TABLE statement_text DROP COLUMN writer;",
    ),
    (
        4,
        "DROP INDEX fact_statement;
         ALTER TABLE fact DROP COLUMN statement_ix;
         DROP TABLE statement_text;
         ALTER TABLE space DROP COLUMN erasing;
         DROP TABLE erasure;",
    ),
    (3, "DROP TABLE graph_outbox; DROP TABLE graph_projection;"),
    (
        2,
        "DROP INDEX audit_entry_action;
         DROP INDEX audit_entry_caller;
         DROP INDEX audit_entry_ts;
         DROP INDEX principal_former_key;
         ALTER TABLE principal DROP COLUMN expires;
         ALTER TABLE principal DROP COLUMN former_hint;
         ALTER TABLE principal DROP COLUMN former_hash;
         ALTER TABLE principal DROP COLUMN former_until;",
    ),
];

/// The first version whose audit log is a tree.
const WITH_TREE: i64 = 6;

impl Deployment {
    /// The schema as it was in that version, with the rows that are there. No program may be running.
    pub fn back_to_version(&self, version: i64) {
        let sql = self.sql();
        if version < WITH_TREE {
            self.sign_each_entry(&sql);
        }
        for (_, statements) in BACK.iter().filter(|(of, _)| *of > version) {
            sql.run(statements);
        }
        sql.run(&format!("DELETE FROM schema_migration WHERE version > {version}"));
    }
}
