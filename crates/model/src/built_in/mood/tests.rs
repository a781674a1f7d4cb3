//! How clauses are meant, over labelled statements.

use super::super::clauses::clauses;
use super::super::sentences::lows;
use super::super::sentences::sentences;
use super::super::words::words;
use super::{Mood, mood, tone};
use std::collections::BTreeMap;

/// The part of a labelled statement that a label speaks of, and how the clause that covers most of it is taken.
struct Judged {
    label: String,
    part: String,
    mood: Option<Mood>,
}

fn overlap(part: &[String], clause: &[String]) -> usize {
    let mut left = part.to_vec();
    clause
        .iter()
        .filter(|w| left.iter().position(|p| p == *w).map(|at| left.swap_remove(at)).is_some())
        .count()
}

fn judge(line: &str) -> Vec<Judged> {
    let Some((labels, text)) = line.split_once('\t') else { return Vec::new() };
    let parts: Vec<&str> = text.split(" || ").collect();
    let whole = joined(&parts);
    let mut moods: Vec<(Vec<String>, Mood)> = Vec::new();
    let spoken = sentences(&whole);
    for (at, sentence) in spoken.iter().enumerate() {
        let tone = tone(sentence, spoken.get(at + 1));
        for clause in clauses(&sentence.words) {
            moods.push((lows(&clause.words), mood(&clause, &tone)));
        }
    }
    let told: Vec<Vec<String>> = parts
        .iter()
        .map(|p| words(p).into_iter().filter(|w| !w.is_mark()).map(|w| w.low).collect())
        .collect();
    let best = |clause: &[String]| {
        (0..told.len()).rev().max_by_key(|at| overlap(&told[*at], clause)).unwrap_or_default()
    };
    labels
        .split(',')
        .zip(&parts)
        .enumerate()
        .map(|(at, (label, part))| Judged {
            label: label.trim().to_owned(),
            part: (*part).to_owned(),
            mood: moods
                .iter()
                .filter(|(clause, _)| best(clause) == at)
                .max_by_key(|(clause, _)| overlap(&told[at], clause))
                .map(|(_, mood)| *mood),
        })
        .collect()
}

/// Where the writers set no mark between two parts, a comma stands for it.
fn joined(parts: &[&str]) -> String {
    let mut whole = String::new();
    for part in parts {
        if !whole.is_empty() {
            whole.push_str(if whole.ends_with(|c: char| c.is_alphanumeric()) { ", " } else { " " });
        }
        whole.push_str(part);
    }
    whole
}

fn short(mood: Option<Mood>) -> &'static str {
    match mood {
        None => "none",
        Some(Mood::Asserted) => "A",
        Some(Mood::Past) => "past",
        Some(Mood::Future) => "future",
        Some(Mood::Hedged) => "hedged",
        Some(Mood::Skipped(_)) => "skip",
    }
}

#[test]
#[ignore = "prints how every labelled statement is taken"]
fn labelled_statements_are_counted() {
    let mut table: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut wrong = String::new();
    for file in 1..=6 {
        let path = format!("{}/training/statements-{file}.tsv", env!("CARGO_MANIFEST_DIR"));
        for line in std::fs::read_to_string(path).unwrap().lines() {
            for judged in judge(line) {
                let taken = short(judged.mood);
                *table.entry(judged.label.clone()).or_default().entry(taken).or_default() += 1;
                let real = matches!(judged.label.as_str(), "state" | "change" | "end" | "event");
                let none = matches!(judged.label.as_str(), "chatter" | "reason");
                if real && taken != "A" || !real && !none && taken == "A" {
                    wrong.push_str(&format!("{}\t{taken}\t{}\t{line}\n", judged.label, judged.part));
                }
            }
        }
    }
    for (label, row) in &table {
        println!("{label:13} {row:?}");
    }
    println!("{wrong}");
}

/// How the first clause of a statement is taken.
fn taken(text: &str) -> &'static str {
    let line = format!("state\t{text}");
    short(judge(&line).first().and_then(|judged| judged.mood))
}

#[track_caller]
fn are_all(expected: &str, statements: &[&str]) {
    let wrong: Vec<String> = statements
        .iter()
        .filter(|s| taken(s) != expected)
        .map(|s| format!("{s} (taken as {})", taken(s)))
        .collect();
    assert!(wrong.is_empty(), "not {expected}: {wrong:#?}");
}

