//! The walls between tenants within the database: they hold for every query, whatever it forgets.

use crate::support::{Cell, Deployment, PATIENCE, Sql};
use crate::twin_tenants::{Twins, check_that_nothing_crosses};
use samples::postgres::Role;
use std::time::{Duration, Instant};

/// Tables that are of the deployment as a whole. A new table belongs here, or has a tenant.
const WITHOUT_TENANT: [&str; 6] =
    ["schema_migration", "deployment", "tool_counter", "action_counter", "graph_projection", "audit_subtree"];
/// Unique keys that do not begin with the tenant: the place in the one audit chain, the lookup of an API key, which is
/// what names the tenant, and the place in the one outbox.
const KEYS_WITHOUT_TENANT: [(&str, &str); 3] =
    [("audit_entry", "seq"), ("principal", "key_hint"), ("graph_outbox", "seq")];
/// What the deployment as a whole also has to reach: its audit chain, the keys that callers show, which tenants there
/// are, what the entity graph has still to look at, and which erasures are not finished.
const OPEN_TO_THE_DEPLOYMENT: [&str; 5] = ["audit_entry", "principal", "sequence", "graph_outbox", "erasure"];
/// What PostgreSQL answers to a row that its policy does not take.
const REFUSED: &str = "42501: new row violates row-level security policy";

fn texts(sql: &Sql, query: &str) -> Vec<String> {
    sql.rows(query).iter().map(|row| row[0].text().to_owned()).collect()
}

