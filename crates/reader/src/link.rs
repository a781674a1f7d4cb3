//! Which held fact a reading changes, if any. The network looks for a change only among the few facts that the sentence
//! names. If two could be meant, a person is asked.

use crate::lexicon::LEXICON;
use crate::mention::{HeldState, Stems, set};
use crate::reading::{Arity, Reading, Shift};
use crate::words::words;
use domain::keys::{item_key, subject_key, value_key};
use domain::{Action, Fact, FactId, FactKind};
use encoder::{Relation, RelationScores};
use model::SlotHint;
use prose::{Correction, Owner, Removals};

/// The most facts that are scored against a clause.
const WEIGHED: usize = 3;
/// The probability from which on a named fact is replaced or ended.
const SURE: f32 = 0.8;
/// The same for a fact that only shares a word with the sentence.
const VERY_SURE: f32 = 0.9;
/// The probability from which on a person is asked.
const MAYBE: f32 = 0.5;
/// How much likelier than the next a fact must be to be the one that is meant.
const CLEARLY: f32 = 0.3;
/// A longer sentence says too much else; the fact's subject and value are used instead.
const TOLD_WORDS: usize = 12;

/// What a reading does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placement {
    pub subject: String,
    pub action: Action,
    pub target: Option<FactId>,
    pub sure: bool,
}

impl Placement {
    fn new(subject: &str, action: Action, target: Option<FactId>) -> Self {
        Self { subject: subject.to_owned(), action, target, sure: true }
    }

    fn asking(self) -> Self {
        Self { sure: false, ..self }
    }
}

/// Where the value of a reading goes.
pub(crate) fn place(reading: &Reading, scope: &str, sentence: &str, known: &[HeldState<'_>]) -> Placement {
    let said = set(sentence);
    let (subject, value) = (subject_key(&reading.subject), value_key(&reading.value));
    let here = |k: &&HeldState<'_>| {
        subject_key(&k.fact.subject) == subject && subject_key(&k.fact.scope) == subject_key(scope)
    };
    let list = |k: &&HeldState<'_>| k.fact.list_item;
    if let Some(same) = known.iter().filter(here).find(|k| value_key(&k.fact.value) == value) {
        return Placement::new(&reading.subject, Action::Dedup, Some(same.fact.id));
    }
    // "…, too" adds to what is held.
    if reading.arity == Arity::Many || reading.arity == Arity::Unsure && adds(sentence) {
        return beside_all(reading, known);
    }
    if let Some(holder) = known.iter().filter(here).find(|k| !list(k)) {
        return over(reading, holder, sentence);
    }
    let mut named: Vec<&HeldState<'_>> = known
        .iter()
        .filter(|k| {
            !list(k)
                && subject_key(&k.fact.scope) == subject_key(scope)
                && is_meant(k, known, reading, &said)
                && !k.is_another_number(sentence)
        })
        .collect();
    let alike = |k: &HeldState<'_>| shape(&k.fact.value) == shape(&reading.value);
    // "Seppo lives in Pori now" is about "user cousin seppo home", if no other fact has these words; "HD-4415 has gone
    // to Ana" is about the one fact of the ticket whose value can be a name.
    let words = set(&reading.subject);
    let became = reading.shift != Shift::Is;
    let within: Vec<&&HeldState<'_>> = named
        .iter()
        .filter(|k| !words.is_empty() && words.is_subset(&k.subject) && (!became || alike(k)))
        .collect();
    let enough = words.len() > 1 || became;
    if let ([only], Arity::One) = (within.as_slice(), reading.arity)
        && enough
    {
        let action = if only.value == set(&reading.value) { Action::Dedup } else { Action::Supersede };
        return Placement::new(&only.fact.subject, action, Some(only.fact.id));
    }
    if let Shift::Became { from: Some(from) } = &reading.shift {
        let from = set(from);
        let of_former =
            |k: &&HeldState<'_>| !k.value.is_empty() && (k.value == from || k.value.is_subset(&from));
        let former: Vec<&&HeldState<'_>> = named.iter().filter(|k| of_former(k)).collect();
        match former.as_slice() {
            [] => {}
            [only] => return Placement::new(&only.fact.subject, Action::Supersede, Some(only.fact.id)),
            several => {
                let weighed = weigh(sentence, &several.iter().map(|k| k.fact).collect::<Vec<_>>());
                let facts = several.iter().map(|k| k.fact);
                return settled(facts.zip(weighed).collect(), &reading.subject, reading);
            }
        }
    }
    // The facts of the thing that is named, those first that share most words with what is read.
    let words = &words | &set(&reading.value);
    let common = |k: &HeldState<'_>| words.intersection(&(&k.subject | &k.value)).count();
    named.retain(|k| alike(k));
    named.sort_by_key(|k| std::cmp::Reverse(common(k)));
    named.truncate(WEIGHED);
    if let [first, second, ..] = named.as_slice()
        && common(first) > common(second)
    {
        // "Room 2 got a new key code" speaks of its code, and not of how many it holds.
        named.truncate(1);
    }
    let facts: Vec<&Fact> = named.iter().map(|k| k.fact).collect();
    let weighed = weigh(sentence, &facts);
    settled(facts.into_iter().zip(weighed).collect(), &reading.subject, reading)
}

