//! What is left out where it was said just before: "the timeout is 30 s in staging and 60 s in production".

use super::comparing::around;
use super::lexicon::LEXICON;
use super::sentences::{has_finite_verb, is_finite_verb, sentences};
use super::words::{Tag, Word, spell};

/// Words with the value that they give.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given<'a> {
    pub text: &'a str,
    pub value: &'a str,
}

/// The item with what it takes over from what was said before it in the same sentence.
pub(super) fn filled(before: Given<'_>, item: Given<'_>) -> Option<String> {
    let (lead, tail) = around(before.text, before.value)?;
    let (own_lead, own_tail) = around(item.text, item.value)?;
    let said = words_of(lead);
    let own = before_preposition(item.text);
    // "Warn" in "info in staging and warn in prod" is no verb either.
    if own.len() > 1 && has_finite_verb(&own) || !has_finite_verb(&said) {
        return None;
    }
    let value = item.value;
    if own_lead.is_empty() {
        let both = has_preposition(item.text) && has_preposition(&format!("{}{tail}", before.value));
        return both.then(|| format!("{} {}", lead.trim_end(), item.text));
    }
    if !own_tail.is_empty() {
        return None;
    }
    let verb = (0..said.len()).find(|at| is_finite_verb(&said, *at))?;
    let who = words_of(own_lead);
    if who.first().is_some_and(Word::is_preposition) {
        // "The margin in the south is 25 %, in the north 20 %"
        let inside = (1..verb)
            .rev()
            .find(|at| said.get(*at).is_some_and(|w| who.first().is_some_and(|own| own.low == w.low)));
        if let Some((what, rest)) = inside.and_then(|at| said.get(..at).zip(said.get(verb..))) {
            return Some(format!(
                "{} {} {} {value}",
                spell(what),
                spell(without_joint(&who, rest)),
                spell(rest)
            ));
        }
        // "On weekdays I get up at 6:30, on weekends at 9": what stands between the place and the value is taken over.
        let alike = said.first().is_some_and(|first| who.first().is_some_and(|own| own.low == first.low));
        let named = (1..verb).rev().take_while(|at| said.get(*at).is_some_and(is_subject)).last();
        let subject = named.or_else(|| phrase_before(&said, verb))?;
        let rest = said.get(subject..).filter(|_| alike)?;
        return Some(format!("{}, {} {value}", spell(without_joint(&who, rest)), spell(rest)));
    }
    // "The heel gets done daily, the sacrum every third day": so is what stands from the verb on.
    let names = who.first().is_some_and(|w| w.is_any(&["the", "my", "our", "his", "her", "their"]));
    let rest = said.get(verb..).filter(|_| names && tail.trim().is_empty())?;
    let plain: Vec<Word> = who.iter().filter(|w| !w.is("still")).cloned().collect();
    Some(format!("{} {} {value}", spell(without_joint(&plain, rest)), spell(rest)))
}

/// Where the clause with the gap begins in "the margin in the south is 25 %, in the north 20 %".
pub(super) fn gap(text: &str) -> Option<usize> {
    let at = text.rfind(", ")?;
    let (before, after) = (words_of(text.get(..at)?), words_of(text.get(at + 2..)?));
    let verb = (0..before.len()).find(|at| is_finite_verb(&before, *at))?;
    let place = after.first().filter(|first| first.is_preposition())?;
    let is_alike = before.get(..verb)?.iter().any(|word| word.low == place.low);
    let given = figure_at_end(text.get(..at)?).filter(|_| is_alike)?;
    let other = figure_at_end(text.get(at + 2..)?)?;
    // "From platform 4" and "at 9:30" tell more of the same.
    const NUMBERED: [&str; 8] = ["platform", "gate", "room", "floor", "page", "number", "no", "no."];
    let figure = after.iter().position(Word::has_digit)?;
    let before_it = after.get(1..figure).unwrap_or_default().last();
    let is_named =
        before_it.is_some_and(|w| !w.is_any(&NUMBERED) && w.tag != Tag::Determiner && !w.is_preposition());
    let is_time = |figure: &str| figure.contains(':');
    let unit = |figure: &str| figure.split_whitespace().nth(1).map(str::to_lowercase);
    let is_same_sort =
        is_time(given) == is_time(other) && (unit(other).is_none() || unit(given) == unit(other));
    (is_named && is_same_sort && !has_finite_verb(&after)).then_some(at + 2)
}

/// "20 %" of "in the north 20 %".
pub(super) fn figure_at_end(text: &str) -> Option<&str> {
    const MOST: usize = 2;
    let text = text.trim_end_matches(['.', '!']);
    let start = text.rfind(|c: char| c.is_ascii_digit())?;
    let start = text.get(..start)?.rfind(' ')? + 1;
    let figure = text.get(start..)?;
    (figure.split_whitespace().count() <= MOST).then_some(figure)
}

