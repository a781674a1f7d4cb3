use super::Set;
use crate::eval::exported_fact::ExportedFact;
use crate::eval::folder::Folder;
use crate::eval::score::{Grade, findings, grade};
use crate::eval::sequence::{Label, Sequence, SequenceKind, Trade, word};
use clap::ValueEnum;
use domain::{FactId, FactKind, Status};
use std::collections::BTreeSet;

/// What the two halves must have between them.
const ENOUGH: usize = 300;

fn halves() -> [Vec<Sequence>; 2] {
    [Set::Tune, Set::HeldOut].map(|set| set.sequences(&Folder::of_the_repository()).unwrap())
}

#[test]
fn both_halves_cover_every_trade_and_kind() {
    let halves = halves();
    assert!(halves.iter().map(Vec::len).sum::<usize>() >= ENOUGH);
    for half in &halves {
        assert!(half.len() * 2 >= ENOUGH, "{}", half.len());
        for trade in Trade::value_variants() {
            for kind in SequenceKind::value_variants() {
                let found = half.iter().any(|s| s.trade == *trade && s.kind == *kind);
                assert!(found, "{} {}", word(trade), word(kind));
            }
        }
    }
}

#[test]
fn every_id_is_given_once() {
    let mut seen = BTreeSet::new();
    for sequence in halves().concat() {
        assert!(seen.insert(sequence.id.clone()), "{}", sequence.id);
    }
}

#[test]
fn every_sequence_says_something_and_can_be_got_wrong() {
    for sequence in halves().concat() {
        let statements = sequence.say.len();
        assert!((1..=5).contains(&statements), "{}", sequence.id);
        let labels = [&sequence.current, &sequence.not_current, &sequence.history, &sequence.flagged];
        assert!(labels.iter().any(|labels| !labels.is_empty()), "{}", sequence.id);
        for label in labels.into_iter().flatten() {
            assert!(!label.value.is_empty(), "{}: a label without a value", sequence.id);
        }
    }
}

#[test]
fn no_statement_is_in_both_halves() {
    let texts = |half: &Vec<Sequence>| -> BTreeSet<String> {
        let said = half.iter().flat_map(|s| s.say.iter().map(|statement| statement.text().to_lowercase()));
        said.collect()
    };
    let [tune, held_out] = halves();
    let both: Vec<String> = texts(&tune).intersection(&texts(&held_out)).cloned().collect();
    assert!(both.is_empty(), "{both:?}");
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.jsonl");
    let missing = Set::File(path.clone()).sequences(&Folder::of_the_repository()).unwrap_err();
    assert!(missing.contains("own.jsonl") && missing.contains("held-out"), "{missing}");
    std::fs::write(&path, "{\"id\":\"x\",\"trade\":\"coding\",\"kind\":\"past\",\"say\":[]}\n{\"idd\":1}\n")
        .unwrap();
    let broken = Set::File(path).sequences(&Folder::of_the_repository()).unwrap_err();
    assert!(broken.contains("own.jsonl, line 2: unknown field `idd`"), "{broken}");
}

#[test]
fn missing_sets_say_where_to_find_them() {
    let empty = tempfile::tempdir().unwrap();
    let missing = Set::Tune.sequences(&Folder::new(empty.path().join("eval"))).unwrap_err();
    for words in ["eval/stories/tune", "source repository", "--folder"] {
        assert!(missing.contains(words), "{missing}");
    }
}

/// A fact that says what the label says, in the first of its wordings.
fn fact(label: &Label, status: Status) -> ExportedFact {
    let first = |written: String| written.split('|').next().unwrap_or_default().to_owned();
    ExportedFact {
        id: FactId(0),
        disputes: None,
        subject: first(label.about.to_string()),
        value: first(label.value.to_string()),
        scope: Some(first(label.scope.to_string())).filter(|s| !s.is_empty()).unwrap_or("global".to_owned()),
        status,
        kind: FactKind::State,
        refined_from: Vec::new(),
        text: String::new(),
        supersedes: None,
    }
}

#[test]
fn no_label_contradicts_another() {
    for sequence in halves().concat() {
        let labelled = [
            (&sequence.current, Status::Active),
            (&sequence.flagged, Status::FlaggedConflict),
            (&sequence.history, Status::Superseded),
        ];
        let held: Vec<ExportedFact> =
            labelled.iter().flat_map(|(labels, status)| labels.iter().map(|l| fact(l, *status))).collect();
        let answer = sequence.ask.as_ref().map(|ask| {
            let words: Vec<String> = ask
                .answer
                .iter()
                .map(|p| p.to_string().split('|').next().unwrap_or_default().to_owned())
                .collect();
            if words.is_empty() { "I do not know.".to_owned() } else { words.join(", ") }
        });
        let found = findings(&sequence, &held, answer.as_deref());
        assert_eq!(grade(&found), Grade::Correct, "{}: {found:?}", sequence.id);
    }
}

#[test]
fn an_empty_memory_is_never_silently_wrong() {
    let all = halves().concat();
    let grades: Vec<Grade> = all
        .iter()
        .map(|sequence| grade(&findings(sequence, &[], sequence.ask.as_ref().map(|_| "I do not know."))))
        .collect();
    let count = |wanted: Grade| grades.iter().filter(|grade| **grade == wanted).count();
    assert_eq!(count(Grade::SilentlyWrong), 0);
    assert!(count(Grade::Correct) * 20 < all.len(), "{}", count(Grade::Correct));
}
