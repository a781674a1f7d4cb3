//! A question, an order or a thank-you at the end of a sentence that tells something: "The budget is 450, can you help?"

use crate::words::{opens, words};

/// Words that open a question.
const QUESTIONS: [&str; 38] = [
    "can", "could", "would", "will", "should", "shall", "may", "might", "do", "does", "did", "don't", "is",
    "are", "am", "isn't", "aren't", "was", "were", "has", "have", "who", "who's", "whose", "what", "what's",
    "where", "where's", "when", "which", "why", "how", "how's", "any", "anything", "anybody", "anyone",
    "okay",
];
/// Questions that need no mark.
const UNMARKED: [&str; 14] = [
    "can you",
    "can we",
    "can i",
    "could you",
    "could we",
    "could i",
    "could someone",
    "could somebody",
    "would you",
    "will you",
    "do you know",
    "do you have",
    "any idea",
    "what do you",
];
/// Questions that are about what comes before them: they ask whether it is so.
const WHETHER: [&str; 6] = ["right", "correct", "yes", "no", "true", "isn't it"];
const THANKS: [&str; 10] = [
    "thanks",
    "thank you",
    "thx",
    "cheers",
    "many thanks",
    "much appreciated",
    "appreciate it",
    "ta",
    "ty",
    "great thanks",
];
/// Openings after which anything is an order.
const ORDERS: [&str; 14] = [
    "please",
    "pls",
    "kindly",
    "let me know",
    "let us know",
    "let them know",
    "let him know",
    "let her know",
    "make sure",
    "be sure",
    "remind me",
    "remind us",
    "help me",
    "give me",
];
/// Verbs that order something where what they act upon follows.
const ORDERING: [&str; 44] = [
    "add",
    "arrange",
    "ask",
    "book",
    "bring",
    "call",
    "check",
    "convert",
    "create",
    "draft",
    "email",
    "file",
    "find",
    "fix",
    "forward",
    "get",
    "inform",
    "list",
    "log",
    "look",
    "mail",
    "message",
    "move",
    "note",
    "notify",
    "order",
    "ping",
    "plan",
    "print",
    "pull",
    "push",
    "put",
    "save",
    "schedule",
    "send",
    "set",
    "show",
    "suggest",
    "summarise",
    "summarize",
    "tell",
    "text",
    "update",
    "write",
];
/// What an order acts upon begins with one of these.
const ACTED_UPON: [&str; 24] = [
    "a", "an", "the", "my", "our", "his", "her", "their", "your", "this", "that", "these", "those", "it",
    "me", "him", "them", "us", "up", "for", "whether", "if", "some", "everyone",
];
/// What begins so is no statement by itself: what follows belongs to it.
const OPEN: [&str; 12] = [
    "if", "when", "whenever", "unless", "after", "before", "once", "while", "whether", "until", "although",
    "though",
];
/// "…, so can you check?"
const LEADING: [&str; 6] = ["so", "and", "but", "now", "then", "also"];

/// Where a request begins behind a comma or a dash, in bytes.
pub(crate) fn request_in(sentence: &str) -> Option<usize> {
    let asks = sentence.trim_end_matches(['"', '”', '\'', '’', ')', ' ']).ends_with('?');
    let head = words(sentence.get(..first_seam(sentence)?)?).collect::<Vec<_>>();
    if opens(&head, &OPEN) || asks && opens(&head, &QUESTIONS) {
        return None;
    }
    seams(sentence).find_map(|(at, behind)| {
        let before = words(sentence.get(..at)?).count();
        let piece: Vec<String> = words(sentence.get(behind..)?).collect();
        let enough = before >= 2;
        (enough && is_request(&piece, asks)).then_some(behind)
    })
}

/// Whether a piece does nothing but thank.
pub fn is_thanks(piece: &str) -> bool {
    opens(&words(piece).collect::<Vec<_>>(), &THANKS)
}

