//! The tables of a deployment, as both engines have them.

use rusqlite::types::Value;

/// The values of the columns that order a part of a table.
pub(crate) type Key = Vec<Value>;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Integer,
    Text,
    Bytes,
}

/// How the rows of a table are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Divided {
    /// The first column is the tenant, and the rows of one tenant are copied after those of another.
    ByTenant,
    /// The rows are of the whole deployment.
    Not,
}

#[derive(Debug)]
pub(crate) struct Table {
    pub name: &'static str,
    pub divided: Divided,
    /// The columns of the primary key come first, the tenant before all others where there is one.
    pub columns: &'static [(&'static str, ColumnType)],
    /// How many of the columns are the primary key.
    pub key: usize,
}

impl Table {
    pub fn names(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// The columns that order the rows within a part: the key without the tenant.
    pub fn order(&self) -> &'static [(&'static str, ColumnType)] {
        let skip = usize::from(self.divided == Divided::ByTenant);
        self.columns.get(skip..self.key).unwrap_or_default()
    }

    /// The parts that its rows are copied in, one after the other.
    pub fn parts<'a>(&self, tenants: &'a [String]) -> Vec<Option<&'a str>> {
        match self.divided {
            Divided::ByTenant => tenants.iter().map(|tenant| Some(tenant.as_str())).collect(),
            Divided::Not => vec![None],
        }
    }

    /// A page of the rows of one part in the order of their keys. The parameters are the tenant, where the table is
    /// divided, the key that the page begins after, where there is one, and how many rows. `rows` is the table, or what
    /// stands for it.
    pub fn page(&self, rows: &str, after: Option<&Key>, mark: char) -> String {
        let mut marks = (1..).map(|n: usize| format!("{mark}{n}"));
        let mut conditions = Vec::new();
        if self.divided == Divided::ByTenant {
            conditions.extend(marks.next().map(|n| format!("tenant = {n}")));
        }
        let order = self.order().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        if after.is_some() {
            let bounds: Vec<String> = marks.by_ref().take(self.order().len()).collect();
            conditions.push(format!("({order}) > ({})", bounds.join(", ")));
        }
        let filter =
            if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
        let columns = self.names();
        let most = marks.next().unwrap_or_default();
        format!("SELECT {columns} FROM {rows} {filter} ORDER BY {order} LIMIT {most}")
    }
}

use ColumnType::{Bytes, Integer, Text};
use Divided::{ByTenant, Not};

