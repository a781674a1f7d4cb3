//! A database of an earlier version is upgraded when nobody else has it open.

use crate::support::{Deployment, Engine, Model, says};

/// What a process of an earlier version looks like to the database.
const IN_USE: &str = match crate::ENGINE {
    Engine::Sqlite => "SELECT count(*) FROM fact",
    Engine::Postgres => "SELECT set_config('application_name', 'svc', false)",
};

const EARLIER: i64 = 7;

fn of_an_earlier_version() -> Deployment {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    assert!(process.close().success());
    deployment.back_to_version(EARLIER);
    deployment
}

#[test]
fn an_upgrade_of_what_others_have_open_says_whom_to_stop() {
    let deployment = of_an_earlier_version();
    let other = deployment.sql();
    other.rows(IN_USE);
    let said = deployment.refusal();
    assert!(said.to_lowercase().contains("stop every process"), "{said}");
    assert_eq!(other.cell("SELECT max(version) FROM schema_migration").integer(), EARLIER);

    drop(other);
    let process = deployment.start();
    assert!(process.list().contains("• city = Oslo  (#1)"), "{}", process.list());
    process.intact();
}

#[test]
fn processes_that_start_at_once_all_come_up() {
    let deployment = of_an_earlier_version();
    std::thread::scope(|scope| {
        let starting: Vec<_> = (0..3).map(|_| scope.spawn(|| deployment.start())).collect();
        for process in starting {
            process.join().unwrap().intact();
        }
    });
}
