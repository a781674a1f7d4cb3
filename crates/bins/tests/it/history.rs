//! Every value that a subject has had, each on a line of its own.

use crate::support::{Deployment, Model, said, says};
use serde_json::json;

#[test]
fn each_value_is_a_numbered_line_with_its_status() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("database", "MySQL"));
    process.remember(&says("database", "Postgres"));
    let refinement =
        json!([{ "subject": "database", "value": "Postgres 16", "action": "REFINE", "target_id": 2 }]);
    let refined = process.remember(&said("the database is Postgres 16", &refinement));
    assert_eq!(refined, "Stored: [REFINE] database = Postgres 16");
    process.call(
        "forget",
        &json!({ "text": said("the database is gone", &json!([{ "subject": "database",
        "value": "Postgres 16", "action": "RETRACT", "target_id": 2 }])) }),
    );
    assert_eq!(
        process.call("history", &json!({ "subject": "database" })),
        "History for 'database' (oldest → newest):\n  \
         1. MySQL  [SUPERSEDED]\n  \
         2. Postgres  [SUPERSEDED]\n  \
         3. Postgres 16  [SUPERSEDED]\n  \
         4. (retracted: Postgres 16)  [HISTORICAL]"
    );
    assert_eq!(process.call("history", &json!({ "subject": "nope" })), "No history for 'nope'.");
}
