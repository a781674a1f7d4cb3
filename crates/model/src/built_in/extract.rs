//! From a statement to proposals: the network cuts it into parts and weighs it against what is held; each part that tells
//! a fact is given a name and a value.

use super::comparing::{Stems, around, set, share, words_of};
use super::dangling::{corrects, dangles, points};
use super::elsewhere::Elsewhere;
use super::endings::{successor, things_gone};
use super::keeping::loses_any;
use super::naming::gist;
use super::parts::{Part, parts};
use super::people::shares_only_names;
use super::place::{DOUBTFUL, PLAIN, Place, with_time};
use super::sentences::sentences;
use super::told::{name, read};
use super::values::items;
use super::verdicts::{Change, Verdict, Verdicts, verdicts};
use super::words::{Tag, Word, spell, words};
use crate::ask::Extract;
use domain::{Action, Fact, Kind, RawFact};
use encoder::Meant;

/// The network reads about so many words at once.
const MOST_WORDS: usize = 60;
/// Beyond this nobody is telling facts; what follows is left unread.
const MOST_WORDS_IN_ALL: usize = 4000;

/// What the statement says is so.
struct News<'a> {
    place: Place,
    part: &'a Part<'a>,
    action: Action,
    confidence: f64,
    reason: &'static str,
    /// Whether it is not known which words give its value.
    is_unclear: bool,
}

impl<'a> News<'a> {
    fn plain(place: Place, part: &'a Part<'a>) -> Self {
        let (action, confidence, reason) = (Action::Add, PLAIN, "said plainly");
        Self { place, part, action, confidence, reason, is_unclear: false }
    }

    /// Stands nowhere until a person has looked at it.
    fn wait(&mut self, reason: &'static str) {
        (self.action, self.confidence, self.reason) = (Action::Flag, DOUBTFUL, reason);
    }

    fn wait_unclear(&mut self) {
        self.is_unclear = true;
        self.wait("it is not clear which words give the new value");
    }

    /// Takes the place of a held fact once a person has agreed.
    fn may_replace(&mut self) {
        (self.action, self.confidence, self.reason) =
            (Action::Supersede, DOUBTFUL, "it may be meant to replace this");
    }

    fn skip(&mut self, reason: &'static str) {
        (self.action, self.reason) = (Action::Skip, reason);
    }

    fn is_state(&self) -> bool {
        self.part.meant != Meant::Event
    }

    /// Whether nothing held has been found that it belongs to.
    fn is_free(&self) -> bool {
        self.is_state() && self.action == Action::Add
    }

    /// Whether it may take the place of a held fact: of several that one part tells, the one with the value may.
    fn tells_value(&self) -> bool {
        let has = |value: &str| set(&self.place.value).is_superset(&set(value));
        self.is_free() && self.part.value.is_none_or(has)
    }

    /// Its value alone where the words around it may name the old one, else all that was said. Nothing where the old one
    /// is named and it is not clear which words give the new one.
    fn without_old(&self, old: &str, held: &Fact) -> Option<String> {
        let known = set(&format!("{} {}", held.subject, held.value));
        let naming = |word: &&str| word.contains(|c: char| c.is_uppercase() || c.is_ascii_digit());
        let gone = set(old);
        let text = self.part.text.as_ref();
        let clear = self.part.value.filter(|value| !set(value).is_superset(&gone));
        if let Some((value, (before, after))) = clear.and_then(|value| Some((value, around(text, value)?))) {
            let rest = format!("{before} {after}");
            let names_held =
                rest.split_whitespace().filter(naming).any(|word| !set(word).is_disjoint(&known));
            let names_old = !(&gone - &set(value)).is_disjoint(&set(&rest));
            return Some(if names_held || names_old { value } else { text }.to_owned());
        }
        if gone.is_disjoint(&set(text)) {
            return Some(text.to_owned());
        }
        let fresh = |value: &&&str| set(value).is_disjoint(&gone) && !set(value).is_empty();
        self.part.maybe.iter().find(fresh).map(|value| (*value).to_owned())
    }

    /// Names what has gone no more, if it can be told apart from what has come.
    fn clear_of(&mut self, old: &str, held: &Fact) -> bool {
        let named = set(&self.place.subject);
        self.place.subject = if !named.is_empty() && named.is_subset(&set(old)) {
            without(&held.subject, old)
        } else {
            without(&self.place.subject, old)
        };
        // Where only a part of what was said is the value, it is known which.
        let all = share(&set(&self.part.text), &set(&self.place.value)) >= 0.8;
        if !all || set(old).is_empty() {
            return true;
        }
        let cleared = self.without_old(old, held);
        let is_clear = cleared.is_some();
        self.place.value = cleared.unwrap_or_else(|| std::mem::take(&mut self.place.value));
        is_clear
    }