/// What a value looks like: a value of one kind seldom replaces one of another.
#[derive(Debug, PartialEq, Eq)]
enum Shape {
    Figure,
    Name,
    Words,
}

pub(crate) fn is_alike(old: &str, new: &str) -> bool {
    shape(old) == shape(new)
}

fn shape(value: &str) -> Shape {
    if value.chars().any(|c| c.is_ascii_digit()) {
        Shape::Figure
    } else if value.starts_with(char::is_uppercase) {
        Shape::Name
    } else {
        Shape::Words
    }
}

/// The one item of a list that is replaced by name: "Warfarin was replaced by apixaban".
pub(crate) fn item_replaced<'a>(reading: &Reading, known: &[HeldState<'a>]) -> Option<&'a Fact> {
    let Shift::Became { from: Some(from) } = &reading.shift else { return None };
    let from = set(from);
    let mut named = known.iter().filter(|k| k.fact.list_item && !from.is_empty() && from.is_subset(&k.value));
    let first = named.next()?;
    named.next().is_none().then_some(first.fact)
}

/// The subject has a value already. If it takes just one, or the words say that it has changed, the new value replaces
/// it.
fn over(reading: &Reading, holder: &HeldState<'_>, sentence: &str) -> Placement {
    let (old, new) = (&holder.value, set(&reading.value));
    let refines = reading.shift == Shift::Is && old.is_subset(&new) && !old.is_empty();
    let action = if refines { Action::Refine } else { Action::Supersede };
    let placed = Placement::new(&reading.subject, action, Some(holder.fact.id));
    if reading.arity == Arity::One || reading.shift != Shift::Is {
        return placed;
    }
    let touches = weigh(sentence, &[holder.fact])
        .first()
        .map_or(0.0, |w| 1.0 - of(w, Relation::None) - of(w, Relation::Ends));
    if touches >= SURE { placed } else { beside(reading) }
}

/// One of several that a thing may have at a time, under a name of its own.
fn beside(reading: &Reading) -> Placement {
    Placement::new(&format!("{} {}", reading.subject, reading.value.to_lowercase()), Action::Add, None)
}

fn adds(sentence: &str) -> bool {
    const ADDING: [&str; 9] =
        ["too", "also", "another", "either", "additionally", "besides", "plus", "as well", "on top of"];
    let low = format!(" {} ", sentence.to_lowercase().replace(['.', ',', '!', ';'], " "));
    ADDING.iter().any(|word| low.contains(&format!(" {word} ")))
}

