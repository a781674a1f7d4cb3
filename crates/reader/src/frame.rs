//! What a clause says: a subject and its value. Only certain forms are read; everything else is kept as it was told.

use crate::clause::{Clause, finite_verb};
use crate::forms::{changed, copula, gone, having, related, struck, taking, using};
use crate::lexicon::LEXICON;
use crate::reading::{Arity, Pointers, Reading, Shift, TAKES};
use crate::slot;
use crate::topic::{Topic, points, thing};
use crate::value_phrase::{bounded, value};
use crate::verb_group::VerbGroup;
use crate::word::{Tag, Word, spell};
use domain::words::{Boundary, split_words};
use model::SlotHint;

pub(crate) fn read(clause: &Clause, to: &Pointers) -> Vec<Reading> {
    let Some(reading) = read_one(clause, to) else { return Vec::new() };
    doses(&reading).unwrap_or_else(|| vec![reading])
}

/// What a clause says of a declared slot, by a verb or a kind of value that fills one: "the customer runs 8.7", "I eat
/// kosher". What it denies or only thinks possible is read too: the rules see that in the words.
pub(crate) fn read_slot(clause: &Clause, to: &Pointers, slots: &[SlotHint]) -> Option<Reading> {
    let words = clause.words.get(thinking(&clause.words)..).unwrap_or_default();
    let words = words.get(reporting(words)..).unwrap_or_default();
    let at = finite_verb(words).or_else(|| clause.subject.is_some().then_some(0))?;
    let own = words.get(..at).unwrap_or_default();
    let said_of = if own.is_empty() { clause.subject.as_deref().unwrap_or_default() } else { own };
    if said_of
        .iter()
        .chain(words.first())
        .any(|w| w.is_any(&["if", "when", "unless", "should", "whether", "let"]))
    {
        return None;
    }
    let topic = Topic::of(said_of.get(lead(said_of)..).unwrap_or_default(), to)
        .unwrap_or(Topic { name: String::new(), is_person: false });
    let group = VerbGroup::read(words, at)?;
    if said_of.iter().any(|w| w.is("used")) {
        return None;
    }
    let ought = words.iter().any(|w| w.is_any(&["should", "would", "must", "can", "shall", "ought"]));
    if group.modal && ought {
        return None;
    }
    let rest = bounded(words.get(group.end..).unwrap_or_default());
    let is_slot = if group.verb.is_none() { slot::of_phrase(rest, slots) } else { None };
    if let Some(slot) = is_slot {
        let value = spell(said_of.get(lead(said_of)..).unwrap_or_default());
        let points = said_of.iter().all(|w| matches!(w.tag, Tag::Pronoun | Tag::Determiner));
        return (!points && says(&value)).then(|| Reading {
            subject: slot.name.replace('_', " "),
            value,
            shift: group.shift(),
            arity: Arity::One,
        });
    }
    let named =
        Reading { subject: topic.name.clone(), value: spell(rest), shift: Shift::Is, arity: Arity::One };
    let is_named = group.verb.is_none() && !topic.name.is_empty() && slot::named(&named, slots).is_some();
    let (attribute, given) = if is_named { (String::new(), rest) } else { slot_value(&group, rest, slots)? };
    let value = value(given);
    let shift = if group.will { Shift::Will } else { group.shift() };
    says(&value).then(|| Reading { subject: topic.attribute(&attribute), value, shift, arity: Arity::One })
}

/// "One of the porters said she …": where what was said begins.
fn reporting(words: &[Word]) -> usize {
    const REPORTING: [&str; 12] = [
        "said",
        "says",
        "reckons",
        "reckoned",
        "heard",
        "thinks",
        "believes",
        "claims",
        "claimed",
        "mentioned",
        "claim",
        "told",
    ];
    let Some(at) = words.iter().position(|w| w.is_any(&REPORTING)).filter(|at| *at > 0) else { return 0 };
    let skip = words.iter().skip(at + 1).take_while(|w| w.is_any(&["that", "me", "us"])).count();
    let said = words.get(at + 1 + skip..).unwrap_or_default();
    if finite_verb(said).is_some_and(|verb| verb > 0) { at + 1 + skip } else { 0 }
}

