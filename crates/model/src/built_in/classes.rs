//! Classes of words that the patterns of the word lists speak of.

use super::lexicon::LEXICON;
use super::verb_group::is_past;
use super::words::{Tag, Word};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Noun,
    Name,
    Adjective,
    Adverb,
    Pronoun,
    Determiner,
    Preposition,
    Number,
    /// Any form of a verb.
    Verb,
    /// The plain form, as behind "to" and "will".
    Base,
    /// Past tense or participle.
    Past,
    Ing,
    Aux,
    Be,
    /// "who", "what", "whether", "if" …
    Wh,
    /// "my", "Anna's"
    Owner,
    /// "week", "years"
    Unit,
    /// "Tuesday", "March", "spring", "Easter"
    Date,
    /// "1998", "2031"
    Year,
    /// "14th"
    Ordinal,
    /// What can begin the subject of a clause.
    Subject,
}

/// The class that the lists call by this name.
pub(super) fn class(name: &str) -> Option<Class> {
    Some(match name {
        "noun" => Class::Noun,
        "name" => Class::Name,
        "adj" => Class::Adjective,
        "adv" => Class::Adverb,
        "pron" => Class::Pronoun,
        "det" => Class::Determiner,
        "prep" => Class::Preposition,
        "num" => Class::Number,
        "verb" => Class::Verb,
        "base" => Class::Base,
        "past" => Class::Past,
        "ing" => Class::Ing,
        "aux" => Class::Aux,
        "be" => Class::Be,
        "wh" => Class::Wh,
        "owner" => Class::Owner,
        "unit" => Class::Unit,
        "date" => Class::Date,
        "year" => Class::Year,
        "ordinal" => Class::Ordinal,
        "subject" => Class::Subject,
        _ => return None,
    })
}

impl Class {
    pub fn holds(self, word: &Word) -> bool {
        let low = word.low.as_str();
        match self {
            Self::Noun => word.tag == Tag::Noun,
            Self::Name => word.is_capital() && low != "i" || word.tag == Tag::Name,
            Self::Adjective => word.tag == Tag::Adjective,
            Self::Adverb => word.tag == Tag::Adverb,
            Self::Pronoun => {
                word.tag == Tag::Pronoun
                    || word.is_any(&["someone", "somebody", "anyone", "everyone", "nobody"])
            }
            Self::Determiner => word.tag == Tag::Determiner,
            Self::Preposition => word.tag == Tag::Preposition,
            Self::Number => word.has_digit() || NUMBERS.contains(&low),
            Self::Verb => matches!(word.tag, Tag::Verb | Tag::Aux),
            Self::Base => is_base(word),
            Self::Past => {
                is_past(word)
                    || low == "been"
                    || word.tag == Tag::Adjective && low.ends_with("ed")
                    || LEXICON.is_irregular_verb(low) && !low.ends_with('s') && !low.ends_with("ing")
            }
            Self::Ing => low.len() > 4 && low.ends_with("ing") && word.tag != Tag::Name,
            Self::Aux => word.tag == Tag::Aux,
            Self::Be => word.is_any(&["am", "is", "are", "was", "were", "be", "been", "being", "'s"]),
            Self::Wh => WH.contains(&low),
            Self::Owner => word.is_any(&["my", "our", "your", "his", "her", "its", "their", "'s", "the"]),
            Self::Unit => UNITS.contains(&low),
            Self::Date => is_date(word),
            Self::Year => {
                low.len() == 4 && (low.starts_with("19") || low.starts_with("20")) && word.has_digit()
            }
            Self::Ordinal => {
                word.has_digit() && ["st", "nd", "rd", "th"].iter().any(|end| low.ends_with(end))
                    || word.is_any(&["first", "second", "third", "fourth", "fifth", "end"])
            }
            Self::Subject => {
                matches!(word.tag, Tag::Pronoun | Tag::Determiner | Tag::Noun | Tag::Name)
                    || Self::Name.holds(word)
                    || word.is_any(&["there", "someone", "anyone", "everyone", "nobody"])
            }
        }
    }
}

fn is_base(word: &Word) -> bool {
    let low = word.low.as_str();
    let other_form = low.ends_with("ing") || low.ends_with("ed") && low.len() > 4 && low != "need";
    word.is_any(&["be", "have", "do", "get", "go"])
        || !other_form
            && word.tag != Tag::Aux
            && (word.tag == Tag::Verb
                || LEXICON.is_common_verb(low)
                || LEXICON.is_removal(&LEXICON.verb(low), None))
            && (!low.ends_with('s') || low.ends_with("ss"))
}

/// "May" where it is known to be the month, so that nobody takes it for the verb.
pub(super) const MONTH_OF_MAY: &str = "·may";

fn is_date(word: &Word) -> bool {
    let low = word.low.as_str();
    // "May" and "March" without their capital are mostly verbs.
    DATES.contains(&low) || low == MONTH_OF_MAY || word.is_capital() && matches!(low, "may" | "march" | "sun")
}

const WH: [&str; 11] =
    ["who", "what", "when", "where", "which", "why", "how", "whose", "whom", "whether", "if"];

const NUMBERS: [&str; 20] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "a",
    "an", "couple", "few", "several", "twenty", "thirty", "half",
];

const UNITS: [&str; 27] = [
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "hour",
    "hours",
    "minute",
    "minutes",
    "quarter",
    "quarters",
    "sprint",
    "sprints",
    "fortnight",
    "decade",
    "decades",
    "term",
    "semester",
    "season",
    "mth",
    "mths",
    "ages",
    "yonks",
    "winters",
];

const DATES: [&str; 57] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "tues",
    "wed",
    "weds",
    "thu",
    "thur",
    "thurs",
    "fri",
    "sat",
    "january",
    "february",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "spring",
    "summer",
    "autumn",
    "winter",
    "easter",
    "christmas",
    "xmas",
    "thanksgiving",
    "halloween",
    "ramadan",
    "diwali",
    "weekend",
    "q1",
    "q2",
    "q3",
    "q4",
    "h1",
    "h2",
];
