//! What a statement does to each fact that is held, as the network sees it.

use super::comparing::{Stems, has_any, nearest, set, words_of};
use super::endings::{Changed, things_gone, turns_it};
use super::parts::Part;
use super::people::{
    is_of_another, is_own_name, is_relative, may_part, moves_from, shares_only_names, tells_of_parting,
    tells_own_name,
};
use super::sentences::{has_finite_verb, sentences};
use super::spelling::{as_meant, meant};
use super::told::told;
use super::words::Tag;
use crate::ask::Extract;
use domain::{Fact, Kind};
use encoder::{Meant, RELATIONS, Relation, Weighed};

/// At most so many facts are weighed against a statement.
const MOST: usize = 12;

/// From here on a fact counts as replaced or ended by the statement.
const SURE: f32 = 0.8;
/// The same for a part of the statement by itself.
const SURE_ALONE: f32 = 0.85;
/// What a statement needs that has no word in common with the fact, but "it" or "they".
const SURE_IF_POINTED: f32 = 0.87;
/// The same for one that has not even that.
const SURE_WITHOUT_A_WORD: f32 = 0.93;
/// What the whole statement must lend to a part that is sure by itself.
const BACKED: f32 = 0.2;
/// From here on a person is asked.
const MAYBE: f32 = 0.1;
/// The same for what was told last, which is the likeliest to be spoken of.
const MAYBE_IF_LAST: f32 = 0.08;
/// The same for a fact of which the statement has no word, where it has one of another.
const LIKELIER: f32 = 0.5;
/// The same where the statement names the old value.
const MAYBE_IF_NAMED: f32 = 0.03;
/// From here on nothing new was said.
const SAME: f32 = 0.5;
/// From here on what was said is put together with what is held.
const REFINES: f32 = 0.7;
/// The same for what could be about nothing else.
const MAY_REFINE: f32 = 0.05;
/// From here on a part that speaks of a held fact does not tell how things are now.
const UNSETTLED: f32 = 0.1;
/// The same for one that may well be meant otherwise by itself.
const UNSETTLED_ANYWAY: f32 = 0.05;
/// So many times as much is needed where a fact has no word in common with the statement.
const WITHOUT_A_WORD: f32 = 3.0;
/// From here on a part may be what takes the place of a fact.
const BEARS: f32 = 0.4;
/// From here on a part tells that a fact has ended.
const TELLS_END: f32 = 0.5;

/// Marks what was told last, to which "it" and "that" may point. The network was trained with it.
const LAST: &str = "* ";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Replaced,
    Ended,
    Repeated,
    Refined,
    /// It may have been replaced or ended.
    Doubtful,
}

pub(super) struct Verdict<'a> {
    pub fact: &'a Fact,
    /// The fact's value as it was told, where that is clear.
    pub value: Option<String>,
    pub change: Change,
    /// Whether it was told last.
    pub is_last: bool,
    /// Whether the statement may tell more of it.
    pub may_refine: bool,
    /// How each part of the statement that says something to be so bears on the fact.
    parts: Vec<Bearing>,
}

struct Bearing {
    text: String,
    score: f32,
    /// How likely it tells that the fact has ended.
    ends: f32,
}

/// The likelihoods of what a text does to a fact.
type Likely = [f32; RELATIONS];

impl Verdict<'_> {
    /// Of the parts, the one that bears most on the fact, if any does.
    pub fn part<'b>(&self, parts: impl Iterator<Item = Option<&'b str>>) -> Option<usize> {
        let score = |text: &str| self.of(text).map_or(0.0, |part| part.score);
        let scored = parts.enumerate().filter_map(|(at, text)| Some((at, score(text?))));
        let best = scored.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        best.filter(|(_, score)| *score >= BEARS).map(|(at, _)| at)
    }

    /// Whether the part tells that the fact has ended.
    pub fn is_end(&self, part: &str) -> bool {
        self.of(part).is_some_and(|part| part.ends >= TELLS_END)
    }

    fn of(&self, text: &str) -> Option<&Bearing> {
        self.parts.iter().find(|part| part.text == text)
    }
}

pub(super) struct Verdicts<'a> {
    pub of_facts: Vec<Verdict<'a>>,
    /// The parts that seem to say how things are, and in view of what is held do not.
    pub unsettled: Vec<usize>,
}

