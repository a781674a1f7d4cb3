//! What was told since a guarded value and speaks of it, while nobody has read or settled it.

use crate::spaces::OpenSpace;
use crate::tool::Context;
use domain::date_terms::told_dates;
use domain::keys::{item_key, subject_key, text_key, value_key};
use domain::words::{Boundary, is_function_word, split_words, stem};
use domain::{Fact, FactId, FactKind, Space, Status};
use model::{called_by_name, denies, hints_at_an_end, other_owner};
use recall::is_critical;
use reconcile::{Concern, Slot};
use std::collections::BTreeSet;
use std::sync::Arc;

type Stems = BTreeSet<String>;

/// Statements that share a word with a value: the nearest are enough to find one that speaks of it.
const NEAREST: usize = 64;

/// The concerns that later words raise about the facts of a declared slot. About a guarded or critical one any unread words
/// do that speak of it; about another one those that hint at an end of its value.
pub(super) fn concerns(
    cx: &Context<'_, Space>,
    open: &OpenSpace,
    subject: &str,
    facts: &[Fact],
) -> Vec<Concern> {
    let options = &cx.service.options;
    let Some(slot) = options.slots.fold(subject) else { return Vec::new() };
    let guarded = |fact: &Fact| slot.confirm || is_critical(fact, &options.critical_categories);
    let held = facts.iter().filter(|fact| fact.status == Status::Active);
    let hint = cx.service.slot_hints.iter().find(|hint| hint.name == slot.name);
    let is_of_another = |told: &Fact, value: &str| {
        hint.is_some_and(|hint| other_owner(&told.text, &item_key(value), hint).is_some())
    };
    let told = |fact: &'_ Fact| {
        let told = told_since(open, slot, fact, guarded(fact));
        told.filter(|told| !is_of_another(told, &fact.value)).map(|told| told.id).collect::<Vec<_>>()
    };
    let told: BTreeSet<FactId> = held.flat_map(told).collect();
    let open_fact = |id| open.index.get(id).or_else(|| open.flagged.get(&id));
    let concern = |fact: &Arc<Fact>| Concern::Unsettled { id: fact.id, text: text_key(&fact.text) };
    told.into_iter().filter_map(open_fact).map(concern).collect()
}

fn told_since<'a>(
    open: &'a OpenSpace,
    slot: &'a Slot,
    held: &'a Fact,
    guarded: bool,
) -> impl Iterator<Item = Arc<Fact>> {
    let names: Vec<Stems> = slot.aliases.iter().chain([&slot.name]).map(|name| stems(name)).collect();
    // "Full code, DNR, DNI": the values that the schema gives as examples.
    let examples = slot.description.split_once(": ").map_or("", |(_, examples)| examples);
    let value = stems(&item_key(&held.value));
    let initials = initials(&held.value);
    let searched = [held.value.as_str(), slot.name.as_str(), initials.as_str(), examples];
    let kept: Vec<Arc<Fact>> =
        searched.into_iter().flat_map(|words| open.index.holding(words, NEAREST)).collect();
    let waiting = open.flagged.values().cloned();
    let is_open = |fact: &Arc<Fact>| {
        fact.status == Status::FlaggedConflict || is_unread(fact) || is_of_value(fact, held)
    };
    let concerns = move |fact: &Arc<Fact>| {
        let said = stems(&fact.text);
        let says = |words: &Stems| !words.is_empty() && words.is_subset(&said);
        let says_value = says(&value) || calls(&fact.text, &held.value);
        let is_said = |one: &str| says(&stems(one)) && !denies(&fact.text, &slot.name, one.trim());
        let says_example = || examples.split([',', '.']).any(is_said);
        let is_doubtful = says_value && (guarded || hints_at_an_end(&fact.text));
        let speaks = || names.iter().any(says) || is_of_value(fact, held) || says_example();
        is_open(fact) && (is_doubtful || guarded && speaks())
    };
    let is_other = |fact: &Arc<Fact>| subject_key(&fact.subject) != subject_key(&slot.name);
    let is_later = move |fact: &Arc<Fact>| {
        let is_own = fact.text == held.text && !(guarded && hints_at_an_end(&fact.text));
        fact.created >= held.changed && fact.id != held.id && !is_own
    };
    kept.into_iter().chain(waiting).filter(move |fact| is_other(fact) && is_later(fact) && concerns(fact))
}

/// Whether a text speaks of a value by its first name, its initials or its date.
fn calls(text: &str, value: &str) -> bool {
    /// A day without its year, as a term.
    const DAY: usize = "--09-15".len();
    let initials = initials(value);
    let by_initials =
        initials.len() > 2 && split_words(text, Boundary::NotAlphanumeric).any(|word| word == initials);
    let dates = told_dates(value);
    let is_of_value = |date: &String| date.starts_with("--") && date.len() == DAY && dates.contains(date);
    by_initials || called_by_name(value, text).is_some() || told_dates(text).iter().any(is_of_value)
}

fn initials(value: &str) -> String {
    value.split_whitespace().filter_map(|word| word.chars().next()).filter(char::is_ascii_uppercase).collect()
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
