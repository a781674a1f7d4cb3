//! What a part of a statement tells, under which name; and the words in which a held fact was told.

use super::clauses::clauses;
use super::comparing::{around, set, share};
use super::keeping::{STATEMENT, kept, loses_any, loses_not};
use super::naming::{gist, is_nobody_named, plain_name};
use super::parts::{Part, parts};
use super::place::Place;
use super::reading::{Reading, Shift, reading, readings};
use super::sentences::{may_open_with_verb, sentences};
use super::slots::{gives_another, is_name, slot_of};
use super::spelling::meant;
use super::values::items;
use super::words::{Tag, Word, words};
use crate::ask::{Extract, SlotHint};
use domain::Fact;
use std::collections::BTreeMap;

/// From here on the network is taken at its word.
const SURE: f32 = 0.6;
/// What the network thinks less likely than this is not so, whatever rules say.
const NEVER: f32 = 0.2;

/// What the part says.
pub(super) fn read(part: &Part<'_>, ask: &Extract<'_>) -> Vec<Place> {
    let mut found = readings_of(part, ask.slots);
    let kept = found.iter().map(kept_words).collect::<String>();
    if loses_not(&part.text, &kept) {
        // Not to be something is no value of the slot for what one is.
        return places(&whole(part), None);
    }
    let slots = Slots::of(part, ask.slots);
    let ruled = found.iter().any(|r| slots.by_rule(r).is_some());
    if let Some(filed) = found.iter().position(|r| slots.by_rule(r).is_some_and(|slot| !slot.verbatim)) {
        take_in_all(&mut found, filed);
    }
    if !ruled && loses_any(&part.text, &kept) {
        found = vec![whole(part)];
    }
    let slot = slots.of_part(part, &found);
    if !ruled && found.len() > 1 && slot.is_some_and(|slot| !slot.list) {
        // What was said besides belongs to the slot's value.
        found = vec![whole(part)];
    }
    let in_slot = |r: &Reading| slot.is_some() && slots.by_rule(r).map(|s| &s.name) == slot.map(|s| &s.name);
    let tells_value = |r: &Reading| part.value.is_none_or(|v| set(&r.value).is_superset(&set(v)));
    let telling = found.iter().position(in_slot).or_else(|| found.iter().position(tells_value)).unwrap_or(0);
    let alone = found.len() == 1;
    if let (Some(only), Some(slot)) = (found.get_mut(telling), slot) {
        let kept = format!("{} {}", slot.name.replace('_', " "), only.value);
        let unclear = part.value.is_none() && alone && loses_any(&part.text, &kept);
        let by_network = slots.by_rule(only).is_none();
        let is_another = gives_another(slot, &part.text, &only.value);
        let quoted = quoted(&part.text).filter(|quoted| !only.value.contains(quoted));
        if slot.verbatim && (quoted.is_some() || !is_another) {
            // "`mix test` runs the suite"
            only.value = quoted.map_or_else(|| std::mem::take(&mut only.value), str::to_owned);
        } else if unclear
            || is_another
            || by_network && only_describes(&only.value) && !is_nobody_named(&only.subject)
            || is_doing(&only.value, &part.text)
        {
            // Where it is not clear which words give the value, all of them do.
            only.value = part.text.to_string();
        }
    }
    let mut found_places: Vec<Place> = Vec::new();
    for (at, r) in found.iter().enumerate() {
        let by_rule = slots.by_rule(r);
        let told = places(r, if at == telling { slot } else { by_rule });
        found_places.extend(told.into_iter().map(|place| Place { named: by_rule.is_some(), ..place }));
    }
    found_places
}

/// What a slot's value leaves of the words belongs to it, and is not told once more beside the slot: "suspended for
/// non-payment".
fn take_in_all(found: &mut Vec<Reading>, filed: usize) {
    const FEW: usize = 6;
    let is_all = |r: &Reading| r.attribute == Some(STATEMENT);
    let Some(value) = found.get(filed).filter(|r| !is_all(r)).map(|r| r.value.clone()) else { return };
    let repeats = |r: &Reading| is_all(r) && around(&r.value, &value).is_some();
    let Some(all) = found.iter().position(repeats) else { return };
    let rest = found.get(all).and_then(|r| around(&r.value, &value)).map(|(_, after)| after.to_owned());
    if let (Some(r), Some(rest)) = (found.get_mut(filed), rest.filter(|r| words(r).len() <= FEW)) {
        r.value.push_str(&rest);
    }
    found.remove(all);
}

