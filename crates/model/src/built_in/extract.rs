//! From a statement to proposals: the network cuts it into parts and weighs it against what is held; each part that tells
//! a fact is given a name and a value.

use super::comparing::{Stems, set, words_of};
use super::elsewhere::Elsewhere;
use super::endings::things_gone;
use super::misgivings::{misgivings, spoken_of};
use super::news::{News, may_have_ended, own_name};
use super::parts::{Part, parts};
use super::place::{DOUBTFUL, PLAIN, Place, with_time};
use super::sentences::sentences;
use super::settling::{
    attach, is_no_value, is_told_of, names_former, only_ends, settle, settle_beside, tells_of_former,
};
use super::slots::is_name;
use super::told::read;
use super::verdicts::{Change, Verdict, Verdicts, verdicts};
use super::words::spell;
use crate::ask::Extract;
use domain::{Action, Kind, RawFact};
use encoder::Meant;

/// The network reads about so many words at once.
const MOST_WORDS: usize = 60;
/// Beyond this nobody is telling facts; what follows is left unread.
const MOST_WORDS_IN_ALL: usize = 4000;

pub(super) fn extract(ask: &Extract<'_>) -> Vec<RawFact> {
    stretches(without_label(ask.statement))
        .into_iter()
        .flat_map(|statement| extract_one(&Extract { statement, ..*ask }))
        .collect()
}

/// "Correction: the budget is 6000" tells a budget.
fn without_label(statement: &str) -> &str {
    const LABELS: [&str; 6] = ["correction:", "update:", "note:", "fyi:", "reminder:", "heads up:"];
    let has =
        |label: &&&str| statement.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label));
    let label = LABELS.iter().find(has);
    label.and_then(|label| statement.get(label.len()..)).map_or(statement, str::trim_start)
}

/// A long statement in stretches that the network can read at once, cut behind a sentence where there is one.
fn stretches(statement: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let (mut rest, mut words, mut read) = (statement, 0, 0);
    for word in statement.split_inclusive(char::is_whitespace).take(MOST_WORDS_IN_ALL) {
        read += word.len();
        words += usize::from(!word.trim().is_empty());
        let closes = word.trim_end().ends_with(['.', '!', '?', ';']) || word.ends_with('\n');
        if words >= MOST_WORDS
            || closes && words >= MOST_WORDS / 2 && rest.split_whitespace().nth(MOST_WORDS).is_some()
        {
            let (stretch, after) = rest.split_at(read);
            found.push(stretch);
            (rest, words, read) = (after, 0, 0);
        }
    }
    found.extend(rest.get(..read).filter(|rest| !rest.trim().is_empty()));
    found
}

