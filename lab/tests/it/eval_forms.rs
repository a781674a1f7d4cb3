//! Statements of one form over the real program.

use crate::laboratory::Laboratory;
use samples::model::{Model, said};
use serde_json::{Value, json};

/// Two services, one of them told without its port; a change that is made, and one that pushes out another's value.
fn family() -> Value {
    let fact = |subject: &str, value: &str| json!({ "subject": subject, "value": value });
    let both = |name: &str, owner: &str, port: &str| {
        let facts = json!([fact(&format!("{name} owner"), owner), fact(&format!("{name} port"), port)]);
        said(&format!("The {name} service is owned by {owner} and listens on {port}."), &facts)
    };
    json!({
        "family": "services",
        "say": [
            both("search", "Priya", "8001"),
            both("basket", "Tom", "8002"),
            said("The audit service is owned by Ana and listens on 8003.", &json!([fact("audit owner", "Ana")])),
        ],
        "changes": [
            { "say": said("The search service went to Lee.", &json!([fact("search owner", "Lee")])),
              "of": 0, "value": "Lee", "old": "Priya" },
            { "say": said("The basket service went to Kim.", &json!([fact("audit owner", "Kim")])),
              "of": 1, "value": "Kim", "old": "Tom" },
        ],
        "expect": [
            { "of": 0, "values": ["Priya", "8001"] },
            { "of": 1, "values": ["Tom", "8002"] },
            { "of": 2, "values": ["Ana", "8003"] },
        ],
    })
}

#[test]
fn kept_changed_and_damaged_are_told_apart() {
    let laboratory = Laboratory::new(&Model::start());
    let folder = laboratory.folder().join("lab/sets/forms");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("services.json"), family().to_string()).unwrap();
    // The model of the tests takes the item out of the words as they are, so each is told in one way only.
    let wording = said("New allergy: {item}.", &json!([{ "subject": "allergies", "value": "{item}" }]));
    let lists = json!({ "wordings": [wording, "Also allergic to {item}."], "items": ["latex", "codeine"] });
    std::fs::write(folder.join("lists.json"), lists.to_string()).unwrap();
    let output = laboratory.run(&["eval", "--forms", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let count = |name: &str| (report[name]["count"].as_u64().unwrap(), report[name]["n"].as_u64().unwrap());
    assert_eq!(count("kept"), (5, 6));
    assert_eq!(count("changes"), (1, 2));
    assert_eq!(count("damaged"), (1, 3));
    // Of two additions a space, the one without facts leaves nothing.
    assert_eq!(count("lists_lost"), (5, 10));
    let failures = report["failures"].to_string();
    for words in ["'8003' is not held", "'Ana' was lost to a change", "is not held with its thing"] {
        assert!(failures.contains(words), "{words} is not in {failures}");
    }
}
