//! A sentence cut into clauses, and each clause into subject, verb and what follows.

use super::lexicon::LEXICON;
use super::pieces::{pieces, verb_at};
use super::sentences::strip_opening;
use super::verb_group::{is_past, verb_group};
use super::words::{Tag, Word};

pub(super) use super::verb_group::Verb;

/// A preposition with its words.
#[derive(Debug, Clone)]
pub(super) struct Adjunct {
    pub prep: String,
    pub words: Vec<Word>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Clause {
    /// All its words.
    pub words: Vec<Word>,
    /// Adjuncts before the subject: "In staging".
    pub lead: Vec<Adjunct>,
    pub subject: Vec<Word>,
    pub verb: Option<Verb>,
    pub object: Vec<Word>,
    pub adjuncts: Vec<Adjunct>,
    /// Whether the subject was taken over from the clause before.
    pub inherited: bool,
}

pub(super) fn clauses(sentence: &[Word]) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    for mut words in pieces(sentence) {
        strip_opening(&mut words);
        let told = without_speaker(without_doubt(&words));
        let clause = Clause { words: words.clone(), ..clause(told, clauses.last()) };
        if !clause.words.is_empty() {
            clauses.push(clause);
        }
    }
    clauses
}

/// What is thought or heard, without the words that say so: "I think that", "apparently".
fn without_doubt(words: &[Word]) -> &[Word] {
    let mut rest = words;
    loop {
        let doubt = LEXICON.hedges.iter().find(|phrase| {
            let telling = phrase.len() > 1
                || phrase.first().is_some_and(|w| {
                    w.ends_with("ly") || matches!(w.as_str(), "maybe" | "perhaps" | "afaik" | "iirc")
                });
            telling
                && rest.len() > phrase.len()
                && rest.iter().zip(phrase.iter()).all(|(word, p)| word.low == *p)
        });
        let Some(doubt) = doubt else { return rest };
        rest = rest.get(doubt.len()..).unwrap_or_default();
        while rest.first().is_some_and(|w| w.is("that") || w.is_mark()) {
            rest = rest.get(1..).unwrap_or_default();
        }
    }
}

/// "The user says she uses Edge": what is said counts, not that it was said.
fn without_speaker(words: &[Word]) -> &[Word] {
    let says = words.iter().take(6).position(|w| {
        w.is_any(&[
            "says",
            "said",
            "confirmed",
            "confirms",
            "mentioned",
            "reports",
            "reported",
            "told",
            "tells",
            "writes",
            "wrote",
        ])
    });
    let Some(at) = says.filter(|at| *at > 0) else { return words };
    let rest = words.get(at + 1..).unwrap_or_default();
    let skip = rest.iter().take_while(|w| w.is_any(&["that", "me", "us", ",", ":"])).count();
    let clause = rest.get(skip..).unwrap_or_default();
    let own_verb = verb_at(clause).is_some_and(|at| at > 0);
    if own_verb { clause } else { words }
}

/// "It is Nadia who signs" says that Nadia signs.
fn without_cleft(words: &[Word]) -> Vec<Word> {
    let it =
        words.windows(2).take(6).position(|w| matches!(w, [a, b] if a.is("it") && b.is_any(&["is", "was"])));
    let Some(at) = it else { return words.to_vec() };
    let who =
        words.iter().enumerate().skip(at + 3).find(|(_, w)| w.is_any(&["who", "that"])).map(|(at, _)| at);
    let Some(who) = who.filter(|who| verb_at(words.get(who + 1..).unwrap_or_default()) == Some(0)) else {
        return words.to_vec();
    };
    let kept = |place: &usize| *place != at && *place != at + 1 && *place != who;
    words.iter().enumerate().filter(|(place, _)| kept(place)).map(|(_, w)| w.clone()).collect()
}

fn tells_where(word: &Word) -> bool {
    word.is_any(&["upstairs", "downstairs", "indoors", "outdoors", "inside", "outside"])
}

