//! What the news of a statement does to a held fact: takes its place, ends it, tells more of it, or waits.

use super::comparing::{Stems, around, set, share, words_of};
use super::dangling::{corrects, dangles, points};
use super::elsewhere::Elsewhere;
use super::endings::{Changed, successor};
use super::keeping::loses_any;
use super::naming::is_proper;
use super::news::{News, ended, may_have_ended, own_name, without};
use super::parts::Part;
use super::place::{DOUBTFUL, PLAIN, Place};
use super::sentences::{has_finite_verb, sentences};
use super::values::items;
use super::verdicts::{Change, Verdict};
use super::words::{Tag, Word, spell, words};
use crate::ask::Extract;
use domain::{Action, Fact, RawFact};

/// Does to a held fact what the statement does to it, and gives the news that concerns it its place.
pub(super) fn settle(verdict: &Verdict<'_>, news: &mut [News<'_>], ask: &Extract<'_>) -> Option<RawFact> {
    let held = verdict.fact;
    let slot = ask.slots.iter().find(|slot| slot.name == held.subject);
    let here = |n: &News<'_>| n.is_free() && n.place.subject == held.subject && n.place.scope == held.scope;
    let old = verdict.value.as_deref().unwrap_or(&held.value);
    let in_slot = slot.filter(|slot| !slot.list).and_then(|_| news.iter().position(here));
    let concerning = verdict.part(news.iter().map(|n| n.tells_value().then_some(n.part.text.as_ref())));
    let is_list = slot.is_none() || slot.is_some_and(|slot| slot.list) && held.value.contains(" and ");
    let is_one_of_several = || is_list && names_one_of(&held.value, ask.statement);
    match verdict.change {
        Change::Replaced => {
            // "It's 600 now" can mean nothing else.
            let pointing = || news.iter().position(|n| n.tells_value() && points(&n.part.text));
            let at = in_slot.or(concerning).or_else(pointing);
            // "Cashews are a no-go for me, I come out in hives"
            let repeats = |n: &News<'_>| n.is_state() && set(&n.part.text).is_superset(&set(&held.value));
            let again = news.iter().find(|n| repeats(n)).map(|n| n.part.text.clone());
            let Some(new) = at.and_then(|at| news.get_mut(at)) else {
                clear_all(news, old, held);
                // What has taken the place of another fact may well leave this one as it is.
                let taken = news.iter().any(|new| new.action == Action::Supersede);
                return Some(if taken || is_one_of_several() {
                    ended(held, DOUBTFUL, "it may have been replaced")
                } else {
                    ended(held, PLAIN, "replaced")
                });
            };
            let is_said_again = !new.place.named && again.is_some_and(|again| again != new.part.text);
            // Nothing takes the place of itself.
            if set(&new.place.value).is_subset(&set(old)) {
                match successor(&new.part.text, old) {
                    Some(value) => new.place.value = value,
                    None => return Some(new.unclear(held)),
                }
            }
            if slot.is_none() && tells_of_value(held, new) {
                return Some(may_have_ended(held));
            }
            let is_unclear = slot.is_some() && (is_said_again || is_no_value(&new.place.value))
                || slot.is_none()
                    && (holds_more(held, old, ask.statement)
                        || gives_one_of_several(held, &new.part.text)
                        || is_of_another_sort(held, new)
                        || names_held(held, new));
            if is_unclear {
                return Some(new.unclear(held));
            }
            // "13, not 12" loses nothing that is worth keeping.
            let told = new.part.text.replace(&format!("not {old}"), "");
            let loses = |value: &str| {
                loses_any(&told, &format!("{} {} {} {value}", held.subject, held.value, held.text))
            };
            let exchanged = exchanged(held, old, new.part).filter(|value| !loses(value));
            if slot.is_some() || exchanged.is_some() || takes_over(held, old, new) {
                let is_clear = match exchanged {
                    Some(exchanged) if slot.is_none() => {
                        new.place.value = exchanged;
                        true
                    }
                    None if slot.is_none() && loses(&new.place.value) => {
                        new.place.value = new.part.text.to_string();
                        new.clear_of(old, held)
                    }
                    _ => new.clear_of(old, held),
                };
                if !is_clear {
                    return Some(new.unclear(held));
                }
                let value = with_name(held, new);
                new.place = Place::at(held).with(value);
                (new.action, new.reason) = (Action::Supersede, "replaces the former value");
                return None;
            }
            if !new.clear_of(old, held) {
                return Some(new.unclear(held));
            }
            if points(&new.part.text) {
                new.place.subject = without(&held.subject, old);
            }
            new.name_as(held, old, ask.statement);
            new.reason = "takes the place of another";
            Some(ended(held, PLAIN, "replaced"))
        }
        Change::Ended => {
            clear_all(news, old, held);
            let confidence = if is_one_of_several() { DOUBTFUL } else { PLAIN };
            Some(ended(held, confidence, "it has ended"))
        }
        Change::Doubtful => {
            let at = in_slot.or(concerning);
            if let Some(new) = at.filter(|_| slot.is_some()).and_then(|at| news.get_mut(at)) {
                let value = with_name(held, new);
                new.place = Place::at(held).with(value);
                new.may_replace();
                return None;
            }
            if slot.is_none() {
                apart(news, here, ask);
            }
            Some(may_have_ended(held))
        }
        Change::Repeated => {
            if let Some(new) = concerning.and_then(|at| news.get_mut(at)) {
                if is_other_word(held, &new.place) {
                    new.place.target = Some(held.id);
                    new.may_replace();
                    return None;
                }
                new.place = Place::at(held).with(held.value.clone());
                (new.action, new.reason) = (Action::Dedup, "said before");
            }
            None
        }
        Change::Refined => {
            // "In Oslo it's raining" says no more of a gym in Oslo.
            let of_place = |new: &&mut News<'_>| {
                Elsewhere::of(&new.part.text).is_some_and(|e| set(&e.place).is_subset(&words_of(held)))
            };
            // Nor does one convention of another.
            let is_other_item = |new: &&mut News<'_>| {
                slot.is_some_and(|slot| slot.list)
                    && new.place.subject == held.subject
                    && set(&new.place.value).is_disjoint(&set(&held.value))
            };
            let new = concerning.and_then(|at| news.get_mut(at));
            if let Some(new) = new.filter(|new| !of_place(new) && !is_other_item(new)) {
                new.refine(held);
            }
            None
        }
        Change::None => {
            if let Some(new) = in_slot.and_then(|at| news.get_mut(at)) {
                new.place.target = Some(held.id);
                new.may_replace();
            } else if slot.is_none() {
                apart(news, here, ask);
            }
            None
        }
    }
}

