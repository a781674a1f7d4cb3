//! The list of what the migrations make is in step with them.

use crate::support::{Deployment, Model, program};
use std::path::Path;

#[test]
fn the_list_of_schema_objects_is_in_step_with_the_migrations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/src/postgres");
    let deployment = Deployment::new(&Model::start());
    let migrated = deployment.run(&svc_migrate(), &["up"]);
    assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
    let found = std::fs::read_to_string(folder.join("schema_objects.sql")).unwrap();
    let lines = deployment.sql_as_owner().rows(&found).into_iter().map(|row| {
        let parts: Vec<&str> = row.iter().map(|cell| cell.text()).collect();
        format!("{}\n", parts.join("\t"))
    });
    let (made, list): (String, _) = (lines.collect(), folder.join("schema_objects.tsv"));
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        return std::fs::write(list, made).unwrap();
    }
    let listed = std::fs::read_to_string(list).unwrap();
    assert!(
        listed == made,
        "run this test with UPDATE_SCHEMA=1 to write crates/store/src/postgres/schema_objects.tsv"
    );
}

fn svc_migrate() -> String {
    program("svc").replace("/svc", "/svc-migrate")
}
