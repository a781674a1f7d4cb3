//! From a statement to proposals: each clause is read, linked with what is held, and given its action.

use super::clauses::{Clause, clauses};
use super::implied::implied;
use super::lexicon::LEXICON;
use super::linking::{
    alike, by_kind, by_name, by_pattern, by_unit, changed, ended, ended_by_words, figure, pointed, restated,
};
use super::memory::{Known, set, share};
use super::mood::{Mood, Tone, mood, tone};
use super::naming::{Sort, topic};
use super::reading::{Reading, Shift, reading, readings};
use super::sentences::{Sentence, sentences};
use super::slots::slot_of;
use super::values::{drug, items, tidy_value};
use super::words::{Tag, Word, spell};
use crate::ask::{Extract, SlotHint};
use domain::{Action, RawFact};

const PLAIN: f64 = 0.95;
/// Clearly implied, but not by the very words.
const LINKED: f64 = 0.85;
const DOUBTFUL: f64 = 0.5;

pub(super) fn extract(ask: &Extract<'_>) -> Vec<RawFact> {
    let mut known: Vec<Known> = Known::all(ask.held.iter().copied());
    let mut proposals: Vec<RawFact> = Vec::new();
    let spoken = sentences(ask.statement);
    let mut said_before: Option<Clause> = None;
    let mut announced: Option<String> = None;
    for (at, sentence) in spoken.iter().enumerate() {
        let tone = tone(sentence, spoken.get(at + 1));
        let mut sentence_gone = false;
        let before = proposals.len();
        for mut reading in read(sentence, &tone, &mut said_before) {
            if let Some(what) = announced.take().filter(|_| reading.shift == Shift::None && !reading.event) {
                let shift = Shift::To { from: None };
                let told = Reading { shift, subject: what, ..reading.clone() };
                if changed(&told, &known).is_some() {
                    reading = told;
                }
            }
            announced.clone_from(&reading.announces);
            if reading.shift == Shift::Gone && sentence_gone && reading.pointer {
                continue;
            }
            sentence_gone |= reading.shift == Shift::Gone;
            for proposal in propose(&reading, &tone, &known, ask.slots) {
                note(&mut known, &proposal, &reading);
                proposals.push(proposal);
            }
        }
        if proposals.len() == before {
            proposals.extend(unread(sentence, &tone));
        }
    }
    proposals
}

fn read(sentence: &Sentence, tone: &Tone, said_before: &mut Option<Clause>) -> Vec<Reading> {
    if let Some(found) = note_of(sentence, tone) {
        return found;
    }
    let mut found = Vec::new();
    for mut clause in clauses(&sentence.words) {
        resolve(&mut clause, said_before.as_ref());
        let mood = mood(&clause, tone);
        found.extend(readings(&clause, mood));
        if topic(&clause.subject).sort != Sort::Pointer {
            *said_before = Some(clause);
        }
    }
    found
}

/// "It" right after "my car is" is the car; "she" after "the head of IT is Noor" is Noor.
fn resolve(clause: &mut Clause, before: Option<&Clause>) {
    let Some(before) = before else { return };
    let [only] = clause.subject.as_slice() else { return };
    if only.is("it") && topic(&before.subject).sort == Sort::Thing {
        clause.subject.clone_from(&before.subject);
    } else if only.is_any(&["she", "he"])
        && super::naming::is_proper(&before.object)
        && before.adjuncts.is_empty()
    {
        clause.subject.clone_from(&before.object);
    }
}

