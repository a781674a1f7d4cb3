//! What a clause says: of what, which value, and whether that value is new, changed or gone.

use super::changes;
use super::clauses::{Adjunct, Clause, Verb};
use super::lexicon::{LEXICON, VerbFrame};
use super::mood::Mood;
use super::naming::{Sort, Topic, head_noun, is_proper, plain_name, topic};
use super::words::{Tag, Word, spell};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shift {
    /// It is so; nothing is said of before.
    None,
    /// It has become so.
    To { from: Option<String> },
    /// It is no longer so.
    Gone,
}

#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub subject: String,
    /// Whether the subject is a word such as "it", to be looked up among what is held.
    pub pointer: bool,
    pub scope: Option<String>,
    pub value: String,
    pub event: bool,
    pub shift: Shift,
    pub mood: Mood,
    /// The whole clause, to compare with what was said before.
    pub said: String,
    /// The attribute that a declared slot would be found by, where the subject also names an item.
    pub attribute: Option<&'static str>,
    /// "We changed gyms": what has changed, where the clause does not say to what.
    pub announces: Option<String>,
    /// What it says if nothing held has gone.
    pub otherwise: Vec<Reading>,
}

pub(super) fn readings(clause: &Clause, mood: Mood) -> Vec<Reading> {
    let mut found = if let Some(verb) = &clause.verb {
        let mut found = changes::read(clause, verb).unwrap_or_else(|| state(clause, verb, mood));
        // "Fixed at 3 %" ends nothing; whether it does is told by what is held.
        if verb.passive && !verb.past && matches!(verb.stem.as_str(), "fix" | "close" | "end" | "lift")
            && let Some(gone) = found.first_mut().filter(|r| r.shift == Shift::Gone)
        {
            gone.otherwise = state(clause, verb, mood);
        }
        found
    } else {
        fragment(&clause.words)
    };
    let habit = mood == Mood::Asserted && !clause.verb.as_ref().is_some_and(|v| v.past);
    let scope = scope(&clause.lead, habit);
    for reading in &mut found {
        reading.mood = mood;
        reading.said = spell(&clause.words);
        if reading.scope.is_none() {
            reading.scope.clone_from(&scope);
        }
        tidy(reading);
    }
    if let [only] = found.as_mut_slice()
        && only.scope.is_none()
        && only.shift == Shift::None
    {
        trailing_scope(only, clause);
    }
    found.retain(|r| !r.value.is_empty() || r.shift == Shift::Gone);
    found
}

pub(super) fn reading(subject: impl Into<String>, value: impl Into<String>) -> Reading {
    Reading {
        subject: subject.into(),
        pointer: false,
        scope: None,
        value: value.into(),
        event: false,
        shift: Shift::None,
        mood: Mood::Asserted,
        said: String::new(),
        attribute: None,
        announces: None,
        otherwise: Vec::new(),
    }
}

/// "7/10 at rest", "dark mode on my phone": the last adjunct says where the value holds.
fn trailing_scope(reading: &mut Reading, clause: &Clause) {
    let Some(last) = clause.adjuncts.last().filter(|a| !is_time(&a.words) && !clause.object.is_empty()) else { return };
    let own = last.words.first().is_some_and(|w| w.is("my")) && last.prep == "on";
    let measured = clause.object.len() == 1 && clause.object.iter().any(Word::has_digit)
        && matches!(last.prep.as_str(), "at" | "on" | "during" | "in");
    let tail = format!(" {} {}", last.prep, spell(&last.words));
    if (own || measured)
        && let Some(value) = reading.value.strip_suffix(&tail)
    {
        reading.value = value.to_owned();
        reading.scope = Some(plain_name(&last.words).replace("user's ", ""));
    }
}

fn tidy(reading: &mut Reading) {
    reading.value = tidy_value(&reading.value);
    reading.subject = reading.subject.split_whitespace().collect::<Vec<_>>().join(" ");
}

