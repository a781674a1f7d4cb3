//! The parts of a statement as the network sees them: each tells one thing, and is meant in one way.

use super::comparing::around;
use super::cutting::pieces;
use super::gapping::{Given, figure_at_end, filled, gap};
use super::lexicon::LEXICON;
use super::sentences::{CLOSINGS, has_finite_verb, is_finite_verb, may_open_with_verb, sentences};
use super::spelling;
use super::values::is_time;
use super::words;
use encoder::{MEANINGS, Meant, Token};
use std::borrow::Cow;
use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct Part<'a> {
    /// As it was said; an item of a list with the words that the list began with.
    pub text: Cow<'a, str>,
    pub meant: Meant,
    /// Where it seems to say how things are, how else it may well be meant.
    pub else_meant: Option<Meant>,
    /// Whether mockery is even the likelier. It is taken for that where anything is held: what is mocked has to be known.
    pub mocks: bool,
    /// The words that a question would be answered with, where it is clear which they are.
    pub value: Option<&'a str>,
    /// All that may give the value, the likeliest first.
    pub maybe: Vec<&'a str>,
}

struct Word {
    at: Range<usize>,
    meant: [f32; MEANINGS],
    start: f32,
    value: f32,
}

const ALL: [Meant; MEANINGS] = [
    Meant::Nothing,
    Meant::So,
    Meant::Event,
    Meant::Past,
    Meant::Future,
    Meant::Hedged,
    Meant::Hypothetical,
    Meant::Sarcastic,
    Meant::Asked,
    Meant::End,
];

/// From this share on mockery is taken for it whatever is held.
const SURELY_MOCKING: f32 = 0.75;
/// From this share on something may well be meant in this way.
const WELL: f32 = 0.15;
/// From here on a word may belong to the value.
const MAYBE_VALUE: f32 = 0.4;
/// From here on it does.
const VALUE: f32 = 0.5;
/// So likely the words of a value must be on average.
const CLEAR_VALUE: f32 = 0.75;

pub(super) fn parts<'a>(statements: &[&'a str]) -> Vec<Vec<Part<'a>>> {
    let cut: Vec<Vec<(usize, &str)>> = statements.iter().map(|statement| pieces(statement)).collect();
    let texts: Vec<&str> = cut.iter().flatten().map(|(_, piece)| *piece).collect();
    let mut read = encoder::tokens(&texts, spelling::meant).into_iter();
    let tokens_of = |cut: &Vec<(usize, &str)>| {
        let of_pieces = cut.iter().zip(read.by_ref());
        of_pieces.flat_map(|((start, _), tokens)| moved(*start, tokens)).collect()
    };
    let tokens: Vec<Vec<Token>> = cut.iter().map(tokens_of).collect();
    let read = statements.iter().zip(tokens).zip(&cut);
    read.map(|((statement, tokens), cut)| parts_of(statement, tokens, cut)).collect()
}

/// The tokens of a piece as those of the whole, in which something else begins with it.
fn moved(start: usize, mut tokens: Vec<Token>) -> Vec<Token> {
    for token in &mut tokens {
        token.at = token.at.start + start..token.at.end + start;
    }
    if let Some(first) = tokens.first_mut().filter(|_| start > 0) {
        first.start = 1.0;
    }
    tokens
}

/// The words that tell something, cut where something else begins.
fn runs<'a>(statement: &str, words: &'a [Word]) -> Vec<Vec<&'a Word>> {
    let mut runs: Vec<Vec<&Word>> = Vec::new();
    // Words that seem to tell nothing, since the last stretch.
    let mut loose: Vec<&Word> = Vec::new();
    let mut open = false;
    for word in words {
        let text = statement.get(word.at.clone()).unwrap_or_default();
        let begins = word.start > 0.5;
        let half = open && runs.last().and_then(|run| run.last()).is_some_and(|last| leans(statement, last));
        let tells = begins || half || word.value > MAYBE_VALUE || share(&word.meant, Meant::Nothing) <= 0.5;
        if !text.contains(char::is_alphanumeric) {
            if text == ":" || text == "=" {
                loose.push(word);
            } else {
                loose.clear();
            }
            if let Some(run) = runs.last_mut().filter(|_| open) {
                run.push(word);
            }
        } else if !tells {
            open = false;
            loose.push(word);
        } else if let Some(run) = runs.last_mut().filter(|_| open && !begins) {
            run.push(word);
        } else {
            // "Payout account: Barclays" is about the payout account.
            let named = text_of(statement, &loose).ends_with([':', '=']);
            let mut run = if named { std::mem::take(&mut loose) } else { Vec::new() };
            run.push(word);
            runs.push(run);
            open = true;
        }
        if tells {
            loose.clear();
        }
    }
    completed(statement, words, runs)
}