    /// Is named by the words, too, by which the statement names what it replaces: "the line there", where it speaks of Hull.
    fn name_as(&mut self, held: &Fact, old: &str, statement: &str) {
        let own = set(&format!("{} {} {} {old}", self.place.subject, self.place.value, self.place.scope));
        let said = set(statement);
        let common = |word: &&str| {
            let stems = set(word);
            !stems.is_empty() && stems.is_subset(&said) && stems.is_disjoint(&own)
        };
        let named: Vec<&str> = held.subject.split_whitespace().filter(common).collect();
        if !named.is_empty() {
            self.place.subject = format!("{} {}", named.join(" "), self.place.subject);
        }
    }

    /// Puts it together with what is held.
    fn refine(&mut self, held: &Fact) {
        let told = self.part.text.as_ref();
        let more = set(told).is_superset(&set(&held.value));
        let value = if more { told.to_owned() } else { format!("{}; {told}", held.value) };
        self.place = Place::at(held).with(value);
        (self.action, self.reason) = (Action::Refine, "more is told of it");
    }

    /// Waits for a person, together with the end of what it may have replaced.
    fn unclear(&mut self, held: &Fact) -> RawFact {
        self.wait_unclear();
        ended(held, DOUBTFUL, "it may have been replaced")
    }

    fn proposal(self) -> RawFact {
        let kind = if self.is_state() { "state" } else { "event" };
        let fact = self.place.fact(self.action, self.confidence, self.reason);
        RawFact { kind: Some(kind.to_owned()), ..fact }
    }
}

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

/// Many words that are all kept as one value, because nothing could be made of them, may say anything of the fact that has
/// words in common with them. They wait, too, where they are only a piece of what was said, happened once, or stand
/// beside a doubt.
fn misgivings(news: &mut [News<'_>], verdicts: &[Verdict<'_>], ask: &Extract<'_>) -> Vec<RawFact> {
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
        if !ask.held.is_empty() && (is_piece || is_doubted || told_of.is_some() || !new.is_state()) {
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
fn spoken_of<'a>(text: &str, facts: impl Iterator<Item = &'a Fact>) -> Option<&'a Fact> {
    let said = sentences(text).concat();
    let common = |fact: &Fact| {
        if shares_only_names(&said, fact) { 0 } else { set(text).intersection(&words_of(fact)).count() }
    };
    let states = facts.filter(|fact| fact.kind != Kind::Event);
    let most = states.map(|fact| (common(fact), fact)).max_by_key(|(common, fact)| (*common, fact.id));
    most.filter(|(common, _)| *common > 0).map(|(_, fact)| fact)
}

fn may_have_ended(held: &Fact) -> RawFact {
    ended(held, DOUBTFUL, "what was said may have ended it")
}