/// One more, unless it is held already.
fn beside_all(reading: &Reading, known: &[HeldState<'_>]) -> Placement {
    let placed = beside(reading);
    let key = subject_key(&placed.subject);
    let held = known.iter().find(|k| subject_key(&k.fact.subject) == key);
    held.map_or(placed, |k| Placement::new(&k.fact.subject, Action::Dedup, Some(k.fact.id)))
}

/// The likeliest of the facts that the sentence names. If two are nearly as likely, a person is asked.
fn settled(mut weighed: Vec<(&Fact, RelationScores)>, subject: &str, reading: &Reading) -> Placement {
    let replaces = |(_, weighed): &(&Fact, RelationScores)| of(weighed, Relation::Replaces);
    weighed.sort_by(|a, b| replaces(b).total_cmp(&replaces(a)));
    let Some(best) = weighed.first() else { return new(subject) };
    let (fact, likely) = (best.0, replaces(best));
    let clear = likely - weighed.get(1).map_or(0.0, replaces) >= CLEARLY;
    let change = Placement::new(&fact.subject, Action::Supersede, Some(fact.id));
    let enough = if weighed.len() == 1 && reading.shift != Shift::Is { MAYBE } else { SURE };
    if likely >= enough {
        if clear { change } else { change.asking() }
    } else if likely >= MAYBE && reading.shift != Shift::Is {
        change.asking()
    } else if of(&best.1, Relation::Same) >= SURE && set(&fact.value) == set(&reading.value) {
        Placement::new(&fact.subject, Action::Dedup, Some(fact.id))
    } else {
        new(subject)
    }
}

fn new(subject: &str) -> Placement {
    Placement::new(subject, Action::Add, None)
}

/// Whether the sentence names the fact: by words of its subject, if no other fact has more of them ("the queue service"
/// is not "the audit service", whether that is held or only mentioned), or by the value that has gone.
fn is_meant(known: &HeldState<'_>, all: &[HeldState<'_>], reading: &Reading, said: &Stems) -> bool {
    let by = known.named_by(said);
    let spoken_of = set(&reading.subject);
    let goes_by_more = |subject: &Stems| {
        subject.len() == known.subject.len() && *subject != known.subject && by.is_subset(subject) && {
            let theirs = subject & said;
            by.is_subset(&theirs) && by != theirs
        }
    };
    let named =
        !by.is_empty() && !goes_by_more(&spoken_of) && !all.iter().any(|other| goes_by_more(&other.subject));
    let from = match &reading.shift {
        Shift::Became { from: Some(from) } => set(from),
        _ => Stems::new(),
    };
    named || known.has_value_in(said) || !known.value.is_empty() && known.value.is_subset(&from)
}

/// What the words say has gone, if it is held and named.
pub(crate) fn ended(
    reading: Option<&Reading>,
    sentence: &str,
    known: &[HeldState<'_>],
) -> Vec<(FactId, bool)> {
    let said = set(sentence);
    let gone = reading.map(|r| set(&r.value)).unwrap_or_default();
    let named = |k: &&HeldState<'_>| {
        let by_value = if gone.is_empty() {
            k.has_value_in(&said)
        } else {
            !k.value.is_disjoint(&gone) && (k.has_value_in(&said) || gone.is_subset(&(&k.subject | &k.value)))
        };
        // All items of a list have one subject.
        let by_subject = !k.fact.list_item
            && !k.subject.is_empty()
            && k.subject.iter().filter(|w| *w != "user").all(|w| said.contains(w));
        by_value || by_subject
    };
    let mut found: Vec<&HeldState<'_>> =
        known.iter().filter(named).filter(|k| !k.is_another_number(sentence)).collect();
    found.sort_by(|a, b| b.share_in(&said).total_cmp(&a.share_in(&said)));
    found.truncate(WEIGHED);
    let facts: Vec<&Fact> = found.iter().map(|k| k.fact).collect();
    let weighed = weigh(sentence, &facts);
    let ends = |w: &RelationScores| of(w, Relation::Ends) + of(w, Relation::Replaces);
    let mut likely: Vec<(&HeldState<'_>, f32)> = found.into_iter().zip(weighed.iter().map(ends)).collect();
    likely.sort_by(|a, b| b.1.total_cmp(&a.1));
    let enough = if reading.is_some() { MAYBE } else { SURE };
    match likely.as_slice() {
        [(only, ends)] if *ends >= enough => vec![(only.fact.id, true)],
        [(best, ends), (_, next), ..] if *ends >= enough => vec![(best.fact.id, *ends - *next >= 0.3)],
        [(best, ends), ..] if *ends >= MAYBE => vec![(best.fact.id, false)],
        _ => Vec::new(),
    }
}

/// The one fact of the last statement, which "it" in this one may refer to.
pub(crate) fn last_told<'k, 'a>(known: &'k [HeldState<'a>]) -> Option<&'k HeldState<'a>> {
    let last = known.iter().max_by_key(|k| (k.fact.created, k.fact.id)).filter(|k| !k.fact.list_item)?;
    let told = known.iter().filter(|k| k.fact.text == last.fact.text).count();
    (told == 1).then_some(last)
}