/// Every table but `deployment`, whose rows say what the database is, `schema_migration`, and `graph_projection`, which is
/// true of one database and not of a copy: the graph of a copy is off until it is turned on, and then rebuilt. Nor is
/// `storage_use` copied: the copy counts its facts by itself as they arrive.
pub(crate) const TABLES: [Table; 16] = [
    Table {
        name: "sequence",
        divided: ByTenant,
        columns: &[("tenant", Text), ("name", Text), ("next", Integer)],
        key: 2,
    },
    Table {
        name: "space",
        divided: ByTenant,
        columns: &[
            ("tenant", Text),
            ("id", Integer),
            ("user_id", Text),
            ("agent_id", Text),
            ("run_id", Text),
            ("version", Integer),
            ("epoch", Integer),
            ("policy", Bytes),
            ("erasing", Integer),
            ("user_key", Integer),
        ],
        key: 2,
    },
    Table {
        name: "fact",
        divided: ByTenant,
        columns: &[
            ("tenant", Text),
            ("id", Integer),
            ("space", Integer),
            ("version", Integer),
            ("status", Integer),
            ("subject_ix", Bytes),
            ("value_ix", Bytes),
            ("text_ix", Bytes),
            ("slot_ix", Bytes),
            ("created", Integer),
            ("body", Bytes),
            ("statement_ix", Bytes),
            ("writer", Text),
        ],
        key: 2,
    },
    Table {
        name: "statement_text",
        divided: ByTenant,
        columns: &[("tenant", Text), ("ix", Bytes), ("space", Integer), ("body", Bytes), ("writer", Text)],
        key: 2,
    },
    Table {
        name: "statement",
        divided: ByTenant,
        columns: &[("tenant", Text), ("space", Integer), ("text_ix", Bytes), ("facts", Text)],
        key: 3,
    },
    Table {
        name: "vector",
        divided: ByTenant,
        columns: &[
            ("tenant", Text),
            ("fact", Integer),
            ("space", Integer),
            ("embedder_ix", Bytes),
            ("body", Bytes),
        ],
        key: 2,
    },
    Table {
        name: "decision",
        divided: ByTenant,
        columns: &[
            ("tenant", Text),
            ("id", Integer),
            ("space", Integer),
            ("created", Integer),
            ("body", Bytes),
            ("signature", Bytes),
            ("summary", Bytes),
            ("summary_erased_by", Integer),
        ],
        key: 2,
    },
    Table {
        name: "belief",
        divided: ByTenant,
        columns: &[
            ("tenant", Text),
            ("decision", Integer),
            ("place", Integer),
            ("memory", Integer),
            ("disclosure", Bytes),
            ("erased_by", Integer),
        ],
        key: 3,
    },
    Table {
        name: "receipt",
        divided: ByTenant,
        columns: &[
            ("tenant", Text),
            ("id", Integer),
            ("space", Integer),
            ("kind", Text),
            ("created", Integer),
            ("subject_ix", Bytes),
            ("body", Bytes),
            ("signature", Bytes),
        ],
        key: 2,
    },
    Table {
        name: "erasure",
        divided: ByTenant,
        columns: &[("tenant", Text), ("id", Integer), ("body", Bytes), ("plan", Bytes), ("done", Integer)],
        key: 2,
    },
    Table {
        name: "audit_entry",
        divided: Not,
        columns: &[
            ("seq", Integer),
            ("tenant", Text),
            ("ts", Integer),
            ("action", Text),
            ("user_id", Text),
            ("agent_id", Text),
            ("run_id", Text),
            ("caller", Text),
            ("request", Text),
            ("committed", Bytes),
            ("detail", Bytes),
            ("blanks", Bytes),
            ("prev", Bytes),
            ("hash", Bytes),
            ("signature", Bytes),
            ("changes", Bytes),
        ],
        key: 1,
    },
    Table {
        name: "audit_subtree",
        divided: Not,
        columns: &[("level", Integer), ("place", Integer), ("hash", Bytes)],
        key: 2,
    },
    Table {
        name: "principal",
        divided: ByTenant,
        columns: &[
            ("tenant", Text),
            ("id", Text),
            ("key_hint", Bytes),
            ("key_hash", Bytes),
            ("revoked", Integer),
            ("created", Integer),
            ("body", Bytes),
            ("expires", Integer),
            ("former_hint", Bytes),
            ("former_hash", Bytes),
            ("former_until", Integer),
        ],
        key: 2,
    },
    Table {
        name: "graph_outbox",
        divided: Not,
        columns: &[
            ("seq", Integer),
            ("tenant", Text),
            ("fact", Integer),
            ("receipt", Integer),
            ("created", Integer),
        ],
        key: 1,
    },
    Table {
        name: "tool_counter",
        divided: Not,
        columns: &[("tool", Text), ("calls", Integer), ("errors", Integer), ("micros", Integer)],
        key: 1,
    },
    Table { name: "action_counter", divided: Not, columns: &[("action", Text), ("total", Integer)], key: 1 },
];

/// What the triggers count.
pub(crate) const STORAGE_USE: Table = Table {
    name: "storage_use",
    divided: ByTenant,
    columns: &[
        ("tenant", Text),
        ("writer", Text),
        ("space", Integer),
        ("facts", Integer),
        ("bytes", Integer),
    ],
    key: 3,
};

#[cfg(test)]
mod tests {
    use super::{ColumnType, TABLES};
    use crate::sqlite::{connection, migrations};
    use std::collections::BTreeSet;

    /// The schema and this list are two descriptions of one thing, and a migration could change one of them alone.
    #[test]
    fn the_list_names_every_table_column_and_key_of_the_schema() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = connection::open(&folder.path().join("a.db"), None).unwrap();
        migrations::up(&mut db, "now").unwrap();
        let ours = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut names = db.prepare(ours).unwrap();
        let mut held: BTreeSet<String> =
            names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        for local in ["schema_migration", "deployment", "graph_projection", "storage_use"] {
            assert!(held.remove(local), "{local}");
        }
        for table in &TABLES {
            assert!(held.remove(table.name), "{}", table.name);
            let mut columns = db.prepare("SELECT name, type, pk FROM pragma_table_info(?1)").unwrap();
            let columns: BTreeSet<(String, String, i64)> = columns
                .query_map([table.name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .unwrap()
                .map(Result::unwrap)
                .collect();
            let listed = table.columns.iter().enumerate().map(|(at, (name, kind))| {
                let kind = match kind {
                    ColumnType::Integer => "INTEGER",
                    ColumnType::Text => "TEXT",
                    ColumnType::Bytes => "BLOB",
                };
                let place = if at < table.key { at as i64 + 1 } else { 0 };
                ((*name).to_owned(), kind.to_owned(), place)
            });
            assert_eq!(columns, listed.collect(), "{}", table.name);
        }
        assert!(held.is_empty(), "{held:?} are not copied");
    }
}