/// As the rules of English grammar read the part where they agree with the network on the value, else what the network
/// takes for the value, under the words around it.
fn readings_of(part: &Part<'_>, slots: &[SlotHint]) -> Vec<Reading> {
    let found: Vec<Reading> = match note(&part.text) {
        Some(note) => vec![note],
        None => sentences(&part.text)
            .iter()
            .flat_map(|sentence| clauses(sentence))
            .flat_map(|clause| kept(&clause, readings(&clause), slots))
            .collect(),
    };
    // "My husband Tom": the network knows which words are the value.
    let takes_all = |r: &Reading| {
        let known = r.attribute.is_some() || slot_of(r, slots).is_some();
        let knows = part.value.is_some_and(|value| set(value) != set(&part.text));
        knows && !known && set(&r.value) == set(&part.text)
    };
    let plain = |r: &Reading| {
        // "NATS is in": the value alone would say nothing.
        let says = !matches!(r.value.as_str(), "" | "in" | "out" | "and") && !only_points(&r.value);
        !r.subject.is_empty() && !r.pointer && r.shift != Shift::Gone && says && !takes_all(r)
    };
    let agreed = match part.value {
        Some(value) => found.iter().any(|r| {
            let (mine, theirs) = (set(&r.value), set(value));
            mine.is_superset(&theirs) || slot_of(r, slots).is_some() && mine.is_subset(&theirs)
        }),
        None => !found.is_empty(),
    };
    if agreed && found.iter().all(plain) && !has_apposition(&part.text) {
        found
    } else {
        vec![named_by_network(part)]
    }
}

/// "Tom, my brother, lives in Oslo" tells one thing of Tom.
fn has_apposition(text: &str) -> bool {
    let parts: Vec<&str> = text.splitn(3, ", ").collect();
    let [name, who, does] = parts.as_slice() else { return false };
    let is_name = words(name).iter().all(Word::is_capital);
    let of_one = words(who).first().is_some_and(|w| w.is_any(&["my", "our", "his", "her", "their", "the"]));
    is_name && of_one && may_open_with_verb(&sentences(does).concat())
}

/// "`make lint` does it": what it is stands elsewhere.
fn only_points(value: &str) -> bool {
    const POINTING: [&str; 12] =
        ["it", "that", "this", "these", "those", "them", "so", "one", "the", "him", "her", "us"];
    words(value).iter().all(|word| word.is_any(&POINTING))
}

/// What stands between two backquotes.
fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('`')?;
    let (quoted, _) = rest.split_once('`')?;
    Some(quoted).filter(|quoted| !quoted.is_empty())
}

/// "Shares in arms makers are barred": what it is said of belongs to it.
fn only_describes(value: &str) -> bool {
    let words = sentences(value).concat();
    let describes = |word: &Word| {
        matches!(word.tag, Tag::Adjective | Tag::Verb) && !word.is_capital() && !word.has_digit()
    };
    !words.is_empty() && words.iter().all(describes)
}

/// "Freshworks is bidding": what somebody does is not who it is.
fn is_doing(value: &str, said: &str) -> bool {
    let said = sentences(said).concat();
    let does = |word: &Word| {
        word.low.ends_with("ing") && said.iter().any(|w| w.low == word.low && w.tag == Tag::Verb)
    };
    words(value).iter().all(does)
}

fn kept_words(r: &Reading) -> String {
    let former = match &r.shift {
        Shift::To { from } => from.as_deref().unwrap_or_default(),
        Shift::None | Shift::Gone => "",
    };
    format!("{} {} {} {former} ", r.subject, r.value, r.scope.as_deref().unwrap_or_default())
}

/// All that was said, as the value.
fn whole(part: &Part<'_>) -> Reading {
    Reading { said: part.text.to_string(), ..reading(gist(&part.text), part.text.as_ref()) }
}

/// The declared slots, and how likely a part tells each of them.
struct Slots<'a> {
    slots: &'a [SlotHint],
    likely: Vec<f32>,
}

impl<'a> Slots<'a> {
    fn of(part: &Part<'_>, slots: &'a [SlotHint]) -> Self {
        let asked: Vec<String> =
            slots.iter().map(|s| format!("{}: {}", s.name.replace('_', " "), s.description)).collect();
        let pairs: Vec<(&str, &str)> = asked.iter().map(|q| (q.as_str(), part.text.as_ref())).collect();
        Self { slots, likely: encoder::answers(&pairs, meant) }
    }