/// With the last words of a clause that nothing sets off from it: "not a peep in five weeks" has no end at "five".
fn completed<'a>(statement: &str, words: &'a [Word], mut runs: Vec<Vec<&'a Word>>) -> Vec<Vec<&'a Word>> {
    const FEW: usize = 2;
    let text = |word: &Word| statement.get(word.at.clone()).unwrap_or_default();
    let is_mark = |word: &Word| !text(word).contains(char::is_alphanumeric);
    let closes = |word: &Word| text(word).ends_with(|c: char| !c.is_alphanumeric());
    let begins: Vec<usize> = runs.iter().filter_map(|run| run.first()).map(|word| word.at.start).collect();
    for run in &mut runs {
        let Some(last) = run.last().filter(|word| !closes(word)) else { continue };
        let after = words.iter().filter(|word| word.at.start >= last.at.end);
        let mut rest: Vec<&Word> = Vec::new();
        for word in after.take_while(|word| !is_mark(word) && !begins.contains(&word.at.start)) {
            rest.push(word);
            if closes(word) {
                break;
            }
        }
        let end = rest.last().map_or(last.at.end, |word| word.at.end);
        let goes_on = words.iter().find(|word| word.at.start >= end).is_some_and(|word| !is_mark(word));
        let ends = rest.last().is_some_and(|word| closes(word)) || !goes_on;
        let chatter = |word: &&Word| is_chatter(text(word));
        if ends && (1..=FEW).contains(&rest.len()) && !rest.iter().any(chatter) {
            run.extend(rest);
        }
    }
    runs
}

fn is_chatter(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    CLOSINGS.contains(&word.as_str()) || LEXICON.chatter.iter().any(|phrase| *phrase == [word.as_str()])
}

/// "The", "last", "to": what it is said of is still to come.
fn leans(statement: &str, word: &Word) -> bool {
    const LEANING: [&str; 23] = [
        "a", "an", "the", "my", "our", "his", "her", "their", "this", "last", "next", "every", "of", "to",
        "in", "on", "at", "for", "with", "by", "from", "and", "since",
    ];
    let text = statement.get(word.at.clone()).unwrap_or_default();
    // "The kids' university"
    let owns = ["s'", "s’"].iter().any(|end| text.ends_with(end));
    owns || LEANING.iter().any(|leaning| text.eq_ignore_ascii_case(leaning))
}

fn parts_of<'a>(statement: &'a str, tokens: Vec<Token>, cut: &[(usize, &str)]) -> Vec<Part<'a>> {
    let words = words(statement, tokens);
    let (mut parts, mut starts): (Vec<Part<'_>>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut end = 0;
    let cuts: Vec<usize> = cut.iter().map(|(start, _)| *start).collect();
    let runs = merged(statement, runs(statement, &words), &cuts);
    for run in runs.into_iter().flat_map(|run| cut_at_gap(statement, run)) {
        let (Some(first), Some(mut part)) = (run.first(), part(statement, &run)) else { continue };
        let seam = statement.get(end..first.at.start).unwrap_or_default();
        end = first.at.start + part.text.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
        let rest = statement.get(end..).unwrap_or_default();
        let before = statement.get(..first.at.start).unwrap_or_default();
        if rest.trim_start_matches(['"', '\'', ')', ' ']).starts_with('?') || asks(before, &part.text) {
            part.meant = Meant::Asked;
        }
        if matches!(part.meant, Meant::So | Meant::Event) && (trails_off(&part.text) || trails_off(rest)) {
            part.meant = if only_thinks(&part.text) { Meant::Nothing } else { Meant::Hedged };
        }
        let whole = |before: &Part<'_>| {
            as_listed(before, seam, &part, rest).or_else(|| with_what_was_said(before, seam, &part))
        };
        if let Some(whole) = parts.last().and_then(whole) {
            part.text = Cow::Owned(whole);
        }
        let opening = before.rsplit(ENDS).next().unwrap_or_default().trim_start();
        if LEXICON.prepositions.contains(&opening.trim_end().to_lowercase())
            && let Cow::Borrowed(text) = part.text
            && let Some(whole) = statement.get(first.at.start - opening.len()..first.at.start + text.len())
        {
            part.text = Cow::Borrowed(whole);
        }
        let own = part.text.split_whitespace().next().map(str::to_lowercase).unwrap_or_default();
        if let Some(lead) = lead(before).filter(|_| !LEXICON.prepositions.contains(&own)) {
            // What names the place was taken for something told.
            if parts.pop_if(|before| lead.contains(before.text.as_ref())).is_some() {
                starts.pop();
            }
            part.text = Cow::Owned(format!("{lead}, {}", part.text));
        }
        parts.push(part);
        starts.push(first.at.start);
    }
    hedge_slips(statement, &mut parts, &starts);
    let is_mocked = |piece: &str| MOCKING.iter().any(|sign| piece.trim_end().ends_with(sign));
    let mocked: Vec<Range<usize>> = cut
        .iter()
        .filter(|(_, piece)| is_mocked(piece))
        .map(|(start, piece)| *start..start + piece.len())
        .collect();
    for (part, start) in parts.iter_mut().zip(&starts) {
        if matches!(part.meant, Meant::So | Meant::Event) {
            let mocks = mocked.iter().any(|piece| piece.contains(start));
            part.meant = if mocks { Meant::Sarcastic } else { unsaid(&part.text).unwrap_or(part.meant) };
        }
    }
    parts
}

