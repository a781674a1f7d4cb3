//! A sentence cut into stretches of words that are a clause each, or a fragment without a verb.

use super::sentences::is_finite_verb;
use super::verb_group::is_past;
use super::words::{Tag, Word};

struct Segment {
    joiner: String,
    words: Vec<Word>,
}

/// Stretches of words that are a clause each, or a fragment without a verb.
pub(super) fn pieces(sentence: &[Word]) -> Vec<Vec<Word>> {
    let mut pieces: Vec<Vec<Word>> = Vec::new();
    for segment in with_subjects(segments(sentence)) {
        if is_reason(&segment) {
            // A reason that brings a name or a figure is worth keeping, with what it is the reason of.
            let telling = |w: &Word| w.tag == Tag::Name || w.has_digit() || is_number_word(w);
            if let Some(last) = pieces.last_mut().filter(|_| segment.words.iter().any(telling)) {
                last.push(Word::new(",", false));
                last.extend(segment.words);
            }
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

fn is_number_word(word: &Word) -> bool {
    word.tag == Tag::Number
        || super::stem::stems(&word.low).iter().any(|s| s.starts_with(|c: char| c.is_ascii_digit()))
}

/// "Fenna, their eldest, walks my dog": a name that commas have cut off its verb gets it back.
fn with_subjects(segments: Vec<Segment>) -> Vec<Segment> {
    let nominal = |s: &Segment| {
        verb_at(&s.words).is_none() && s.words.iter().any(|w| matches!(w.tag, Tag::Noun | Tag::Name))
    };
    let goes_on = |s: &Segment| {
        let bare = s.words.iter().take_while(|w| w.tag == Tag::Adverb).count();
        s.joiner == ","
            && verb_at(&s.words) == Some(bare)
            && !s.words.iter().skip(bare).take(1).any(|w| w.is("let"))
    };
    let mut joined: Vec<Segment> = Vec::new();
    let mut rest = segments.into_iter().peekable();
    while let Some(mut segment) = rest.next() {
        // "Whenever Leticia is stuck, she turns to Bram" is one thought.
        let circumstance =
            segment.words.first().is_some_and(|w| w.is_any(&["when", "whenever", "as", "once", "while"]));
        if joined.is_empty()
            && circumstance
            && verb_at(&segment.words).is_some()
            && let Some(more) = rest.next_if(|s| s.joiner == "," && verb_at(&s.words).is_some())
        {
            segment.words.push(Word::new(",", false));
            segment.words.extend(more.words);
            joined.push(segment);
            continue;
        }
        let opens =
            joined.is_empty() || matches!(segment.joiner.as_str(), "and" | "but" | "while" | "whereas");
        if !opens || !nominal(&segment) {
            joined.push(segment);
            continue;
        }
        let aside = rest.next_if(|s| s.joiner == "," && verb_at(&s.words).is_none() && s.words.len() <= 5);
        match (aside, rest.next_if(|s| goes_on(s))) {
            (Some(aside), Some(more)) => {
                segment.words.push(Word::new("(", true));
                segment.words.extend(aside.words);
                segment.words.push(Word::new(")", false));
                segment.words.extend(more.words);
                joined.push(segment);
            }
            (None, Some(more)) => {
                segment.words.extend(more.words);
                joined.push(segment);
            }
            (aside, None) => {
                joined.push(segment);
                joined.extend(aside);
            }
        }
    }
    joined
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
        if depth <= 0 && at > 0 && is_subordinate(word, sentence.get(at + 1..).unwrap_or_default()) {
            segments.push(Segment { joiner: "because".to_owned(), words: vec![word.clone()] });
        } else if joins {
            match segments.last_mut() {
                // ", and" is one joint.
                Some(last) if last.words.is_empty() && !last.joiner.is_empty() => {
                    last.joiner.clone_from(&word.low)
                }
                _ => segments.push(Segment { joiner: word.low.clone(), words: Vec::new() }),
            }
        } else if let Some(last) = segments.last_mut() {
            last.words.push(word.clone());
        }
    }
    segments.retain(|s| !s.words.is_empty());
    segments
}

/// "As checkout is broken", "since they moved": a clause that only says why or when.
fn is_subordinate(word: &Word, rest: &[Word]) -> bool {
    let own: Vec<Word> =
        rest.iter().take_while(|w| !w.is_mark() && !w.is_any(&["and", "but"])).cloned().collect();
    word.is_any(&["as", "since", "when", "although", "though"])
        && verb_at(&own).is_some_and(|at| at > 0 && at <= 4)
        && !own.first().is_some_and(|w| w.is_any(&["of", "a", "an"]))
}

fn is_reason(segment: &Segment) -> bool {
    segment.joiner == "because"
        || segment.words.first().is_some_and(|w| w.is_any(&["because", "due", "thanks"]))
}

/// The first finite verb; what stands in brackets is no part of the clause.
pub(super) fn verb_at(words: &[Word]) -> Option<usize> {
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
        w.is_any(&[
            "after",
            "before",
            "until",
            "since",
            "during",
            "via",
            "per",
            "without",
            "including",
            "as",
            "with",
        ])
    });
    // "Kotlin, which is what ships today": more on what was just said.
    let relative =
        segment.words.first().is_some_and(|w| w.is_any(&["which", "who", "whose", "whom", "where"]));
    if (adjunct || relative) && verb_at(last).is_some() {
        return true;
    }
    let onward = segment.words.first().is_some_and(|w| w.is_any(&["to", "into", "onto"]));
    if onward && verb_at(last).is_some() {
        return true;
    }
    let conjunction = !matches!(segment.joiner.as_str(), "," | "-" | ":");
    match (verb_at(last), verb_at(&segment.words)) {
        (None, Some(_)) => {
            let adjunct =
                last.first().is_some_and(|w| w.is_preposition() || w.tag == Tag::Adverb || w.is("back"));
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
        !w.has_digit()
            && !w.is_preposition()
            && matches!(w.tag, Tag::Noun | Tag::Adjective | Tag::Name)
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
