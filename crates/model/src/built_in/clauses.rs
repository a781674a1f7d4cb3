//! A sentence cut into clauses, and each clause into subject, verb and what follows.

use super::lexicon::LEXICON;
use super::sentences::{is_finite_verb, strip_opening};
use super::words::{Tag, Word};

#[derive(Debug, Clone, Default)]
pub(super) struct Verb {
    /// The stem of the verb that carries the meaning.
    pub stem: String,
    pub past: bool,
    pub passive: bool,
    pub negated: bool,
    /// "is switching"
    pub progressive: bool,
    /// "has switched"
    pub perfect: bool,
    /// "up" of "get up"
    pub particle: Option<String>,
    /// "used to"
    pub formerly: bool,
}

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

struct Segment {
    joiner: String,
    words: Vec<Word>,
}

pub(super) fn clauses(sentence: &[Word]) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    for mut words in pieces(sentence) {
        strip_opening(&mut words);
        let told = without_doubt(&words);
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
            let telling = phrase.len() > 1 || phrase.first().is_some_and(|w| w.ends_with("ly") || matches!(w.as_str(), "maybe" | "perhaps" | "afaik" | "iirc"));
            telling && rest.len() > phrase.len() && rest.iter().zip(phrase.iter()).all(|(word, p)| word.low == *p)
        });
        let Some(doubt) = doubt else { return rest };
        rest = rest.get(doubt.len()..).unwrap_or_default();
        while rest.first().is_some_and(|w| w.is("that") || w.is_mark()) {
            rest = rest.get(1..).unwrap_or_default();
        }
    }
}

/// Stretches of words that are a clause each, or a fragment without a verb.
fn pieces(sentence: &[Word]) -> Vec<Vec<Word>> {
    let mut pieces: Vec<Vec<Word>> = Vec::new();
    for segment in segments(sentence) {
        if is_reason(&segment.words) {
            continue;
        }
        match pieces.last_mut() {
            Some(last) if belongs_to(last, &segment) => {
                if segment.joiner == "," {
                    last.push(Word::new(",", false));
                } else {
                    last.push(Word::new(&segment.joiner, true));
                }
                last.extend(segment.words);
            }
            _ => pieces.push(segment.words),
        }
    }
    pieces
}

fn segments(sentence: &[Word]) -> Vec<Segment> {
    let mut segments = vec![Segment { joiner: String::new(), words: Vec::new() }];
    let mut depth = 0_i32;
    for (at, word) in sentence.iter().enumerate() {
        match word.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        let next = sentence.get(at + 1);
        let joins = depth <= 0
            && (word.is_any(&[",", "and", "but", "while", "whereas", "because", "so", "—", "–"])
                || (word.is(":") && next.is_some_and(|w| w.spaced))
                || (word.is("-") && word.spaced && next.is_some_and(|w| w.spaced)));
        if joins {
            match segments.last_mut() {
                // ", and" is one joint.
                Some(last) if last.words.is_empty() && !last.joiner.is_empty() => last.joiner.clone_from(&word.low),
                _ => segments.push(Segment { joiner: word.low.clone(), words: Vec::new() }),
            }
        } else if let Some(last) = segments.last_mut() {
            last.words.push(word.clone());
        }
    }
    segments.retain(|s| !s.words.is_empty());
    for segment in &mut segments {
        if segment.joiner == "because" {
            segment.words.insert(0, Word::new("because", true));
        }
    }
    segments
}

fn is_reason(words: &[Word]) -> bool {
    words.first().is_some_and(|w| w.is_any(&["because", "due", "thanks"]))
}

/// The first finite verb; what stands in brackets is no part of the clause.
fn verb_at(words: &[Word]) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, word) in words.iter().enumerate() {
        match word.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 && is_finite_verb(words, at) {
            return Some(at);
        }
    }
    None
}

