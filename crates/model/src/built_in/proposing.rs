//! From a reading to proposals, by how it is meant and what is held.

use super::clauses::Adjunct;
use super::fitting::fit;
use super::implied::implied;
use super::keeping::gist;
use super::lexicon::LEXICON;
use super::linking::{by_unit, changed, changed_surely, contrasts, ended, ended_by_words, figure, restated};
use super::memory::{Known, set, share};
use super::mood::{Mood, Tone};
use super::place::{DOUBTFUL, LINKED, PLAIN, Place, place, with_time};
use super::reading::{Reading, Shift};
use super::suspicion::relevant;
use super::values::{drug, is_time, items, tidy_value};
use super::words::{Tag, Word, spell, words};
use crate::ask::SlotHint;
use domain::{Action, RawFact};

pub(super) fn propose(reading: &Reading, tone: &Tone, known: &[Known], slots: &[SlotHint]) -> Vec<RawFact> {
    match reading.mood {
        Mood::Skipped("a question") => Vec::new(),
        Mood::Skipped(reason) => vec![skip(reading, reason)],
        Mood::Past => vec![with_time(
            place(reading, known, slots, tone).fact(Action::Archive, PLAIN, "true in the past"),
            "past",
        )],
        // "The rent is due on the 3rd" holds now.
        Mood::Future if reading.subject.ends_with("due date") && !reading.said.contains("due to") => {
            asserted(reading, tone, known, slots)
        }
        Mood::Future => unsettled(reading, known, slots, tone, "future", "a plan, not carried out yet"),
        Mood::Hedged => unsettled(reading, known, slots, tone, "unknown", "hedged"),
        Mood::Asserted => asserted(reading, tone, known, slots),
    }
}

fn asserted(reading: &Reading, tone: &Tone, known: &[Known], slots: &[SlotHint]) -> Vec<RawFact> {
    match &reading.shift {
        Shift::Gone => removal(reading, tone, known, slots),
        Shift::To { .. } => change(reading, known, slots),
        Shift::None => {
            if !reading.event
                && let Some(same) = restated(reading, tone.restates, known)
            {
                return vec![Place::at(same).with(same.value.clone()).fact(
                    Action::Dedup,
                    PLAIN,
                    "said before",
                )];
            }
            // What is announced as said before adds nothing, in whatever words.
            if tone.restates && !tone.corrects && !reading.event && relevant(&reading.said, known) {
                return Vec::new();
            }
            statement(reading, tone, known, slots)
        }
    }
}

fn removal(reading: &Reading, tone: &Tone, known: &[Known], slots: &[SlotHint]) -> Vec<RawFact> {
    if tone.restates && reading.said.contains("know") {
        return Vec::new();
    }
    match ended(reading, known).filter(|gone| !brings_figure(reading, gone)) {
        Some(open)
            if is_status(&open.value) && reading.said.split_whitespace().any(|w| w.ends_with("ed")) =>
        {
            let status =
                reading.said.split_whitespace().rev().find(|w| w.ends_with("ed")).unwrap_or_default();
            vec![Place::at(open).with(status.to_owned()).fact(
                Action::Supersede,
                PLAIN,
                "its status has changed",
            )]
        }
        Some(gone) => match came_to(reading, gone).or_else(|| without(reading, gone)) {
            Some(value) => {
                vec![Place::at(gone).with(value).fact(Action::Supersede, LINKED, "it has given way")]
            }
            None => {
                vec![Place::at(gone).with(gone.value.clone()).fact(Action::Retract, PLAIN, "it has ended")]
            }
        },
        None if reading.pointer => Vec::new(),
        None if !reading.otherwise.is_empty() => {
            reading.otherwise.iter().flat_map(|r| statement(r, tone, known, slots)).collect()
        }
        None => vec![skip(reading, "nothing held matches what has gone")],
    }
}