/// "`make tset`... argh, `make test` I mean", "900, I mean 1000": what was said before was a slip. It is for a person to say
/// which of them is meant.
fn hedge_slips(statement: &str, parts: &mut [Part<'_>], starts: &[usize]) {
    const CORRECTING: [&str; 3] = [" i meant", " i mean", " scratch that"];
    let low = statement.to_ascii_lowercase();
    let found = CORRECTING.iter().find_map(|phrase| Some((low.find(phrase)?, phrase.len())));
    let Some((before, after, at)) =
        found.and_then(|(at, length)| Some((low.get(..at)?, low.get(at + length..)?, at)))
    else {
        return;
    };
    let sentence = before.rsplit(ENDS).next().unwrap_or_default();
    // "When I say home I mean Oslo", and "I mean, we use Kafka" where it opens a sentence.
    let explains = sentence.split_whitespace().next().is_some_and(|word| matches!(word, "by" | "when"));
    if explains || sentence.trim().is_empty() && after.starts_with(',') {
        return;
    }
    let correction = after.split(ENDS).next().unwrap_or_default();
    // Where nothing follows, what was meant stands before the words that say so, and the slip before that.
    let closes = !correction.contains(char::is_alphanumeric);
    let said = starts.iter().filter(|start| **start <= at).count();
    if let [only] = &mut *parts
        && let Cow::Borrowed(text) = only.text
        && let Some(corrected) = text.get(..text.len().saturating_sub(low.len() - at))
        && closes
        && ["it's ", "its ", "that's "].iter().any(|it| corrected.to_lowercase().starts_with(it))
    {
        // "It's 5198 I meant" puts right what was told before.
        (only.text, only.meant) = (Cow::Borrowed(corrected), Meant::So);
        return;
    }
    if said == 0 {
        // "Sorry, I meant Wednesday": so was that.
        parts.iter_mut().filter(|part| part.meant == Meant::Hedged).for_each(|part| part.meant = Meant::So);
        return;
    }
    let first = said.saturating_sub(if closes { 2 } else { 1 });
    let until = low.len() - after.len() + correction.len();
    for (part, start) in parts.iter_mut().zip(starts).skip(first) {
        if *start < until && part.meant == Meant::So {
            part.meant = Meant::Hedged;
        }
    }
}

/// ", I think", at the end of a sentence.
fn trails_off(text: &str) -> bool {
    let sentence = text.trim_end_matches(ENDS).split(ENDS).next().unwrap_or_default();
    let closing = sentence.rsplit(',').next().unwrap_or_default();
    sentence.contains(',') && only_thinks(closing)
}

fn only_thinks(text: &str) -> bool {
    let words = plain(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(
        words.as_slice(),
        ["i", "think" | "guess" | "believe" | "suppose" | "reckon"]
            | ["iirc" | "afaik" | "probably" | "maybe"]
            | ["if", "i", "remember", ..]
            | ["not", "sure", ..]
            | ["i'm", "not", "sure", ..]
    )
}

/// Signs that what stands before them is not meant.
const MOCKING: [&str; 2] = ["🙄", " /s"];

/// "Let's meet at 9", "she either said Tuesdays or she didn't": what the words show to be no fact, however it is told.
fn unsaid(text: &str) -> Option<Meant> {
    let words = plain(text);
    let has = |wanted: &str| words.iter().position(|word| word == wanted);
    let proposes = matches!(words.first().map(String::as_str), Some("let's" | "lets"));
    // "I nearly upgraded"
    let is_past = |word: &String| word.ends_with("ed") || LEXICON.is_irregular_verb(word);
    let misses = words.windows(2).any(|pair| {
        matches!(pair, [nearly, done] if matches!(nearly.as_str(), "nearly" | "almost") && is_past(done))
    });
    let wishes = matches!(words.as_slice(), [who, want, to, does, ..]
        if matches!(who.as_str(), "i" | "we")
            && want == "want"
            && to == "to"
            && matches!(does.as_str(), "get" | "buy" | "learn" | "move" | "switch" | "try" | "become" | "start" | "visit" | "go"));
    // "Respiratory want her on CPAP as of Friday"
    let is_wanted = words.windows(3).any(|three| {
        matches!(three, [want, whom, at]
            if matches!(want.as_str(), "want" | "wants" | "wanted")
                && matches!(whom.as_str(), "me" | "us" | "him" | "her" | "it" | "them")
                && matches!(at.as_str(), "on" | "off" | "at"))
    });
    // "The intern let slip something about 1,100 units", "my boss keeps hinting at Linz"
    let leaks = words.windows(2).any(|pair| matches!(pair, [lets, slip] if lets == "let" && slip == "slip"))
        || words.iter().any(|word| matches!(word.as_str(), "hinted" | "hinting"));
    // "I do so hope he goes on tour"
    let between = |word: &&String| matches!(word.as_str(), "do" | "so" | "really" | "still" | "just" | "all");
    let hopes = has("hope").is_some_and(|at| {
        let who = words.get(..at).and_then(|before| before.iter().rev().find(|word| !between(word)));
        who.is_some_and(|who| matches!(who.as_str(), "i" | "we"))
    });
    // "What a treat"
    let exclaims = words.len() <= 5
        && !text.contains([':', ','])
        && matches!(words.as_slice(), [what, a, ..] if what == "what" && matches!(a.as_str(), "a" | "an"));
    // "The food stays as is"
    let stays = has("as").is_some_and(|as_at| {
        let verb = as_at.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str);
        let rest: Vec<&str> = words.iter().skip(as_at + 1).map(String::as_str).collect();
        matches!(verb, "stays" | "stay" | "remains" | "remain" | "stayed" | "remained")
            && matches!(
                rest.as_slice(),
                ["is" | "before" | "usual"] | ["it" | "they", "is" | "are" | "was" | "were"]
            )
    });
    // "Smoked 20 a day until 2014", "Was on warfarin after the PE"
    let opens_with_was = matches!(words.first().map(String::as_str), Some("was" | "were"));
    let is_over = has("until").or_else(|| has("till")).is_some_and(|until| {
        let (before, then) = words.split_at(until);
        // "Fixed at 4.4 % until 2028"
        let lasts = |word: &str| LASTING.contains(&word);
        let is_past = |word: &String| {
            word.ends_with("ed") && !lasts(word) || matches!(word.as_str(), "was" | "were" | "had")
        };
        before.iter().any(is_past)
            && !before.iter().any(|word| is_now(word))
            && is_time(&sentences(&then.join(" ")).concat())
    });
    // "Truly the fastest buyers in Europe"
    let praises = matches!(words.as_slice(), [truly, the, ..]
        if truly == "truly" && matches!(the.as_str(), "a" | "an" | "the"))
        && !has_finite_verb(&sentences(text).concat());
    let wavers = has("either").is_some_and(|either| has("or").is_some_and(|or| either < or));
    if proposes || wishes || is_wanted {
        Some(Meant::Future)
    } else if misses {
        Some(Meant::Hypothetical)
    } else if wavers || leaks || hopes {
        Some(Meant::Hedged)
    } else if is_over || opens_with_was {
        Some(Meant::Past)
    } else if exclaims || stays || praises {
        Some(Meant::Nothing)
    } else {
        None
    }
}

/// What has been done and holds until a time to come.
const LASTING: [&str; 14] = [
    "fixed",
    "locked",
    "booked",
    "closed",
    "covered",
    "signed",
    "scheduled",
    "suspended",
    "reserved",
    "planned",
    "extended",
    "paused",
    "blocked",
    "limited",
];

fn is_now(word: &str) -> bool {
    matches!(word, "is" | "are" | "am" | "has" | "have" | "will")
}

const ENDS: [char; 6] = ['.', ';', ':', '!', '?', '\n'];

/// "At Vantage Rail, Khalid is the finance man and Rosemarie runs engineering": where all that a sentence tells holds, by
/// what stands before a part.
fn lead(before: &str) -> Option<&str> {
    const MOST: usize = 5;
    let sentence = before.rfind(ENDS).map_or(before, |at| before.get(at + 1..).unwrap_or_default());
    let (lead, after) = sentence.split_once(", ")?;
    let verb_in = |text: &str| has_finite_verb(&sentences(text).concat());
    // "In Paris, Rome and Berlin, ...", "For Tom, my brother, ..."
    let goes_on = after.split_once(", ").is_some_and(|(next, _)| !verb_in(next));
    let words = sentences(lead).concat();
    let is_where = words.first().is_some_and(|word| word.is_any(&["at", "in", "for", "over"]));
    let names = words.last().is_some_and(|word| word.is_capital()) && words.len() <= MOST;
    (is_where && names && !goes_on && !verb_in(lead) && !is_time(&words)).then(|| lead.trim_start())
}

/// Whether a part asks, as the words before it and its own begin, with or without a mark behind them.
fn asks(before: &str, part: &str) -> bool {
    const TELLS: [&str; 5] = ["tell", "told", "mention", "mentioned", "said"];
    let sentence = before.rsplit(ENDS).next().unwrap_or_default();
    let clause = sentence.rsplit(',').next().unwrap_or_default();
    let words: Vec<String> = plain(&format!("{clause}{part}"));
    // "How much I earn: 50k", "have I mentioned that I am allergic to nuts".
    if part.contains([':', ',']) || words.iter().any(|word| TELLS.contains(&word.as_str())) {
        return false;
    }
    // "Tom, who is my husband" does not ask.
    sentence.len() == clause.len() && asks_for(&words) || is_turned(&words)
}

fn plain(text: &str) -> Vec<String> {
    let bare =
        |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'");
    text.split_whitespace().map(bare).skip_while(|word| matches!(word.as_str(), "and" | "but")).collect()
}

/// "What is my rent", but not "what I pay is 900" or "what's important is rest".
fn asks_for(words: &[String]) -> bool {
    const BE_OR_DO: [&str; 10] = ["is", "are", "was", "were", "do", "does", "did", "has", "have", "should"];
    let [word, next, rest @ ..] = words else { return false };
    let is_verb = |word: &String| BE_OR_DO.contains(&word.as_str());
    match word.as_str() {
        "what" | "who" | "where" | "when" | "why" | "which" => is_verb(next) && !rest.iter().any(is_verb),
        "how" => {
            is_verb(next)
                || matches!(next.as_str(), "much" | "many" | "old") && rest.iter().take(2).any(is_verb)
        }
        "what's" | "who's" | "where's" | "when's" => next != "more" && !rest.iter().any(is_verb),
        _ => false,
    }
}

/// "Did any of us promise that": a verb that stands before the one who does it.
fn is_turned(words: &[String]) -> bool {
    let [verb, who, ..] = words else { return false };
    let (verb, who) = (verb.as_str(), who.as_str());
    let we = matches!(who, "i" | "we" | "they");
    let he = matches!(who, "he" | "she" | "any" | "anyone" | "anybody" | "someone" | "somebody" | "either");
    match verb {
        "did" | "was" | "were" => we || he || who == "you",
        "do" | "are" | "have" => we || who == "you",
        "does" | "is" | "has" => he,
        "can" | "could" | "will" | "would" => we || he,
        _ => false,
    }
}

/// "Our rivals are Zuora, Motive and Chargebee": each further item says that it is one of the rivals.
fn as_listed(before: &Part<'_>, seam: &str, item: &Part<'_>, rest: &str) -> Option<String> {
    let joins =
        |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|w| matches!(w, "and" | "or" | "plus"));
    let sentence = rest.split(['.', ';', '!', '?', '\n']).next().unwrap_or_default();
    let listed = joins(seam) || seam.contains(',') && (joins(sentence) || before.text.contains(": "));
    let plain = seam.split(|c: char| !c.is_alphanumeric()).all(|w| w.is_empty() || joins(w));
    let broken = seam.contains(['.', ';', ':', '!', '?', '\n']);
    let bare = item.value.filter(|value| listed && plain && !broken && *value == item.text)?;
    let said = before.value.filter(|value| before.meant == item.meant && *value != before.text)?;
    let (lead, tail) = around(&before.text, said)?;
    Some(format!("{lead}{bare}{tail}"))
}