/// Whether a segment goes on with the piece before it, rather than being a clause or a fragment of its own.
fn belongs_to(last: &[Word], segment: &Segment) -> bool {
    let adjunct = segment.words.first().is_some_and(|w| {
        w.is_any(&["after", "before", "until", "since", "during", "via", "per", "without", "including", "as", "with"])
    });
    if adjunct && verb_at(last).is_some() {
        return true;
    }
    let conjunction = !matches!(segment.joiner.as_str(), "," | "-" | ":");
    match (verb_at(last), verb_at(&segment.words)) {
        (None, Some(_)) => {
            let adjunct = last.first().is_some_and(|w| w.is_preposition() || w.tag == Tag::Adverb || w.is("back"));
            adjunct || (conjunction && !last.iter().any(Word::has_digit))
        }
        (None, None) => conjunction && !last.iter().any(Word::has_digit) && !is_fragment(&segment.words),
        (Some(_), Some(_)) => false,
        (Some(_), None) => {
            if segment.joiner == "-" || segment.joiner == "while" || segment.joiner == "whereas" {
                return false;
            }
            let participle = segment.words.first().is_some_and(|w| w.tag == Tag::Verb && is_past(w));
            !is_fragment(&segment.words) && !is_gapped(last, &segment.words) && !participle
        }
    }
}

/// "firmware 2.7", "worth 140k dollars": a name and then a figure.
fn is_fragment(words: &[Word]) -> bool {
    let first_is_name = words.first().is_some_and(|w| {
        !w.has_digit() && !w.is_preposition() && matches!(w.tag, Tag::Noun | Tag::Adjective | Tag::Name)
            && !w.is_any(&["week", "net", "level", "bed", "room", "type", "version", "build", "june", "july"])
    });
    let figure = words.iter().skip(1).any(|w| w.tag == Tag::Number);
    first_is_name && figure && words.len() <= 5
}

/// "the admin UI on 9001" after "the API listens on port 8443".
fn is_gapped(last: &[Word], words: &[Word]) -> bool {
    let Some(at) = words.iter().position(Word::is_preposition).filter(|at| *at > 0) else { return false };
    let Some(prep) = words.get(at) else { return false };
    let figures = words.iter().any(Word::has_digit);
    figures && last.iter().any(|w| w.low == prep.low)
}