/// The attribute of a declared slot, and the words that give its value.
fn slot_value<'w>(group: &VerbGroup, rest: &'w [Word], slots: &[SlotHint]) -> Option<(String, &'w [Word])> {
    let verb = group.verb.as_deref().unwrap_or("be");
    let particle = rest.iter().take(2).position(|w| w.is_preposition());
    let up = rest.get(particle.map_or(0, |at| at + 1)..).unwrap_or_default();
    let by_verb = particle
        .and_then(|at| rest.get(at))
        .and_then(|w| LEXICON.fills(verb, Some(&w.low)))
        .map(|attribute| (attribute, up))
        .or_else(|| LEXICON.fills(verb, None).map(|attribute| (attribute, rest)));
    if let Some(found) = named_last(rest, slots) {
        return Some(found);
    }
    let holds = matches!(verb, "be" | "have" | "eat" | "follow" | "go" | "got");
    let of_kind = LEXICON.kind(&spell(rest)).filter(|_| holds);
    if let Some((kind, slot)) = of_kind.and_then(|kind| Some((kind, slot::of_attribute(kind, slots)?))) {
        let given = slot::behind_name(slot, rest).unwrap_or(rest);
        return Some((kind.to_owned(), near_this(given)));
    }
    let of_kind = particle.filter(|_| CHANGING.contains(&verb)).and_then(|_| LEXICON.kind(&spell(up)));
    if let Some(kind) = of_kind.filter(|kind| slot::of_attribute(kind, slots).is_some()) {
        return Some((kind.to_owned(), near_this(up)));
    }
    let (attribute, given) = by_verb?;
    let slot = slot::of_attribute(attribute, slots)?;
    // What somebody eats is none of what they may not eat.
    if verb == "eat" && slot.name.contains("restriction") {
        return None;
    }
    Some((attribute.to_owned(), near_this(given)))
}

/// "Upgraded to Business", "opted for DNR": what is of a known kind behind these is the new value.
const CHANGING: [&str; 9] =
    ["upgrade", "downgrade", "switch", "move", "change", "convert", "migrate", "port", "opt"];

/// "A cautious risk tolerance", "the Team plan": the value is before the slot's name.
fn named_last<'w>(rest: &'w [Word], slots: &[SlotHint]) -> Option<(String, &'w [Word])> {
    (1..=2).rev().find_map(|count| {
        let at = rest.len().checked_sub(count).filter(|at| *at > 0)?;
        let name = spell(rest.get(at..)?);
        let slot = slot::of_name(&name, slots)?;
        let given = rest.get(..at)?;
        let given = given.get(usize::from(given.first()?.is_preposition())..)?;
        // "Add bee venom to the allergies."
        let given = match given {
            [item @ .., to, of] if to.is_preposition() && of.tag == Tag::Determiner => item,
            [item @ .., to] if to.is_preposition() => item,
            given => given,
        };
        let plain = !given.is_empty()
            && given.len() <= 4
            && !given.iter().any(|w| w.is_any(&["my", "our", "no", "'s", "of"]));
        let plain = plain && !given.iter().any(|w| matches!(w.tag, Tag::Aux | Tag::Pronoun));
        let tells = given.iter().any(|w| !matches!(w.tag, Tag::Determiner | Tag::Adverb));
        (plain && tells).then(|| (slot.name.replace('_', " "), given))
    })
}

/// Up to "in this deal", "on this one", "as well".
fn near_this(words: &[Word]) -> &[Word] {
    let at = words.windows(2).position(|pair| {
        matches!(pair, [preposition, this]
            if preposition.is_preposition() && this.is("this") || preposition.is("as") && this.is("well")
                || preposition.is("at") && this.is("all"))
    });
    words.get(..at.unwrap_or(words.len())).unwrap_or_default()
}

/// "Metformin 500 mg and lisinopril 10 mg" are two.
fn doses(reading: &Reading) -> Option<Vec<Reading>> {
    let (who, _) = reading.subject.split_once(TAKES)?;
    let items: Vec<&str> = reading.value.split(" and ").flat_map(|part| part.split(", ")).collect();
    let each = items.iter().map(|item| {
        let dose = item.find(|c: char| c.is_ascii_digit()).filter(|at| *at > 0)?;
        let drug = item.get(..dose)?.trim().to_lowercase();
        Some(Reading { subject: format!("{who}{TAKES}{drug}"), value: (*item).to_owned(), ..reading.clone() })
    });
    each.collect()
}

