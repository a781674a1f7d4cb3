//! What a part of a statement tells, under which name; and the words in which a held fact was told.

use super::clauses::clauses;
use super::keeping::{kept, loses_any};
use super::memory::{set, share};
use super::naming::{gist, plain_name};
use super::parts::{Part, parts};
use super::place::Place;
use super::reading::{Reading, Shift, reading, readings};
use super::sentences::sentences;
use super::slots::slot_of;
use super::values::items;
use super::words::{Tag, words};
use crate::ask::{Extract, SlotHint};
use domain::Fact;
use std::collections::BTreeMap;

/// From here on the network is taken at its word.
const SURE: f32 = 0.6;
/// What the network thinks less likely than this is not so, whatever rules say.
const NEVER: f32 = 0.2;

/// What the part says: as the rules of English grammar read it where they agree with the network on the value, else what
/// the network takes for the value, under the words around it.
pub(super) fn read(part: &Part<'_>, ask: &Extract<'_>) -> Vec<Place> {
    let mut found: Vec<Reading> = match note(part.text) {
        Some(note) => vec![note],
        None => sentences(part.text)
            .iter()
            .flat_map(|sentence| clauses(sentence))
            .flat_map(|clause| kept(&clause, readings(&clause), ask.slots))
            .collect(),
    };
    let plain =
        |r: &Reading| !r.subject.is_empty() && !r.pointer && r.shift != Shift::Gone && !r.value.is_empty();
    let agreed = match part.value {
        Some(value) => found.iter().any(|r| {
            let (mine, theirs) = (set(&r.value), set(value));
            mine.is_superset(&theirs) || slot_of(r, ask.slots).is_some() && mine.is_subset(&theirs)
        }),
        None => !found.is_empty(),
    };
    if !agreed || !found.iter().all(plain) {
        found = vec![named_by_network(part)];
    }
    let kept: Vec<String> = found
        .iter()
        .map(|r| format!("{} {} {}", r.subject, r.value, r.scope.as_deref().unwrap_or_default()))
        .collect();
    if loses_any(part.text, &kept.join(" ")) && found.iter().all(|r| slot_of(r, ask.slots).is_none()) {
        found = vec![Reading { said: part.text.to_owned(), ..reading(gist(part.text), part.text) }];
    }
    let slot = slot_of_part(part, &found, ask.slots);
    let telling =
        found.iter().position(|r| part.value.is_none_or(|v| set(&r.value).is_superset(&set(v)))).unwrap_or(0);
    if slot.is_some_and(|slot| !slot.list)
        && found.iter().all(|r| slot_of(r, ask.slots).is_none())
        && found.len() > 1
    {
        // What was said besides belongs to the slot's value.
        found = vec![Reading { said: part.text.to_owned(), ..reading(gist(part.text), part.text) }];
    }
    let telling = telling.min(found.len() - 1);
    let named = found.iter().enumerate().flat_map(|(at, r)| {
        let ruled = || slot_of(r, ask.slots).and_then(|name| ask.slots.iter().find(|slot| slot.name == name));
        places(r, if at == telling { slot } else { ruled() })
    });
    named.collect()
}

/// The slot that rules find, if the network does not rule it out, or else the one that the network is sure of.
fn slot_of_part<'a>(part: &Part<'_>, found: &[Reading], slots: &'a [SlotHint]) -> Option<&'a SlotHint> {
    if slots.is_empty() {
        return None;
    }
    let asked: Vec<String> =
        slots.iter().map(|s| format!("{}: {}", s.name.replace('_', " "), s.description)).collect();
    let pairs: Vec<(&str, &str)> = asked.iter().map(|q| (q.as_str(), part.text)).collect();
    let likely = encoder::answers(&pairs);
    let best = slots.iter().zip(&likely).max_by(|a, b| a.1.total_cmp(b.1)).filter(|(_, p)| **p >= SURE);
    let possible =
        |name: String| slots.iter().zip(&likely).find(|(slot, p)| slot.name == name && **p >= NEVER);
    let by_kind = || {
        let name = slot_of(&reading("", part.value?), slots)?;
        slots.iter().zip(&likely).find(|(slot, _)| slot.name == name)
    };
    let by_name = || found.iter().find_map(|r| slot_of(r, slots)).and_then(possible);
    by_name().or_else(by_kind).or(best).map(|(slot, _)| slot)
}

/// "Code status: full code", "router = archer c7"
fn note(text: &str) -> Option<Reading> {
    let (name, value) = text.split_once(": ").or_else(|| text.split_once(" = "))?;
    let name = words(name);
    let plain = (1..=6).contains(&name.len()) && !name.iter().any(|w| w.tag == Tag::Aux || w.is(","));
    let named = plain_name(&name);
    (plain && !named.is_empty()).then(|| Reading { said: text.to_owned(), ..reading(named, value.trim()) })
}

fn named_by_network(part: &Part<'_>) -> Reading {
    let around = part.value.map(|value| gist(&part.text.replacen(value, " ", 1))).unwrap_or_default();
    let named = match part.value {
        Some(value) if !around.is_empty() && !set(value).is_empty() => reading(around, value),
        _ => reading(gist(part.text), part.text),
    };
    Reading { said: part.text.to_owned(), ..named }
}

/// One fact, or as many as a list has items.
fn places(reading: &Reading, slot: Option<&SlotHint>) -> Vec<Place> {
    let place = Place::new(reading, slot);
    let list = slot.is_some_and(|slot| slot.list);
    let value = words(&place.value);
    let short = value.len() <= 12
        && !value.iter().any(|w| w.is_any(&["is", "are", "the", "before", "after", "with"]));
    if list && short {
        items(&value).into_iter().map(|item| place.clone().with(item)).collect()
    } else {
        vec![place]
    }
}

/// Of each held fact, the part of a statement in which it was told.
pub(super) fn told(facts: &[&Fact]) -> Vec<String> {
    let mut texts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
    texts.sort_unstable();
    texts.dedup();
    let read: BTreeMap<&str, Vec<Part<'_>>> = texts.iter().copied().zip(parts(&texts)).collect();
    facts.iter().map(|fact| told_in(fact, read.get(fact.text.as_str()).map_or(&[], Vec::as_slice))).collect()
}

fn told_in(fact: &Fact, parts: &[Part<'_>]) -> String {
    let (value, subject) = (set(&fact.value), set(&fact.subject));
    let score = |part: &Part<'_>| {
        let words = set(part.text);
        share(&value, &words) + 0.5 * share(&subject, &words)
    };
    let best = parts.iter().map(|part| (score(part), part)).max_by(|a, b| a.0.total_cmp(&b.0));
    match best.filter(|(score, _)| *score >= 0.5) {
        Some((_, part)) if share(&subject, &set(part.text)) >= 0.3 => part.text.to_owned(),
        _ => format!("{}: {}", fact.subject, fact.value),
    }
}
