//! What the other tests rely on: databases of their own, and a server that can be stopped.

use crate::support::{Cell, Sql};
use samples::postgres::{Database, Role, durable, shared};

#[test]
fn the_owner_of_a_database_is_an_ordinary_role() {
    let Some(server) = shared() else { return };
    let database = Database::create(server);
    for (role, is_superuser) in [(Role::Owner, 0), (Role::Superuser, 1)] {
        let sql = Sql::connect(database.url(role));
        let told = sql.rows("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user");
        assert_eq!(told[0][0], Cell::Integer(is_superuser));
        assert!(role == Role::Superuser || told[0][1] == Cell::Integer(0));
    }
    Sql::connect(database.url(Role::Owner)).run("CREATE TABLE mine (n BIGINT PRIMARY KEY, b BYTEA, t TEXT)");
}

#[test]
fn a_copied_database_is_independent() {
    let Some(server) = shared() else { return };
    let original = Database::create(server);
    Sql::connect(original.url(Role::Owner)).run("CREATE TABLE n (n BIGINT); INSERT INTO n VALUES (1)");
    let copy = original.copy();
    let sum =
        |database: &Database| Sql::connect(database.url(Role::Owner)).cell("SELECT sum(n)::bigint FROM n");
    assert_eq!(sum(&copy), Cell::Integer(1));
    Sql::connect(copy.url(Role::Owner)).run("INSERT INTO n VALUES (2)");
    assert_eq!((sum(&original), sum(&copy)), (Cell::Integer(1), Cell::Integer(3)));
    copy.become_copy_of(&original);
    assert_eq!(sum(&copy), Cell::Integer(1));
}

#[test]
fn a_crashed_server_comes_back_with_its_commits() {
    let Some(server) = durable() else { return };
    let database = Database::create(&server);
    let sql = Sql::connect(database.url(Role::Owner));
    sql.run("CREATE TABLE n (n BIGINT); INSERT INTO n VALUES (7)");
    server.stop_immediate();
    assert!(sql.attempt("INSERT INTO n VALUES (8)").is_err());
    server.start();
    let sql = Sql::connect(database.url(Role::Owner));
    assert_eq!(sql.cell("SELECT n FROM n"), Cell::Integer(7));
}