fn clause(words: &[Word], before: Option<&Clause>) -> Clause {
    let words: &[Word] = &without_cleft(words);
    let mut clause = Clause { words: words.to_vec(), ..Clause::default() };
    let no_more = matches!(words, [no, more, ..] if no.is("no") && more.is("more"));
    let Some(at) = main_verb(words).filter(|_| !no_more) else {
        fragment(&mut clause, before);
        return clause;
    };
    let (head, tail) = words.split_at(at);
    let (mut verb, used) = verb_group(tail);
    let denied = head.windows(2).any(|w| matches!(w, [a, b] if a.is("no") && b.is("longer")));
    verb.negated |= denied || head.last().is_some_and(|w| w.is_any(&["never", "not"]));
    let head = take_lead(head, &mut clause.lead);
    for word in head {
        let is_name = word.is_capital() && word.text.len() > 3 && at > 1;
        // "The heating upstairs"
        let is_there = tells_where(&word) && clause.subject.last().is_some_and(|w| w.tag == Tag::Noun);
        if word.tag != Tag::Adverb || is_name || is_there {
            clause.subject.push(word);
        }
    }
    clause.subject.retain(|w| {
        !w.is_any(&[
            "no",
            "longer",
            "never",
            "not",
            "then",
            "now",
            "still",
            "also",
            "just",
            "currently",
            "already",
            "which",
            "who",
        ])
    });
    if clause.subject.is_empty()
        && let Some(before) = before
    {
        clause.subject.clone_from(&before.subject);
        clause.inherited = true;
    }
    clause.verb = Some(verb);
    let (object, adjuncts) = complement(tail.get(used..).unwrap_or_default());
    clause.object = object;
    clause.adjuncts = adjuncts;
    settle_participle(&mut clause, at);
    clause
}

/// "Built with `make`" and "Anticoagulated with apixaban" say what is, not what happened.
fn settle_participle(clause: &mut Clause, at: usize) {
    let bare = at == 0 && clause.object.is_empty() && !clause.adjuncts.is_empty();
    let to = clause.adjuncts.first().is_some_and(|a| matches!(a.prep.as_str(), "to" | "into" | "from"));
    if let Some(verb) = clause.verb.as_mut().filter(|v| bare && v.past && !v.passive && !to) {
        verb.passive = true;
        verb.past = false;
    }
}

fn fragment(clause: &mut Clause, before: Option<&Clause>) {
    if let Some(before) = before.filter(|b| b.verb.is_some())
        && let Some(at) = clause.words.iter().position(Word::is_preposition).filter(|at| *at > 0)
    {
        let (subject, rest) = clause.words.split_at(at);
        let (object, adjuncts) = complement(rest);
        let same = adjuncts.first().is_some_and(|a| before.adjuncts.iter().any(|b| b.prep == a.prep));
        if same {
            // "14 days in staging and 90 days in production": the same thing elsewhere.
            let figures = |words: &[Word]| words.iter().any(Word::has_digit);
            let elsewhere = figures(subject) && figures(&before.object);
            clause.verb.clone_from(&before.verb);
            if elsewhere {
                clause.subject.clone_from(&before.subject);
                clause.object = subject.to_vec();
            } else {
                clause.subject = subject.to_vec();
                clause.object = object;
            }
            clause.adjuncts = adjuncts;
            return;
        }
    }
    clause.object.clone_from(&clause.words);
}