/// "Withdrew 40,000 for a roof" ends no income of 12,500.
fn brings_figure(reading: &Reading, gone: &Known) -> bool {
    let figure = |s: &String| s.trim_start_matches(['$', '€', '£']).starts_with(|c: char| c.is_ascii_digit());
    let told: Vec<String> = set(&reading.said).into_iter().filter(figure).collect();
    let held = || gone.own().into_iter().chain(gone.text.iter().cloned()).any(|s| figure(&s));
    !told.is_empty() && held() && !told.iter().any(|s| gone.own().contains(s) || gone.text.contains(s))
}

/// Whether it is this fact that has changed: it was named, or the new value is of the make of the old one and nothing
/// sets the two apart.
fn is_sure(reading: &Reading, old: &Known, known: &[Known]) -> bool {
    let named = changed_surely(reading, known).is_some();
    let alike = fit(&reading.value, old) >= 0.6 && !contrasts(reading, old);
    (named || alike) && !is_several(old, reading)
}

/// A value of several parts is not replaced as a whole by what is said of one of them.
fn is_several(held: &Known, reading: &Reading) -> bool {
    let figures = |text: &str| words(text).iter().filter(|w| w.has_digit()).count();
    let parts = |text: &str| text.contains(" and ") || text.contains(',');
    let named = match &reading.shift {
        Shift::To { from: Some(from) } => set(from).is_superset(&held.values),
        _ => false,
    };
    !named
        && parts(&held.value)
        && figures(&held.value) >= 2
        && figures(&reading.value) < figures(&held.value)
}

/// Of several things in one value, those that have not ended.
fn without(reading: &Reading, gone: &Known) -> Option<String> {
    let said = set(&reading.said);
    let all = items(&words(&gone.value));
    if !gone.value.contains(" and ") || all.iter().any(|item| item.split_whitespace().count() > 3) {
        return None;
    }
    let left: Vec<&String> = all.iter().filter(|item| share(&set(item), &said) == 0.0).collect();
    let named = set(&reading.value).is_subset(&gone.values);
    (named && !left.is_empty() && left.len() < all.len())
        .then(|| left.iter().map(|item| item.as_str()).collect::<Vec<_>>().join(" and "))
}

/// "Handed over to Rui", "taken out of A into B": what has ended has given way to something.
fn came_to(reading: &Reading, gone: &Known) -> Option<String> {
    let fresh = |a: &&Adjunct| {
        let telling =
            a.words.iter().any(|w| w.tag == Tag::Name || w.is_capital() || w.has_digit() || w.is_quoted());
        matches!(a.prep.as_str(), "to" | "into" | "onto")
            && telling
            && !is_time(&a.words)
            && share(&set(&spell(&a.words)), &gone.own()) == 0.0
    };
    let favoured = |a: &Adjunct| {
        let [favour, of, rest @ ..] = a.words.as_slice() else { return None };
        (a.prep == "in" && favour.is_any(&["favour", "favor"]) && of.is("of")).then(|| spell(rest))
    };
    let adjuncts = &reading.parts.adjuncts;
    let to = adjuncts.iter().find(fresh).map(|a| tidy_value(&spell(&a.words)));
    to.or_else(|| adjuncts.iter().find_map(favoured))
}

