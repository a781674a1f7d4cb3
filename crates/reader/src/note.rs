//! Notes: sentences kept as they were told. A note is an event; it replaces nothing, and nothing replaces it.

use crate::dates::resolved;
use crate::segment::{Segment, SegmentKind};
use crate::stem::is_empty_word;
use crate::words::words;
use domain::words::{Boundary, split_words};
use domain::{Action, RawFact, limits};
use jiff::civil::Date;

/// The length of a note. A longer text becomes several, so each can be found by what it says.
const NOTE_BYTES: usize = 1200;
/// The most notes of one statement; the rest of its facts are for what was read.
const NOTES: usize = limits::FACTS_PER_STATEMENT - 8;
/// How many words the subject of a note has.
const CALLED: usize = 6;

pub(crate) fn notes(kept: &[Segment<'_>], day: Date) -> Vec<RawFact> {
    let whole: usize = kept.iter().map(|segment| segment.text.len() + 1).sum();
    let most = NOTE_BYTES.max(whole / NOTES + NOTE_BYTES / 2).min(limits::VALUE_BYTES - 512);
    let mut notes: Vec<Note<'_>> = Vec::new();
    for segment in kept {
        for piece in pieces(segment.text, most) {
            let fits =
                |note: &&mut Note<'_>| note.speaker == segment.speaker && note.bytes() + piece.len() < most;
            match notes.last_mut().filter(fits) {
                Some(note) => note.texts.push((piece, segment.kind)),
                None => notes.push(Note { speaker: segment.speaker, texts: vec![(piece, segment.kind)] }),
            }
        }
    }
    notes.iter().map(|note| note.fact(day)).collect()
}

struct Note<'a> {
    speaker: Option<&'a str>,
    texts: Vec<(&'a str, SegmentKind)>,
}

impl Note<'_> {
    fn bytes(&self) -> usize {
        self.texts.iter().map(|(text, _)| text.len() + 1).sum()
    }

    fn fact(&self, day: Date) -> RawFact {
        let mut text = self.texts.iter().map(|(text, _)| text.trim()).collect::<Vec<_>>().join(" ");
        if self.texts.iter().any(|(_, kind)| *kind == SegmentKind::Block) {
            text = self.texts.iter().map(|(text, _)| text.trim_end()).collect::<Vec<_>>().join("\n");
        }
        let subject = called(self.speaker, &text);
        let prose = self.texts.iter().filter(|(_, kind)| *kind == SegmentKind::Sentence);
        let days: Vec<String> = prose.flat_map(|(text, _)| resolved(&words(text), day)).collect();
        let value = if days.is_empty() { text } else { format!("{text} [{}]", days.join(", ")) };
        RawFact {
            subject: Some(subject),
            value: Some(value),
            kind: Some("event".to_owned()),
            time_ref: Some("current".to_owned()),
            action: Some(Action::Add.word().to_owned()),
            confidence: Some(KEPT),
            reason: Some("kept as it was told".to_owned()),
            ..RawFact::default()
        }
    }
}

/// It is certain that it was said; what follows from it is up to the reader.
const KEPT: f64 = 0.9;

/// Pieces of a long text, cut at white space.
fn pieces(text: &str, most: usize) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while rest.len() > most {
        let mut end = most;
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let head = rest.get(..end).unwrap_or(rest);
        let end = head.rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(head.len());
        let (piece, after) = rest.split_at(end);
        found.push(piece);
        rest = after.trim_start();
    }
    if !rest.trim().is_empty() {
        found.push(rest);
    }
    found
}

/// The first telling words, with who said them.
pub(crate) fn called(speaker: Option<&str>, text: &str) -> String {
    // "I'm", "we've" and "they're" tell as little as what they are contracted of.
    let telling = |word: &&str| {
        let (base, ending) = word.split_once(['\'', '’']).unwrap_or((word, ""));
        !is_empty_word(word) && word.len() > 1 && (ending.is_empty() || ending == "t" || !is_empty_word(base))
    };
    let low = text.to_lowercase();
    let words: Vec<&str> = split_words(&low, Boundary::NotHyphenated)
        .map(|word| word.trim_matches(['\'', '’', '-']))
        .filter(telling)
        .take(CALLED)
        .collect();
    let name = if words.is_empty() {
        low.split_whitespace().take(CALLED).collect::<Vec<_>>().join(" ")
    } else {
        words.join(" ")
    };
    let name: String = name.chars().take(120).collect();
    match speaker {
        Some(speaker) => format!("{}: {name}", speaker.to_lowercase()),
        None => name,
    }
}