/// "The timeout is 30 s in staging and 60 s in production".
fn with_what_was_said(before: &Part<'_>, seam: &str, item: &Part<'_>) -> Option<String> {
    let joins = |word: &str| word.is_empty() || matches!(word, "and" | "while" | "but" | "whereas");
    let joined = !seam.contains(ENDS) && seam.split(|c: char| !c.is_alphanumeric()).all(joins);
    if !joined || before.meant != item.meant {
        return None;
    }
    // "Log level is debug in dev"
    let said = || before.text.split_once(" is ").and_then(|(_, rest)| value_before_place(rest));
    let before_value = before.value.or_else(said)?;
    let value =
        item.value.or_else(|| value_before_place(&item.text)).or_else(|| figure_at_end(&item.text))?;
    filled(Given { text: &before.text, value: before_value }, Given { text: &item.text, value })
}

/// "Info" of "info in staging".
fn value_before_place(text: &str) -> Option<&str> {
    let at = text.match_indices(' ').map(|(at, _)| at).find(|at| {
        let next = text.get(at + 1..).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
        LEXICON.prepositions.contains(next)
    });
    at.and_then(|at| text.get(..at))
}

fn cut_at_gap<'a>(statement: &str, run: Vec<&'a Word>) -> Vec<Vec<&'a Word>> {
    let start = run.first().map_or(0, |word| word.at.start);
    match gap(text_of(statement, &run)) {
        Some(gap) => {
            let (before, after) = run.into_iter().partition(|word| word.at.start < start + gap);
            vec![before, after]
        }
        None => vec![run],
    }
}