/// The finite verb of the clause. A participle behind its noun gives way to the verb of the clause: "the sites
/// affected by the outage are".
fn main_verb(words: &[Word]) -> Option<usize> {
    let first = verb_at(words)?;
    let word = words.get(first)?;
    // "Repeat potassium 4.9" is a measurement, not an order.
    let measured = words.get(first + 1).is_some_and(|w| w.tag == Tag::Noun)
        && words.get(first + 2).is_some_and(|w| w.tag == Tag::Number);
    if first == 0 && measured && word.tag == Tag::Verb && !is_past(word) {
        return None;
    }
    let participle = word.tag == Tag::Verb && word.low.ends_with("ed") && first > 0;
    let later = (first + 1..words.len()).find(|at| {
        words.get(*at).is_some_and(|w| w.is_any(&["is", "are", "was", "were", "has", "have", "will"]))
    });
    let by = words.get(first + 1).is_some_and(|w| w.is_any(&["by", "in", "on", "from", "with"]));
    // "The retry limit is 3": a bare form before "is" is a noun.
    let order = first == 0
        && word
            .is_any(&["make", "call", "let", "tell", "use", "run", "keep", "set", "send", "check", "reply"]);
    let bare_form = !order && word.tag == Tag::Verb && !is_past(word) && !word.low.ends_with('s');
    let plural_before = first
        .checked_sub(1)
        .and_then(|at| words.get(at))
        .is_some_and(|w| w.tag == Tag::Pronoun || w.low.ends_with('s'));
    let plain_later = later.filter(|at| {
        !words.get(first..*at).unwrap_or_default().iter().any(|w| w.is_any(&[",", "that", "which"]))
    });
    if bare_form && !plural_before && plain_later.is_some() {
        return plain_later;
    }
    // "Credit hold lifted": of two verbs in a row the second, past one is the verb.
    let second = words.get(first + 1).filter(|w| w.tag == Tag::Verb && is_past(w));
    let noun_before =
        first > 0 && word.tag == Tag::Verb && !is_past(word) && !word.is_any(&["get", "gets", "got", "keep"]);
    match later {
        Some(later) if participle && by => Some(later),
        _ if noun_before && second.is_some() => Some(first + 1),
        _ => Some(first),
    }
}

/// Takes "In staging" and "After the meeting," from the front.
fn take_lead(head: &[Word], lead: &mut Vec<Adjunct>) -> Vec<Word> {
    let mut rest = head.to_vec();
    while rest.first().is_some_and(|w| w.is_preposition() || w.is("back")) {
        let comma = rest.iter().position(|w| w.is(","));
        let end = comma.unwrap_or_else(|| subject_start(&rest));
        let taken: Vec<Word> = rest.drain(..end.min(rest.len())).collect();
        if rest.first().is_some_and(|w| w.is(",")) {
            rest.remove(0);
        }
        let mut taken = taken.into_iter();
        let Some(prep) = taken.next() else { break };
        let words: Vec<Word> = taken.collect();
        if words.is_empty() {
            break;
        }
        lead.push(Adjunct { prep: prep.low, words });
    }
    rest
}

/// Without a comma, the subject begins at the next determiner or pronoun, or else at the last two words.
fn subject_start(words: &[Word]) -> usize {
    let opens = |w: &Word| matches!(w.tag, Tag::Determiner | Tag::Pronoun);
    let from = if words.get(1).is_some_and(opens) { 3 } else { 2 };
    let found = words.iter().enumerate().skip(from).find(|(_, w)| opens(w)).map(|(at, _)| at);
    found.unwrap_or_else(|| if words.len() > from { from.max(words.len() - 2) } else { words.len() })
}

/// What follows the verb: the object up to the first preposition, then each preposition with its words.
pub(super) fn complement(words: &[Word]) -> (Vec<Word>, Vec<Adjunct>) {
    let mut object = Vec::new();
    let mut adjuncts: Vec<Adjunct> = Vec::new();
    let mut depth = 0_i32;
    let loose = words.iter().take_while(|w| w.tag == Tag::Adverb).count();
    let words = match words.get(loose) {
        Some(word) if word.is_preposition() => words.get(loose..).unwrap_or_default(),
        _ => words,
    };
    for (at, word) in words.iter().enumerate() {
        match word.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        let about = word.is_any(&["about", "around", "over", "under", "per"]);
        let opens = depth == 0
            && word.is_preposition()
            && at + 1 < words.len()
            && !about
            && word.tag == Tag::Preposition;
        if opens {
            adjuncts.push(Adjunct { prep: word.low.clone(), words: Vec::new() });
        } else if let Some(last) = adjuncts.last_mut() {
            last.words.push(word.clone());
        } else {
            object.push(word.clone());
        }
    }
    (object, adjuncts)
}