fn tables(sql: &Sql) -> Vec<String> {
    texts(sql, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
}

fn columns(sql: &Sql, table: &str) -> Vec<String> {
    let of_table = "SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'public'";
    texts(sql, &format!("{of_table} AND table_name = '{table}' ORDER BY ordinal_position"))
}

fn tenant_tables(sql: &Sql) -> Vec<String> {
    let has_tenant = |table: &String| columns(sql, table).iter().any(|column| column == "tenant");
    tables(sql).into_iter().filter(has_tenant).collect()
}

fn tenants_seen(sql: &Sql, table: &str) -> Vec<String> {
    texts(sql, &format!("SELECT DISTINCT tenant FROM {table} ORDER BY 1"))
}

/// A filled deployment, looked at once every table of a tenant holds rows of each.
fn filled() -> Twins {
    // A space that fits into one question needs no vectors; these do not.
    let twins = Twins::new(|deployment| deployment.set("SVC_RECALL_CONTEXT", "1"));
    let sql = twins.deployment.sql();
    sql.run("INSERT INTO graph_outbox (tenant, fact, created) SELECT tenant, id, created FROM fact");
    sql.run("INSERT INTO erasure (tenant, id, body, done) SELECT DISTINCT tenant, 0, ''::bytea, 0 FROM fact");
    let deadline = Instant::now() + PATIENCE;
    for table in tenant_tables(&sql) {
        // Vectors are made in the background.
        while tenants_seen(&sql, &table).len() < 3 {
            assert!(
                Instant::now() < deadline,
                "{table} has no row of some tenant: have the sample write one"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    twins
}

fn owner(deployment: &Deployment, settings: &[(&str, &str)]) -> Sql {
    let sql = deployment.sql_as_owner();
    for (name, value) in settings {
        sql.rows(&format!("SELECT set_config('{name}', '{value}', false)"));
    }
    sql
}

#[test]
fn every_table_has_a_forced_policy_or_a_known_exception() {
    // A space that fits into one question needs no vectors; these do not.
    let twins = Twins::new(|deployment| deployment.set("SVC_RECALL_CONTEXT", "1"));
    let sql = twins.deployment.sql();
    let with_tenant = tenant_tables(&sql);
    assert!(with_tenant.len() >= 10, "{with_tenant:?}");
    let without: Vec<String> =
        tables(&sql).into_iter().filter(|table| !with_tenant.contains(table)).collect();
    let unknown: Vec<&String> =
        without.iter().filter(|table| !WITHOUT_TENANT.contains(&table.as_str())).collect();
    assert!(unknown.is_empty(), "{unknown:?} have no tenant");
    for table in with_tenant {
        let row = sql.rows(&format!(
            "SELECT relrowsecurity AND relforcerowsecurity,
                    EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid)
             FROM pg_class c WHERE c.oid = 'public.{table}'::regclass"
        ));
        assert_eq!(row[0], [Cell::Integer(1), Cell::Integer(1)], "{table} is not walled");
    }
}

#[test]
fn the_tenant_is_the_first_column_of_every_unique_key() {
    // A space that fits into one question needs no vectors; these do not.
    let twins = Twins::new(|deployment| deployment.set("SVC_RECALL_CONTEXT", "1"));
    let sql = twins.deployment.sql();
    let mut keys = 0;
    for table in tenant_tables(&sql) {
        let firsts = texts(
            &sql,
            &format!(
                "SELECT COALESCE(a.attname::text, '(expression)') FROM pg_index i
                 LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                 WHERE i.indisunique AND i.indrelid = 'public.{table}'::regclass"
            ),
        );
        assert!(!firsts.is_empty(), "{table} has no key");
        for first in firsts {
            let is_known = KEYS_WITHOUT_TENANT.contains(&(table.as_str(), first.as_str()));
            assert!(first == "tenant" || is_known, "a unique key of {table} begins with {first}");
            keys += 1;
        }
    }
    assert!(keys >= 10, "only {keys} keys were looked at");
}

#[test]
fn without_a_tenant_no_row_can_be_seen_or_changed() {
    let twins = filled();
    let all = twins.deployment.sql();
    for settings in [&[][..], &[("svc.tenant", "")], &[("svc.tenant", "nobody")]] {
        let sql = owner(&twins.deployment, settings);
        for table in tenant_tables(&all) {
            assert_eq!(tenants_seen(&sql, &table), [""; 0], "{table} {settings:?}");
            assert_eq!(sql.change(&format!("UPDATE {table} SET tenant = tenant")), 0, "{table} {settings:?}");
            assert_eq!(sql.change(&format!("DELETE FROM {table}")), 0, "{table} {settings:?}");
        }
    }
}

#[test]
fn a_tenant_reaches_its_own_rows_only() {
    let twins = filled();
    let all = twins.deployment.sql();
    let sql = owner(&twins.deployment, &[("svc.tenant", "acme")]);
    let mut tables = tenant_tables(&all);
    // The counts of what is stored go first: they are gone once all of it is.
    tables.sort_by_key(|table| table != "storage_use");
    for table in tables {
        assert_eq!(tenants_seen(&sql, &table), ["acme"], "{table}");
        let count =
            |condition: &str| all.cell(&format!("SELECT count(*) FROM {table} {condition}")).integer();
        let (ours, theirs) = (count("WHERE tenant = 'acme'"), count("WHERE tenant <> 'acme'"));
        for reach in ["", "WHERE tenant IN ('acme', 'globex', 'default')"] {
            let changed = sql.change(&format!("UPDATE {table} SET tenant = tenant {reach}"));
            assert_eq!(i64::try_from(changed).unwrap(), ours, "{table}");
        }
        assert_eq!(sql.change(&format!("DELETE FROM {table} WHERE tenant = 'globex'")), 0, "{table}");
        assert_eq!(i64::try_from(sql.change(&format!("DELETE FROM {table}"))).unwrap(), ours, "{table}");
        assert_eq!((count("WHERE tenant = 'acme'"), count("WHERE tenant <> 'acme'")), (0, theirs), "{table}");
    }
}

#[test]
fn no_row_is_written_for_another_tenant_or_moved_to_one() {
    let twins = filled();
    let all = twins.deployment.sql();
    let sql = owner(&twins.deployment, &[("svc.tenant", "acme")]);
    for table in tenant_tables(&all) {
        let names = columns(&all, &table);
        let values: Vec<&str> =
            names.iter().map(|name| if name == "tenant" { "'globex'" } else { name.as_str() }).collect();
        let (names, values) = (names.join(", "), values.join(", "));
        let insert = format!("INSERT INTO {table} ({names}) SELECT {values} FROM {table} LIMIT 1");
        for statement in [insert, format!("UPDATE {table} SET tenant = 'globex'")] {
            let refusal = sql.attempt(&statement).expect_err(&statement);
            assert!(refusal.starts_with(REFUSED), "{statement}: {refusal}");
        }
    }
}

#[test]
fn deployment_reach_opens_only_the_shared_tables() {
    let twins = filled();
    let sql = owner(&twins.deployment, &[("svc.reach", "deployment")]);
    for table in tenant_tables(&twins.deployment.sql()) {
        let seen = tenants_seen(&sql, &table).len();
        assert_eq!(seen, if OPEN_TO_THE_DEPLOYMENT.contains(&table.as_str()) { 3 } else { 0 }, "{table}");
    }
    let sql = owner(&twins.deployment, &[("svc.reach", "everything")]);
    assert_eq!(tenants_seen(&sql, "audit_entry"), [""; 0]);
}

#[test]
fn twins_stay_apart_without_row_level_security() {
    check_that_nothing_crosses(&Twins::new(|deployment| deployment.connect_as(Role::Superuser)));
}