/// What the clause is about, for words that point back at it: its subject, or else the one thing with a name or a number
/// that it speaks of ("they knocked out a wall in room 202").
pub(crate) fn spoken_of(clause: &Clause, to: &Pointers) -> Option<String> {
    let verb = finite_verb(&clause.words)?;
    let own = clause.words.get(..verb).unwrap_or_default();
    let words = if own.is_empty() { clause.subject.as_deref()? } else { own };
    let topic = Topic::of(words.get(lead(words)..).unwrap_or_default(), to).map(|topic| topic.name);
    let topic =
        topic.filter(|name| !name.is_empty() && *name != to.me && !points(name) && name != "somebody");
    topic.or_else(|| only_thing(clause.words.get(verb..).unwrap_or_default(), to))
}

/// The one phrase that begins with "the" or names something by a number or a capital.
fn only_thing(words: &[Word], to: &Pointers) -> Option<String> {
    let joins =
        |w: &Word| matches!(w.tag, Tag::Noun | Tag::Name | Tag::Number | Tag::Adjective) || w.has_digit();
    let runs = words.split(|w| !joins(w)).filter(|run| !run.is_empty());
    let identified = |run: &&[Word]| run.iter().any(|w| w.has_digit() || w.is_capital());
    let mut named = runs.clone().filter(identified);
    let mut definite = words.windows(2).filter(|w| matches!(w, [the, next] if the.is("the") && joins(next)));
    match (named.next(), named.next(), definite.next(), definite.next()) {
        (Some(only), None, _, _) => Some(thing(only, to)),
        (None, _, Some([_, next]), None) => {
            runs.clone().find(|run| run.first().is_some_and(|w| w.at == next.at)).map(|run| thing(run, to))
        }
        _ => None,
    }
}

fn read_one(clause: &Clause, to: &Pointers) -> Option<Reading> {
    let words = clause.words.get(thinking(&clause.words)..).unwrap_or_default();
    if words.first().is_some_and(|w| w.is_any(&["if", "when", "unless", "should", "let", "lets", "whether"]))
    {
        return None;
    }
    if let Some(reading) = labelled(words, to) {
        return Some(reading);
    }
    // "Not that urgent after all: …" labels nothing.
    let colon = words.iter().position(|w| w.is(":")).map_or(0, |at| at + 1);
    let words = words.get(colon..).unwrap_or_default();
    if let Some(reading) = struck(words, to) {
        return Some(reading);
    }
    let at = finite_verb(words).or_else(|| clause.subject.is_some().then_some(0))?;
    let own = words.get(..at).unwrap_or_default();
    let said_of = if own.is_empty() { clause.subject.as_deref() } else { Some(own) };
    let topic = match said_of {
        Some(said_of) => {
            let said_of = said_of.get(lead(said_of)..).unwrap_or_default();
            // "We never deploy on Fridays" is read where a declared slot is denied, and kept as it was told elsewhere.
            if said_of.iter().any(|w| w.is_any(&["never", "hardly", "rarely", "seldom"])) {
                return None;
            }
            Topic::of(said_of, to)?.within(said_of, clause)
        }
        // "Ditched yarn for pnpm" leaves out who did.
        None if words.first().is_some_and(|w| w.low.ends_with("ed")) => {
            Topic { name: String::new(), is_person: false }
        }
        None => return None,
    };
    let group = VerbGroup::read(words, at)?;
    let rest = bounded(words.get(group.end..).unwrap_or_default());
    if group.is_open() {
        return None;
    }
    let reading = match group.verb.as_deref() {
        None => copula(&topic, &group, rest, to),
        Some(verb) => changed(&topic, verb, rest, to)
            .filter(|reading| matches!(reading.shift, Shift::Became { from: Some(_) }))
            .or_else(|| gone(&topic, &group, verb, rest, to))
            .or_else(|| related(&topic, &group, verb, rest, to))
            .or_else(|| changed(&topic, verb, rest, to))
            .or_else(|| having(&topic, verb, rest, to))
            .or_else(|| taking(&topic, &group, verb, rest))
            .or_else(|| using(&topic, &group, verb, rest, to)),
    }?;
    let shift = if group.will { Shift::Will } else { reading.shift };
    let reading = Reading { subject: usual(&reading.subject), shift, ..reading };
    let complete = says(&reading.value) || reading.shift == Shift::Gone;
    complete.then_some(reading)
}