/// What is all filed in other slots says nothing of this one for sure, unless it names what was there.
pub(super) fn settle_beside(
    verdict: &Verdict<'_>,
    news: &mut [News<'_>],
    ask: &Extract<'_>,
    speaks_of_end: bool,
) -> Option<RawFact> {
    let named = || !set(&verdict.fact.value).is_disjoint(&set(ask.statement));
    // "Make that 80" belongs to what was spoken of.
    let points = || {
        let concerning = verdict.part(news.iter().map(|n| n.tells_value().then_some(n.part.text.as_ref())));
        let said = concerning.and_then(|at| news.get(at)).map(|n| n.part.text.to_lowercase());
        let mut words = said.iter().flat_map(|said| said.split(|c: char| !c.is_alphanumeric()));
        words.any(|word| matches!(word, "it" | "that" | "this" | "those" | "these" | "them"))
    };
    match verdict.change {
        Change::Replaced if named() || points() => settle(verdict, news, ask),
        Change::Replaced => Some(ended(verdict.fact, DOUBTFUL, "it may have been replaced")),
        Change::Ended if speaks_of_end => Some(ended(verdict.fact, PLAIN, "it has ended")),
        _ => None,
    }
}

/// What names nothing is likely about what was told last: as a detail, or in its place. That is for a person to say. Gives
/// the number of the fact.
pub(super) fn attach(news: &mut [News<'_>], verdicts: &[Verdict<'_>], ask: &Extract<'_>) -> Option<i64> {
    if let Some((new, held)) = news.iter_mut().find_map(|new| {
        let held = explained(new, verdicts)?;
        Some((new, held))
    }) {
        new.refine(held);
        return Some(held.id);
    }
    // What stands behind another part points to that.
    let first = news.iter_mut().find(|new| new.is_state());
    let concerns = |new: &News<'_>| dangles(new.part, ask.held) || corrects(ask.statement);
    let new = first.filter(|new| new.is_free() && concerns(new))?;
    let open = |v: &Verdict<'_>| v.change == Change::None || v.is_last && v.change == Change::Doubtful;
    let last = verdicts.iter().find(|verdict| verdict.is_last && verdicts.iter().all(open))?;
    if last.may_refine && last.change == Change::None {
        new.refine(last.fact);
        new.confidence = DOUBTFUL;
    } else {
        let value = new.part.value.unwrap_or(&new.place.value).to_owned();
        new.place = Place::at(last.fact).with(value);
        new.may_replace();
    }
    Some(last.fact.id)
}

/// "The antibiotic is co-trimoxazole", of "she is allergic to an antibiotic": what is held has been named.
fn explained<'a>(new: &News<'_>, verdicts: &[Verdict<'a>]) -> Option<&'a Fact> {
    let words = sentences(&new.part.text).concat();
    let be = words.iter().position(|word| word.is_any(&["is", "'s"]))?;
    let named = words.get(1..be).filter(|_| words.first().is_some_and(|word| word.is("the")))?;
    let value = sentences(new.part.value?).concat();
    let names = value.iter().any(|word| matches!(word.tag, Tag::Noun | Tag::Name));
    let named = set(&spell(named));
    let is_it = |v: &&Verdict<'_>| !named.is_empty() && set(&v.fact.value) == named;
    let mut found = verdicts.iter().filter(is_it).map(|v| v.fact);
    found.next().filter(|_| found.next().is_none() && names && new.is_free())
}

/// "Metformin 1000 mg", of "metformin was increased to 1000 mg": with the words before the figure that both name.
fn with_name(held: &Fact, new: &News<'_>) -> String {
    let value = &new.place.value;
    let is_figure = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let name: Vec<&str> = held.value.split_whitespace().take_while(|word| !is_figure(word)).collect();
    let name = name.join(" ");
    let stems = set(&name);
    let figures = held.value.split_whitespace().any(|word| is_figure(&word));
    let both = !stems.is_empty() && stems.is_subset(&set(&new.part.text)) && stems.is_disjoint(&set(value));
    let is_bare = value.split_whitespace().next().is_some_and(|word| is_figure(&word));
    if figures && both && is_bare { format!("{name} {value}") } else { value.clone() }
}

/// "People abroad get 58", of "28 euros inside Germany and 50 abroad".
fn gives_one_of_several(held: &Fact, text: &str) -> bool {
    let figures = |text: &str| {
        items(&words(text)).iter().filter(|item| item.contains(|c: char| c.is_ascii_digit())).count()
    };
    figures(&held.value) > 1 && figures(text) == 1 && names_one_of(&held.value, text)
}

/// None of the news names what has gone, where that can be helped.
fn clear_all(news: &mut [News<'_>], old: &str, held: &Fact) {
    let figures = |text: &str| -> Stems {
        set(text).into_iter().filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect()
    };
    for new in news.iter_mut().filter(|new| new.is_free()) {
        // "Scrap 12b its 21b"
        let mixes = !figures(&new.place.value).is_disjoint(&figures(old));
        if !new.clear_of(old, held) || mixes {
            new.wait_unclear();
        }
    }
}

/// Facts that stand beside each other need names of their own.
fn apart(news: &mut [News<'_>], here: impl Fn(&News<'_>) -> bool, ask: &Extract<'_>) {
    for at in 0..news.len() {
        let Some(part) = news.get(at).filter(|new| here(new)).map(|new| new.part) else { continue };
        let named = own_name(part, news, ask);
        if let Some(new) = news.get_mut(at) {
            new.place.subject = named;
        }
    }
}

/// "Zuora bowed out" is no further rival, and "the date picker works again" no further issue.
pub(super) fn is_told_of(verdict: &Verdict<'_>, new: &News<'_>, ask: &Extract<'_>) -> bool {
    let held = verdict.fact;
    let listed = ask.slots.iter().any(|slot| slot.list && slot.name == held.subject);
    let (was, is) = (set(&held.value), set(&new.place.value));
    let names_it = new.part.value.is_none() && !was.is_empty() && is.is_superset(&was);
    listed
        && matches!(verdict.change, Change::Replaced | Change::Ended | Change::Doubtful)
        && new.place.subject == held.subject
        && (names_it || !new.place.named && share(&is, &was) >= 0.5)
}

/// Whether a part says nothing but that the fact has ended.
pub(super) fn only_ends(verdict: &Verdict<'_>, part: &Part<'_>) -> bool {
    verdict.change == Change::Ended
        && verdict.is_end(&part.text)
        && part.value.is_none_or(|value| set(value).is_subset(&words_of(verdict.fact)))
}

/// "We packed up Mill Lane and sit on Dock Street": whether it says no more than what has been replaced.
pub(super) fn names_former(verdict: &Verdict<'_>, new: &News<'_>) -> bool {
    let value = set(&new.place.value);
    verdict.change == Change::Replaced
        && !value.is_empty()
        && value.is_subset(&set(verdict.value.as_deref().unwrap_or(&verdict.fact.value)))
}

/// "Fly.io hosts us, Heroku ran at 500 a month": whether it says something of what has been replaced.
pub(super) fn tells_of_former(verdict: &Verdict<'_>, new: &News<'_>) -> bool {
    let old = set(verdict.value.as_deref().unwrap_or(&verdict.fact.value));
    verdict.change == Change::Replaced && !old.is_empty() && old.is_subset(&set(&new.place.value))
}

/// "I dropped the Thursday run", of "Mondays and Thursdays": whether the statement names some of several things, and not all.
fn names_one_of(value: &str, statement: &str) -> bool {
    let said = set(statement);
    let (named, others): (Vec<String>, Vec<String>) =
        items(&words(value)).into_iter().partition(|item| !set(item).is_disjoint(&said));
    !named.is_empty() && !others.is_empty() && !is_single(value)
}

/// Whether the new value can stand under the name of the old one: both are short, and the name does not speak of the old.
fn takes_over(held: &Fact, old: &str, new: &News<'_>) -> bool {
    let short = |value: &str| value.split_whitespace().count() <= 4;
    let value = new.part.value.unwrap_or(&new.place.value);
    short(&held.value) && short(value) && share(&set(old), &set(&held.subject)) == 0.0
}

/// "My phone is slow" does not say which one it is.
fn is_of_another_sort(held: &Fact, new: &News<'_>) -> bool {
    let names = held.value.contains(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let is_figure = held.value.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    let value = sentences(&new.place.value).concat();
    let is_word = value.iter().all(|word| word.tag == Tag::Adjective && !word.is_capital());
    !value.is_empty() && (names && is_word || is_figure && !value.iter().any(Word::has_digit))
}

/// "The one on 5 West works": what the held fact is about, is nothing that it has become.
fn names_held(held: &Fact, new: &News<'_>) -> bool {
    let value = set(new.part.value.unwrap_or(&new.place.value));
    !value.is_empty() && value.is_subset(&set(&held.subject))
}

/// "Bogdan maintains the auth module", of "Ines wrote the auth module": another thing is told of what the held fact names.
fn tells_of_value(held: &Fact, new: &News<'_>) -> bool {
    let said = set(&new.part.text);
    let value = set(new.part.value.unwrap_or(&new.place.value));
    let named = set(&held.subject);
    let told = sentences(&held.text).concat();
    let in_name =
        |is: &dyn Fn(&Word) -> bool| told.iter().any(|word| is(word) && !set(&word.low).is_disjoint(&named));
    let is_deed = in_name(&|word| word.tag == Tag::Verb) && in_name(&Word::is_capital);
    is_deed
        && is_proper(&words(new.part.value.unwrap_or(&new.place.value)))
        && named.is_disjoint(&said)
        && value.is_disjoint(&set(&held.value))
        && share(&set(&held.value), &said) >= 0.5
        && !Changed::of(&new.part.text).tells_former()
}

/// "That makes it closed-won", "never phone": a slot holds what something is.
pub(super) fn is_no_value(value: &str) -> bool {
    let words = sentences(value).concat();
    if words.first().is_some_and(|word| word.is("never")) {
        return true;
    }
    let points = |word: &Word| word.is_any(&["that", "this", "it", "which"]);
    words.first().is_some_and(points) && has_finite_verb(&words)
}

/// "npm is our package manager" is not "pnpm is our package manager" said once more.
fn is_other_word(held: &Fact, new: &Place) -> bool {
    let (one, other) = (set(&held.value), set(&new.value));
    new.subject == held.subject
        && new.scope == held.scope
        && (one.len(), other.len()) == (1, 1)
        && one != other
        && !held.value.contains(|c: char| c.is_ascii_digit())
}

/// "all trackers, his pension all bonds": what has changed is a part of it, and it is not clear which.
fn holds_more(held: &Fact, old: &str, statement: &str) -> bool {
    let said = set(statement);
    let rest = around(&held.value, old).map(|(before, after)| set(&format!("{before} {after}")));
    let unsaid = |rest: Stems| rest.difference(&said).count() > 1;
    let within = !said.is_disjoint(&set(&held.value)) && said.is_disjoint(&set(&held.subject));
    let several = held.value.replace(", ", ";").contains(';') && !is_single(&held.value);
    several && (within || rest.is_none_or(unsaid))
}

/// "Leeds, UK" and "May 3, 2026" are one.
fn is_single(value: &str) -> bool {
    let (one, last) = value.rsplit_once(", ").unwrap_or_default();
    let closing = last.chars().all(|c| c.is_ascii_digit()) || last.chars().all(char::is_uppercase);
    !one.contains([',', ';']) && (2..=4).contains(&last.len()) && closing
}

/// "12 pounds a seat in the UK" with 13 for 12: the held value with the new one in it, where what stands around it is said
/// of the new one, too.
fn exchanged(held: &Fact, old: &str, part: &Part<'_>) -> Option<String> {
    let (before, after) = around(&held.value, old)?;
    let holds = set(&format!("{before} {after}")).is_subset(&set(&part.text));
    let apart = share(&set(old), &set(&held.subject)) == 0.0;
    let value = part.value.filter(|value| holds && apart && !set(value).is_subset(&set(old)))?;
    Some(format!("{before}{value}{after}"))
}