fn change(reading: &Reading, known: &[Known], slots: &[SlotHint]) -> Vec<RawFact> {
    let found = changed(reading, known);
    let surely = found.filter(|old| is_sure(reading, old, known));
    if let Some(old) = found.filter(|_| surely.is_none()) {
        if slots.iter().any(|slot| slot.name == old.subject) {
            let place = Place::at(old).with(reading.value.clone());
            return vec![place.fact(Action::Supersede, DOUBTFUL, "it may have changed this")];
        }
        let kept =
            Place { subject: gist(&reading.said), ..Place::new(reading, &[]) }.with(reading.said.clone());
        return vec![kept.fact(Action::Add, LINKED, "it may have changed something"), doubted(old)];
    }
    let Some(old) = surely else {
        let mut place = Place::new(reading, slots);
        if place.subject.is_empty() {
            match LEXICON.kind(&reading.value) {
                Some(kind) => place.subject = kind.to_owned(),
                None => {
                    place.subject = gist(&reading.said);
                    place.value.clone_from(&reading.said);
                }
            }
        }
        return vec![place.fact(Action::Add, LINKED, "a change of something not held")];
    };
    let place = Place::at(old).with(reading.value.clone());
    // A subject that names the old value cannot hold the new one.
    let from = match &reading.shift {
        Shift::To { from: Some(from) } => set(from),
        _ => Default::default(),
    };
    let names_itself = !old.values.is_empty()
        && (old.values.is_subset(&old.key)
            || from.iter().any(|s| old.values.contains(s) && old.key.contains(s)));
    let slotted = slots.iter().any(|slot| slot.name == old.subject);
    if names_itself && !slotted {
        let ended = Place::at(old).with(old.value.clone()).fact(Action::Retract, PLAIN, "replaced");
        let mut fresh = place;
        fresh.target = None;
        fresh.subject = renamed(&old.subject, old, &reading.value);
        return vec![ended, fresh.fact(Action::Add, PLAIN, "takes the place of another")];
    }
    vec![place.fact(Action::Supersede, PLAIN, "replaces the former value")]
}

/// A word for how something stands, which gives way to another such word rather than to nothing.
fn is_status(value: &str) -> bool {
    matches!(
        value.to_lowercase().as_str(),
        "open" | "active" | "pending" | "in progress" | "enabled" | "live" | "valid" | "running" | "ongoing"
    )
}

/// The subject with the words of the old value exchanged for the first word of the new one.
fn renamed(subject: &str, old: &Known, value: &str) -> String {
    let first =
        drug(value).unwrap_or_else(|| value.split_whitespace().next().unwrap_or_default().to_lowercase());
    let mut done = false;
    let words: Vec<String> = subject
        .split_whitespace()
        .filter_map(|word| {
            if !share(&set(word), &old.values).eq(&1.0) {
                return Some(word.to_owned());
            }
            let put = (!done).then(|| first.clone());
            done = true;
            put
        })
        .collect();
    words.join(" ")
}

