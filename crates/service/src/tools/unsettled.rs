//! What was told since a guarded value and speaks of it, while nobody has read or settled it.

use crate::spaces::OpenSpace;
use crate::tool::Context;
use domain::keys::{item_key, subject_key, text_key, value_key};
use domain::words::{Boundary, is_function_word, split_words, stem};
use domain::{Fact, FactId, FactKind, Space, Status};
use model::other_owner;
use recall::is_critical;
use reconcile::{Concern, Slot};
use std::collections::BTreeSet;
use std::sync::Arc;

type Stems = BTreeSet<String>;

/// Statements that share a word with a value: the nearest are enough to find one that speaks of it.
const NEAREST: usize = 64;

/// The concerns that later words raise about the facts of a guarded or critical slot.
pub(super) fn concerns(
    cx: &Context<'_, Space>,
    open: &OpenSpace,
    subject: &str,
    facts: &[Fact],
) -> Vec<Concern> {
    let options = &cx.service.options;
    let Some(slot) = options.slots.fold(subject) else { return Vec::new() };
    let guarded = |fact: &Fact| slot.confirm || is_critical(fact, &options.critical_categories);
    let held = facts.iter().filter(|fact| fact.status == Status::Active && guarded(fact));
    let hint = cx.service.slot_hints.iter().find(|hint| hint.name == slot.name);
    let is_of_another = |told: &Fact, value: &str| {
        hint.is_some_and(|hint| other_owner(&told.text, &item_key(value), hint).is_some())
    };
    let told = |fact| told_since(open, slot, fact).filter(|told| !is_of_another(told, &fact.value));
    let told: BTreeSet<FactId> = held.flat_map(told).map(|told| told.id).collect();
    let open_fact = |id| open.index.get(id).or_else(|| open.flagged.get(&id));
    let concern = |fact: &Arc<Fact>| Concern::Unsettled { id: fact.id, text: text_key(&fact.text) };
    told.into_iter().filter_map(open_fact).map(concern).collect()
}

fn told_since<'a>(open: &'a OpenSpace, slot: &'a Slot, held: &'a Fact) -> impl Iterator<Item = Arc<Fact>> {
    let names: Vec<Stems> = slot.aliases.iter().chain([&slot.name]).map(|name| stems(name)).collect();
    let value = stems(&item_key(&held.value));
    let kept = [held.value.as_str(), slot.name.as_str()]
        .into_iter()
        .flat_map(|words| open.index.holding(words, NEAREST));
    let waiting = open.flagged.values().cloned();
    let speaks = move |fact: &Arc<Fact>| {
        let said = stems(&fact.text);
        let says = |words: &Stems| !words.is_empty() && words.is_subset(&said);
        says(&value) || names.iter().any(says) || is_of_value(fact, held)
    };
    let is_open = |fact: &Arc<Fact>| {
        fact.status == Status::FlaggedConflict || is_unread(fact) || is_of_value(fact, held)
    };
    let is_other = |fact: &Arc<Fact>| subject_key(&fact.subject) != subject_key(&slot.name);
    let is_later = |fact: &Arc<Fact>| fact.created >= held.changed && fact.id != held.id;
    kept.chain(waiting).filter(move |fact| is_other(fact) && is_later(fact) && is_open(fact) && speaks(fact))
}

/// "Metoprolol = 50 mg" says something of the held "metoprolol 25 mg", which nobody has settled.
fn is_of_value(fact: &Fact, held: &Fact) -> bool {
    let rest = value_key(&held.value);
    let rest = rest.strip_prefix(&value_key(&fact.subject));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Whether a fact is a sentence as it was told, of which nothing was understood.
fn is_unread(fact: &Fact) -> bool {
    let value = fact
        .value
        .rsplit_once(" [")
        .filter(|(_, days)| days.ends_with(']'))
        .map_or(&*fact.value, |(told, _)| told);
    fact.kind == FactKind::Event && value.contains(' ') && text_key(&fact.text).contains(&text_key(value))
}

fn stems(text: &str) -> Stems {
    let words = split_words(text, Boundary::NotAlphanumeric).map(str::to_lowercase);
    words.filter(|word| !is_function_word(word)).map(|word| stem(&word).into_owned()).collect()
}
