//! Long conversations over the real program: what each turn leaves and takes away, and whether what answers a question
//! is shown.

use crate::laboratory::Laboratory;
use samples::model::{Model, said};
use serde_json::{Value, json};

fn turn(id: &str, speaker: &str, text: &str, tells: bool, changes: &[&str]) -> Value {
    json!({ "id": id, "speaker": speaker, "text": text, "tells": tells, "changes": changes })
}

/// Two friends. A turn carries what the model of the tests makes of it.
fn conversation() -> Value {
    let fact = |subject: &str, value: &str| json!([{ "subject": subject, "value": value }]);
    json!({
        "id": "friends-0", "genre": "friends",
        "sessions": [
            { "date": "2024-03-02", "turns": [
                turn("a1", "Maya", "Hello!", false, &[]),
                turn("a2", "Joel", &said("We live on Harrow Lane.", &fact("Joel's home", "Harrow Lane")), true, &[]),
                turn("a3", "Maya", &said("My cat is Biscuit.", &fact("Maya's cat", "Biscuit")), true, &[]),
                turn("a4", "Maya", "I like mine, too.", true, &[]),
            ] },
            { "date": "2024-05-04", "turns": [
                turn("b1", "Joel", &said("We are in Leeds now.", &fact("Joel's home", "Leeds")), true, &["a2"]),
                turn("b2", "Joel", &said("A kitten came.", &fact("Maya's cat", "Pepper")), true, &[]),
            ] },
        ],
        "questions": [
            { "question": "Where does Joel live?", "answer": "Leeds", "evidence": ["b1"] },
            { "question": "What is Maya's cat called?", "answer": "Biscuit", "evidence": ["a3"] },
        ],
    })
}

fn eval(arguments: &[&str]) -> String {
    let laboratory = Laboratory::new(&Model::start());
    let folder = laboratory.folder().join("sets");
    std::fs::create_dir_all(folder.join("long")).unwrap();
    std::fs::write(folder.join("long/friends-0.json"), conversation().to_string()).unwrap();
    let all = [&["eval", "--folder", "sets"], arguments].concat();
    let output = laboratory.run(&all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_turn_is_weighed_by_its_effect() {
    let report: Value = serde_json::from_str(&eval(&["--long", "--json"])).unwrap();
    let all = &report["all"];
    let count = |name: &str| (all[name]["count"].as_u64().unwrap(), all[name]["n"].as_u64().unwrap());
    assert_eq!((all["turns"].as_u64(), all["questions"].as_u64()), (Some(6), Some(2)));
    assert_eq!(count("kept"), (4, 5));
    // The turn that the cat was told in is not kept, and the one that b1 changes does not count.
    assert_eq!(count("kept_to_the_end"), (2, 4));
    assert_eq!(count("idle_kept"), (0, 1));
    assert_eq!(count("wrongly_retired"), (1, 6));
    assert_eq!(count("changes"), (1, 1));
    assert_eq!(count("flags"), (0, 6));
    let [first, _] = all["evidence"].as_array().unwrap().as_slice() else { panic!("{all}") };
    assert_eq!(first["first"], 10);
    assert_eq!((&first["recall"]["any"]["count"], &first["bm25"]["any"]["count"]), (&json!(1), &json!(2)));
    for tool in ["remember", "recall"] {
        assert!(all[tool]["cpu_ms"]["p95"].as_f64().unwrap() > 0.0);
        assert!(all[tool]["wall_ms"]["p50"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(report["conversations"][0]["id"], "friends-0");
}

#[test]
fn failures_show_what_was_lost_harmed_or_hidden() {
    let shown = eval(&["--failures", "--long", "sets/long/friends-0.json"]);
    for words in [
        "friends-0 (friends)",
        "not kept   a4 Maya: I like mine, too.",
        "wronged by b2 Joel: A kitten came.",
        "Maya's cat = Biscuit (from: Maya: My cat is Biscuit.",
        "not shown  at 10 and 40: What is Maya's cat called?",
        "conversations: 1, turns: 6, questions: 2",
        "plain BM25, first turns: 40",
    ] {
        assert!(shown.contains(words), "{words} is not in:\n{shown}");
    }
    assert!(!shown.contains("not kept   a1"), "{shown}");
}
