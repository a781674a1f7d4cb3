//! Which held fact a request to forget means.

use crate::request::SlotHint;
use domain::Fact;
use domain::keys::subject_key;
use domain::words::{Boundary, is_function_word, split_words, stem};
use prose::{is_code, sentences};
use std::collections::BTreeSet;
use std::sync::Arc;

type Stems = BTreeSet<String>;

/// Words that ask to forget, or say that something has gone, and do not say what.
const ASKING: [&str; 36] = [
    "anymor", "anyth", "cancel", "delet", "drop", "end", "eras", "everyth", "fact", "forget", "gave", "gone",
    "got", "inform", "left", "like", "longer", "memori", "need", "no", "not", "now", "over", "pleas", "quit",
    "remov", "rid", "scratch", "sell", "sold", "stop", "take", "took", "use", "user", "want",
];
/// Whose something may be that is said without an owner too: "the team's stand-up".
const OURS: [&str; 21] = [
    "account", "app", "client", "compani", "custom", "deal", "everyon", "firm", "it", "let", "offic", "one",
    "patient", "product", "project", "prospect", "servic", "team", "that", "today", "user",
];
/// What says not to forget.
const KEPT: [&str; 6] =
    ["do not forget", "don't forget", "don’t forget", "never forget", "not to forget", "must not forget"];
/// Candidates for words that name no fact.
const NEAREST: usize = 5;
/// Somebody whose things are not one's own.
const PEOPLE: [&str; 36] = [
    "aunt",
    "boss",
    "boyfriend",
    "child",
    "children",
    "coworker",
    "ex",
    "girlfriend",
    "kid",
    "landlord",
    "manag",
    "parent",
    "roommat",
    "tenant",
    "brother",
    "colleagu",
    "cousin",
    "dad",
    "daughter",
    "father",
    "flatmat",
    "friend",
    "grandfath",
    "grandmoth",
    "husband",
    "mom",
    "mother",
    "mum",
    "neighbour",
    "nephew",
    "niec",
    "partner",
    "sister",
    "son",
    "uncl",
    "wife",
];

/// What words may mean.
#[derive(Debug, Default)]
pub struct Meant {
    /// The facts that fit all of the words. One alone is meant for certain.
    pub fitting: Vec<Arc<Fact>>,
    /// The facts that are spoken of, while a name in the words is of somebody or something else, or another fact is
    /// spoken of too; and the nearest, where none fits.
    pub near: Vec<Arc<Fact>>,
}

/// The current facts that the words may mean, of those that share a word with them, the best match first.
pub fn meant(text: &str, facts: &[Arc<Fact>], slots: &[SlotHint]) -> Meant {
    let lower = text.to_lowercase();
    if KEPT.iter().any(|kept| lower.contains(kept)) {
        return Meant::default();
    }
    let said = stems(text);
    let asked: Stems = said.iter().filter(|word| !ASKING.contains(&word.as_str())).cloned().collect();
    let named = names(text);
    let known: Vec<Known<'_>> = facts.iter().map(Known::of).collect();
    let by_alias = |fact: &Fact| {
        let slot = slots.iter().find(|slot| slot.name == fact.subject);
        slot.is_some_and(|slot| slot.aliases.iter().any(|alias| stems(alias).is_subset(&asked)))
    };
    let is_named = |known: &&Known<'_>| {
        known.is_named(&asked, &known_words(facts, known)) || known.is_said(&asked) || by_alias(known.fact)
    };
    let fits = |one: &&Known<'_>| {
        let by_value_alone = one.subject.is_disjoint(&asked) && !by_alias(one.fact);
        let says_all = || one.shared(&asked).len() == asked.len();
        one.has_all(&named) && (!by_value_alone || says_all())
    };
    let (fitting, near): (Vec<&Known<'_>>, Vec<&Known<'_>>) = known.iter().filter(is_named).partition(fits);
    // Of "database" and "database host" the second is meant where both words are said.
    let says_less = |one: &Known<'_>| {
        let shared = one.shared(&asked);
        fitting.iter().any(|other| {
            let more = other.shared(&asked);
            more.len() > shared.len() && shared.is_subset(&more)
        })
    };
    let fact = |known: &&Known<'_>| Arc::clone(known.fact);
    let most = fitting.iter().filter(|known| !says_less(known));
    let mut near: Vec<Arc<Fact>> = near.iter().map(fact).collect();
    if fitting.is_empty() {
        let is_new = |known: &&Known<'_>| near.iter().all(|fact| fact.id != known.fact.id);
        let sharing = known.iter().filter(|known| !known.shared(&asked).is_empty()).filter(is_new);
        let sharing: Vec<Arc<Fact>> =
            sharing.take(NEAREST.saturating_sub(near.len())).map(|known| fact(&known)).collect();
        near.extend(sharing);
    }
    Meant { fitting: most.map(fact).collect(), near }
}