/// "Code status: full code", "router = archer c7"
fn note_of(sentence: &Sentence, tone: &Tone) -> Option<Vec<Reading>> {
    let at = sentence.words.iter().position(|w| w.is(":") || w.is("="))?;
    let (name, rest) = sentence.words.split_at(at);
    let value = rest.get(1..).unwrap_or_default();
    let plain = !name.is_empty() && name.len() <= 6 && !name.iter().any(|w| w.tag == Tag::Aux || w.is(","));
    if !plain || value.is_empty() || tone.skipped.is_some() {
        return None;
    }
    let has_clause =
        value.iter().any(|w| w.tag == Tag::Aux) || value.first().is_some_and(|w| w.tag == Tag::Pronoun);
    let known = LEXICON.attribute(&super::naming::plain_name(name)).is_some();
    if has_clause && !known {
        return None;
    }
    let clause = Clause { words: sentence.words.clone(), ..Clause::default() };
    let mood = mood(&clause, tone);
    let subject = super::naming::plain_name(name);
    if let Some(at) = value.iter().position(|w| w.is_any(&["->", "→", "=>"])) {
        let (from, to) = value.split_at(at);
        let shift = Shift::To { from: Some(spell(from)) };
        let to = spell(to.get(1..).unwrap_or_default());
        return Some(vec![Reading { mood, shift, said: spell(&sentence.words), ..reading(subject, to) }]);
    }
    let mut found =
        Reading { mood, said: spell(&sentence.words), ..reading(subject, tidy_value(&spell(value))) };
    if let Some(drug) = drug(&found.value).filter(|_| found.subject.contains("medication")) {
        found.subject = format!("medication {drug}");
        found.attribute = Some("medication");
    }
    Some(vec![found])
}

fn propose(reading: &Reading, tone: &Tone, known: &[Known], slots: &[SlotHint]) -> Vec<RawFact> {
    match reading.mood {
        Mood::Skipped("a question") => Vec::new(),
        Mood::Skipped(reason) => vec![skip(reading, reason)],
        Mood::Past => vec![with_time(
            place(reading, known, slots, tone).fact(Action::Archive, PLAIN, "true in the past"),
            "past",
        )],
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
            statement(reading, tone, known, slots)
        }
    }
}

fn removal(reading: &Reading, tone: &Tone, known: &[Known], slots: &[SlotHint]) -> Vec<RawFact> {
    if tone.restates && reading.said.contains("know") {
        return Vec::new();
    }
    match ended(reading, known) {
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
        Some(gone) => {
            vec![Place::at(gone).with(gone.value.clone()).fact(Action::Retract, PLAIN, "it has ended")]
        }
        None if reading.pointer => Vec::new(),
        None if !reading.otherwise.is_empty() => {
            reading.otherwise.iter().flat_map(|r| statement(r, tone, known, slots)).collect()
        }
        None => vec![skip(reading, "nothing held matches what has gone")],
    }
}