/// "Paid" in "1000 for paid ones" is no verb of its own.
fn before_preposition(text: &str) -> Vec<Word> {
    let words = words_of(text);
    let end = words.iter().skip(1).position(Word::is_preposition).map_or(words.len(), |at| at + 1);
    words.into_iter().take(end).collect()
}

fn words_of(text: &str) -> Vec<Word> {
    sentences(text).concat()
}

fn is_subject(word: &Word) -> bool {
    word.is_any(&["i", "we", "they", "he", "she", "you", "it"]) || word.is_capital()
}

/// Where "a build" begins in "on the Linux runners a build takes".
fn phrase_before(said: &[Word], verb: usize) -> Option<usize> {
    let article = (2..verb).rev().find(|at| said.get(*at).is_some_and(|word| word.tag == Tag::Determiner))?;
    let is_noun = |word: &Word| matches!(word.tag, Tag::Noun | Tag::Adjective | Tag::Name);
    let nouns = said.get(article + 1..verb).filter(|words| words.iter().all(is_noun))?;
    (!nouns.is_empty()).then_some(article)
}

/// Behind the first word: "monthly for EU customers".
fn has_preposition(text: &str) -> bool {
    text.split_whitespace().skip(1).any(|word| LEXICON.prepositions.contains(&word.to_lowercase()))
}

/// Without the preposition at the end that the words taken over end with, too.
fn without_joint<'a>(own: &'a [Word], taken: &[Word]) -> &'a [Word] {
    match (own.split_last(), taken.last()) {
        (Some((last, rest)), Some(joint)) if last.low == joint.low => rest,
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use super::{Given, filled, gap};

    #[test]
    fn what_was_said_just_before_is_taken_over() {
        let check =
            |before: (&'static str, &'static str), item: (&'static str, &'static str), whole: &str| {
                let given = |(text, value)| Given { text, value };
                assert_eq!(filled(given(before), given(item)).unwrap_or_default(), whole);
            };
        let timeout = ("Timeout is 30 s in staging", "30 s");
        check(timeout, ("60 s in production", "60 s"), "Timeout is 60 s in production");
        check(timeout, ("the port is 80", "80"), "");
        let level = ("Log level is debug on dev", "debug on dev");
        check(level, ("info on prod", "info on prod"), "Log level is info on prod");
        let limit = ("Rate limit is 100 a minute for free users", "100 a minute");
        check(limit, ("1000 for paid ones", "1000"), "Rate limit is 1000 for paid ones");
        let rises = ("On weekdays I get up at 6:30", "6:30");
        check(rises, ("on weekends at 9", "9"), "on weekends, I get up at 9");
        let mail = ("For work email I use Outlook", "Outlook");
        check(mail, ("for personal mail Fastmail", "Fastmail"), "for personal mail, I use Fastmail");
        let build = ("On the Linux runners a build takes 6 minutes", "6 minutes");
        check(build, ("on the Mac ones 19", "19"), "on the Mac ones, a build takes 19");
        let margin = ("Our margin in the south is 25 %", "25 %");
        check(margin, ("in the north 20 %", "20 %"), "Our margin in the north is 20 %");
        let heel = ("the heel gets done daily", "daily");
        check(
            heel,
            ("the sacrum every third day", "every third day"),
            "the sacrum gets done every third day",
        );
        let app = ("The web app is on the v2 API", "the v2 API");
        check(app, ("the mobile app still on v1", "v1"), "the mobile app is on v1");
        check(("Weight 71 kg", "71 kg"), ("height 180 cm", "180 cm"), "");
    }

    #[test]
    fn a_clause_with_a_gap_is_told_from_one_more_detail() {
        let rest = |text: &'static str| gap(text).and_then(|at| text.get(at..));
        assert_eq!(rest("Our margin in the south is 25 %, in the north 20 %"), Some("in the north 20 %"));
        assert_eq!(
            rest("On the Linux runners a build takes 6 minutes, on the Mac ones 19"),
            Some("on the Mac ones 19")
        );
        assert_eq!(rest("The flight leaves at 9:40, at gate 12"), None);
        assert_eq!(rest("The train from Leeds leaves at 9:15, from platform 4"), None);
        assert_eq!(rest("My appointment at the dentist is 14 May, at 9:30"), None);
        assert_eq!(rest("Dinner with Sam is at 7, with 4 guests"), None);
        assert_eq!(rest("On Monday we ship 20 boxes, on Tuesday we pay 30"), None);
    }
}
