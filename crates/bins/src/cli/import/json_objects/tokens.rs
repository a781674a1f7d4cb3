//! The signs and words of JSON, read from the beginning of a text or from its end. What is none is bad, and costs no more
//! than its line.

use serde::de::IgnoredAny;

/// Why an object is not looked at.
pub(super) const TOO_DEEP: &str = "it is too deep within other objects to be looked at";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bracket {
    Object,
    List,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Open(Bracket),
    Close(Bracket),
    Comma,
    Colon,
    Text,
    /// A number, `true`, `false` or `null`.
    Scalar,
    Bad,
}

#[derive(Debug, Clone, Copy)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

pub fn from_start(text: &str) -> Vec<Token> {
    let (mut tokens, mut start) = (Vec::new(), 0);
    while let Some(rest) = text.get(start..) {
        let Some(first) = rest.chars().next() else { break };
        let (kind, bytes) = match first {
            ' ' | '\t' | '\r' | '\n' => (None, 1),
            '"' => {
                let (kind, bytes) = string_bytes(rest);
                (Some(kind), bytes)
            }
            _ if sign(first).is_some() => (sign(first), 1),
            _ => {
                let bytes = rest.find(ends_word).unwrap_or(rest.len());
                (Some(word(rest.get(..bytes).unwrap_or_default())), bytes)
            }
        };
        tokens.extend(kind.map(|kind| Token { kind, start, end: start + bytes }));
        start += bytes;
    }
    tokens
}

/// In the order in which they are met, the last one first. Behind damage this knows where a string begins, which the
/// other direction does not.
pub fn from_end(text: &str) -> Vec<Token> {
    let (mut tokens, mut end) = (Vec::new(), text.len());
    while let Some(rest) = text.get(..end) {
        let Some(last) = rest.chars().next_back() else { break };
        let (kind, start) = match last {
            ' ' | '\t' | '\r' | '\n' => (None, end - 1),
            '"' => {
                let (kind, start) = string_start(rest);
                (Some(kind), start)
            }
            _ if sign(last).is_some() => (sign(last), end - 1),
            _ => {
                let before = rest.char_indices().rev().find(|(_, c)| ends_word(*c));
                let start = before.map_or(0, |(at, c)| at + c.len_utf8());
                (Some(word(rest.get(start..).unwrap_or_default())), start)
            }
        };
        tokens.extend(kind.map(|kind| Token { kind, start, end }));
        end = start;
    }
    tokens
}

fn sign(c: char) -> Option<Kind> {
    Some(match c {
        '{' => Kind::Open(Bracket::Object),
        '}' => Kind::Close(Bracket::Object),
        '[' => Kind::Open(Bracket::List),
        ']' => Kind::Close(Bracket::List),
        ',' => Kind::Comma,
        ':' => Kind::Colon,
        _ => return None,
    })
}

fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '"') || sign(c).is_some()
}

fn word(text: &str) -> Kind {
    if serde_json::from_str::<IgnoredAny>(text).is_ok() { Kind::Scalar } else { Kind::Bad }
}

/// The string at the beginning, with its quotes. No string of JSON goes on over the end of a line.
fn string_bytes(text: &str) -> (Kind, usize) {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return (Kind::Bad, at),
            '"' if !is_escaped => return (Kind::Text, at + 1),
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    (Kind::Bad, text.len())
}

/// Where the string at the end begins.
fn string_start(text: &str) -> (Kind, usize) {
    let inside = text.get(..text.len() - 1).unwrap_or_default();
    let mut end = inside.len();
    // No further than to what ends it: the line may be the whole file.
    while let Some(at) = inside.get(..end).and_then(|part| part.rfind(['"', '\n'])) {
        let before = inside.get(..at).unwrap_or_default();
        if inside.get(at..).is_some_and(|rest| rest.starts_with('\n')) {
            return (Kind::Bad, at + 1);
        }
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        if backslashes % 2 == 0 {
            return (Kind::Text, at);
        }
        end = at;
    }
    (Kind::Bad, 0)
}