/// Without an article before it, and without loose words at its ends.
pub(super) fn tidy_value(value: &str) -> String {
    let mut value = value.trim().to_owned();
    if value.len() > 2 && value.starts_with('`') && value.ends_with('`') {
        return value.trim_matches('`').to_owned();
    }
    loop {
        let before = value.len();
        let low = value.to_lowercase();
        for start in ["a ", "an ", "the ", "now ", "still ", "just ", "currently ", "actually ", "at least ", "already ", "also ", "exactly ", "to ", "is ", "called "] {
            if low.starts_with(start) {
                value = value.get(start.len()..).unwrap_or_default().trim_start().to_owned();
                break;
            }
        }
        let low = value.to_lowercase();
        for end in [" now", " instead", " anymore", " these days", " again", " as well", " too", " currently", " already", " at the moment", " today", " yesterday", " overnight", " this morning", " last week", " last month", " last night", " this week", " ,", ",", " then", " still", " right now", " nowadays", " tonight", " recently", " finally", " lol", " haha", " though", " there"] {
            if low.ends_with(end) && low.len() > end.len() {
                value.truncate(value.len() - end.len());
                value = value.trim_end().to_owned();
                break;
            }
        }
        if value.len() == before {
            return value.trim_matches(|c: char| c.is_whitespace() || ",;:".contains(c)).to_owned();
        }
    }
}

const TIME_WORDS: [&str; 48] = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march",
    "april", "may", "june", "july", "august", "september", "october", "november", "december", "today", "yesterday",
    "tomorrow", "tonight", "morning", "afternoon", "evening", "night", "week", "month", "year", "quarter", "spring",
    "summer", "autumn", "fall", "winter", "noon", "midnight", "moment", "meantime", "past", "future", "2018", "2019", "2020", "weekend", "day", "renewal",
];

pub(super) fn is_time(words: &[Word]) -> bool {
    let year = |w: &Word| w.text.len() == 4 && (w.text.starts_with("19") || w.text.starts_with("20")) && w.text.bytes().all(|b| b.is_ascii_digit());
    let clock = |w: &Word| w.text.contains(':') && w.has_digit();
    words.iter().any(|w| TIME_WORDS.contains(&w.low.as_str()) || year(w) || clock(w))
}

/// "In staging", "On weekdays", "For US customers": what stands before the subject limits the fact to a part.
fn scope(lead: &[Adjunct], habit: bool) -> Option<String> {
    const RECURRING: [&str; 12] = [
        "summer", "winter", "spring", "autumn", "weekend", "weekends", "morning", "mornings", "evening", "evenings", "night", "nights",
    ];
    let recurs = |a: &Adjunct| habit && a.words.iter().all(|w| RECURRING.contains(&w.low.as_str()) || w.is("the"));
    lead.iter()
        .filter(|a| matches!(a.prep.as_str(), "in" | "on" | "at" | "for" | "with" | "within" | "under" | "during"))
        .filter(|a| recurs(a) || !is_time(&a.words))
        .map(|a| plain_name(&a.words))
        .find(|name| !name.is_empty())
}