fn text_of<'a>(statement: &'a str, run: &[&Word]) -> &'a str {
    match (run.first(), run.last()) {
        (Some(first), Some(last)) => statement.get(first.at.start..last.at.end).unwrap_or_default(),
        _ => "",
    }
}

/// What is said to be so has a value: a stretch without one belongs to what follows it in the sentence.
fn merged<'a>(statement: &str, runs: Vec<Vec<&'a Word>>, cuts: &[usize]) -> Vec<Vec<&'a Word>> {
    let incomplete = |run: &[&Word]| {
        let so = mood(run).is_some_and(|mood| matches!(mood.meant, Meant::So | Meant::Event));
        let short = run.len() < 3
            && !text_of(statement, run).contains(|c: char| c.is_ascii_digit() || c.is_uppercase());
        let heads = text_of(statement, run).trim_end().ends_with([':', '=']);
        let has_value = || run.iter().any(|word| word.value > MAYBE_VALUE);
        so && (short || heads || !has_value() || is_bare_name(text_of(statement, run)))
    };
    let together = |a: &[&Word], b: &[&Word]| {
        let (Some(a), Some(b)) = (a.last(), b.first()) else { return false };
        let seam = statement.get(a.at.end.saturating_sub(1)..b.at.start).unwrap_or_default();
        !seam.contains(['.', ';', '!', '?', '\n']) && !cuts.contains(&b.at.start)
    };
    let mut found: Vec<Vec<&Word>> = Vec::new();
    for run in runs {
        match found.last_mut() {
            Some(before)
                if (incomplete(before)
                    || is_apposed(text_of(statement, before), text_of(statement, &run))
                    || goes_on_with_be(text_of(statement, &run)))
                    && together(before, &run) =>
            {
                before.extend(run);
            }
            _ => found.push(run),
        }
    }
    found
}

