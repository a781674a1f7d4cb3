//! A statement cut once: who speaks, what is prose and what is not, and where its sentences end.

use crate::lexicon::LEXICON;
use crate::tagging::is_known;
use crate::word::Tag;
use crate::words::words;
use domain::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use prose::{order_to_keep, sentences_of_line};

/// A stretch of a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment<'a> {
    pub text: &'a str,
    pub kind: SegmentKind,
    /// The speaker, if the line begins with a name.
    pub speaker: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SegmentKind {
    Sentence,
    /// Code, a log, a table: kept whole and unread.
    Block,
}

#[derive(Debug)]
pub(crate) struct Cut<'a> {
    pub segments: Vec<Segment<'a>>,
    /// The day on which it was said: the one at its head, or else today.
    pub day: Date,
}

pub(crate) fn cut(statement: &str, now: Timestamp) -> Cut<'_> {
    let (told_on, statement) = dated(statement);
    let day = told_on.unwrap_or_else(|| now.to_zoned(TimeZone::UTC).date());
    let mut segments: Vec<Segment<'_>> = Vec::new();
    let mut speaker = None;
    let mut fenced = false;
    for line in statement.lines() {
        let fence = line.trim_start().starts_with("```");
        if fence || fenced || is_unread(line) {
            fenced ^= fence;
            push_block(&mut segments, statement, line, speaker);
            continue;
        }
        let (said_by, rest) = spoken(line);
        speaker = said_by.or(speaker);
        let text = rest.trim_start_matches(['*', '•', '·', '-', '>', ' ', '\t']);
        let told = sentences_of_line(text).into_iter().filter(|text| text.contains(char::is_alphanumeric));
        let told = told.map(|text| order_to_keep(text).unwrap_or(text));
        segments.extend(told.map(|text| Segment { text, kind: SegmentKind::Sentence, speaker }));
    }
    Cut { segments, day }
}

/// Lines of code that follow each other are one block.
fn push_block<'a>(
    segments: &mut Vec<Segment<'a>>,
    statement: &'a str,
    line: &'a str,
    speaker: Option<&'a str>,
) {
    let start = offset(statement, line);
    if let Some(last) = segments.last_mut().filter(|last| last.kind == SegmentKind::Block) {
        let first = offset(statement, last.text);
        last.text = statement.get(first..start + line.len()).unwrap_or(last.text);
    } else if !line.trim().is_empty() {
        segments.push(Segment { text: line, kind: SegmentKind::Block, speaker });
    }
}

/// Where a part of a text begins in it.
fn offset(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

/// "[2023-05-08] Ann: …": the day at the head of a statement.
fn dated(statement: &str) -> (Option<Date>, &str) {
    let open = statement.trim_start().trim_start_matches(['[', '(']);
    let day = open.get(..10).and_then(|day| day.parse::<Date>().ok());
    match day {
        Some(day) => {
            let rest = open.get(10..).unwrap_or_default();
            // The time of day, if there is one, is not needed.
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || ":T.Z+ ])".contains(c));
            (Some(day), rest)
        }
        None => (None, statement),
    }
}

/// Labels that open a line and name nobody.
const LABELS: [&str; 14] = [
    "correction",
    "update",
    "note",
    "fyi",
    "reminder",
    "todo",
    "ps",
    "re",
    "subject",
    "summary",
    "question",
    "answer",
    "warning",
    "error",
];

/// "Ann Lee: …": who speaks, and what. "Budget: 5000" names nobody.
fn spoken(line: &str) -> (Option<&str>, &str) {
    const NAME_WORDS: usize = 3;
    let Some((head, rest)) = line.split_once(": ") else { return (None, line) };
    let name = head.trim().trim_matches(['*', '<', '>', '[', ']']);
    let parts: Vec<&str> = name.split_whitespace().collect();
    let capital = |word: &&str| word.starts_with(char::is_uppercase);
    let named = (1..=NAME_WORDS).contains(&parts.len()) && parts.iter().all(capital);
    if !named || name.len() > 40 || LABELS.contains(&name.to_lowercase().as_str()) {
        return (None, line);
    }
    let roles = ["user", "assistant", "human", "agent", "customer", "system", "support", "bot"];
    let is_role = parts.iter().any(|word| roles.contains(&word.to_lowercase().as_str()));
    // A word that the tagger knows, or the name of something that has values, is a label, unless what follows is
    // somebody's speech.
    let knows = |word: &&str| {
        let low = word.to_lowercase();
        is_known(&low)
            || low.strip_suffix("ies").is_some_and(|base| is_known(&format!("{base}y")))
            || low.strip_suffix('s').is_some_and(is_known)
    };
    let is_strange = !parts.iter().any(knows) && LEXICON.attribute(name).is_none();
    let speech = words(rest);
    let speaks = speech.iter().any(|w| w.is_any(&["i", "my", "we", "you", "me", "our", "your", "us", "it"]));
    let is_sentence = speech.iter().any(|word| matches!(word.tag, Tag::Aux | Tag::Verb));
    if is_role || is_strange || (speaks && is_sentence) { (Some(name), rest) } else { (None, line) }
}