/// "search service ownership" as "search service owner".
fn usual(subject: &str) -> String {
    subject.strip_suffix(" ownership").map_or_else(|| subject.to_owned(), |of| format!("{of} owner"))
}

/// Whether a value says anything by itself: "that" and "it" do not.
fn says(value: &str) -> bool {
    const POINTING: [&str; 12] =
        ["it", "that", "this", "them", "these", "those", "so", "one", "him", "her", "us", "there"];
    let mut words = split_words(value, Boundary::NotAlphanumeric);
    words.any(|word| !POINTING.contains(&word.to_lowercase().as_str()))
}

/// "I think the budget is 5000": words that only say how sure it is.
fn thinking(words: &[Word]) -> usize {
    const PHRASES: [&[&str]; 16] = [
        &["i", "heard", "that"],
        &["sorry"],
        &["i", "think"],
        &["i", "guess"],
        &["i", "believe"],
        &["i", "suppose"],
        &["we", "think"],
        &["maybe"],
        &["perhaps"],
        &["probably"],
        &["apparently"],
        &["supposedly"],
        &["it", "seems"],
        &["it", "looks", "like"],
        &["looks", "like"],
        &["i", "heard"],
    ];
    let opens = |phrase: &&&[&str]| {
        words.iter().take(phrase.len()).map(|w| w.low.as_str()).eq(phrase.iter().copied())
    };
    let length = PHRASES.iter().find(opens).map_or(0, |phrase| phrase.len());
    length + usize::from(length > 0 && words.get(length).is_some_and(|w| w.is("that")))
}

/// "In staging, the log level …": words that lead up to the subject.
fn lead(words: &[Word]) -> usize {
    let is_time = |w: &Word| w.is_any(&["next", "last", "this", "every", "today", "tomorrow", "these"]);
    if words.len() < 3 || !words.first().is_some_and(|w| w.is_preposition() || is_time(w)) {
        return 0;
    }
    if let Some(comma) = words.iter().position(|word| word.is(",")) {
        return comma + 1;
    }
    // "Since spring Walburga has …", "With the new tables the capacity is …"
    let starts =
        |at: &usize| words.get(*at).is_some_and(|w| w.is_any(&["the", "my", "our"]) || w.is_capital());
    (2..words.len())
        .rfind(|at| starts(at) && !words.get(at - 1).is_some_and(|w| w.is_preposition() || w.is_capital()))
        .unwrap_or(0)
}

/// "Code status: full code", "router = archer c7".
fn labelled(words: &[Word], to: &Pointers) -> Option<Reading> {
    const NAME_WORDS: usize = 6;
    let at = words.iter().position(|w| w.is(":") || w.is("="))?;
    let (name, value) = (words.get(..at)?, words.get(at + 1..)?);
    let is_name = name.last().is_some_and(|w| matches!(w.tag, Tag::Noun | Tag::Name) || w.has_digit())
        && !name
            .iter()
            .any(|w| w.is_any(&["not", "that", "it", "typo", "correction", "mistake", "sorry", "oops"]));
    let plain = is_name
        && (1..=NAME_WORDS).contains(&name.len())
        && finite_verb(name).is_none()
        && !name.iter().any(|w| w.is(","));
    let subject = thing(name, to);
    // "New allergy: codeine", "Allergies: latex, iodine" empty no list.
    let adds = name.iter().any(|w| w.is_any(&["new", "another", "additional", "also", "further"]))
        || name
            .last()
            .is_some_and(|w| w.low.ends_with('s') && !w.low.ends_with("ss") && !w.low.ends_with("us"));
    // "Decision from this morning: we upgrade …" heads a sentence.
    let heads = value.len() > NAME_WORDS && finite_verb(value).is_some();
    (plain && !heads && !subject.is_empty() && !value.is_empty()).then(|| Reading {
        subject,
        value: spell(value),
        shift: Shift::Is,
        arity: if adds { Arity::Many } else { Arity::One },
    })
}