fn with_prepositions(adjuncts: &[Adjunct]) -> String {
    let text = |a: &Adjunct| format!("{} {}", a.prep, spell(&a.words));
    adjuncts.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// What follows the verb, as it was said, without reasons.
pub(super) fn complement_text(object: &[Word], adjuncts: &[Adjunct]) -> String {
    let kept: Vec<Adjunct> =
        adjuncts.iter().filter(|a| !matches!(a.prep.as_str(), "because" | "due" | "instead" | "than" | "since")).cloned().collect();
    let tail = with_prepositions(&kept);
    let head = spell(object);
    match (head.is_empty(), tail.is_empty()) {
        (false, false) => format!("{head} {tail}"),
        (false, true) => head,
        (true, _) => kept.first().map_or(String::new(), |first| {
            let rest = with_prepositions(kept.get(1..).unwrap_or_default());
            format!("{} {rest}", spell(&first.words)).trim().to_owned()
        }),
    }
}

/// "user's" before a bare attribute, the name itself for a thing.
pub(super) fn of_topic(topic: &Topic, attribute: &str) -> String {
    match (topic.name.as_str(), topic.sort) {
        ("", _) => attribute.to_owned(),
        (name, Sort::Person) => format!("{name}'s {attribute}"),
        (name, _) => format!("{name} {attribute}"),
    }
}

fn state(clause: &Clause, verb: &Verb, mood: Mood) -> Vec<Reading> {
    let about = topic(&clause.subject);
    if clause.subject.is_empty()
        && let Some(found) = order(clause, verb)
    {
        return found;
    }
    if verb.stem == "be" && !verb.passive {
        return copula(clause, verb, &about);
    }
    if verb.stem == "have" && !verb.perfect {
        return possession(clause, verb, &about);
    }
    if let Some(found) = framed(clause, verb, &about) {
        return found;
    }
    general(clause, verb, &about, mood)
}

/// "Call me Mags", "Reply in German", "Run the linter with `x`".
fn order(clause: &Clause, verb: &Verb) -> Option<Vec<Reading>> {
    let object = spell(&clause.object);
    if verb.stem == "call" && object.to_lowercase().starts_with("me ") {
        return Some(vec![reading("user's preferred name", object.get(3..).unwrap_or_default())]);
    }
    if matches!(verb.stem.as_str(), "repli" | "answer" | "respond" | "write" | "speak" | "talk") {
        let language = clause.adjuncts.iter().find(|a| a.prep == "in")?;
        return Some(vec![reading("user's reply language", spell(&language.words))]);
    }
    let tool = clause.adjuncts.iter().find(|a| a.prep == "with" || a.prep == "via" || a.prep == "by");
    if let Some(tool) = tool.filter(|t| t.words.iter().any(Word::is_quoted)) {
        let name = plain_name(&clause.object);
        let name = if name.is_empty() { clause.words.first().map(|w| w.low.clone()).unwrap_or_default() } else { name };
        return Some(vec![reading(name, spell(&tool.words))]);
    }
    None
}

fn copula(clause: &Clause, verb: &Verb, about: &Topic) -> Vec<Reading> {
    let value = complement_text(&clause.object, &clause.adjuncts);
    if verb.negated {
        return negated(clause, about, &value);
    }
    if let [off, rest @ ..] = clause.object.as_slice()
        && off.is("off")
        && !rest.is_empty()
    {
        return negated(clause, about, &spell(rest));
    }
    if let Some(found) = allergic(clause, about) {
        return found;
    }
    let definite = clause.object.first().is_some_and(|w| w.is_any(&["the", "our", "my", "their", "his", "her"]))
        || clause.object.iter().take(2).any(|w| w.is_any(&["my", "our"]));
    if definite && clause.object.len() > 1 && (is_proper(&clause.subject) || clause.object.iter().any(|w| w.is_any(&["still"]))) {
        let mut role: Vec<Word> = clause.object.clone();
        role.retain(|w| !w.is_any(&["still", "now"]));
        let kept: Vec<Adjunct> = clause.adjuncts.iter().filter(|a| !is_time(&a.words)).cloned().collect();
        let name = format!("{} {}", plain_name(&role), with_prepositions(&kept)).trim().to_lowercase();
        let name = name.replace(" for this repository", "").replace(" here", "").replace(" there", "");
        return vec![reading(name, spell(&clause.subject))];
    }
    let mut made = if about.sort == Sort::Thing {
        thing_is(clause, about, &value)
    } else {
        person_is(clause, about, &value)
    };
    for reading in &mut made {
        reading.pointer |= about.sort == Sort::Pointer;
    }
    made
}

fn thing_is(clause: &Clause, about: &Topic, value: &str) -> Vec<Reading> {
    let with = clause.object.is_empty().then(|| clause.adjuncts.first()).flatten();
    match with {
        Some(a) if a.prep == "with" => vec![reading(format!("{} owner", about.name), spell(&a.words))],
        _ => match by_kind(about, value).filter(|_| with.is_some()) {
            Some(found) => vec![found],
            None => vec![reading(about.name.clone(), value)],
        },
    }
}

fn by_kind(about: &Topic, value: &str) -> Option<Reading> {
    let kind = LEXICON.kind(value)?;
    Some(reading(of_topic(about, kind), value))
}

/// One reading for each known thing in the value, or one with the whole of it.
fn by_kinds(about: &Topic, value: &str) -> Vec<Reading> {
    match LEXICON.kinds_in(value).as_slice() {
        [] => Vec::new(),
        [(_, kind)] => vec![reading(of_topic(about, kind), value)],
        several => several
            .iter()
            .map(|(name, kind)| {
                let spelled = value.split_whitespace().find(|w| w.to_lowercase().trim_matches(',') == *name);
                reading(of_topic(about, kind), spelled.unwrap_or(name))
            })
            .collect(),
    }
}

fn is_bare_figure(value: &str) -> bool {
    let value = tidy_value(value);
    value.split_whitespace().count() == 1 && value.starts_with(|c: char| c.is_ascii_digit())
}

/// Of a person or "it", what is said decides which attribute it is.
fn person_is(clause: &Clause, about: &Topic, value: &str) -> Vec<Reading> {
    let adjunct = clause.object.is_empty().then(|| clause.adjuncts.first()).flatten();
    let article = clause.object.first().is_some_and(|w| w.is_any(&["a", "an"]));
    if let Some(found) = medicine(about, value) {
        return vec![found];
    }
    let kinds = by_kinds(about, value);
    if !kinds.is_empty() {
        return kinds;
    }
    if is_bare_figure(value) {
        let name = if about.sort == Sort::Person { of_topic(about, "age") } else { String::new() };
        return vec![Reading { pointer: true, ..reading(name, value) }];
    }
    if clause.subject.iter().any(|w| w.is("there")) {
        let end = clause.object.iter().position(|w| w.is("of")).unwrap_or(clause.object.len());
        return vec![reading(plain_name(clause.object.get(..end).unwrap_or_default()), value)];
    }
    if about.name == "user" && is_proper(&clause.object) && !clause.object.is_empty() {
        return vec![reading("user's name", value)];
    }
    if let Some(a) = adjunct {
        let noun = head_noun(&a.words).filter(|n| LEXICON.attribute(n).is_some());
        let attribute = match (noun, a.prep.as_str()) {
            (Some(noun), _) => noun,
            (None, "in" | "at") => "location".to_owned(),
            (None, "with") => "owner".to_owned(),
            (None, prep) => format!("is {prep}"),
        };
        return vec![reading(of_topic(about, &attribute), value)];
    }
    let noun = head_noun(&clause.object).unwrap_or_default();
    if article && is_occupation(&noun) {
        return vec![reading(of_topic(about, "job"), value)];
    }
    if about.sort == Sort::Pointer {
        return vec![reading("", value)];
    }
    let name = if article { format!("{} as {noun}", about.name) } else { format!("{} is {}", about.name, spell(&clause.object).to_lowercase()) };
    vec![reading(name.trim(), value)]
}

fn is_occupation(noun: &str) -> bool {
    ["er", "or", "ist", "ian", "ant", "eer"].iter().any(|end| noun.ends_with(end)) && noun.len() > 4
        && !matches!(noun, "member" | "user" | "customer" | "number" | "computer" | "server" | "owner" | "mother" | "father" | "brother" | "sister" | "partner" | "computer" | "order" | "letter" | "paper")
        || matches!(noun, "nurse" | "doctor" | "chef" | "pilot" | "lawyer" | "student" | "cook")
}

fn allergic(clause: &Clause, about: &Topic) -> Option<Vec<Reading>> {
    let at = clause.words.iter().position(|w| w.is("allergic"))?;
    let rest = clause.words.get(at + 1..)?;
    let to: Vec<Word> = rest.iter().filter(|w| !w.is("to")).cloned().collect();
    let items = items(&to);
    Some(items.into_iter().map(|item| allergy(about, item.clone(), &item)).collect())
}

fn allergy(about: &Topic, value: String, item: &str) -> Reading {
    let name = format!("{} {}", of_topic(about, "allergy"), item.to_lowercase());
    Reading { attribute: Some("allergy"), ..reading(name, value) }
}

/// The parts of an enumeration.
pub(super) fn items(words: &[Word]) -> Vec<String> {
    words
        .split(|w| w.is(",") || w.is("and") || w.is("&"))
        .map(|part| tidy_value(&spell(part)))
        .filter(|item| !item.is_empty())
        .collect()
}

/// A drug with its dose.
fn medicine(about: &Topic, value: &str) -> Option<Reading> {
    let name = drug(value)?;
    let subject = format!("{} {name}", of_topic(about, "medication"));
    Some(Reading { attribute: Some("medication"), ..reading(subject, value) })
}

pub(super) fn drug(value: &str) -> Option<String> {
    const UNITS: [&str; 10] = ["mg", "mcg", "ml", "units", "g", "iu", "µg", "puffs", "tablets", "tablet"];
    const ENDINGS: [&str; 24] = [
        "pril", "sartan", "olol", "statin", "mycin", "cillin", "azole", "formin", "dipine", "oxaban", "semide", "pam", "triptan", "prazole", "floxacin", "cycline", "gliptin", "gliflozin", "parin", "zepam", "aline", "oxetine", "pirin", "farin",
    ];
    let words: Vec<String> = value.split_whitespace().map(|w| w.trim_matches(|c: char| ",.;()".contains(c)).to_lowercase()).collect();
    let dosed = words.iter().enumerate().skip(1).any(|(at, w)| {
        let unit = w.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let figure = w.starts_with(|c: char| c.is_ascii_digit());
        figure && (UNITS.contains(&unit) || (unit.is_empty() && words.get(at + 1).is_some_and(|n| UNITS.contains(&n.as_str()))))
    });
    let first = words.iter().find(|w| !matches!(w.as_str(), "a" | "an" | "the" | "on" | "oral"))?;
    let known = first.len() > 6 && ENDINGS.iter().any(|e| first.ends_with(e)) || first == "insulin" || first == "aspirin" || first == "warfarin";
    ((dosed && first.chars().all(|c| c.is_alphabetic() || c == '-')) || known).then(|| first.clone())
}

fn possession(clause: &Clause, verb: &Verb, about: &Topic) -> Vec<Reading> {
    let value = complement_text(&clause.object, &clause.adjuncts);
    if verb.negated || clause.object.first().is_some_and(|w| w.is("no")) {
        return negated(clause, about, &value);
    }
    if verb.past {
        return vec![event(about, "had", &value)];
    }
    let Some(noun) = head_noun(&clause.object) else { return Vec::new() };
    vec![reading(of_topic(about, &noun), value)]
}

fn event(about: &Topic, verb: &str, value: &str) -> Reading {
    let name = if about.name.is_empty() { verb.to_owned() } else { format!("{} {verb}", about.name) };
    Reading { event: true, ..reading(name, value) }
}

/// "No longer", "does not": the end of something held, or else a fact that says "not".
fn negated(clause: &Clause, about: &Topic, value: &str) -> Vec<Reading> {
    let value = tidy_value(value.trim_start_matches("not ").trim_start_matches("no ").trim_start_matches("longer "));
    let named = clause.verb.as_ref().map(|v| v.stem.clone()).unwrap_or_default();
    let subject = if about.name.is_empty() { named } else { about.name.clone() };
    vec![Reading { shift: Shift::Gone, pointer: about.sort == Sort::Pointer, ..reading(subject, value) }]
}

fn framed(clause: &Clause, verb: &Verb, about: &Topic) -> Option<Vec<Reading>> {
    let prep = clause.adjuncts.first().map(|a| a.prep.as_str());
    let particle = verb.particle.as_deref().or(prep.filter(|_| clause.object.is_empty())).or(prep);
    if verb.negated {
        return Some(negated(clause, about, &complement_text(&clause.object, &clause.adjuncts)));
    }
    if verb.passive
        && let Some(by) = clause.adjuncts.iter().find(|a| a.prep == "by")
        && let Some(VerbFrame::Owner(role)) = LEXICON.frame(&verb.stem, None)
    {
        return Some(vec![reading(format!("{} {role}", about.name), spell(&by.words))]);
    }
    if verb.stem == "belong" && prep == Some("to") {
        let owner = clause.adjuncts.first().map(|a| spell(&a.words)).unwrap_or_default();
        return Some(vec![reading(format!("{} owner", about.name), owner)]);
    }
    if let Some(found) = done_on(clause, verb, about) {
        return Some(found);
    }
    if let Some(found) = used(clause, verb, about) {
        return Some(found);
    }
    match LEXICON.frame(&verb.stem, particle)? {
        VerbFrame::Attribute(attribute) => {
            let value = complement_text(&clause.object, &clause.adjuncts);
            let person = attribute != "name" || about.sort == Sort::Person;
            let name = if person { of_topic(about, attribute) } else { format!("{} {attribute}", about.name) };
            (!value.is_empty()).then(|| vec![Reading { pointer: about.sort == Sort::Pointer, ..reading(name, value) }])
        }
        VerbFrame::Owner(role) if !clause.object.is_empty() || verb.stem == "look" => {
            let thing = if clause.object.is_empty() {
                clause.adjuncts.first().map(|a| plain_name(&a.words)).unwrap_or_default()
            } else {
                plain_name(&clause.object)
            };
            let indefinite = clause.object.first().is_some_and(|w| w.is_any(&["a", "an"]) || w.has_digit());
            if about.sort == Sort::Pointer || indefinite || matches!(about.name.as_str(), "" | "user" | "patient" | "customer") {
                return None;
            }
            let kept: Vec<Word> = clause.subject.clone();
            Some(vec![reading(format!("{thing} {role}"), spell(&kept))])
        }
        _ => None,
    }
}

/// "We do the standup on Teams", "we keep backups in S3": the verb only joins the thing and its place.
fn done_on(clause: &Clause, verb: &Verb, about: &Topic) -> Option<Vec<Reading>> {
    let light = matches!(verb.stem.as_str(), "do" | "hold" | "keep" | "store" | "host" | "track");
    let place = clause.adjuncts.first().filter(|a| matches!(a.prep.as_str(), "on" | "in" | "with" | "via" | "at") && !is_time(&a.words))?;
    let person = about.sort == Sort::Person && !verb.past && !clause.object.is_empty();
    (light && person).then(|| vec![reading(plain_name(&clause.object), spell(&place.words))])
}

/// "We use Sentry for error tracking"
fn used(clause: &Clause, verb: &Verb, about: &Topic) -> Option<Vec<Reading>> {
    if !matches!(verb.stem.as_str(), "use" | "run" | "reli" | "adopt" | "deploy") {
        return None;
    }
    let thing = if clause.object.is_empty() { clause.adjuncts.first().map(|a| spell(&a.words))? } else { spell(&clause.object) };
    if let Some(purpose) = clause.adjuncts.iter().find(|a| a.prep == "for" || a.prep == "as") {
        if !is_time(&purpose.words) {
            return Some(vec![reading(of_topic(&Topic { sort: Sort::Person, name: about.name.clone() }, &plain_name(&purpose.words)), thing)]);
        }
    }
    if about.sort == Sort::Thing && !is_proper(&clause.subject) {
        return None;
    }
    if let Some(kind) = LEXICON.kind(&thing) {
        return Some(vec![reading(of_topic(about, kind), complement_text(&clause.object, &clause.adjuncts))]);
    }
    None
}

const PLURAL_VERBS: [&str; 30] = [
    "take", "like", "love", "want", "need", "play", "know", "eat", "drink", "support", "requir", "sell", "make", "visit",
    "buy", "hold", "includ", "offer", "own", "use", "enjoy", "hate", "prefer", "teach", "studi", "collect", "get", "see", "attend", "wear",
];

fn general(clause: &Clause, verb: &Verb, about: &Topic, mood: Mood) -> Vec<Reading> {
    let said = clause.words.iter().rev().find(|w| LEXICON.verb(&w.low) == verb.stem && matches!(w.tag, Tag::Verb | Tag::Aux));
    let said = said.map(|w| w.low.clone()).unwrap_or_else(|| verb.stem.clone());
    let phrase = verb.particle.as_ref().map_or(said.clone(), |p| format!("{said} {p}"));
    if clause.words.iter().any(|w| w.is("rather")) {
        let kinds = by_kinds(about, &format!("{said} {}", spell(&clause.object)));
        return if kinds.is_empty() { vec![reading(of_topic(about, "preference"), said)] } else { kinds };
    }
    let adjuncts: Vec<Adjunct> =
        clause.adjuncts.iter().filter(|a| !(verb.passive && clause.object.is_empty() && a.prep == "for" && verb.perfect)).cloned().collect();
    let value = complement_text(&clause.object, &adjuncts);
    let happened = verb.past && !verb.passive && mood != Mood::Past
        || (verb.passive && verb.past && mood != Mood::Past && clause.adjuncts.iter().any(|a| is_time(&a.words)));
    if happened || (verb.perfect && !verb.passive && mood == Mood::Asserted) {
        let what = if clause.object.is_empty() { &clause.subject } else { &clause.object };
        let announces = (LEXICON.is_change(&verb.stem) && topic(what).sort == Sort::Thing).then(|| plain_name(what));
        return vec![Reading { pointer: about.sort == Sort::Pointer, announces, ..event(about, &phrase, &value) }];
    }
    if value.is_empty() {
        let status = LEXICON.attribute(&format!("{} status", about.name)).map(|_| format!("{} status", about.name));
        return vec![reading(status.unwrap_or_else(|| about.name.clone()), phrase)];
    }
    if let Some(found) = medicine(about, &value).filter(|_| about.sort != Sort::Thing || is_proper(&clause.subject)) {
        return vec![found];
    }
    if let Some((attribute, figure)) = named_figure(&clause.object) {
        return vec![reading(of_topic(about, &attribute), figure)];
    }
    let noun = head_noun(&clause.object).unwrap_or_default();
    let figure = clause.object.iter().any(|w| w.tag == Tag::Number) && !noun.is_empty();
    let many = PLURAL_VERBS.contains(&verb.stem.as_str()) && !clause.object.is_empty();
    let name = match (figure || many, about.name.as_str()) {
        (true, name) => format!("{name} {phrase} {noun}"),
        (false, name) => format!("{name} {phrase}"),
    };
    vec![Reading { pointer: about.sort == Sort::Pointer, ..reading(name.trim(), value) }]
}

/// "version 4.2.1": the object names the attribute itself.
fn named_figure(object: &[Word]) -> Option<(String, String)> {
    let at = object.iter().position(Word::has_digit).filter(|at| *at > 0)?;
    let name = plain_name(object.get(..at)?);
    LEXICON.attribute(&name)?;
    Some((name, spell(object.get(at..)?)))
}

/// Without a verb: "Weight 71 kg", "Gold plan".
fn fragment(words: &[Word]) -> Vec<Reading> {
    let text = spell(words);
    if words.first().is_some_and(|w| w.is("allergic")) {
        let clause = Clause { words: words.to_vec(), ..Clause::default() };
        return allergic(&clause, &Topic { name: String::new(), sort: Sort::Person }).unwrap_or_default();
    }
    if let Some(at) = words.iter().position(|w| w.is("allergy")).filter(|at| *at > 0) {
        let what = spell(words.get(..at).unwrap_or_default());
        let rest = spell(words.get(at + 1..).unwrap_or_default());
        let value = if rest.is_empty() { what.clone() } else { format!("{what} - {rest}") };
        return vec![allergy(&Topic { name: String::new(), sort: Sort::Person }, value, &what)];
    }
    if let Some(at) = words.iter().position(Word::has_digit).filter(|at| *at > 0) {
        let name = plain_name(words.get(..at).unwrap_or_default());
        let value = spell(words.get(at..).unwrap_or_default());
        let first = words.first().is_some_and(|w| !w.is_preposition() && w.tag != Tag::Verb);
        if !name.is_empty() && first && at <= 3 {
            if let Some(drug) = drug(&text) {
                return vec![Reading { attribute: Some("medication"), ..reading(format!("medication {drug}"), text) }];
            }
            return vec![reading(name, value)];
        }
    }
    if words.len() > 6 {
        return Vec::new();
    }
    by_kinds(&Topic { name: String::new(), sort: Sort::Person }, &text)
}