fn clause(words: &[Word], before: Option<&Clause>) -> Clause {
    let mut clause = Clause { words: words.to_vec(), ..Clause::default() };
    let Some(at) = main_verb(words) else {
        fragment(&mut clause, before);
        return clause;
    };
    let (head, tail) = words.split_at(at);
    let (mut verb, used) = verb_group(tail);
    let denied = head.windows(2).any(|w| matches!(w, [a, b] if a.is("no") && b.is("longer")));
    verb.negated |= denied || head.last().is_some_and(|w| w.is_any(&["never", "not"]));
    let head = take_lead(head, &mut clause.lead);
    clause.subject = head.into_iter().filter(|w| w.tag != Tag::Adverb || w.is_capital() && w.text.len() > 3 && at > 1).collect();
    clause.subject.retain(|w| !w.is_any(&["no", "longer", "never", "not", "then", "now", "still", "also", "just", "currently", "already", "which", "who"]));
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
            clause.subject = subject.to_vec();
            clause.verb.clone_from(&before.verb);
            clause.object = object;
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
    let participle = word.tag == Tag::Verb && word.low.ends_with("ed") && first > 0;
    let later = (first + 1..words.len()).find(|at| {
        words.get(*at).is_some_and(|w| w.is_any(&["is", "are", "was", "were", "has", "have", "will"]))
    });
    let by = words.get(first + 1).is_some_and(|w| w.is_any(&["by", "in", "on", "from", "with"]));
    // "Credit hold lifted": of two verbs in a row the second, past one is the verb.
    let second = words.get(first + 1).filter(|w| w.tag == Tag::Verb && is_past(w));
    let noun_before = first > 0 && word.tag == Tag::Verb && !is_past(word) && !word.is_any(&["get", "gets", "got", "keep"]);
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

const PARTICLES: [&str; 8] = ["up", "out", "off", "down", "back", "over", "away", "forward"];

/// The verb with its helpers, and how many words they take.
fn verb_group(words: &[Word]) -> (Verb, usize) {
    let mut verb = Verb::default();
    let mut last: Option<Word> = None;
    let (mut be, mut have, mut used) = (false, false, 0);
    while let Some(word) = words.get(used) {
        let next = words.get(used + 1);
        let joins = match word.tag {
            Tag::Aux => last.as_ref().is_none_or(|l| l.tag == Tag::Aux || l.is_any(&["to", "used"])),
            Tag::Verb => last.as_ref().is_none_or(|l| l.tag == Tag::Aux || l.is("to")) && continues(word, last.as_ref()),
            Tag::Adverb => next.is_some_and(|w| matches!(w.tag, Tag::Verb | Tag::Aux | Tag::Adverb)) || word.is_any(&["not", "never", "no", "longer", "still", "now", "always", "already", "usually", "also", "currently"]),
            _ => word.is("to") && next.is_some_and(|w| matches!(w.tag, Tag::Verb | Tag::Aux))
                && last.as_ref().is_some_and(|l| l.is_any(&["used", "going", "have", "has", "had", "want", "wants", "plan", "plans", "planning", "intend", "intends", "hope", "hopes", "need", "needs", "expected", "scheduled", "about", "aim", "aims"])),
        };
        if !joins {
            break;
        }
        match word.tag {
            Tag::Adverb => verb.negated |= word.is_any(&["not", "never"]) || (word.is("longer") && words.get(used.wrapping_sub(1)).is_some_and(|w| w.is("no"))),
            Tag::Aux | Tag::Verb => {
                be |= LEXICON.verb(&word.low) == "be";
                have |= LEXICON.verb(&word.low) == "have";
                verb.past |= last.as_ref().is_none_or(|l| l.tag != Tag::Aux) && is_past(word) && !(next.is_some_and(|w| w.is("to")) && word.is_any(&["expected", "scheduled", "due"]));
                verb.formerly |= word.is("used") && next.is_some_and(|w| w.is("to"));
                verb.negated |= word.is("cannot");
                last = Some(word.clone());
            }
            _ => last = Some(word.clone()),
        }
        used += 1;
    }
    if let Some(word) = &last {
        verb.stem = LEXICON.verb(&word.low);
        let lexical = word.tag == Tag::Verb && verb.stem != "be" && verb.stem != "have";
        verb.progressive = lexical && be && word.low.ends_with("ing");
        verb.passive = lexical && be && !word.low.ends_with("ing");
        verb.perfect = have && lexical;
        if verb.perfect {
            verb.past = false;
        }
    }
    used += leads_on(&mut verb, words.get(used..).unwrap_or_default());
    if verb.stem != "be"
        && let Some(word) = words.get(used).filter(|w| PARTICLES.contains(&w.low.as_str()))
    {
        verb.particle = Some(word.low.clone());
        used += 1;
    }
    (verb, used)
}

/// "Finished migrating", "got moved", "decided to switch": the second verb is what is said.
fn leads_on(verb: &mut Verb, rest: &[Word]) -> usize {
    let leads = matches!(verb.stem.as_str(), "finish" | "complet" | "start" | "begin" | "get" | "decid" | "end" | "agre" | "manag");
    if !leads {
        return 0;
    }
    let skipped = rest.iter().take_while(|w| w.is_any(&["to", "up", "just", "finally", "all"])).count();
    let Some(next) = rest.get(skipped) else { return 0 };
    let fits = next.tag == Tag::Verb && (skipped > 0 || next.low.ends_with("ing") || is_past(next));
    if !fits {
        return 0;
    }
    verb.passive = verb.stem == "get" && !next.low.ends_with("ing");
    verb.stem = LEXICON.verb(&next.low);
    skipped + 1
}

/// After "is" a participle belongs to the verb only if it is none of a noun that follows.
fn continues(word: &Word, last: Option<&Word>) -> bool {
    last.is_none() || word.tag == Tag::Verb
}

fn is_past(word: &Word) -> bool {
    word.is_any(&["was", "were", "had", "did", "used"])
        || (word.tag == Tag::Verb && (word.low.ends_with("ed") || is_irregular_past(&word.low)))
}

fn is_irregular_past(low: &str) -> bool {
    LEXICON.is_irregular_verb(low) && !low.ends_with("es") && !low.ends_with("ing") && LEXICON.verb(low) != "be"
        && LEXICON.verb(low) != "have" && !matches!(low, "goes" | "does")
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
        let opens = depth == 0 && word.is_preposition() && at + 1 < words.len() && !about
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