/// Code, a line of a log, a row of a table: too many signs between the words, or the shape of one.
fn is_unread(line: &str) -> bool {
    let line = line.trim();
    let length = line.chars().count();
    if length < 4 {
        return false;
    }
    // "Test command: `go test ./...`" names what it quotes.
    let is_quoted =
        |rest: &str| rest.starts_with('`') && rest.ends_with('`') && rest.matches('`').count() == 2;
    let names = |name: &str| LEXICON.attribute(name).is_some();
    if line.split_once(": ").is_some_and(|(name, rest)| names(name) && is_quoted(rest.trim())) {
        return false;
    }
    let signs = line.chars().filter(|c| "{}[]<>;=|\\$#_/&*~^`".contains(*c)).count();
    let bars = line.matches('|').count();
    let closes = line.ends_with([';', '{', '}']) || line.ends_with("=>") || line.ends_with(");");
    let levels =
        [" ERROR ", " WARN ", " INFO ", " DEBUG ", " FATAL ", "[ERROR]", "[WARN]", "[INFO]", "[DEBUG]"];
    let logs = levels.iter().any(|level| line.contains(level))
        && line.starts_with(|c: char| c.is_ascii_digit() || c == '[');
    let traces =
        line.starts_with("at ") && line.contains('(') && line.contains('.') || line.starts_with("Traceback ");
    let prose = line
        .split_whitespace()
        .filter(|w| w.chars().all(|c| c.is_alphabetic() || ",.!?'’-".contains(c)))
        .count();
    let few_words = prose * 2 < line.split_whitespace().count();
    bars >= 2
        || logs
        || traces
        || signs * 8 > length
        || (closes && signs * 16 > length)
        || (signs >= 3 && few_words)
}

/// The speaker's own name for themselves: "user", unless a line or the source names somebody.
pub(crate) fn me(speaker: Option<&str>, source: Option<&str>) -> String {
    let is_person =
        |name: &&str| name.starts_with(char::is_uppercase) && name.split_whitespace().count() <= 3;
    let named = speaker.or(source.filter(is_person)).map(str::to_lowercase);
    named.filter(|name| !["user", "human", "customer"].contains(&name.as_str())).unwrap_or("user".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{SegmentKind, cut};
    use jiff::Timestamp;

    fn texts(statement: &str) -> Vec<(Option<&str>, &str)> {
        let found = cut(statement, Timestamp::UNIX_EPOCH);
        found.segments.into_iter().map(|segment| (segment.speaker, segment.text)).collect()
    }

    #[test]
    fn a_name_before_a_line_is_its_speaker() {
        assert_eq!(texts("Maya: I moved. Twice!"), [(Some("Maya"), "I moved."), (Some("Maya"), "Twice!")]);
        assert_eq!(texts("Budget: 5000"), [(None, "Budget: 5000")]);
        assert_eq!(texts("Allergies: latex, iodine."), [(None, "Allergies: latex, iodine.")]);
        assert_eq!(texts("[2023-05-08] Melanie: Hey there!"), [(Some("Melanie"), "Hey there!")]);
    }

    #[test]
    fn abbreviations_and_figures_end_no_sentence() {
        assert_eq!(
            texts("Dr. Lee has 3.5 days. She said no."),
            [(None, "Dr. Lee has 3.5 days."), (None, "She said no.")]
        );
        assert_eq!(texts("Well... maybe. OK"), [(None, "Well... maybe."), (None, "OK")]);
    }

    #[test]
    fn code_and_logs_are_one_block() {
        let found = cut("Look at this:\nfn main() {\n    let x = 1;\n}\nIt fails.", Timestamp::UNIX_EPOCH);
        let kinds: Vec<SegmentKind> = found.segments.iter().map(|s| s.kind).collect();
        assert_eq!(kinds, [SegmentKind::Sentence, SegmentKind::Block, SegmentKind::Sentence]);
        let log = "2024-03-01 12:00:01 ERROR db: connection refused";
        assert_eq!(cut(&format!("Ann: see\n{log}"), Timestamp::UNIX_EPOCH).segments.len(), 2);
    }
}