fn extract_one(ask: &Extract<'_>) -> Vec<RawFact> {
    if sentences(ask.statement).is_empty() {
        return Vec::new();
    }
    let mut parts = parts(&[ask.statement]).pop().unwrap_or_default();
    let Verdicts { of_facts: mut verdicts, unsettled: doubted } = verdicts(ask, &parts);
    for at in doubted {
        if let Some(part) = parts.get_mut(at) {
            part.meant = part.else_meant.unwrap_or(Meant::Hedged);
        }
    }
    if parts.iter().any(|part| part.meant == Meant::Sarcastic) {
        // Who mocks may mock throughout.
        let plain = |part: &&mut Part<'_>| matches!(part.meant, Meant::So | Meant::Event | Meant::End);
        parts.iter_mut().filter(plain).for_each(|part| part.meant = Meant::Hedged);
        verdicts.clear();
    }
    let endings = parts.iter().filter(|part| part.meant == Meant::End).count();
    if endings > 0 && verdicts.iter().all(|verdict| matches!(verdict.change, Change::None | Change::Refined))
    {
        // Where nothing held has ended, what was said to have ended is worth keeping by itself.
        parts.iter_mut().filter(|part| part.meant == Meant::End).for_each(|part| part.meant = Meant::So);
    }
    let mut proposals: Vec<RawFact> = parts.iter().flat_map(|part| unsettled(part, ask)).collect();
    let mut news: Vec<News<'_>> = Vec::new();
    for part in parts.iter().filter(|part| matches!(part.meant, Meant::So | Meant::Event)) {
        for place in read(part, ask) {
            if only_names(&place, ask) {
                continue;
            }
            let place = in_its_place(place, part, &news, ask);
            let place = set_apart(place, &mut news, part, ask);
            let in_slot = ask.slots.iter().any(|slot| slot.name == place.subject);
            let mut new = News::plain(place, part);
            if in_slot && only_points_at_somebody(&new.place.value) {
                match name_pointed_at(ask.statement) {
                    Some(name) => new.place.value = name,
                    None => new.wait("it is not clear who is meant"),
                }
            }
            news.push(new);
        }
    }
    let filed = |n: &News<'_>| ask.slots.iter().find(|s| s.name == n.place.subject).map(|s| s.name.as_str());
    let filed: Vec<Option<&str>> = news.iter().filter(|n| n.is_state()).map(filed).collect();
    let attached = attach(&mut news, &verdicts, ask);
    for verdict in verdicts.iter().filter(|verdict| Some(verdict.fact.id) != attached) {
        let slot = ask.slots.iter().any(|slot| slot.name == verdict.fact.subject);
        let elsewhere = |name: &Option<&str>| name.is_some_and(|name| name != verdict.fact.subject);
        proposals.extend(if slot && !filed.is_empty() && filed.iter().all(elsewhere) {
            settle_beside(verdict, &mut news, ask, endings > 0)
        } else {
            settle(verdict, &mut news, ask)
        });
    }
    let unclear: Vec<&str> =
        news.iter().filter(|new| new.is_unclear).map(|new| new.part.text.as_ref()).collect();
    for new in news.iter_mut().filter(|new| new.is_free() && unclear.contains(&new.part.text.as_ref())) {
        new.wait_unclear();
    }
    let in_any_slot = |subject: &str| ask.slots.iter().any(|slot| slot.name == subject);
    let placed: Vec<(&str, Stems)> = news
        .iter()
        .filter(|new| new.action == Action::Supersede)
        .map(|new| (new.part.text.as_ref(), set(&new.place.value)))
        .collect();
    for new in news.iter_mut().filter(|new| new.is_free()) {
        let says =
            |(part, value): &(&str, Stems)| *part == new.part.text && value.is_subset(&set(&new.place.value));
        // What only the network files in a slot may be told of what it changes in another.
        let is_beside = |v: &Verdict<'_>| {
            matches!(v.change, Change::Replaced | Change::Ended | Change::Doubtful)
                && v.fact.subject != new.place.subject
                && in_any_slot(&v.fact.subject)
        };
        if placed.iter().any(says) {
            new.skip("told in the place of another");
        } else if verdicts.iter().any(|verdict| is_told_of(verdict, new, ask)) {
            new.wait("it may speak of an end");
        } else if !new.place.named && in_any_slot(&new.place.subject) && verdicts.iter().any(is_beside) {
            new.wait("it is not clear what it is told of");
        }
    }
    for new in news.iter_mut().filter(|new| new.is_free()) {
        let gone = things_gone(&new.part.text);
        let removes = |verdict: &Verdict<'_>| {
            matches!(verdict.change, Change::Doubtful | Change::Ended)
                && !gone.is_disjoint(&words_of(verdict.fact))
        };
        if verdicts.iter().any(|verdict| only_ends(verdict, new.part) || removes(verdict)) {
            new.skip("tells of an end");
        } else if verdicts.iter().any(|verdict| names_former(verdict, new)) {
            new.skip("names what has gone");
        } else if verdicts.iter().any(|verdict| tells_of_former(verdict, new)) {
            new.wait("it speaks of what has gone");
        }
    }
    let in_single_slot = |subject: &str| ask.slots.iter().any(|slot| !slot.list && slot.name == subject);
    for new in news.iter_mut().filter(|new| new.is_free()) {
        if in_single_slot(&new.place.subject) && is_no_value(&new.place.value) {
            new.wait("it does not say what it is");
        }
    }
    let is_placed = |new: &News<'_>| matches!(new.action, Action::Supersede | Action::Refine | Action::Dedup);
    if !news.iter().any(is_placed) && !verdicts.iter().any(|v| v.change == Change::Replaced) {
        proposals.extend(misgivings(&mut news, &verdicts, ask));
    }
    proposals.extend(news.into_iter().map(News::proposal));
    let is_plain = |part: &Part<'_>| matches!(part.meant, Meant::So | Meant::Event | Meant::End);
    if proposals.is_empty() && parts.iter().all(is_plain) && !ask.statement.contains('?') {
        proposals.extend(spoken_of(ask.statement, ask.held.iter().copied()).map(may_have_ended));
    }
    proposals
}