/// "The escalation contact": what it is stands elsewhere.
fn is_bare_name(text: &str) -> bool {
    const MOST: usize = 4;
    let words = sentences(text).concat();
    let plain = |word: &words::Word| word.tag == words::Tag::Noun && !word.is_capital() && !word.has_digit();
    words.len() <= MOST
        && words.split_first().is_some_and(|(first, rest)| first.is("the") && rest.iter().all(plain))
}

/// "The escalation contact, for when a case is stuck" and "is Thaddeus Boone".
fn goes_on_with_be(after: &str) -> bool {
    matches!(after.split_whitespace().next(), Some("is" | "are"))
}

/// "Fenna" and "our eldest", and these and "walks the dog".
fn is_apposed(before: &str, after: &str) -> bool {
    const MOST: usize = 6;
    let read = |text: &str| {
        let mut words = words::words(text);
        words::tag(&mut words);
        words
    };
    let (before, after) = (read(before), read(after));
    let named = before.first().is_some_and(|word| word.is_capital()) && before.len() <= MOST;
    let is_name = before.iter().all(|word| word.is_capital() || word.is_mark());
    let whose = after.first().is_some_and(|w| w.is_any(&["my", "our", "his", "her", "their", "the"]));
    let goes_on = if is_name { whose || is_finite_verb(&after, 0) } else { may_open_with_verb(&after) };
    named && !has_finite_verb(&before) && goes_on
}