pub(super) fn verdicts<'a>(ask: &Extract<'a>, parts: &[Part<'a>]) -> Verdicts<'a> {
    let tells = |part: &&Part<'_>| matches!(part.meant, Meant::So | Meant::End | Meant::Event);
    let telling: Vec<&Part<'_>> = parts.iter().filter(tells).collect();
    let words = sentences(ask.statement).concat();
    let turns_it = turns_it(&words);
    if telling.is_empty() && !turns_it {
        return Verdicts { of_facts: Vec::new(), unsettled: Vec::new() };
    }
    let states: Vec<&Fact> = ask.held.iter().copied().filter(|f| f.kind != Kind::Event).collect();
    let states = nearest(ask.statement, &states, MOST);
    let last = ask.held.iter().max_by_key(|fact| (fact.created, fact.id)).map(|fact| fact.text.as_str());
    let mut known = told(&states);
    for (told, _) in known.iter_mut().zip(&states).filter(|(_, fact)| last == Some(fact.text.as_str())) {
        told.text.insert_str(0, LAST);
    }
    let alone = telling.len() == 1 && parts.len() == 1;
    let asked = |text| {
        let parts = telling.iter().filter(|_| !alone).map(|part| part.text.as_ref());
        std::iter::once(ask.statement).chain(parts).map(move |said| (said, text))
    };
    let pairs: Vec<(&str, &str)> = known.iter().flat_map(|told| asked(told.text.as_str())).collect();
    let weighed = encoder::relations(&pairs, meant);
    let of_each: Vec<&[Weighed]> = weighed.chunks(if alone { 1 } else { 1 + telling.len() }).collect();
    let spelled_out = as_meant(ask.statement);
    let said = &set(ask.statement) | &set(&spelled_out);
    let shares = |fact: &Fact| !said.is_disjoint(&words_of(fact));
    let is_unsettled = |at: usize, part: &Part<'_>| {
        let enough = if part.else_meant.is_some() { UNSETTLED_ANYWAY } else { UNSETTLED };
        let of_part = |fact_at: usize| of_each.get(fact_at)?.get(if alone { 0 } else { 1 + at });
        let of_part =
            || states.iter().enumerate().filter_map(|(fact_at, fact)| Some((*fact, of_part(fact_at)?)));
        let changes = of_part().map(|(_, weighed)| gone(&weighed.relation)).fold(0.0, f32::max);
        let doubts = |fact: &Fact, weighed: &Weighed| {
            let is_near = shares(fact) && !shares_only_names(&words, fact);
            weighed.unsettled >= if is_near { enough } else { enough * WITHOUT_A_WORD }
        };
        let speaks = of_part().any(|(fact, weighed)| doubts(fact, weighed));
        // What may well be meant otherwise, and has no clear value, is not said for sure.
        let is_vague = part.value.is_none() && part.else_meant.is_some() && !states.is_empty();
        part.meant == Meant::So
            && ((speaks || is_vague) && changes < SURE || part.mocks && !states.is_empty())
    };
    let doubted: Vec<bool> = telling.iter().enumerate().map(|(at, part)| is_unsettled(at, part)).collect();
    let removed: Stems = telling.iter().flat_map(|part| things_gone(&part.text)).collect();
    let changed: Vec<Changed> = telling.iter().map(|part| Changed::of(&part.text)).collect();
    // Where a word leads to one fact, "it" points to no other but the one that was told last.
    let pointing = until_own_pointer(ask.statement);
    let points =
        has_any(pointing, &POINTING) || pointing == ask.statement && has_any(&spelled_out, &POINTING);
    let leads = states.iter().any(|fact| shares(fact));
    let may_mean = |fact: &Fact| !leads || last == Some(fact.text.as_str());
    let in_slot = |fact: &Fact| ask.slots.iter().any(|slot| slot.name == fact.subject);
    // From here on the statement changes the fact, if anything does.
    let enough = |fact: &Fact| match (shares(fact), points || has_any(ask.statement, &OURS)) {
        (true, _) => 0.0,
        (false, true) if may_mean(fact) && in_slot(fact) => 0.0,
        (false, true) if may_mean(fact) && points => SURE_IF_POINTED,
        (false, true) if may_mean(fact) => SURE_WITHOUT_A_WORD,
        (false, _) => 1.0,
    };
    // "We signed for a space in Ghent and the showroom moves there in October": of the showroom only a plan is told.
    let points_back = telling.iter().any(|part| super::dangling::points(&part.text));
    let told_of: Stems = telling.iter().flat_map(|part| set(&part.text)).collect();
    let is_open =
        |part: &&Part<'_>| matches!(part.meant, Meant::Future | Meant::Hedged | Meant::Hypothetical);
    let left_open: Stems = parts.iter().filter(is_open).flat_map(|part| set(&part.text)).collect();
    let is_left_open = |fact: &Fact| {
        let of_fact = words_of(fact);
        !left_open.is_disjoint(&of_fact) && told_of.is_disjoint(&of_fact) && !points_back
    };
    let all_told: Vec<(&str, Stems)> =
        states.iter().zip(&known).map(|(fact, told)| (fact.text.as_str(), set(&told.text))).collect();
    // Of two things told in one breath, a word of the one says that it is meant, and not the other.
    let means_another = |fact: &Fact, told: &str| {
        let own = set(told);
        let mut others = all_told.iter().filter(|(text, of_other)| *text == fact.text && *of_other != own);
        others.any(|(_, of_other)| {
            let named = |to: &Stems, not: &Stems| to.difference(not).any(|word| said.contains(word));
            named(of_other, &own) && !named(&own, of_other)
        })
    };
    let of_facts = states.iter().zip(&known).zip(&of_each).filter_map(|((fact, told), weighed)| {
        let likely: Vec<Likely> = weighed.iter().map(|weighed| weighed.relation).collect();
        let (whole, of_parts) = likely.split_first()?;
        let named = said.is_superset(&set(&fact.value));
        let strongest = of_parts.iter().enumerate().max_by(|a, b| gone(a.1).total_cmp(&gone(b.1)));
        let strongest = strongest.map_or(0, |(at, _)| at);
        let happened = telling.get(strongest).is_some_and(|part| part.meant == Meant::Event);
        let is_last = last == Some(fact.text.as_str());
        let maybe = match (named, is_last) {
            (true, _) => MAYBE_IF_NAMED,
            (false, true) => MAYBE_IF_LAST,
            (false, false) => MAYBE,
        };
        let of_fact = &set(&told.text) | &set(&format!("{} {}", fact.subject, fact.value));
        let seen = match change(whole, of_parts, maybe) {
            Change::None if !removed.is_disjoint(&of_fact) => Change::Doubtful,
            Change::None if moves_from(&words, fact) => Change::Doubtful,
            Change::None if is_last && turns_it => Change::Doubtful,
            Change::None if changed.iter().any(|changed| changed.names(&fact.subject, &fact.value)) => {
                Change::Doubtful
            }
            seen => seen,
        };
        // "They swapped the work phone for a Pixel" names just what is held.
        let names_it = changed.iter().any(|changed| changed.is_of(&fact.subject));
        let of_family = is_relative(fact) && shares_only_names(&words, fact);
        let change = match seen {
            // Whose husband Tom is does not change by what Tom does.
            Change::Replaced | Change::Ended | Change::Doubtful if of_family && !may_part(&words) => {
                Change::None
            }
            Change::Replaced | Change::Ended if of_family && !tells_of_parting(&words) => Change::Doubtful,
            Change::Replaced | Change::Ended | Change::Doubtful
                if changed.iter().any(|changed| changed.only_renames(&fact.subject, &fact.value)) =>
            {
                Change::None
            }
            Change::Replaced | Change::Ended | Change::Doubtful if stays(ask.statement, fact) => Change::None,
            // Nor does what I am by what she is.
            Change::Replaced | Change::Ended if is_of_another(&words, fact) && !names_it => Change::Doubtful,
            // Nor am I called Dan by hiring him.
            Change::Replaced | Change::Ended if is_own_name(fact) && !tells_own_name(ask.statement) => {
                Change::Doubtful
            }
            // Whether what happened once, or may not be so, has changed anything is for a person to say.
            Change::Replaced | Change::Ended
                if happened || doubted.get(strongest).copied().unwrap_or_default() =>
            {
                Change::Doubtful
            }
            // "Tom quit the band" says little of Tom's age.
            Change::Ended
                if likeliest_change(&likely) < SURE_WITHOUT_A_WORD
                    && shares_only_names(&words, fact)
                    && words.iter().any(|word| word.tag == Tag::Noun) =>
            {
                Change::Doubtful
            }
            Change::Replaced | Change::Ended if means_another(fact, &told.text) => Change::Doubtful,
            Change::Replaced | Change::Ended if is_left_open(fact) => Change::Doubtful,
            // What holds in one case does not take the place of what holds always.
            Change::Replaced | Change::Ended if is_case(ask.statement) && !is_case(&fact.text) => {
                Change::Doubtful
            }
            // The same goes for what the statement has not a word of, unless there is hardly a doubt.
            Change::Replaced | Change::Ended if likeliest_change(&likely) < enough(fact) => Change::Doubtful,
            Change::Doubtful if names_it && !happened && !doubted.contains(&true) => Change::Replaced,
            // "My rent is 1000" is not "my rent is 900" said once more.
            Change::Repeated | Change::Doubtful
                if has_other_figure(ask.statement, fact)
                    && is_same_thing(&likely)
                    && !doubted.contains(&true) =>
            {
                Change::Replaced
            }
            change => change,
        };
        let bearing = |(at, part): (usize, &&Part<'a>)| {
            let likely = of_parts.get(at).unwrap_or(whole);
            (part.meant == Meant::So).then(|| Bearing {
                text: part.text.to_string(),
                score: bearing(likely, seen),
                ends: of(likely, Relation::Ends),
            })
        };
        let parts = telling.iter().enumerate().filter_map(bearing).collect();
        let may_refine = likely.iter().any(|likely| of(likely, Relation::Refines) >= MAY_REFINE);
        let verdict = Verdict { fact, value: told.value.clone(), change, is_last, may_refine, parts };
        Some((verdict, likeliest_change(&likely)))
    });
    let mut of_facts: Vec<(Verdict<'a>, f32)> = of_facts.collect();
    let settled =
        |change| matches!(change, Change::Replaced | Change::Ended | Change::Repeated | Change::Refined);
    let is_settled = of_facts.iter().any(|(verdict, _)| settled(verdict.change));
    let changes = |verdict: &Verdict<'_>| matches!(verdict.change, Change::Replaced | Change::Ended);
    let is_changed = of_facts.iter().any(|(verdict, _)| changes(verdict));
    let only_named = |fact: &Fact| shares_only_names(&words, fact);
    let is_spoken_of = of_facts.iter().any(|(v, _)| changes(v) && shares(v.fact) && !only_named(v.fact));
    for (verdict, likely) in &mut of_facts {
        // What has found its place, or names what it is about, says little of facts that it has not a word of.
        let placed = is_settled || !verdict.is_last;
        let enough = if placed { LIKELIER } else { MAYBE * WITHOUT_A_WORD };
        let unlikely = *likely < enough && !moves_from(&words, verdict.fact);
        if verdict.change == Change::Doubtful && unlikely && !points && !shares(verdict.fact) {
            verdict.change = Change::None;
        }
        // "Aldgate's rebate ended" has found what has ended of Aldgate's.
        if verdict.change == Change::Ended && is_spoken_of && only_named(verdict.fact) {
            verdict.change = Change::Doubtful;
        }
        // "My home email changed" has found the one that it speaks of, and it is not the one for work.
        if verdict.change == Change::Doubtful && is_changed && *likely < MAYBE_IF_NAMED {
            verdict.change = Change::None;
        }
    }
    let mut of_facts: Vec<Verdict<'a>> = of_facts.into_iter().map(|(verdict, _)| verdict).collect();
    if has_any(ask.statement, &OTHERWISE_BEFORE) && of_facts.iter().all(|v| v.change == Change::None) {
        // Something has changed. It is for a person to say whether it is what the statement speaks of.
        let common = |fact: &Fact| {
            if shares_only_names(&words, fact) { 0 } else { said.intersection(&words_of(fact)).count() }
        };
        let most = of_facts.iter().map(|verdict| common(verdict.fact)).max().unwrap_or_default();
        let spoken_of = |v: &Verdict<'_>| if most > 0 { common(v.fact) == most } else { points && v.is_last };
        for verdict in of_facts.iter_mut().filter(|verdict| spoken_of(verdict)) {
            verdict.change = Change::Doubtful;
        }
    }
    let numbered = parts.iter().enumerate().filter(|(_, part)| tells(part));
    let unsettled = numbered.zip(&doubted).filter(|(_, doubted)| **doubted).map(|((at, _), _)| at).collect();
    Verdicts { of_facts, unsettled }
}

/// Words that may point to something that is not named.
const POINTING: [&str; 14] = [
    "it", "its", "that", "this", "these", "those", "one", "there", "them", "they", "he", "she", "him", "her",
];
/// Words that say that something was otherwise before.
const OTHERWISE_BEFORE: [&str; 4] = ["now", "instead", "anymore", "nowadays"];
/// Words of those who speak: what they tell is often about themselves.
const OURS: [&str; 2] = ["i", "we"];

/// "We use Kafka, and it is slow": up to where "it" is what was just told of.
fn until_own_pointer(statement: &str) -> &str {
    const OWN: [&str; 4] = [" and it is ", " and it's ", ", it is ", ", it's "];
    let at = OWN.iter().filter_map(|seam| statement.find(seam)).min();
    let before = at.and_then(|at| statement.get(..at)).unwrap_or(statement);
    let words = sentences(before).concat();
    let names = words.iter().any(|word| matches!(word.tag, Tag::Noun | Tag::Name));
    if names && has_finite_verb(&words) { before } else { statement }
}

/// "I've given up the locker, still training there though": whether a clause says that the fact is so still.
fn stays(statement: &str, fact: &Fact) -> bool {
    let mut clauses = statement.split([',', ';', '.', '!']);
    let known = set(&format!("{} {}", fact.subject, fact.value));
    clauses.any(|clause| has_any(clause, &["still"]) && !set(clause).is_disjoint(&known))
}

/// "Should a ticket get stuck, ring Tobias".
fn is_case(statement: &str) -> bool {
    let first = statement.split_whitespace().next().unwrap_or_default().to_lowercase();
    matches!(first.as_str(), "should" | "unless" | "whenever")
}

/// From `maybe` on the fact may have gone.
fn change(whole: &Likely, parts: &[Likely], maybe: f32) -> Change {
    let part = parts.iter().max_by(|a, b| gone(a).total_cmp(&gone(b))).unwrap_or(whole);
    let stronger = if gone(part) > gone(whole) { part } else { whole };
    if gone(whole) >= SURE || gone(part) >= SURE_ALONE && gone(whole) >= BACKED {
        if of(stronger, Relation::Replaces) >= of(stronger, Relation::Ends) {
            Change::Replaced
        } else {
            Change::Ended
        }
    } else if gone(stronger) >= maybe {
        Change::Doubtful
    } else if of(whole, Relation::Same) >= SAME {
        Change::Repeated
    } else if of(whole, Relation::Refines) >= REFINES {
        Change::Refined
    } else {
        Change::None
    }
}

/// How likely the fact has gone, by the statement or the part of it that says so most clearly.
fn likeliest_change(likely: &[Likely]) -> f32 {
    likely.iter().map(gone).fold(0.0, f32::max)
}

/// Whether the statement tells the same thing as the fact, be it with the same value or another.
fn is_same_thing(likely: &[Likely]) -> bool {
    likely.iter().any(|likely| of(likely, Relation::Same) + of(likely, Relation::Replaces) >= SURE)
}

/// Whether a statement gives another figure than a fact, and not the fact's.
fn has_other_figure(statement: &str, fact: &Fact) -> bool {
    // Times of day are told in too many ways.
    let is_figure = |stem: &String| stem.chars().all(|c| c.is_ascii_digit() || c == '.');
    let figures = |text: &str| -> Stems { set(text).into_iter().filter(is_figure).collect() };
    let (said, held) = (figures(statement), figures(&fact.value));
    !fact.value.contains(':')
        && !said.is_subset(&figures(&fact.text))
        && !held.is_empty()
        && held.is_disjoint(&said)
}

fn bearing(likely: &Likely, change: Change) -> f32 {
    match change {
        Change::Repeated => of(likely, Relation::Same),
        Change::Refined => of(likely, Relation::Refines),
        // Another value of the same thing.
        _ => of(likely, Relation::Replaces) + of(likely, Relation::Same),
    }
}

fn gone(likely: &Likely) -> f32 {
    of(likely, Relation::Replaces) + of(likely, Relation::Ends)
}

fn of(likely: &Likely, relation: Relation) -> f32 {
    likely.get(relation as usize).copied().unwrap_or_default()
}
