use super::{Reply, facts, without_thinking};
use domain::RawFact;
use proptest::prelude::*;
use serde_json::{Value, json};

fn whole(text: &str) -> Vec<RawFact> {
    match facts(text) {
        Reply::Whole(facts) => facts,
        Reply::Broken { .. } => panic!("broken: {text}"),
    }
}

fn salvaged(text: &str) -> Vec<String> {
    match facts(text) {
        Reply::Whole(_) => panic!("whole: {text}"),
        Reply::Broken { salvaged } => salvaged.into_iter().filter_map(|f| f.subject).collect(),
    }
}

fn subjects(text: &str) -> Vec<String> {
    whole(text).into_iter().filter_map(|f| f.subject).collect()
}

#[test]
fn a_list_is_found_in_fences_chatter_and_thoughts() {
    let list = r#"{"facts":[{"subject":"a","value":"b"}]}"#;
    for text in [
        list.to_owned(),
        format!("```json\n{list}\n```"),
        format!("Sure {{as you wish}}: {list} That is all [1]."),
        format!("<think>maybe {{\"facts\":[]}}?</think>\n{list}"),
        format!("so this is about a</think>{list}"),
        format!("Draft: {{\"facts\":[]}}. Final: {list}"),
        r#"[{"subject":"a","value":"b"}]"#.to_owned(),
        "```\n[{\"subject\":\"a\"}]\n```".to_owned(),
    ] {
        assert_eq!(subjects(&text), ["a"], "{text}");
    }
    assert!(whole("{\"facts\": []}").is_empty());
    assert!(whole(" [] ").is_empty());
}