/// How the words of a part are meant, as [`Part`] has it.
struct Mood {
    meant: Meant,
    else_meant: Option<Meant>,
    mocks: bool,
}

fn mood(run: &[&Word]) -> Option<Mood> {
    let mut shares = [0.0; MEANINGS];
    for word in run {
        shares.iter_mut().zip(word.meant).for_each(|(sum, part)| *sum += part);
    }
    let told = || ALL.into_iter().filter(|m| *m != Meant::Nothing);
    let total: f32 = told().map(|meant| share(&shares, meant)).sum();
    let most = |a: &Meant, b: &Meant| share(&shares, *a).total_cmp(&share(&shares, *b));
    let meant = told().max_by(most)?;
    if meant == Meant::Sarcastic && share(&shares, meant) < SURELY_MOCKING * total {
        return Some(Mood { meant: Meant::So, else_meant: Some(meant), mocks: true });
    }
    let unsettled = told().filter(|m| !matches!(m, Meant::So | Meant::Event | Meant::End));
    let next = unsettled.max_by(most).filter(|m| meant == Meant::So && share(&shares, *m) >= WELL * total);
    // What is mostly said to be so is never dropped for a share of something else.
    let kept = |m| if matches!(m, Meant::Past | Meant::Future) { m } else { Meant::Hedged };
    Some(Mood { meant, else_meant: next.map(kept), mocks: false })
}

fn part<'a>(statement: &'a str, run: &[&Word]) -> Option<Part<'a>> {
    let Mood { meant, else_meant, mocks } = mood(run)?;
    let text = without_comment(without_seam(statement, run));
    let value = value(statement, run).filter(|value| around(text, value).is_some());
    let maybe = maybe(statement, run).into_iter().filter(|maybe| around(text, maybe).is_some()).collect();
    Some(Part { text: Cow::Borrowed(text), meant, else_meant, mocks, value, maybe })
}

/// "The build takes three hours, exactly what I always dreamed of": without what is only thought of it.
fn without_comment(text: &str) -> &str {
    const GLAD: [&str; 6] = ["thrilled", "delighted", "overjoyed", "ecstatic", "chuffed", "elated"];
    let Some((told, comment)) = text.rsplit_once(", ") else { return text };
    let words = plain(comment);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["exactly" | "just" | "precisely", "what", "i" | "we" | "everyone" | "everybody", _, ..] => told,
        ["i'm" | "we're", rest @ ..] | ["i", "am", rest @ ..]
            if rest.len() <= 2 && rest.last().is_some_and(|last| GLAD.contains(last)) =>
        {
            told
        }
        _ => text,
    }
}

/// Without the "with" or "and" that leads to the next part: "live in Leeds with" "my husband Tom".
fn without_seam<'a>(statement: &'a str, run: &[&Word]) -> &'a str {
    const SEAMS: [&str; 4] = [" with", " and", " or", " but"];
    let text = trimmed(text_of(statement, run));
    let rest = run.last().and_then(|word| statement.get(word.at.end..)).unwrap_or_default();
    let goes_on = rest.trim_start().starts_with(char::is_alphanumeric);
    let cut = SEAMS.iter().filter(|_| goes_on).find_map(|seam| text.strip_suffix(seam));
    cut.map_or(text, trimmed)
}