#[test]
fn what_is_so_is_taken_as_so_whatever_words_it_is_told_in() {
    are_all(
        "A",
        &[
            "The library shuts at six on weekdays.",
            "I'm used to long drives.",
            "The last name is Abara.",
            "Expected close date is 9 June.",
            "She may not be given aspirin.",
            "He prefers to be asked before anyone rings his office.",
            "Mrs. Quint would rather be emailed than phoned.",
            "Will Barrow looks after the Norwich depot.",
            "Her will is kept by the notary in Delft.",
            "Ring my sister if I do not pick up.",
            "We moved the wiki to Outline.",
            "She was started on bisoprolol this morning.",
            "He was diagnosed with gout in 2019.",
            "Theo was born in Gdansk.",
            "Requests above 200 euros need two signatures.",
            "The team meets on Tuesdays and Thursdays.",
            "Our fiscal year starts in October.",
            "Next of kin is her brother Amos.",
            "It takes 12.5 mg once daily.",
            "We have lived in Turin for nine years.",
        ],
    );
}

#[test]
fn what_was_so_once_is_past() {
    are_all(
        "past",
        &[
            "I used to row for the county.",
            "Back then our mail ran on Exim.",
            "Prior to the fire, the archive was kept in the cellar.",
            "In my previous job I reported to a woman called Senna.",
            "Until last year they were on the Silver plan.",
            "Before 2018 the firm was based in Cork.",
            "As a child she lived in Lima.",
            "We were with Vodafone for six years.",
            "He had been their treasurer.",
        ],
    );
}

#[test]
fn what_is_to_come_is_future() {
    are_all(
        "future",
        &[
            "We will move to Aurora in March.",
            "She's going to take over the night shift.",
            "The new boiler is due to be fitted on Friday.",
            "The rollout is slated for the second week of May.",
            "They intend to renew in autumn.",
            "Nils starts in the warehouse on the 12th.",
            "Version 9 ships in three weeks.",
            "Come spring, Aiko takes over payroll.",
            "From next Monday the desk opens at eight.",
            "We're ripping out the old queue next sprint.",
            "flying to Faro on the 3rd",
        ],
    );
}

#[test]
fn what_nobody_is_sure_of_is_hedged() {
    are_all(
        "hedged",
        &[
            "I think they bank with Triodos.",
            "She might be coeliac.",
            "Rumour has it the Ghent site is for sale.",
            "According to the porter he has changed wards.",
            "A little bird told me that Imke is leaving.",
            "Pretty sure their year ends in June.",
            "It sounds as though they froze hiring.",
            "The rate is 4.1, but nobody has confirmed it.",
            "He's said to own a vineyard.",
            "They are weighing a move to Lyon.",
            "Off the top of my head, the tank holds 900 litres.",
            "Their CTO is Bram. Not sure though.",
        ],
    );
}

#[test]
fn what_is_asked_supposed_or_not_meant_is_skipped() {
    are_all(
        "skip",
        &[
            "Do we still pay for Miro?",
            "wondering who owns the badge printer",
            "Can you check whether her drip was changed?",
            "Any idea when the lease runs out?",
            "Remind me which clinic she goes to.",
            "If we had the budget we'd buy a second scanner.",
            "Had they asked, I would have said yes.",
            "Suppose he were diabetic.",
            "I wish we used Elm.",
            "Let's pretend the rate is 11 percent.",
            "For example, a client named Jo Bloggs with two flats.",
            "In a perfect world we ship every hour.",
            "Oh sure, because what this ward needs is a sixth form.",
            "Yeah right, and I'm the Sultan of Brunei.",
            "What a triumph, the lift is stuck again.",
            "Nothing says welcome like a locked door.",
            "Wonderful, so the toaster is our new database.",
        ],
    );
}

#[test]
fn a_clause_beside_a_question_a_wish_or_a_doubt_is_taken_for_itself() {
    let moods = |text: &str| {
        let line = format!("state,state\t{text}");
        judge(&line).iter().map(|j| short(j.mood)).collect::<Vec<_>>()
    };
    assert_eq!(moods("Our servers run Debian, || do you know which version?"), ["A", "skip"]);
    assert_eq!(moods("I wish we had Datadog, || but we are on Zabbix."), ["skip", "A"]);
    assert_eq!(moods("Lotte runs the kitchen || and she might take on the bar."), ["A", "hedged"]);
    assert_eq!(moods("We are going to retire make || and build with Bazel."), ["future", "future"]);
}
