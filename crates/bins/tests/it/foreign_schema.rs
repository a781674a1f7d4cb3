//! A schema that is not the one that the migrations make is not worked with.

use crate::support::{Deployment, Engine, Model, Sql, says};
use std::sync::LazyLock;

/// A closed deployment, which every test copies.
static SAMPLE: LazyLock<Deployment> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    assert!(process.close().success());
    deployment
});

/// Revocation that does nothing, whatever the service asks for.
const TRIGGER: &str = match crate::ENGINE {
    Engine::Sqlite => "CREATE TRIGGER spy BEFORE UPDATE ON principal BEGIN SELECT RAISE(IGNORE); END",
    Engine::Postgres => {
        "CREATE FUNCTION keep() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
         CREATE TRIGGER spy BEFORE UPDATE ON principal FOR EACH ROW EXECUTE FUNCTION keep()"
    }
};

/// Changes, and how each is named.
const CHANGES: &[(&str, &str)] = match crate::ENGINE {
    Engine::Sqlite => &[
        ("CREATE TABLE other (a)", "the table other was added"),
        ("CREATE VIEW other AS SELECT 1", "the view other was added"),
        ("CREATE INDEX other ON fact (created)", "the index other was added"),
        ("DROP INDEX fact_slot", "the index fact_slot is missing"),
        ("DROP TRIGGER fact_added", "the trigger fact_added is missing"),
        ("ALTER TABLE principal ADD COLUMN other", "the table principal was changed"),
        ("DROP INDEX fact_slot; CREATE INDEX fact_slot ON fact (slot_ix)", "the index fact_slot was changed"),
    ],
    Engine::Postgres => &[
        ("CREATE TABLE other (a BIGINT)", "the table other was added"),
        ("CREATE VIEW other AS SELECT 1", "the view other was added"),
        ("CREATE INDEX other ON fact (created)", "the index other was added"),
        ("DROP INDEX fact_slot", "the index fact_slot is missing"),
        ("DROP TRIGGER fact_added ON fact", "the trigger fact.fact_added is missing"),
        ("ALTER TABLE fact DISABLE TRIGGER fact_added", "the trigger fact.fact_added was changed"),
        ("ALTER TABLE principal ADD COLUMN other TEXT", "the table principal was changed"),
        (
            "CREATE RULE other AS ON UPDATE TO principal DO INSTEAD NOTHING",
            "the rule principal.other was added",
        ),
        ("DROP POLICY own_tenant ON fact", "the policy fact.own_tenant is missing"),
        ("ALTER TABLE fact NO FORCE ROW LEVEL SECURITY", "the table fact was changed"),
        (
            "CREATE OR REPLACE FUNCTION storage_use_change() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            "the function storage_use_change() was changed",
        ),
        ("CREATE TABLE other () INHERITS (principal)", "the child table other was added"),
    ],
};

#[test]
fn a_changed_schema_is_refused_by_name() {
    for (change, named) in CHANGES {
        let copy = SAMPLE.copy();
        copy.sql().run(change);
        let said = copy.refusal();
        assert!(said.contains(named) && said.contains("svc restore FILE"), "{change}: {said}");
    }
}

#[test]
fn a_trigger_that_keeps_revoked_keys_is_refused() {
    let copy = SAMPLE.copy();
    copy.sql().run(TRIGGER);
    let said = copy.refusal();
    assert!(said.contains("spy was added"), "{said}");
}

#[test]
fn a_backup_with_a_trigger_is_refused() {
    let copy = SAMPLE.copy();
    copy.svc(&["backup", "one"]);
    let spy = "CREATE TRIGGER spy BEFORE UPDATE ON principal BEGIN SELECT RAISE(IGNORE); END";
    Sql::open_file(&copy.folder().join("one")).run(spy);
    let before = copy.contents();
    let said = copy.svc_refuses(&["restore", "one", "--force"]);
    assert!(said.contains("the trigger spy was added"), "{said}");
    assert_eq!(copy.contents(), before);
    assert!(copy.start().list().contains("Oslo"));
}