    /// The slot that rules find, if the network does not rule it out. "Allergic to" leaves no doubt.
    fn by_rule(&self, reading: &Reading) -> Option<&'a SlotHint> {
        let name = slot_of(reading, self.slots)?;
        let (slot, likely) = self.slots.iter().zip(&self.likely).find(|(slot, _)| slot.name == name)?;
        let sure = reading.attribute.is_some() || is_name(slot, &reading.subject);
        (sure || *likely >= NEVER).then_some(slot)
    }

    /// The slot that rules find in what was read, or by the sort of its value, or else the one that the network is sure of.
    fn of_part(&self, part: &Part<'_>, found: &[Reading]) -> Option<&'a SlotHint> {
        let by_name = found.iter().find_map(|r| self.by_rule(r));
        let by_kind = || self.by_rule(&reading("", part.value?));
        let likely = || self.slots.iter().zip(&self.likely).max_by(|a, b| a.1.total_cmp(b.1));
        // Elixir is a language, and no framework.
        let is_of_kind = |slot: &SlotHint| {
            let kind = part.value.and_then(|value| slot_of(&reading("", value), self.slots));
            kind.is_none_or(|kind| kind == slot.name)
        };
        let best =
            || likely().filter(|(slot, likely)| **likely >= SURE && is_of_kind(slot)).map(|(slot, _)| slot);
        by_name.or_else(by_kind).or_else(best)
    }
}

/// "Code status: full code", "router = archer c7"
fn note(text: &str) -> Option<Reading> {
    let (name, value) = text.split_once(": ").or_else(|| text.split_once(" = "))?;
    let name = words(name);
    let plain = (1..=6).contains(&name.len()) && !name.iter().any(|w| w.tag == Tag::Aux || w.is(","));
    let named = plain_name(&name);
    (plain && !named.is_empty()).then(|| Reading { said: text.to_owned(), ..reading(named, value.trim()) })
}

/// The words around its value.
pub(super) fn name(part: &Part<'_>) -> String {
    let cut = part.value.and_then(|value| around(&part.text, value));
    let whose = if part.text.to_lowercase().starts_with("my ") { "user's " } else { "" };
    let named = cut.map(|(before, after)| gist(&format!("{before} {after}")));
    let named = named.map(|named| if named.is_empty() { named } else { format!("{whose}{named}") });
    named.filter(|named| !named.is_empty()).unwrap_or_else(|| gist(&part.text))
}

fn named_by_network(part: &Part<'_>) -> Reading {
    match part.value {
        Some(value) if value != part.text && !set(value).is_empty() => {
            Reading { said: part.text.to_string(), ..reading(name(part), value) }
        }
        _ => whole(part),
    }
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

/// A held fact as it was told.
pub(super) struct Told {
    /// The part of the statement that tells it, or where that does not name it, its name and value.
    pub text: String,
    /// Where the part has only some words of the fact's name, or none: the other of the two.
    pub other: Option<String>,
    /// Its value, where it is clear which words of the part give it.
    pub value: Option<String>,
    /// All values that the part tells: another one than the fact's may have been retired since.
    pub values: Vec<String>,
}

pub(super) fn told(facts: &[&Fact]) -> Vec<Told> {
    let mut texts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
    texts.sort_unstable();
    texts.dedup();
    let read: BTreeMap<&str, Vec<Part<'_>>> = texts.iter().copied().zip(parts(&texts)).collect();
    facts.iter().map(|fact| told_in(fact, read.get(fact.text.as_str()).map_or(&[], Vec::as_slice))).collect()
}

impl Told {
    /// By its name and value alone.
    pub fn plain(fact: &Fact) -> Self {
        let scope = if fact.scope == "global" { String::new() } else { format!(" for {}", fact.scope) };
        let text = format!("{}{scope}: {}", fact.subject.replace('_', " "), fact.value);
        Self { text, other: None, value: None, values: Vec::new() }
    }
}

fn told_in(fact: &Fact, parts: &[Part<'_>]) -> Told {
    let (value, subject) = (set(&fact.value), set(&fact.subject));
    let score = |part: &Part<'_>| {
        let words = set(&part.text);
        share(&value, &words) + 0.5 * share(&subject, &words)
    };
    let best = parts.iter().map(|part| (score(part), part)).max_by(|a, b| a.0.total_cmp(&b.0));
    match best.filter(|(score, _)| *score >= 0.5) {
        Some((_, part)) => {
            let named = share(&subject, &set(&part.text));
            let value = part.value.filter(|value| around(&fact.value, value).is_some()).map(str::to_owned);
            let values = readings_of(part, &[]).iter().flat_map(|r| items(&words(&r.value))).collect();
            let (part, plain) = (part.text.to_string(), Told::plain(fact).text);
            let (text, other) = if named >= 1.0 {
                (part, None)
            } else if named >= 0.3 {
                (part, Some(plain))
            } else {
                (plain, Some(part))
            };
            Told { text, other, value, values }
        }
        None => Told::plain(fact),
    }
}