/// The probability that a sentence replaces or ends the fact that its pronoun refers to.
pub(crate) fn replaced(sentence: &str, fact: &Fact) -> (f32, f32) {
    let told = format!("{LAST}{}", told(fact));
    let weighed = encoder::relations(&[(sentence, told.as_str())]);
    weighed.first().map_or((0.0, 0.0), |w| (of(w, Relation::Replaces), of(w, Relation::Ends)))
}

/// The fact that a correction amends: of what was told last, the one that has the value which was not meant, or the one
/// whose value looks like what was.
pub(crate) fn amended<'a>(correction: &Correction<'_>, held: &[&'a Fact]) -> Option<&'a Fact> {
    let last = held.iter().max_by_key(|fact| (fact.created, fact.id))?;
    let told: Vec<&'a Fact> =
        held.iter().copied().filter(|fact| fact.text == last.text && fact.kind == FactKind::State).collect();
    let wrong = correction.instead_of.map(set).unwrap_or_default();
    let mut meant: Vec<&'a Fact> =
        told.iter().copied().filter(|fact| !set(&fact.value).is_disjoint(&wrong)).collect();
    if meant.is_empty() {
        let fits = |fact: &&Fact| {
            is_alike(&fact.value, correction.meant)
                && (!correction.bare || prose::in_its_place(&fact.value, correction.meant).is_some())
        };
        meant = told.into_iter().filter(fits).collect();
    }
    match meant.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// The values of declared slots that a sentence denies, doubts or says to have gone; whether it says so plainly.
pub(crate) fn doubted<'a>(sentence: &str, held: &[&'a Fact], slots: &[SlotHint]) -> Vec<(&'a Fact, bool)> {
    let said = set(sentence);
    let reading = prose::Reading::of(sentence);
    let doubt = |fact: &Fact| {
        let slot = slots.iter().find(|slot| slot.name == fact.subject)?;
        let bare = fact.value.split(" (").next().unwrap_or_default();
        let item = if fact.list_item { item_key(bare) } else { bare.to_owned() };
        let words = set(&item);
        let in_full = !words.is_empty() && words.is_subset(&said);
        let item = if in_full { item } else { prose::called_by_name(&item, sentence)?.to_owned() };
        if fact.kind != FactKind::State {
            return None;
        }
        let names: Vec<&str> = slot.names().collect();
        let is_others =
            prose::owner_of(sentence, &item, Owner { words: &slot.owner, slot: &names }).is_some();
        let gone = Removals::read(sentence, std::iter::once(item.as_str())).concern(0)
            || prose::denies(sentence, &fact.subject, &item);
        let unsure = reading.is_doubted(&item) && removes(sentence);
        // The network must agree where it is called by its first name alone.
        let plain = gone && !unsure;
        let is_sure =
            || in_full || weigh(sentence, &[fact]).first().is_some_and(|w| of(w, Relation::Ends) >= SURE);
        (!is_others && (gone || unsure)).then(|| plain && is_sure())
    };
    held.iter().filter_map(|fact| Some((*fact, doubt(fact)?))).collect()
}

/// Whether a sentence speaks of an end at all, in whatever doubt.
fn removes(sentence: &str) -> bool {
    words(sentence).iter().any(|w| LEXICON.is_removal(&LEXICON.verb(&w.low), None))
}

/// Put before the last fact, as the network was trained.
const LAST: &str = "* ";