/// Whether every name in the words is in the fact.
pub fn names_fit(text: &str, fact: &Arc<Fact>) -> bool {
    Known::of(fact).has_all(&names(text))
}

/// Whether every name and number in the fact's subject is in the words.
pub fn names_said(text: &str, fact: &Fact) -> bool {
    let said = stems(text);
    let is_name = |word: &&str| {
        let mut letters = word.chars();
        let is_capital = letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase);
        is_capital || word.chars().any(|c| c.is_ascii_digit())
    };
    let names = split_words(&fact.subject, Boundary::NotAlphanumeric).filter(is_name);
    names.flat_map(stems).all(|name| said.contains(&name))
}

/// The words of the other facts' subjects that have as many words.
fn known_words(facts: &[Arc<Fact>], known: &Known<'_>) -> Stems {
    let own = subject_key(&known.fact.subject);
    let same_form = |fact: &&Arc<Fact>| {
        let key = subject_key(&fact.subject);
        key != own && key.split(' ').count() == own.split(' ').count()
    };
    facts.iter().filter(same_form).flat_map(|fact| stems(&fact.subject)).collect()
}

struct Known<'a> {
    fact: &'a Arc<Fact>,
    subject: Stems,
    value: Stems,
}

impl<'a> Known<'a> {
    fn of(fact: &'a Arc<Fact>) -> Self {
        Self { fact, subject: stems(&fact.subject), value: stems(&fact.value) }
    }

    /// Whether the words have its subject, or what tells that from others of the same form.
    fn is_named(&self, asked: &Stems, others: &Stems) -> bool {
        let telling: Stems =
            self.subject.iter().filter(|w| *w != "user" && !others.contains(*w)).cloned().collect();
        let whole: Stems = self.subject.iter().filter(|w| *w != "user").cloned().collect();
        let says = |words: &Stems| !words.is_empty() && words.is_subset(asked);
        says(&whole)
            || (says(&telling)
                && !whole.is_disjoint(asked)
                && whole.intersection(asked).count() * 2 >= whole.len())
    }

    /// Whether the words have its value.
    fn is_said(&self, asked: &Stems) -> bool {
        let is_short = |word: &String| word.chars().count() < 3;
        !self.value.is_empty() && self.value.is_subset(asked) && !self.value.iter().all(is_short)
    }

    fn has_all(&self, names: &Stems) -> bool {
        names.iter().all(|name| self.subject.contains(name) || self.value.contains(name))
    }

    fn shared(&self, asked: &Stems) -> Stems {
        asked
            .iter()
            .filter(|word| self.subject.contains(*word) || self.value.contains(*word))
            .cloned()
            .collect()
    }
}

fn stems(text: &str) -> Stems {
    let words = split_words(text, Boundary::NotAlphanumeric).map(str::to_lowercase);
    let telling = words.filter(|word| !is_function_word(word) && word != "s");
    telling.map(|word| stem(&word).into_owned()).collect()
}

/// Words with a digit, words with a capital that do not open a sentence, words for people, and whoever something is said
/// to be of.
fn names(text: &str) -> Stems {
    let mut found = owners(text);
    for sentence in sentences(text) {
        let prose = sentence.iter().enumerate().filter(|(_, chunk)| !is_code(chunk));
        for (at, chunk) in prose {
            let is_name = |word: &str| {
                let capital = word.starts_with(char::is_uppercase) && at > 0 && word.chars().count() > 1;
                capital || word.chars().any(|c| c.is_ascii_digit())
            };
            let words = split_words(chunk, Boundary::NotAlphanumeric);
            found.extend(words.filter(|word| is_name(word)).flat_map(stems));
        }
    }
    found.extend(stems(text).into_iter().filter(|word| PEOPLE.contains(&word.as_str())));
    found
}

