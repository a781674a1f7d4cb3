//! What a clause says: a subject and its value. Only certain forms are read; everything else is kept as it was told.

use crate::clause::{Clause, finite_verb};
use crate::lexicon::{LEXICON, Relation};
use crate::word::{Tag, Word, spell};
use domain::words::{Boundary, split_words};

/// A value of something, as a clause gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The subject, in lower case and with its owner: "search service port". Empty if the clause only says that one
    /// value replaced another.
    pub subject: String,
    pub value: String,
    pub shift: Shift,
    pub arity: Arity,
}

/// How many such values a subject may have at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arity {
    One,
    /// One at a time, but a held value is replaced only if the network agrees.
    Unsure,
    /// Many, each under a name of its own.
    Many,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shift {
    /// It holds.
    Is,
    /// It holds now, and something else held before.
    Became { from: Option<String> },
    /// It held once.
    Was,
    /// It will hold.
    Will,
    /// It no longer holds.
    Gone,
}

/// What the pronouns of a clause refer to.
#[derive(Debug, Clone)]
pub(crate) struct Pointers {
    /// Who speaks.
    pub me: String,
    /// The topic of the sentence before, if it has just one.
    pub it: Option<String>,
}

pub(crate) fn read(clause: &Clause, to: &Pointers) -> Vec<Reading> {
    let Some(reading) = read_one(clause, to) else { return Vec::new() };
    doses(&reading).unwrap_or_else(|| vec![reading])
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

/// Between who takes a drug and which.
pub(crate) const TAKES: &str = " takes ";

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
    let at = finite_verb(words).or_else(|| clause.subject.is_some().then_some(0))?;
    let own = words.get(..at).unwrap_or_default();
    let said_of = if own.is_empty() { clause.subject.as_deref()? } else { own };
    let said_of = said_of.get(lead(said_of)..).unwrap_or_default();
    let topic = Topic::of(said_of, to)?.within(said_of, clause);
    let group = Group::read(words, at)?;
    let rest = bounded(words.get(group.end..).unwrap_or_default());
    if group.is_open() {
        return None;
    }
    let reading = match group.verb.as_deref() {
        None => copula(&topic, &group, rest, to),
        Some(verb) => gone(&topic, &group, verb, rest, to)
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
    const PHRASES: [&[&str]; 14] = [
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
        && !name.iter().any(|w| w.is_any(&["not", "that", "it"]));
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

/// Who or what a clause speaks of.
#[derive(Debug, Clone)]
struct Topic {
    /// In lower case, with its owner before it. Empty for "we".
    name: String,
    is_person: bool,
}

impl Topic {
    fn of(words: &[Word], to: &Pointers) -> Option<Self> {
        const ASIDE: [&str; 7] = ["now", "also", "currently", "still", "just", "already", "then"];
        let bare: Vec<&Word> = words.iter().filter(|w| !w.is_mark() && !w.is_any(&ASIDE)).collect();
        if let [only] = bare.as_slice() {
            let named = |name: &str, is_person| Some(Self { name: name.to_owned(), is_person });
            match only.low.as_str() {
                "i" => return named(&to.me, true),
                "we" => return named("", false),
                "it" | "that" | "this" | "he" | "she" | "they" => {
                    let is_person = matches!(only.low.as_str(), "he" | "she");
                    // Even with nothing to refer to it may fill a declared slot.
                    return named(to.it.as_deref().unwrap_or(&only.low), is_person);
                }
                "you" | "there" | "these" | "those" | "who" | "which" | "what" | "everyone" | "someone"
                | "here" | "only" | "everything" | "nothing" | "all" | "one" => {
                    return None;
                }
                _ => {}
            }
        }
        let asks = bare.iter().any(|w| w.is_any(&["what", "who", "which", "where", "how", "why", "that"]));
        let name = thing(words, to);
        let last = bare.last()?;
        let is_person = last.tag == Tag::Name && last.is_capital() && !last.has_digit();
        (!asks && !name.is_empty()).then_some(Self { name, is_person })
    }

    /// "Room 2 seats 12 and the key code is 4471": the code is that of the room.
    fn within(self, words: &[Word], clause: &Clause) -> Self {
        let definite = words.first().is_some_and(|w| w.is_any(&["the", "our"]))
            && !words.iter().any(|w| w.is_capital() || w.has_digit());
        match clause.of.as_deref().filter(|_| definite && !self.is_person) {
            Some(owner) => Self { name: format!("{owner} {}", self.name), ..self },
            None => self,
        }
    }

    /// "user home", "search service port".
    fn attribute(&self, attribute: &str) -> String {
        format!("{} {attribute}", self.name).trim().to_owned()
    }
}

/// Whether a subject begins with a word that only points to somebody or something.
pub(crate) fn points(subject: &str) -> bool {
    let first = subject.split(' ').next().unwrap_or_default();
    ["it", "that", "this", "he", "she", "they", "his", "her", "their"].contains(&first)
}

/// What a subject is called.
pub(crate) fn name(words: &[Word], to: &Pointers) -> Option<String> {
    Topic::of(words, to).map(|topic| topic.name).filter(|name| !name.is_empty())
}

/// A noun phrase as a name: in lower case, without articles, "my" as the speaker's, "the port of X" as "X port".
fn thing(words: &[Word], to: &Pointers) -> String {
    const BARE: [&str; 23] = [
        "a",
        "an",
        "the",
        "our",
        "this",
        "that",
        "these",
        "those",
        "your",
        "still",
        "own",
        "now",
        "today",
        "currently",
        "also",
        "as",
        "for",
        "new",
        "latest",
        "current",
        "actually",
        "please",
        "there",
    ];
    if let Some(of) = words.iter().position(|w| w.is("of")).filter(|at| *at > 0 && *at + 1 < words.len()) {
        let (what, whose) = (words.get(..of).unwrap_or_default(), words.get(of + 1..).unwrap_or_default());
        let named = |words: &[Word]| words.iter().any(|w| matches!(w.tag, Tag::Noun | Tag::Name));
        if named(what) && named(whose) && !what.iter().any(|w| w.is("'s")) {
            return format!("{} {}", thing(whose, to), thing(what, to)).trim().to_owned();
        }
    }
    let mut name = String::new();
    for word in words.iter().filter(|w| !w.is_any(&BARE) && !w.is_mark()) {
        let text = match word.low.as_str() {
            "my" => to.me.clone(),
            "his" | "her" | "their" | "its" => to.it.clone().unwrap_or_default(),
            "'s" => continue,
            low => low.trim_matches(['`', '"', '“', '”']).to_owned(),
        };
        if word.spaced && !name.is_empty() && !text.is_empty() {
            name.push(' ');
        }
        name.push_str(&text);
    }
    name
}

/// The verb with its helpers.
#[derive(Debug, Default)]
struct Group {
    /// The stem of its base form; none for a form of "be" alone.
    verb: Option<String>,
    end: usize,
    negated: bool,
    no_longer: bool,
    modal: bool,
    now: bool,
    is: bool,
    past: bool,
    doing: bool,
    helped: bool,
    habit: bool,
    will: bool,
}

impl Group {
    fn read(words: &[Word], start: usize) -> Option<Self> {
        let mut group = Self { end: start, ..Self::default() };
        while let Some(word) = words.get(group.end) {
            let next = words.get(group.end + 1);
            let helps = next.is_some_and(|w| matches!(w.tag, Tag::Verb | Tag::Aux | Tag::Adverb));
            match word.low.as_str() {
                "is" | "are" | "am" | "be" | "been" | "being" | "was" | "were" => {
                    group.is = true;
                    group.past = matches!(word.low.as_str(), "was" | "were");
                }
                "has" | "have" | "had" | "do" | "does" | "did" if helps => group.helped = true,
                "will" => group.will = true,
                "would" | "could" | "might" | "may" | "should" | "can" | "must" | "shall" => {
                    group.modal = true
                }
                "not" | "never" => group.negated = true,
                "no" if next.is_some_and(|w| w.is("longer")) => group.no_longer = true,
                "now" => group.now = true,
                // "used to live in"
                "used" if next.is_some_and(|w| w.is("to")) => {
                    group.past = true;
                    group.habit = true;
                    group.end += 1;
                }
                _ if word.tag == Tag::Adverb => {}
                _ if word.tag == Tag::Verb || group.end == start || group.habit || group.will => {
                    if group.is && !is_verb_form(word) {
                        break;
                    }
                    group.doing = word.low.ends_with("ing");
                    group.past |= !group.is && !group.helped && !group.habit && is_past(&word.low);
                    group.verb = Some(LEXICON.verb(&word.low));
                    group.end += 1;
                    break;
                }
                _ => break,
            }
            group.end += 1;
        }
        (group.verb.is_some() || group.is).then_some(group)
    }

    /// It is denied, or could be, or is to be.
    fn is_open(&self) -> bool {
        self.modal || self.negated && !self.no_longer
    }
}

fn is_verb_form(word: &Word) -> bool {
    word.low.ends_with("ed") || word.low.ends_with("ing") || LEXICON.is_irregular_verb(&word.low)
}

fn is_past(form: &str) -> bool {
    form.ends_with("ed") || LEXICON.is_irregular_verb(form) && LEXICON.verb(form) != crate::stem::stem(form)
}

/// Up to where something else begins, without closing words that only say that it holds now.
fn bounded(words: &[Word]) -> &[Word] {
    const CLOSING: [&str; 14] = [
        "now",
        "today",
        "currently",
        "instead",
        "again",
        "too",
        "anymore",
        "already",
        "right",
        "though",
        "please",
        "yet",
        "nowadays",
        "actually",
    ];
    let opens = |word: &Word| {
        word.is_any(&[
            "because", "although", "which", "who", "where", "when", "if", "but", "while", "whereas",
            "unless", "since", "—", "–", ";",
        ])
    };
    let end = words.iter().position(opens).unwrap_or(words.len());
    let mut rest = words.get(..end).unwrap_or_default();
    while let Some((last, before)) = rest.split_last()
        && (last.is_mark() && !last.is(")") || last.is_any(&CLOSING))
    {
        rest = before;
    }
    for phrase in [
        &["these", "days"][..],
        &["at", "the", "moment"],
        &["for", "now"],
        &["any", "more"],
        &["from", "now", "on"],
    ] {
        let at = rest.len().saturating_sub(phrase.len());
        if at > 0 && rest.iter().skip(at).map(|w| w.low.as_str()).eq(phrase.iter().copied()) {
            rest = rest.get(..at).unwrap_or_default();
        }
    }
    rest
}

/// Without words at the end that only say when: "9241 last night", "Una as of today".
fn timeless(words: &[Word]) -> &[Word] {
    const UNITS: [&str; 16] = [
        "night",
        "week",
        "month",
        "year",
        "morning",
        "afternoon",
        "evening",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "spring",
        "weekend",
    ];
    let cut = words.iter().position(|w| w.is_any(&["after", "as", "from"])).filter(|at| {
        let next = words.get(at + 1);
        *at > 0 && next.is_some_and(|w| w.is_any(&["of", "today", "now", "lunch", "the", "this", "next"]))
    });
    let words = words.get(..cut.unwrap_or(words.len())).unwrap_or_default();
    match words {
        [kept @ .., side, unit]
            if side.is_any(&["last", "this", "next", "on"]) && unit.is_any(&UNITS) && !kept.is_empty() =>
        {
            kept
        }
        _ => words,
    }
}

/// The words of a value, without an article before them.
fn value(words: &[Word]) -> String {
    let words = timeless(words);
    let skip =
        words.iter().take_while(|w| w.is_any(&["a", "an", "the", ",", "now", "just", "about"])).count();
    spell(words.get(skip..).unwrap_or_default())
}

fn is_value(words: &[Word]) -> bool {
    words
        .iter()
        .any(|w| matches!(w.tag, Tag::Noun | Tag::Name | Tag::Number | Tag::Adjective) || w.has_digit())
}

fn shifted(group: &Group) -> Shift {
    if group.will {
        return Shift::Will;
    }
    match (group.no_longer, group.now, group.past) {
        (true, _, _) => Shift::Gone,
        (_, true, _) => Shift::Became { from: None },
        (_, _, true) => Shift::Was,
        _ => Shift::Is,
    }
}

/// "The deadline is Friday", "Anna is a nurse", "the lamp is in the hall".
fn copula(topic: &Topic, group: &Group, rest: &[Word], to: &Pointers) -> Option<Reading> {
    let first = rest.first()?;
    let second = rest.get(1);
    let now = rest.iter().any(|w| w.is("now"));
    let shift = if now && !group.no_longer { Shift::Became { from: None } } else { shifted(group) };
    // "due on Friday", "allergic to latex"
    if let Some(Relation::Attribute(attribute)) = second
        .filter(|w| w.is_preposition())
        .and_then(|particle| LEXICON.relation(&LEXICON.verb(&first.low), Some(&particle.low)))
    {
        let name = attribute.clone().unwrap_or_else(|| spell(rest.get(..2).unwrap_or_default()));
        return Some(Reading {
            subject: topic.attribute(&name),
            value: value(rest.get(2..)?),
            shift,
            arity: Arity::One,
        });
    }
    if first.is("allergic") && second.is_some_and(|w| w.is("to")) {
        let value = value(rest.get(2..)?);
        return Some(Reading { subject: topic.attribute("allergy"), value, shift, arity: Arity::Many });
    }
    if first.is_any(&[
        "going", "gonna", "about", "like", "not", "no", "so", "very", "really", "that", "why", "how",
    ]) {
        return None;
    }
    // "Acme is on the Gold plan"
    if let [on, the, given @ .., what] = rest
        && on.is_any(&["on", "in"])
        && the.is_any(&["the", "our", "their"])
        && (1..=3).contains(&given.len())
        && what.tag == Tag::Noun
        && given.iter().all(|w| w.is_capital() || w.has_digit())
        && !topic.name.is_empty()
    {
        return Some(Reading {
            subject: topic.attribute(&what.low),
            value: spell(given),
            shift,
            arity: Arity::One,
        });
    }
    // "Mr. Ito is in bed 14"
    if let [on, what, number] = rest
        && on.is_any(&["on", "in", "at"])
        && what.tag == Tag::Noun
        && number.has_digit()
        && !topic.name.is_empty()
    {
        return Some(Reading {
            subject: topic.attribute(&what.low),
            value: number.text.clone(),
            shift,
            arity: Arity::One,
        });
    }
    // "Ana is the owner of the search service": the value is who it is.
    let of =
        rest.iter().position(|w| w.is("of") || w.is("for")).filter(|_| first.is("the") && topic.is_person);
    if let Some(at) = of.filter(|at| *at + 1 < rest.len()) {
        let subject = format!("{} {}", thing(rest.get(at + 1..)?, to), thing(rest.get(..at)?, to));
        return Some(Reading { subject, value: title(&topic.name), shift, arity: Arity::One });
    }
    if topic.name.is_empty() || topic.name == to.me && !is_value(rest) {
        return None;
    }
    if rest.len() == 1 && first.low.ends_with("ing") && first.tag != Tag::Name {
        return None;
    }
    let is_adjective = rest.len() == 1 && first.tag == Tag::Adjective && !first.has_digit();
    let value = value(rest);
    if topic.is_person || topic.name == to.me {
        let is_sort = first.is_any(&["a", "an"]);
        return is_sort.then(|| Reading {
            subject: format!("{} is a", topic.name),
            value,
            shift,
            arity: Arity::Unsure,
        });
    }
    if is_adjective {
        return Some(Reading { subject: format!("{} is", topic.name), value, shift, arity: Arity::Unsure });
    }
    is_value(rest).then(|| Reading { subject: topic.name.clone(), value, shift, arity: Arity::One })
}

/// A topic is in lower case; the words of a name get their capitals back.
fn title(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|c| c.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    name.split(' ').map(capital).collect::<Vec<_>>().join(" ")
}

/// "We dropped Jenkins", "the course was cancelled", "he no longer takes aspirin".
fn gone(topic: &Topic, group: &Group, verb: &str, rest: &[Word], to: &Pointers) -> Option<Reading> {
    let particle = rest.first().map(|w| w.low.as_str());
    let removes = LEXICON.is_removal(verb, particle);
    if !(removes && (group.past || group.helped || group.is) && !group.doing) && !group.no_longer {
        return None;
    }
    // "We dropped the idea of replacing Postgres" says nothing of Postgres.
    if rest.iter().any(|w| w.is_any(&["idea", "plan", "thought", "plans", "looking", "trying"])) {
        return None;
    }
    let has_to = rest.iter().any(|w| w.is_any(&["to", "for", "with"]));
    if removes && has_to && !group.no_longer && LEXICON.is_change(verb) {
        return None;
    }
    let skip = usize::from(
        rest.first().is_some_and(|w| w.is_preposition() || w.is_any(&["off", "out", "down", "up"])),
    );
    let object = rest.get(skip..).unwrap_or_default();
    let named = if object.is_empty() || group.is { topic.name.clone() } else { thing(object, to) };
    let subject = if object.is_empty() || group.is { String::new() } else { topic.name.clone() };
    (!named.is_empty()).then_some(Reading { subject, value: named, shift: Shift::Gone, arity: Arity::Unsure })
}

/// "The deadline moved from Friday to Monday", "we replaced Jenkins with Buildkite", "Room 2 got a new code, 5582".
fn changed(topic: &Topic, verb: &str, rest: &[Word], to: &Pointers) -> Option<Reading> {
    let find = |words: &[&str]| rest.iter().position(|w| w.is_any(words));
    let became = |subject: String, from: Option<String>, value: String| {
        Some(Reading { subject, value, shift: Shift::Became { from }, arity: Arity::One })
    };
    let replaces = ["replac", "swap", "exchang", "trade", "substitut"].contains(&verb);
    if let Some(with) = find(&["with", "for", "by"]).filter(|_| replaces) {
        let old = rest.get(..with)?;
        let from = if old.is_empty() { topic.name.clone() } else { thing(old, to) };
        return became(String::new(), Some(from), value(rest.get(with + 1..)?));
    }
    if replaces && !rest.is_empty() && !topic.name.is_empty() {
        return became(String::new(), Some(thing(rest, to)), title(&topic.name));
    }
    let gets = verb == "get" || verb == "receiv" || verb == "have";
    if let Some(new) = find(&["new"]).filter(|at| gets && *at <= 1) {
        let comma = find(&[",", ":"]).filter(|at| *at > new + 1)?;
        let attribute = thing(rest.get(new + 1..comma)?, to);
        return became(topic.attribute(&attribute), None, value(rest.get(comma + 1..)?));
    }
    if !LEXICON.is_change(verb) && verb != "becom" {
        return None;
    }
    if verb == "becom" {
        return became(topic.name.clone(), None, value(rest))
            .filter(|_| !topic.is_person && !topic.name.is_empty());
    }
    let at = find(&["to", "onto", "into"])
        .filter(|at| rest.get(at + 1).is_some_and(|w| w.tag != Tag::Verb || w.is_capital()))?;
    let from = find(&["from"]);
    let first = at.min(from.unwrap_or(at));
    let end = from.filter(|f| *f > at).unwrap_or(rest.len());
    let new = value(rest.get(at + 1..end)?);
    let old = from.map(|f| spell(rest.get(f + 1..if f < at { at } else { rest.len() }).unwrap_or_default()));
    let object = rest.get(..first).unwrap_or_default();
    let object: Vec<Word> = object
        .iter()
        .filter(|w| !w.is_any(&["over", "up", "down", "back", "out", "away"]))
        .cloned()
        .collect();
    let moves = ["move", "reloc"].contains(&verb);
    let is_place = rest.get(at + 1).is_some_and(Word::is_capital);
    let subject = match (object.is_empty(), topic.name.is_empty()) {
        (false, _) => thing(&object, to),
        (true, true) => String::new(),
        (true, false) if topic.is_person || topic.name == to.me => {
            if moves && is_place {
                topic.attribute("home")
            } else {
                return None;
            }
        }
        (true, false) => topic.name.clone(),
    };
    became(subject, old, new)
}

/// "Room 2 has a capacity of 12", "room 2 has 12 seats".
fn having(topic: &Topic, verb: &str, rest: &[Word], to: &Pointers) -> Option<Reading> {
    if verb != "have" || topic.name.is_empty() {
        return None;
    }
    let is = |subject: String, value: String| {
        Some(Reading { subject, value, shift: Shift::Is, arity: Arity::One })
    };
    if let Some(of) = rest.iter().position(|w| w.is("of")) {
        let given = rest.get(of + 1).is_some_and(|w| w.has_digit() || w.is_capital());
        let attribute = thing(rest.get(..of)?, to);
        return is(topic.attribute(&attribute), value(rest.get(of + 1..)?))
            .filter(|_| given && !attribute.is_empty());
    }
    match rest {
        [what @ .., count]
            if count.has_digit() && (1..=2).contains(&what.len()) && !what.iter().any(Word::has_digit) =>
        {
            is(topic.attribute(&thing(what, to)), count.text.clone())
        }
        [count, what @ ..] if count.has_digit() && (1..=2).contains(&what.len()) => {
            is(topic.attribute(&thing(what, to)), count.text.clone())
        }
        _ => None,
    }
}

/// "She takes metformin 500 mg": the drug is part of the subject, so another dose is a change and another drug is not.
fn taking(topic: &Topic, group: &Group, verb: &str, rest: &[Word]) -> Option<Reading> {
    let takes = verb == "take" && !group.past || group.is && verb == "prescrib";
    let opens = |word: &Word| word.tag == Tag::Determiner || word.tag == Tag::Pronoun || word.has_digit();
    if !takes || topic.name.is_empty() || rest.first().is_none_or(opens) {
        return None;
    }
    let dose = rest.iter().position(Word::has_digit);
    let bare =
        rest.len() <= 2 && rest.iter().all(|w| matches!(w.tag, Tag::Noun | Tag::Name)) && topic.is_person;
    let drug = value(rest.get(..dose.unwrap_or(rest.len()))?).to_lowercase();
    let subject = format!("{}{TAKES}{drug}", topic.name);
    (dose.is_some() || bare).then(|| Reading {
        subject,
        value: value(rest),
        shift: shifted(group),
        arity: Arity::One,
    })
}

/// "The search service listens on port 8001", "Priya owns billing": one value at a time.
fn related(topic: &Topic, group: &Group, verb: &str, rest: &[Word], to: &Pointers) -> Option<Reading> {
    let particle = rest.first().filter(|w| w.is_preposition() || w.is_any(&["over", "up", "after"]));
    let particle = particle.map(|w| w.low.as_str());
    let relation = LEXICON.relation(verb, particle)?;
    if matches!(relation, Relation::Attribute(Some(name)) if name == "name") && !group.is {
        return None;
    }
    let object = rest.get(usize::from(particle.is_some())..)?;
    // Whoever took over has it now.
    let takes_over = matches!(particle, Some("over" | "up" | "on"));
    let (subject, value) = match relation {
        Relation::Owner(_) if group.past && !takes_over => return None,
        Relation::Owner(role) if !group.is && !topic.name.is_empty() => {
            (format!("{} {role}", thing(timeless(object), to)), title(&topic.name))
        }
        Relation::Owner(_) => return None,
        Relation::Attribute(Some(attribute)) => {
            // "listens on port 8001": the attribute is named again before the value.
            let repeats = object.first().is_some_and(|w| w.is(attribute)) && object.len() > 1;
            (topic.attribute(attribute), value(object.get(usize::from(repeats)..)?))
        }
        Relation::Attribute(None) => {
            let does = format!("{verb} {}", particle.unwrap_or_default());
            (format!("{} {}", topic.name, does.trim()).trim().to_owned(), value(object))
        }
    };
    Some(Reading { subject, value, shift: shifted(group), arity: Arity::One })
}

/// "We use Slack for team chat", "we use Postgres": what it is used for, or what kind of thing it is.
fn using(topic: &Topic, group: &Group, verb: &str, rest: &[Word], to: &Pointers) -> Option<Reading> {
    if verb != "use" && verb != "run" && verb != "reli" {
        return None;
    }
    let rest = rest.get(usize::from(rest.first().is_some_and(|w| w.is("on")))..)?;
    let shift = shifted(group);
    let purpose = rest.iter().position(|w| w.is_any(&["for", "as"])).filter(|at| *at > 0 && verb == "use");
    if let Some(at) = purpose.filter(|at| *at + 1 < rest.len()) {
        let subject = topic.attribute(&thing(rest.get(at + 1..)?, to));
        return Some(Reading { subject, value: value(rest.get(..at)?), shift, arity: Arity::Unsure });
    }
    let value = value(rest);
    let kind = LEXICON.kind(&value)?;
    Some(Reading { subject: topic.attribute(kind), value, shift, arity: Arity::Unsure })
}