/// What names nothing is likely about what was told last: as a detail, or in its place. That is for a person to say. Gives
/// the number of the fact.
fn attach(news: &mut [News<'_>], verdicts: &[Verdict<'_>], ask: &Extract<'_>) -> Option<i64> {
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

/// What is all filed in other slots says nothing of this one for sure, unless it names what was there.
fn settle_beside(
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
    ask.slots.iter().any(|slot| slot.name == place.subject)
        && set(&place.value).is_subset(&set(&place.subject.replace('_', " ")))
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

/// Does to a held fact what the statement does to it, and gives the news that concerns it its place.
fn settle(verdict: &Verdict<'_>, news: &mut [News<'_>], ask: &Extract<'_>) -> Option<RawFact> {
    let held = verdict.fact;
    let slot = ask.slots.iter().find(|slot| slot.name == held.subject);
    let here = |n: &News<'_>| n.is_free() && n.place.subject == held.subject && n.place.scope == held.scope;
    let old = verdict.value.as_deref().unwrap_or(&held.value);
    let in_slot = slot.filter(|slot| !slot.list).and_then(|_| news.iter().position(here));
    let concerning = verdict.part(news.iter().map(|n| n.tells_value().then_some(n.part.text.as_ref())));
    match verdict.change {
        Change::Replaced => {
            // "It's 600 now" can mean nothing else.
            let pointing = || news.iter().position(|n| n.tells_value() && points(&n.part.text));
            let at = in_slot.or(concerning).or_else(pointing);
            let Some(new) = at.and_then(|at| news.get_mut(at)) else {
                clear_all(news, old, held);
                // What has taken the place of another fact may well leave this one as it is.
                let taken = news.iter().any(|new| new.action == Action::Supersede);
                return Some(if taken {
                    ended(held, DOUBTFUL, "it may have been replaced")
                } else {
                    ended(held, PLAIN, "replaced")
                });
            };
            // Nothing takes the place of itself.
            if set(&new.place.value).is_subset(&set(old)) {
                match successor(&new.part.text, old) {
                    Some(value) => new.place.value = value,
                    None => return Some(new.unclear(held)),
                }
            }
            let is_unclear = slot.is_none()
                && (holds_more(held, old, ask.statement)
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
                new.place = Place::at(held).with(std::mem::take(&mut new.place.value));
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
            let confidence =
                if slot.is_none() && names_one_of(&held.value, ask.statement) { DOUBTFUL } else { PLAIN };
            Some(ended(held, confidence, "it has ended"))
        }
        Change::Doubtful => {
            let at = in_slot.or(concerning);
            if let Some(new) = at.filter(|_| slot.is_some()).and_then(|at| news.get_mut(at)) {
                new.place = Place::at(held).with(std::mem::take(&mut new.place.value));
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

/// "Zuora bowed out" is no further rival, and "the date picker works again" no further issue.
fn is_told_of(verdict: &Verdict<'_>, new: &News<'_>, ask: &Extract<'_>) -> bool {
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
fn only_ends(verdict: &Verdict<'_>, part: &Part<'_>) -> bool {
    verdict.change == Change::Ended
        && verdict.is_end(&part.text)
        && part.value.is_none_or(|value| set(value).is_subset(&words_of(verdict.fact)))
}

/// "We packed up Mill Lane and sit on Dock Street": whether it says no more than what has been replaced.
fn names_former(verdict: &Verdict<'_>, new: &News<'_>) -> bool {
    let value = set(&new.place.value);
    verdict.change == Change::Replaced
        && !value.is_empty()
        && value.is_subset(&set(verdict.value.as_deref().unwrap_or(&verdict.fact.value)))
}

/// "Fly.io hosts us, Heroku ran at 500 a month": whether it says something of what has been replaced.
fn tells_of_former(verdict: &Verdict<'_>, new: &News<'_>) -> bool {
    let old = set(verdict.value.as_deref().unwrap_or(&verdict.fact.value));
    verdict.change == Change::Replaced && !old.is_empty() && old.is_subset(&set(&new.place.value))
}

/// "I dropped the Thursday run", of "Mondays and Thursdays": whether the statement names some of several things, and not all.
fn names_one_of(value: &str, statement: &str) -> bool {
    let said = set(statement);
    let (named, others): (Vec<String>, Vec<String>) =
        items(&words(value)).into_iter().partition(|item| !set(item).is_disjoint(&said));
    !named.is_empty() && !others.is_empty()
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

fn ended(held: &Fact, confidence: f64, reason: &str) -> RawFact {
    Place::at(held).with(held.value.clone()).fact(Action::Retract, confidence, reason)
}

/// A name without the words of a value that has gone.
fn without(subject: &str, value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    let telling =
        |word: &&&str| words.len() <= 4 || word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let gone: Stems = words.iter().filter(telling).flat_map(|word| set(word)).collect();
    let left: Vec<&str> = subject.split_whitespace().filter(|word| set(word).is_disjoint(&gone)).collect();
    if left.is_empty() { subject.to_owned() } else { left.join(" ") }
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

/// A name that nothing else goes by, if there is one short of all that was said.
fn own_name(part: &Part<'_>, news: &[News<'_>], ask: &Extract<'_>) -> String {
    let free = |named: &String| {
        let held = ask.held.iter().map(|fact| &fact.subject);
        !named.is_empty() && held.chain(news.iter().map(|new| &new.place.subject)).all(|name| name != named)
    };
    let names = [name(part), gist(&part.text)];
    names.into_iter().find(free).unwrap_or_else(|| part.text.to_lowercase())
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
    // "Leeds, UK" and "May 3, 2026" are one.
    let (one, last) = held.value.rsplit_once(", ").unwrap_or_default();
    let closing = last.chars().all(|c| c.is_ascii_digit()) || last.chars().all(char::is_uppercase);
    let single = !one.contains([',', ';']) && (2..=4).contains(&last.len()) && closing;
    held.value.replace(", ", ";").contains(';') && !single && (within || rest.is_none_or(unsaid))
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