fn change(reading: &Reading, known: &[Known], slots: &[SlotHint]) -> Vec<RawFact> {
    let Some(old) = changed(reading, known) else {
        let mut place = Place::new(reading, slots);
        if place.subject.is_empty() {
            match LEXICON.kind(&reading.value) {
                Some(kind) => place.subject = kind.to_owned(),
                None => {
                    place.subject = "change".to_owned();
                    return vec![place.fact(Action::Flag, DOUBTFUL, "it is unclear what has changed")];
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
    if let Some(gone) = ended_by_words(reading, known)
        .filter(|_| reading.event || place(reading, known, slots, tone).target.is_none())
    {
        return vec![Place::at(gone).with(gone.value.clone()).fact(
            Action::Retract,
            LINKED,
            "its end is told",
        )];
    }
    let fresh = reading.event || (tone.corrects && place(reading, known, slots, tone).target.is_none());
    if fresh && let Some((held, value)) = implied(reading, known) {
        return vec![Place::at(held).with(value).fact(Action::Supersede, LINKED, "what happened changes it")];
    }
    if reading.event {
        let mut fact = Place::new(reading, slots).fact(Action::Add, LINKED, "something that happened");
        fact.kind = Some("event".to_owned());
        return vec![fact];
    }
    let place = place(reading, known, slots, tone);
    if place.subject.is_empty() {
        return Vec::new();
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
    let words: Vec<Word> = super::words::words(&reading.value);
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

/// A plan or a doubt that could not be read is still shown to a person.
fn unread(sentence: &Sentence, tone: &Tone) -> Option<RawFact> {
    let clause = Clause { words: sentence.words.clone(), ..Clause::default() };
    let (subject, time) = match mood(&clause, tone) {
        Mood::Hedged => ("unconfirmed", "unknown"),
        Mood::Future => ("plan", "future"),
        _ => return None,
    };
    let place = Place {
        subject: subject.to_owned(),
        scope: "global".to_owned(),
        value: spell(&sentence.words),
        target: None,
    };
    Some(with_time(place.fact(Action::Flag, DOUBTFUL, "not said for sure"), time))
}

fn skip(reading: &Reading, reason: &str) -> RawFact {
    let subject = if reading.subject.is_empty() { "statement".to_owned() } else { reading.subject.clone() };
    Place { subject, scope: "global".to_owned(), value: reading.value.clone(), target: None }.fact(
        Action::Skip,
        DOUBTFUL,
        reason,
    )
}

/// Where the reading's value belongs: the place of a held fact about the same thing, a declared slot, or a new one.
fn place(reading: &Reading, known: &[Known], slots: &[SlotHint], tone: &Tone) -> Place {
    let known = &fitting(reading, known, slots);
    let held = if reading.pointer && (reading.subject.is_empty() || tone.corrects) {
        pointed(reading, tone.corrects, known).or_else(|| by_name(reading, known))
    } else {
        let fresh = Place::new(reading, slots);
        known
            .iter()
            .find(|k| {
                k.subject == fresh.subject
                    && k.scope == fresh.scope
                    && !slots.iter().any(|s| s.list && s.name == k.subject)
            })
            .or_else(|| by_name(reading, known).filter(|k| k.same_shape(&reading.value) || tone.corrects))
            .or_else(|| by_pattern(reading, known))
            .or_else(|| {
                if tone.corrects {
                    by_kind(&reading.value, known)
                        .or_else(|| alike(reading, known))
                        .or_else(|| by_unit(&reading.value, known))
                } else {
                    None
                }
            })
    };
    match held.filter(|k| !k.event) {
        Some(held) => Place::at(held).with(reading.value.clone()),
        None => Place::new(reading, slots),
    }
}

/// The held facts that a value can take the place of. In a list only the item that shares a word with it can be meant.
fn fitting(reading: &Reading, known: &[Known], slots: &[SlotHint]) -> Vec<Known> {
    let value = set(&reading.value);
    let in_list = |k: &Known| slots.iter().any(|s| s.list && s.name == k.subject);
    known.iter().filter(|k| !in_list(k) || share(&k.values, &value) > 0.0).cloned().collect()
}

#[derive(Debug, Clone)]
struct Place {
    subject: String,
    scope: String,
    value: String,
    target: Option<i64>,
}

impl Place {
    fn new(reading: &Reading, slots: &[SlotHint]) -> Self {
        let subject = slot_of(reading, slots).unwrap_or_else(|| reading.subject.clone());
        let scope = reading.scope.clone().unwrap_or_else(|| "global".to_owned());
        Self { subject, scope, value: reading.value.clone(), target: None }
    }

    fn at(known: &Known) -> Self {
        Self {
            subject: known.subject.clone(),
            scope: known.scope.clone(),
            value: String::new(),
            target: known.id,
        }
    }

    fn with(mut self, value: String) -> Self {
        self.value = value;
        self
    }

    fn fact(self, action: Action, confidence: f64, reason: &str) -> RawFact {
        RawFact {
            subject: Some(self.subject),
            value: Some(self.value),
            kind: Some("state".to_owned()),
            scope: Some(self.scope),
            time_ref: Some("current".to_owned()),
            action: Some(action.word().to_owned()),
            confidence: Some(confidence),
            reason: Some(reason.to_owned()),
            target_id: self.target,
            ..RawFact::default()
        }
    }
}

fn with_time(mut fact: RawFact, time: &str) -> RawFact {
    fact.time_ref = Some(time.to_owned());
    fact
}

/// What the statement has added so far counts as known for what follows in it.
fn note(known: &mut Vec<Known>, proposal: &RawFact, reading: &Reading) {
    let action = proposal.action.as_deref().and_then(Action::from_word);
    let (Some(subject), Some(value), Some(scope)) = (&proposal.subject, &proposal.value, &proposal.scope)
    else {
        return;
    };
    match action {
        Some(Action::Add | Action::Supersede | Action::Refine) => {
            known.retain(|k| k.id.is_none() || k.id != proposal.target_id);
            known.push(Known::new(proposal.target_id, subject, scope, value, &reading.said, reading.event));
        }
        Some(Action::Retract) => known.retain(|k| k.id.is_none() || k.id != proposal.target_id),
        _ => {}
    }
}