/// "Could you put oat milk on the shopping list?": the order in a polite question to keep something.
pub fn order_to_keep(sentence: &str) -> Option<&str> {
    const POLITE: [&str; 4] = ["can you ", "could you ", "would you ", "will you "];
    const KEEPING: [&str; 5] = ["remember", "note", "record", "jot", "write"];
    const LISTING: [&str; 8] = ["add", "put", "stick", "take", "remove", "strike", "cross", "pop"];
    let low = sentence.to_ascii_lowercase();
    let polite = POLITE.iter().find(|polite| low.starts_with(**polite))?;
    let order = sentence.get(polite.len()..)?.trim_end_matches(['?', ' ']);
    let order = order.strip_prefix("please ").unwrap_or(order);
    let said: Vec<String> = words(order).collect();
    let verb = said.first()?.as_str();
    let keeps = KEEPING.contains(&verb) && said.len() > 2;
    let lists = LISTING.contains(&verb) && said.iter().any(|word| matches!(word.as_str(), "list" | "lists"));
    (sentence.trim_end().ends_with('?') && (keeps || lists)).then_some(order)
}

/// Whether a sentence orders something for this moment.
pub fn is_order(sentence: &str) -> bool {
    orders(&words(sentence).collect::<Vec<_>>())
}

fn orders(piece: &[String]) -> bool {
    let [first, second, ..] = piece else { return false };
    opens(piece, &ORDERS)
        || ORDERING.contains(&first.as_str()) && ACTED_UPON.contains(&second.as_str())
        || matches!(first.as_str(), "don't" | "do") && ORDERING.contains(&second.as_str())
}

fn first_seam(sentence: &str) -> Option<usize> {
    seams(sentence).next().map(|(at, _)| at)
}

/// Where commas and dashes stand, and where what is behind them begins.
fn seams(sentence: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    const MARKS: [&str; 7] = [", ", " - ", " – ", " — ", "—", "; ", " -- "];
    sentence.char_indices().filter_map(|(at, _)| {
        let rest = sentence.get(at..)?;
        let mark = MARKS.iter().find(|mark| rest.starts_with(**mark))?;
        Some((at, at + mark.len()))
    })
}

fn is_request(piece: &[String], asks: bool) -> bool {
    let piece = match piece.split_first() {
        Some((first, rest)) if LEADING.contains(&first.as_str()) => rest,
        _ => piece,
    };
    let is_ok = asks && (piece.iter().map(String::as_str).eq(["ok"]) || opens(piece, &["okay"]));
    let asks_something = asks && opens(piece, &QUESTIONS) && !opens(piece, &WHETHER) && !is_tag(piece);
    is_ok || asks_something || opens(piece, &THANKS) || opens(piece, &UNMARKED) || orders(piece)
}

/// "…, aren't we?" asks whether what comes before it is so.
fn is_tag(piece: &[String]) -> bool {
    const TAG_WORDS: usize = 3;
    const SUBJECTS: [&str; 8] = ["we", "it", "he", "she", "they", "i", "you", "that"];
    piece.len() <= TAG_WORDS && piece.last().is_some_and(|last| SUBJECTS.contains(&last.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{order_to_keep, request_in};

    #[test]
    fn a_polite_question_may_order_something_to_be_kept() {
        for (question, order) in [
            ("Could you stick oat milk on the shopping list?", Some("stick oat milk on the shopping list")),
            ("Can you please remember that I'm left-handed?", Some("remember that I'm left-handed")),
            ("Can you add a test?", None),
            ("Could you remember?", None),
        ] {
            assert_eq!(order_to_keep(question), order, "{question}");
        }
    }

    fn told(sentence: &str) -> &str {
        request_in(sentence).map_or(sentence, |at| &sentence[..at])
    }

    #[test]
    fn a_request_takes_only_itself_away() {
        for (told_part, asked) in [
            ("I've adjusted our holiday budget to $450, ", "can you help me plan it?"),
            ("We deploy to Railway - ", "thanks for asking."),
            ("My birthday is 21 April, ", "put it in the calendar."),
            ("The budget is $75,000, ", "so could you draft a quote?"),
            ("The contact is jo@larkspur.example - ", "please copy her on the reply."),
            ("I'm a vegetarian, ", "what can I order here?"),
            ("The sprint is 14 days, ", "let me know if that changes."),
        ] {
            assert_eq!(told(&format!("{told_part}{asked}")), told_part);
        }
    }

    #[test]
    fn what_asks_of_the_whole_sentence_stays_with_it() {
        for whole in [
            "If the build fails, can you check the log?",
            "We are on Buildkite, aren't we?",
            "Is she pregnant, has anybody run a test?",
            "We use grep, find and sed.",
            "We deploy to Fly, right?",
            "In March, which I liked, we moved.",
        ] {
            assert_eq!(told(whole), whole);
        }
    }
}