#[test]
fn what_is_no_list_of_facts_is_broken() {
    for text in [
        "",
        "certainly! here is no json at all",
        "there are none []",
        "{}",
        "null",
        r#"{"facts":null}"#,
        r#"{"facts":{"subject":"a"}}"#,
        r#"{"fact":[{"subject":"a"}]}"#,
        "[1, 2]",
        r#"[{"name":"a"}]"#,
        "<think>it never ended {\"facts\":[]}",
        r#"{"facts":["a"]}"#,
    ] {
        assert_eq!(salvaged(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn fields_of_the_wrong_type_are_left_out() {
    let fact = |fields: Value| whole(&json!({ "facts": [fields] }).to_string()).remove(0);
    let read = fact(json!({
        "subject": 7, "value": 5, "kind": ["state"], "confidence": "0.9", "target_id": "#12", "reason": null,
    }));
    assert_eq!(
        read,
        RawFact {
            value: Some("5".to_owned()),
            confidence: Some(0.9),
            target_id: Some(12),
            ..RawFact::default()
        }
    );
    assert_eq!(fact(json!({ "value": true })).value.as_deref(), Some("true"));
    assert_eq!(fact(json!({ "value": { "a": 1 } })).value, None);
    assert_eq!(fact(json!({ "confidence": "NaN" })).confidence, None);
    assert_eq!(fact(json!({ "confidence": "high" })).confidence, None);
    assert_eq!(fact(json!({ "target_id": 3.0 })).target_id, Some(3));
    assert_eq!(fact(json!({ "target_id": 3.5 })).target_id, None);
    assert_eq!(fact(json!({ "target_id": 1e300 })).target_id, None);
    assert_eq!(fact(json!({})), RawFact::default());
}

#[test]
fn of_two_equal_keys_the_last_counts() {
    assert_eq!(subjects(r#"{"facts":[{"subject":"a","subject":"b"}]}"#), ["b"]);
}

#[test]
fn complete_facts_are_salvaged_from_a_broken_list() {
    let cut = r#"{"facts":[{"subject":"a","value":"}{"},{"subject":"b"},{"subject":"c","val"#;
    assert_eq!(salvaged(cut), ["a", "b"]);
    let not_json = r#"{"facts": [{"subject":"a","confidence":NaN}, {"subject":"b"}, {"subject":"c","confidence":Infinity}]}"#;
    assert_eq!(salvaged(not_json), ["b"]);
    assert_eq!(salvaged(r#"{"facts":[{"subject":"a"} {"subject":"b"}]}"#), ["a", "b"]);
    assert_eq!(salvaged(r#"{"facts":[{"subject":"a"}, 5]}"#), ["a"]);
    assert_eq!(salvaged("[{\"subject\":\"a\"},{\"subject\":\"b"), ["a"]);
}

#[test]
fn parts_of_a_fact_are_not_salvaged_as_facts() {
    assert_eq!(salvaged(r#"{"facts":[{"subject":"a","value":{"subject":"x"},"confidence":NaN}]}"#), [""; 0]);
    assert_eq!(salvaged(r#"{"facts":[{"subject":"a","value":[{"subject":"x"}],"confi"#), [""; 0]);
    assert_eq!(salvaged(r#"{"facts":[{"value":"no subject"},{"#), [""; 0]);
    assert_eq!(salvaged(r#"{"facts":[],"note":{"subject":"x"},"#), [""; 0]);
}

#[test]
fn tags_within_the_reply_are_part_of_it() {
    assert_eq!(without_thinking("<think>a</think><think>b</think> yes"), "yes");
    assert_eq!(without_thinking("they use <think> and </think> tags"), "they use <think> and </think> tags");
    let reply = r#"{"facts":[{"subject":"</think>"}]}"#;
    assert_eq!(without_thinking(reply), reply);
}

#[test]
fn many_stray_brackets_do_not_stall_the_reading() {
    let text = "[{\"a\":".repeat(200_000);
    assert!(salvaged(&text).is_empty());
}

/// A list as a model would write it, with the subjects in it.
fn list() -> impl Strategy<Value = (String, Vec<String>)> {
    let word = "[a-z\"\\\\{}\\[\\]é ]{1,12}";
    proptest::collection::vec((word, word, 0.0..1.0_f64), 0..5).prop_map(|facts| {
        let items: Vec<Value> = facts
            .iter()
            .map(|(subject, value, sure)| json!({ "subject": subject, "value": value, "confidence": sure }))
            .collect();
        (json!({ "facts": items }).to_string(), facts.into_iter().map(|f| f.0).collect())
    })
}

fn every_subject(text: &str) -> Vec<String> {
    let (Reply::Whole(facts) | Reply::Broken { salvaged: facts }) = facts(text);
    facts.into_iter().filter_map(|f| f.subject).collect()
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        every_subject(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_mix_of_json_signs_is_read_without_a_panic(
        text in r#"([{}\[\]:,"\\ ]|"facts"|"subject"|NaN|12|<think>|</think>|```)*"#
    ) {
        every_subject(&text);
    }

    #[test]
    fn a_list_is_read_as_it_was_written((text, subjects) in list()) {
        prop_assert_eq!(super::tests::subjects(&text), subjects);
    }

    #[test]
    fn a_list_that_breaks_off_yields_a_beginning_of_it((text, subjects) in list(), cut in 0.0..1.0_f64) {
        let end = text.floor_char_boundary((text.len() as f64 * cut) as usize);
        let blank = |s: &&String| !s.trim().is_empty();
        let subjects: Vec<_> = subjects.iter().filter(blank).collect();
        let rescued = every_subject(&text[..end]);
        prop_assert!(subjects.iter().zip(&rescued).all(|(a, b)| *a == b), "{:?} of {:?}", rescued, subjects);
        prop_assert!(rescued.len() <= subjects.len());
    }

    #[test]
    fn a_list_with_broken_json_yields_only_its_own_facts(
        (text, subjects) in list(), at in any::<prop::sample::Index>()
    ) {
        let commas: Vec<usize> = text.match_indices("\"confidence\":").map(|(i, k)| i + k.len()).collect();
        prop_assume!(!commas.is_empty());
        let at = commas[at.index(commas.len())];
        let broken = format!("{}NaN{}", &text[..at], &text[at..]);
        for subject in every_subject(&broken) {
            prop_assert!(subjects.contains(&subject), "{} is none of {:?}", subject, subjects);
        }
    }
}

#[test]
fn a_looping_reply_is_cut_at_the_first_repeat() {
    let entry = |n: u32| format!(r#"{{"subject":"s{n}","value":"v{n}","action":"ADD"}}"#);
    let looping = format!(r#"{{"facts":[{},{},{},{},{}"#, entry(1), entry(2), entry(1), entry(3), entry(1));
    let Reply::Broken { salvaged } = facts(&looping) else { panic!("it has no end") };
    let subjects: Vec<&str> = salvaged.iter().filter_map(|f| f.subject.as_deref()).collect();
    assert_eq!(subjects, ["s1", "s2"]);
    let ended = format!(r#"{{"facts":[{},{},{}]}}"#, entry(1), entry(1), entry(2));
    assert_eq!(whole(&ended).len(), 3, "a reply with an end loses nothing");
}