/// The facts that a sentence seems to end or to replace without saying so in words that are read here: those that it
/// names, from `enough` on, and, if that is likelier still, the one that was told last and, where nobody else speaks,
/// those that have a word of it in their subject.
pub(crate) fn maybe_ended<'a>(
    sentence: &str,
    held: &[&'a Fact],
    known: &[HeldState<'a>],
    enough: f32,
    alone: bool,
) -> Vec<(&'a Fact, f32)> {
    let said = set(sentence);
    let named =
        |k: &HeldState<'_>| k.has_value_in(&said) || !k.fact.list_item && !k.named_by(&said).is_empty();
    // Words of the sentence that are in the facts of one statement and in no others.
    let holds = |k: &HeldState<'_>, word: &String| k.subject.contains(word) || k.value.contains(word);
    let tells = |word: &&String| {
        let mut holders = known.iter().filter(|k| holds(k, word)).map(|k| &k.fact.text);
        let first = holders.next();
        *word != "user" && first.is_some_and(|first| holders.all(|text| text == first))
    };
    let telling: Vec<&String> = said.iter().filter(tells).collect();
    let near = |k: &HeldState<'_>| !k.fact.list_item && telling.iter().any(|word| holds(k, word));
    let mut found: Vec<(&HeldState<'a>, bool)> = known
        .iter()
        .filter(|k| !k.is_another_number(sentence))
        .map(|k| (k, named(k)))
        .filter(|(k, named)| *named || alone && near(k))
        .collect();
    found.sort_by(|(a, a_named), (b, b_named)| {
        b_named.cmp(a_named).then(b.share_in(&said).total_cmp(&a.share_in(&said)))
    });
    let enough = |named: bool| if named { enough } else { VERY_SURE };
    let mut weighed: Vec<(&'a Fact, f32)> =
        found.into_iter().take(WEIGHED).map(|(k, named)| (k.fact, enough(named))).collect();
    let last = held.iter().copied().max_by_key(|fact| (fact.created, fact.id));
    let is_short = |fact: &&Fact| !fact.list_item && fact.value.split_whitespace().count() <= 2 * TOLD_WORDS;
    if let Some(last) =
        last.filter(is_short).filter(|last| weighed.iter().all(|(fact, _)| fact.id != last.id))
    {
        weighed.push((last, if alone { SURE } else { VERY_SURE }));
    }
    let facts: Vec<&Fact> = weighed.iter().map(|(fact, _)| *fact).collect();
    let gone = |w: &RelationScores| of(w, Relation::Ends) + of(w, Relation::Replaces);
    let likely = weigh(sentence, &facts);
    let likely =
        weighed.into_iter().zip(likely.iter().map(gone)).filter(|((_, enough), gone)| gone >= enough);
    likely.map(|((fact, _), gone)| (fact, gone)).collect()
}

/// The value of a fact with the one figure that a sentence gives in place of its own: "We've set HD-4478 to priority 88".
pub(crate) fn with_figure_of(sentence: &str, fact: &Fact) -> Option<String> {
    let is_figure = |word: &&str| word.chars().any(|c| c.is_ascii_digit());
    let bare = |word: &'_ str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let named = set(&fact.subject);
    let given: Vec<String> = sentence
        .split_whitespace()
        .filter(is_figure)
        .map(bare)
        .filter(|word| !set(word).is_subset(&named))
        .collect();
    let held: Vec<String> = fact.value.split_whitespace().filter(is_figure).map(bare).collect();
    match (given.as_slice(), held.as_slice()) {
        ([new], [old]) if new != old => Some(fact.value.replacen(old.as_str(), new, 1)),
        _ => None,
    }
}

fn weigh(sentence: &str, facts: &[&Fact]) -> Vec<RelationScores> {
    if facts.is_empty() {
        return Vec::new();
    }
    // If one sentence told several facts, each is scored by itself.
    let alone = |fact: &Fact| facts.iter().filter(|other| other.text == fact.text).count() == 1;
    let told: Vec<String> =
        facts.iter().map(|fact| if alone(fact) { told(fact) } else { by_itself(fact) }).collect();
    let pairs: Vec<(&str, &str)> = told.iter().map(|told| (sentence, told.as_str())).collect();
    encoder::relations(&pairs)
}

/// A held fact as a sentence, in the form that the network was trained on.
pub(crate) fn told(fact: &Fact) -> String {
    let words = fact.text.split_whitespace().count();
    let is_one = fact.text.trim_end_matches(['.', '!']).find(['.', '!', '?', '\n']).is_none();
    if words <= TOLD_WORDS && is_one && set(&fact.value).is_subset(&set(&fact.text)) && !fact.text.is_empty()
    {
        return fact.text.to_string();
    }
    by_itself(fact)
}

fn by_itself(fact: &Fact) -> String {
    let scope = if fact.scope == "global" { String::new() } else { format!(" for {}", fact.scope) };
    format!("{}{scope}: {}", fact.subject.replace('_', " "), fact.value)
}

fn of(weighed: &RelationScores, relation: Relation) -> f32 {
    weighed.relation.get(relation as usize).copied().unwrap_or_default()
}
