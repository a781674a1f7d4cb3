//! From a statement to proposals: each clause is read, linked with what is held, and given its action.

use super::afterthoughts::afterthoughts;
use super::clauses::{Clause, clauses};
use super::keeping::{gist, kept};
use super::lexicon::LEXICON;
use super::linking::changed;
use super::memory::Known;
use super::mood::{Mood, Tone, mood, tone};
use super::naming::{Sort, is_proper, topic};
use super::place::{DOUBTFUL, Place, with_time};
use super::proposing::propose;
use super::reading::{Reading, Shift, reading, readings};
use super::sentences::{Sentence, sentences};
use super::values::{drug, tidy_value};
use super::words::{Tag, Word, spell, words};
use crate::ask::{Extract, SlotHint};
use domain::{Action, Fact, RawFact};

pub(super) fn extract(ask: &Extract<'_>) -> Vec<RawFact> {
    let mut known: Vec<Known> = Known::all(ask.held.iter().copied());
    let mut proposals: Vec<RawFact> = Vec::new();
    let spoken = sentences(ask.statement);
    let mut said_before: Option<Clause> = None;
    let mut announced: Option<String> = None;
    let mut asserts = false;
    for (at, sentence) in spoken.iter().enumerate() {
        let tone = tone(sentence, spoken.get(at + 1));
        let mut sentence_gone = false;
        let before = proposals.len();
        for mut reading in read(ask, sentence, &tone, &mut said_before) {
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
            for mut proposal in propose(&reading, &tone, &known, ask.slots) {
                set_apart(&mut proposal, &proposals, &reading, ask.slots);
                note(&mut known, &proposal, &reading);
                proposals.push(proposal);
            }
        }
        if proposals.len() == before {
            proposals.extend(unread(sentence, &tone));
        }
        asserts |= tone.skipped.is_none();
    }
    if asserts {
        afterthoughts(ask, &mut proposals);
    }
    proposals
}

/// What one statement says twice of one subject is two facts, not a change of mind.
fn set_apart(proposal: &mut RawFact, before: &[RawFact], reading: &Reading, slots: &[SlotHint]) {
    let adds = |p: &RawFact| {
        let action = p.action.as_deref().and_then(Action::from_word);
        p.target_id.is_none() && matches!(action, Some(Action::Add | Action::Supersede | Action::Refine))
    };
    let slotted = slots.iter().any(|slot| Some(slot.name.as_str()) == proposal.subject.as_deref());
    let same = |p: &RawFact| adds(p) && p.subject == proposal.subject && p.scope == proposal.scope;
    if adds(proposal) && !slotted && reading.shift == Shift::None && before.iter().any(same) {
        proposal.subject = Some(gist(&reading.said));
        proposal.action = Some(Action::Add.word().to_owned());
    }
}

fn read(
    ask: &Extract<'_>,
    sentence: &Sentence,
    tone: &Tone,
    said_before: &mut Option<Clause>,
) -> Vec<Reading> {
    if let Some(found) = note_of(sentence, tone) {
        return found;
    }
    let mut found = Vec::new();
    for mut clause in clauses(&sentence.words) {
        resolve(&mut clause, said_before.as_ref(), ask.held);
        let mood = mood(&clause, tone);
        found.extend(kept(&clause, readings(&clause, mood), mood, ask.slots));
        if topic(&clause.subject).sort != Sort::Pointer {
            *said_before = Some(clause);
        }
    }
    found
}

/// "It" right after "my car is" is the car; "she" after "the head of IT is Noor" is Noor, and without such a clause
/// whoever was named last.
fn resolve(clause: &mut Clause, before: Option<&Clause>, held: &[&Fact]) {
    let [only] = clause.subject.as_slice() else { return };
    let person = only.is_any(&["she", "he"]);
    match before {
        Some(before) if only.is("it") && topic(&before.subject).sort == Sort::Thing => {
            clause.subject.clone_from(&before.subject);
        }
        Some(before) if person && is_proper(&before.object) && before.adjuncts.is_empty() => {
            clause.subject.clone_from(&before.object);
        }
        None if person || only.is("they") => {
            if let Some(name) = last_named(held) {
                clause.subject = name;
            }
        }
        _ => {}
    }
}

/// The first name in what was told last.
fn last_named(held: &[&Fact]) -> Option<Vec<Word>> {
    let last = held.iter().max_by_key(|fact| (fact.created, fact.id))?;
    let told = words(&last.text);
    let names = |w: &Word| {
        w.is_capital() && !w.is_any(&["i", "the", "our", "my", "we", "they", "he", "she", "his", "her"])
    };
    let titled = told.iter().position(|w| w.is_any(&["mr.", "mrs.", "ms.", "dr.", "mr", "mrs", "ms", "dr"]));
    let at = titled.or_else(|| (1..told.len()).find(|at| told.get(*at).is_some_and(names)))?;
    let found: Vec<Word> = told
        .iter()
        .skip(at)
        .take_while(|w| names(w) || w.is_any(&["mr", "mrs", "ms", "dr"]))
        .cloned()
        .collect();
    (!found.is_empty()).then_some(found)
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