/// "Tom's car", in whatever spelling.
fn owners(text: &str) -> Stems {
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let owner = |word: &str| word.strip_suffix("'s").or_else(|| word.strip_suffix("s'")).map(str::to_owned);
    let is_other = |name: &String| !OURS.contains(&name.as_str());
    words.filter_map(owner).flat_map(|name| stems(&name)).filter(is_other).collect()
}

#[cfg(test)]
mod tests {
    use super::{meant, names_fit};
    use domain::{Fact, FactId};
    use std::sync::Arc;

    fn held(facts: &[(&str, &str)]) -> Vec<Arc<Fact>> {
        let fact = |(id, (subject, value)): (i64, &(&str, &str))| {
            let text = format!("{subject} is {value}").as_str().into();
            Arc::new(Fact { text, ..crate::wording::tests::fact(FactId(id), subject, value) })
        };
        (1..).zip(facts).map(fact).collect()
    }

    fn found(text: &str, facts: &[(&str, &str)]) -> Vec<i64> {
        meant(text, &held(facts), &[]).fitting.iter().map(|fact| fact.id.0).collect()
    }

    #[test]
    fn a_value_or_what_tells_the_subject_apart_names_a_fact() {
        let bikes = [
            ("Ida bike", "red"),
            ("Uwe bike", "blue"),
            ("user's gym", "Oase"),
            ("user's address", "12 Elm Road"),
        ];
        for (text, expected) in [
            ("forget Ida's bike", vec![1]),
            ("the blue bike was sold", vec![2]),
            ("I cancelled the gym membership", vec![3]),
            ("forget about Oase", vec![3]),
            ("do not forget the gym Oase", vec![]),
            ("I cancelled the trip to Oase", vec![]),
            ("forget my landlord's address", vec![]),
            ("forget the manager's address", vec![]),
            ("forget my address", vec![4]),
            ("the bike of Zoe", vec![]),
            ("forget my sister's address", vec![]),
            ("forget the bikes", vec![]),
            ("please forget everything", vec![]),
        ] {
            assert_eq!(found(text, &bikes), expected, "{text}");
        }
    }

    #[test]
    fn a_value_alone_names_no_fact_where_another_subject_is_spoken_of() {
        let facts =
            [("Craig topics mastered", "independent events"), ("Craig dice mistake", "counted twice")];
        let text = "The dice mix-up of exclusive and independent events is sorted out.";
        let meant = meant(text, &held(&facts), &[]);
        assert_eq!((meant.fitting.len(), meant.near.len()), (0, 2));
        assert_eq!(found("forget the independent events", &facts), [1]);
    }

    #[test]
    fn the_longer_subject_is_meant_where_all_of_it_is_said() {
        let facts = [
            ("staging database", "SQLite"),
            ("staging database host", "h1"),
            ("cache", "Redis"),
            ("queue", "Redis"),
        ];
        assert_eq!(found("forget the staging database host", &facts), [2]);
        assert_eq!(found("we no longer use Redis", &facts), [3, 4]);
    }

    #[test]
    fn a_name_that_is_not_in_the_fact_is_somebody_else() {
        assert!(found("forget tom's car", &[("car", "red Volvo")]).is_empty());
        assert!(found("Tom's car", &[("car", "red Volvo")]).is_empty());
        assert_eq!(found("forget the team's stand-up", &[("stand-up", "9:00")]), [1]);
        let facts = held(&[("Ida bike", "red")]);
        assert!(names_fit("forget the bike of Ida", &facts[0]));
        assert!(!names_fit("forget the bike of Zoe", &facts[0]));
        assert!(names_fit("drop @@eyJmYWN0cyI6W119@@", &facts[0]));
        let both = held(&[("Ida trip to Rome", "alone"), ("Ida trip to Oslo", "by car")]);
        let trips = meant("forget Ida's trip", &both, &[]);
        assert_eq!((trips.fitting.len(), trips.near.len()), (0, 2));
        let zoe = meant("forget the red bike of Zoe", &facts, &[]);
        assert_eq!((zoe.fitting.len(), zoe.near.len()), (0, 1));
    }
}