fn statement(reading: &Reading, tone: &Tone, known: &[Known], slots: &[SlotHint]) -> Vec<RawFact> {
    if reading.event
        && tone.corrects
        && let Some(held) = by_unit(&reading.value, known)
    {
        return vec![Place::at(held).with(figure(&reading.value)).fact(
            Action::Supersede,
            LINKED,
            "the same measure",
        )];
    }
    let fresh = reading.event || (tone.corrects && place(reading, known, slots, tone).target.is_none());
    let over = ended_by_words(reading, known).filter(|_| fresh);
    let changed = implied(reading, known).filter(|_| fresh).map(|(held, _)| held);
    let doubts: Vec<RawFact> = over.or(changed).map(doubted).into_iter().collect();
    if reading.event {
        let mut fact = Place::new(reading, slots).fact(Action::Add, LINKED, "something that happened");
        fact.kind = Some("event".to_owned());
        return std::iter::once(fact).chain(doubts).collect();
    }
    let place = place(reading, known, slots, tone);
    if place.subject.is_empty() {
        let kept = Place { subject: gist(&reading.said), ..place }.with(reading.said.clone());
        return vec![kept.fact(Action::Add, LINKED, "said plainly")];
    }
    // "The allergy has been disproved": a bare participle is no item of a list.
    let listed = slots.iter().any(|s| s.list && s.name == place.subject);
    if listed && reading.value.ends_with("ed") && !reading.value.contains(' ') {
        return removal(
            &Reading { value: reading.subject.clone(), otherwise: Vec::new(), ..reading.clone() },
            tone,
            known,
            slots,
        );
    }
    if slots.iter().any(|s| s.list && s.name == place.subject) && place.target.is_none() {
        return list_items(reading, &place);
    }
    let Some(held) = known.iter().find(|k| k.id.is_some() && k.id == place.target) else {
        let action = if place.target.is_some() { Action::Supersede } else { Action::Add };
        return vec![place.fact(action, PLAIN, "said plainly")];
    };
    // "Leona is our champion" and "Leona was out with flu" are two things, not one that has changed.
    let told: Vec<&str> = reading.said.split_whitespace().collect();
    let named = reading.subject.split_whitespace().next().is_some_and(|first| {
        let spelled =
            told.iter().find(|w| w.to_lowercase().trim_end_matches("'s") == first.trim_end_matches("'s"));
        spelled.is_none_or(|w| w.starts_with(char::is_uppercase))
    });
    if named
        && !tone.corrects
        && !slots.iter().any(|s| s.name == held.subject)
        && fit(&place.value, held) < 0.5
        && held.values != set(&place.value)
    {
        let apart = Place { subject: gist(&reading.said), target: None, ..place };
        return vec![apart.fact(Action::Add, PLAIN, "said plainly")];
    }
    if is_several(held, reading) {
        let apart = Place { subject: gist(&reading.said), target: None, ..place }.with(reading.said.clone());
        return vec![apart.fact(Action::Add, PLAIN, "said plainly"), doubted(held)];
    }
    let new = set(&place.value);
    let action = if held.values == new {
        Action::Dedup
    } else if held.values.is_subset(&new) {
        Action::Refine
    } else {
        Action::Supersede
    };
    vec![place.fact(action, if reading.pointer { LINKED } else { PLAIN }, "the same attribute is held")]
}

fn list_items(reading: &Reading, place: &Place) -> Vec<RawFact> {
    let words: Vec<Word> = words(&reading.value);
    let short = words.len() <= 12
        && !words.iter().any(|w| w.is_any(&["is", "are", "the", "before", "after", "with"]));
    let parts = if short { items(&words) } else { vec![reading.value.clone()] };
    parts.into_iter().map(|item| place.clone().with(item).fact(Action::Add, PLAIN, "said plainly")).collect()
}

/// A plan or a doubt: it is shown to a person, under the subject that it would change.
fn unsettled(
    reading: &Reading,
    known: &[Known],
    slots: &[SlotHint],
    tone: &Tone,
    time: &str,
    why: &str,
) -> Vec<RawFact> {
    if reading.shift == Shift::Gone {
        let Some(held) = ended(reading, known) else {
            let place = Place { value: reading.said.clone(), ..Place::new(reading, slots) };
            return vec![with_time(place.fact(Action::Flag, DOUBTFUL, why), time)];
        };
        return vec![with_time(
            Place::at(held).with(held.value.clone()).fact(Action::Retract, DOUBTFUL, why),
            time,
        )];
    }
    let target = changed(reading, known);
    let mut place = match target {
        Some(held) => Place::at(held).with(reading.value.clone()),
        None => place(reading, known, slots, tone),
    };
    if place.subject.is_empty() {
        place.subject = "possible change".to_owned();
    }
    vec![with_time(place.fact(Action::Flag, DOUBTFUL, why), time)]
}

fn skip(reading: &Reading, reason: &str) -> RawFact {
    let subject = if reading.subject.is_empty() { "statement".to_owned() } else { reading.subject.clone() };
    Place { subject, scope: "global".to_owned(), value: reading.value.clone(), target: None }.fact(
        Action::Skip,
        DOUBTFUL,
        reason,
    )
}

/// A person is asked whether this still holds.
pub(super) fn doubted(held: &Known) -> RawFact {
    let place = Place::at(held).with(held.value.clone());
    place.fact(Action::Retract, DOUBTFUL, "what was said may have ended it")
}
