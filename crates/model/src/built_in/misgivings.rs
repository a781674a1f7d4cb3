//! What could not be read, and the fact that it may speak of.

use super::comparing::{set, share, words_of};
use super::news::{News, may_have_ended};
use super::people::shares_only_names;
use super::sentences::sentences;
use super::values::is_time;
use super::verdicts::{Change, Verdict};
use super::words::{spell, words};
use crate::ask::Extract;
use domain::{Action, Fact, Kind, RawFact};

/// Many words that are all kept as one value, because nothing could be made of them, may say anything of the fact that has
/// words in common with them. They wait, too, where they are only a piece of what was said, happened at no time that
/// is told, or stand beside a doubt.
pub(super) fn misgivings(news: &mut [News<'_>], verdicts: &[Verdict<'_>], ask: &Extract<'_>) -> Vec<RawFact> {
    let is_doubted = verdicts.iter().any(|verdict| verdict.change == Change::Doubtful);
    let is_open = |v: &&Verdict<'_>| matches!(v.change, Change::None | Change::Repeated | Change::Refined);
    let mut found = Vec::new();
    for new in news.iter_mut().filter(|new| is_unread(new)) {
        let text = new.part.text.as_ref();
        let is_piece = share(&set(ask.statement), &set(text)) < 0.8;
        let in_slot = ask.slots.iter().any(|slot| slot.name == new.place.subject);
        let is_beside = |fact: &&Fact| in_slot && fact.subject == new.place.subject;
        let open = || verdicts.iter().filter(is_open).map(|v| v.fact);
        // That both are workarounds does not yet say that one speaks of the other.
        let told_of = open().filter(is_beside).find(|fact| !set(text).is_disjoint(&set(&fact.value)));
        let spoken_of = told_of.or_else(|| spoken_of(text, open().filter(|fact| !is_beside(fact))));
        found.extend(spoken_of.map(may_have_ended));
        // "Ran my first half marathon on Sunday" is clear enough.
        let said = words(text);
        let is_present = said.iter().any(|word| word.is_any(&["is", "are"]));
        let happened_then = is_time(&said) && !is_present && spoken_of.is_none();
        let is_unclear = told_of.is_some() || !new.is_state() && !happened_then;
        if !ask.held.is_empty() && (is_piece || is_doubted || is_unclear) {
            new.wait("it is not clear what it tells");
        }
    }
    found
}

fn is_unread(new: &News<'_>) -> bool {
    const MANY: usize = 6;
    const MANY_FOR_EVENT: usize = 4;
    let count = new.part.text.split_whitespace().count();
    let many = if new.is_state() { MANY } else { MANY_FOR_EVENT };
    new.action == Action::Add && new.place.value == new.part.text && count >= many
}

/// The fact that has most words in common with a text, if any has, names apart.
pub(super) fn spoken_of<'a>(text: &str, facts: impl Iterator<Item = &'a Fact>) -> Option<&'a Fact> {
    let said = sentences(text).concat();
    // That two things fall into one year says nothing.
    let telling: Vec<_> = said.iter().filter(|word| !is_time(std::slice::from_ref(word))).cloned().collect();
    let telling = set(&spell(&telling));
    let common = |fact: &Fact| {
        if shares_only_names(&said, fact) { 0 } else { telling.intersection(&words_of(fact)).count() }
    };
    let states = facts.filter(|fact| fact.kind != Kind::Event);
    let most = states.map(|fact| (common(fact), fact)).max_by_key(|(common, fact)| (*common, fact.id));
    most.filter(|(common, _)| *common > 0).map(|(_, fact)| fact)
}