/// What is meant in another way than as a fact of now.
fn unsettled(part: &Part<'_>, ask: &Extract<'_>) -> Vec<RawFact> {
    let (action, time, confidence, reason) = match part.meant {
        Meant::Past => (Action::Archive, "past", PLAIN, "true in the past"),
        Meant::Future => (Action::Flag, "future", DOUBTFUL, "a plan, not carried out yet"),
        Meant::Hedged => (Action::Flag, "unknown", DOUBTFUL, "not said for sure"),
        Meant::Hypothetical => (Action::Skip, "unknown", DOUBTFUL, "hypothetical"),
        Meant::Sarcastic => (Action::Skip, "unknown", DOUBTFUL, "sarcasm"),
        Meant::Nothing | Meant::So | Meant::Event | Meant::Asked | Meant::End => return Vec::new(),
    };
    read(part, ask).into_iter().map(|place| with_time(place.fact(action, confidence, reason), time)).collect()
}

/// "Answer Keiko Tan, she's the primary contact": the slot is named, and filled elsewhere.
fn only_names(place: &Place, ask: &Extract<'_>) -> bool {
    let slot = ask.slots.iter().find(|slot| slot.name == place.subject);
    slot.is_some_and(|slot| {
        is_name(slot, &place.value) || set(&place.value).is_subset(&set(&slot.name.replace('_', " ")))
    })
}

/// "He is your main contact", but not "she is a tax resident of Belgium".
fn only_points_at_somebody(value: &str) -> bool {
    let words = sentences(value).concat();
    let is = |at: usize, any: &[&str]| words.get(at).is_some_and(|word| word.is_any(any));
    is(0, &["he", "she"]) && is(1, &["is", "'s"]) && is(2, &["the", "your", "our", "my", "their"])
}

/// Who was named last before the statement points to them: of "talk to Bashir, he's your main contact", "Bashir".
fn name_pointed_at(statement: &str) -> Option<String> {
    let words = sentences(statement).concat();
    let pointing = words.iter().rposition(|word| word.is_any(&["he", "she"]))?;
    let before = words.get(..pointing)?;
    let last = before.iter().rposition(|word| word.is_capital() && !word.is_mark())?;
    let names = before.get(..=last)?.iter().rev().take_while(|word| word.is_capital() && !word.is_mark());
    let first = last + 1 - names.count();
    // The first word of a sentence is a capital anyhow.
    (last > 0).then(|| spell(before.get(first..=last).unwrap_or_default()))
}

/// "On mobile it's light" is about what was told last.
fn in_its_place(place: Place, part: &Part<'_>, before: &[News<'_>], ask: &Extract<'_>) -> Place {
    let Some(elsewhere) = Elsewhere::of(&part.text) else { return place };
    let told =
        |n: &News<'_>| elsewhere.what(&n.place.subject, &n.place.value, &n.part.text).map(str::to_owned);
    let held = || ask.held.iter().filter(|f| f.kind == Kind::State).max_by_key(|f| (f.created, f.id));
    let what = match before.iter().rfind(|n| n.is_state()) {
        Some(news) => told(news),
        None => held().and_then(|f| elsewhere.what(&f.subject, &f.value, &f.text)).map(str::to_owned),
    };
    match what {
        Some(subject) => Place { subject, scope: elsewhere.place, ..place },
        None => place,
    }
}

/// What one statement says twice of one subject is two facts, not a change of mind. Where the subject is a slot, what names
/// it goes there: "I'm Marguerite, but call me Mags".
fn set_apart(place: Place, before: &mut [News<'_>], part: &Part<'_>, ask: &Extract<'_>) -> Place {
    let listed = ask.slots.iter().any(|slot| slot.list && slot.name == place.subject);
    let same = |n: &News<'_>| n.place.subject == place.subject && n.place.scope == place.scope;
    let Some(at) = before.iter().position(same).filter(|_| !listed) else { return place };
    let first = before.get(at).filter(|first| place.named && !first.place.named);
    match first.map(|first| first.part) {
        Some(first) => {
            let named = own_name(first, before, ask);
            if let Some(first) = before.get_mut(at) {
                first.place.subject = named;
            }
            place
        }
        None => Place { subject: own_name(part, before, ask), ..place },
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_WORDS, MOST_WORDS_IN_ALL, stretches};

    #[test]
    fn of_a_long_text_so_much_is_read_at_once_and_so_much_in_all() {
        let page = "We moved the office from Leeds to York, and Dana owns billing now. ".repeat(1500);
        let words = |text: &&str| text.split_whitespace().count();
        let found = stretches(&page);
        assert!(found.iter().all(|stretch| words(stretch) <= MOST_WORDS));
        assert_eq!(found.iter().map(words).sum::<usize>(), MOST_WORDS_IN_ALL);
        assert!(page.starts_with(&found.concat()), "nothing is left out or told twice");
    }
}