/// The stretches that may give the value, the likeliest first.
fn maybe<'a>(statement: &'a str, run: &[&Word]) -> Vec<&'a str> {
    let may = |word: &&Word| word.value > MAYBE_VALUE;
    let mut found: Vec<(f32, &str)> = run
        .chunk_by(|a, b| may(a) == may(b))
        .filter(|words| words.first().is_some_and(may))
        .map(|words| (mean(words), trimmed(text_of(statement, words))))
        .filter(|(_, text)| text.contains(char::is_alphanumeric))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, text)| text).collect()
}

/// The words that give the value, if no others might.
fn value<'a>(statement: &'a str, run: &[&Word]) -> Option<&'a str> {
    let may = |word: &&Word| word.value > VALUE;
    let first = run.iter().position(may)?;
    let last = run.iter().rposition(may)?;
    let text = trimmed(with_quote(statement, run.get(start_with_name(statement, run, first)..=last)?));
    (mean(run.get(first..=last)?) >= CLEAR_VALUE && text.contains(char::is_alphanumeric)).then_some(text)
}

/// Where a value begins that ends with a bare figure: "Things 3", of "I've gone over to Things 3".
fn start_with_name(statement: &str, run: &[&Word], first: usize) -> usize {
    let text = |at: usize| run.get(at).and_then(|word| statement.get(word.at.clone())).unwrap_or_default();
    let is_figure =
        text(first).trim_end_matches(|c: char| !c.is_alphanumeric()).chars().all(|c| c.is_ascii_digit());
    let is_name = first > 1 && text(first - 1).starts_with(char::is_uppercase);
    let leads =
        || matches!(text(first - 2).to_lowercase().as_str(), "to" | "onto" | "on" | "with" | "using" | "use");
    if is_figure && is_name && leads() { first - 1 } else { first }
}

/// With all that stands between the backquotes of which they have a part: "`pnpm vitest run`".
fn with_quote<'a>(statement: &'a str, words: &[&Word]) -> &'a str {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return "" };
    let (from, to) = (first.at.start, last.at.end);
    let marks: Vec<usize> = statement.match_indices('`').map(|(at, _)| at).collect();
    let quote = marks.chunks_exact(2).find_map(|pair| match pair {
        [open, close] if *open < to && from <= *close => Some((*open, close + 1)),
        _ => None,
    });
    let (open, close) = quote.unwrap_or((from, to));
    statement.get(from.min(open)..to.max(close)).unwrap_or_default()
}

/// How likely the words give the value, on average.
fn mean(words: &[&Word]) -> f32 {
    words.iter().map(|word| word.value).sum::<f32>() / words.len() as f32
}

/// Without the marks at its end; the point of "Dr." or "p.m." stays.
fn trimmed(text: &str) -> &str {
    const SHORT: [&str; 11] = ["dr", "mr", "mrs", "ms", "st", "inc", "ltd", "co", "jr", "sr", "etc"];
    let text = text.trim_end_matches([',', ';', ':', '-', '–', '—', ' ', '!']);
    let Some(without) = text.strip_suffix('.') else { return text };
    let last = without.rsplit([' ', '.']).next().unwrap_or_default().to_lowercase();
    if last.chars().count() < 2 && last.chars().all(char::is_alphabetic) || SHORT.contains(&last.as_str()) {
        text
    } else {
        without
    }
}

fn share(shares: &[f32; MEANINGS], meant: Meant) -> f32 {
    shares.get(meant as usize).copied().unwrap_or_default()
}

/// Whole words of the network's pieces: what no space divides, but for marks at its end.
fn words(statement: &str, tokens: Vec<Token>) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut counts: Vec<f32> = Vec::new();
    for token in tokens {
        let closing = statement
            .get(token.at.clone())
            .is_some_and(|t| matches!(t, "," | ";" | "!" | "?" | ")" | "(" | "—" | ":" | "="));
        // Words that were read as others may share letters.
        let joins = |w: &&mut Word| token.at.start < w.at.end || w.at.end == token.at.start && !closing;
        match found.last_mut().filter(joins) {
            Some(word) => {
                word.at.end = word.at.end.max(token.at.end);
                word.meant.iter_mut().zip(token.meant).for_each(|(sum, part)| *sum += part);
                word.value = word.value.max(token.value);
                if let Some(count) = counts.last_mut() {
                    *count += 1.0;
                }
            }
            None => {
                found.push(Word { at: token.at, meant: token.meant, start: token.start, value: token.value });
                counts.push(1.0);
            }
        }
    }
    for (word, count) in found.iter_mut().zip(counts) {
        word.meant.iter_mut().for_each(|share| *share /= count);
    }
    found
}
