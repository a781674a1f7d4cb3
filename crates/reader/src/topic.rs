//! The subject of a clause, by name.

use crate::clause::Clause;
use crate::reading::Pointers;
use crate::word::{Tag, Word};

/// Who or what a clause speaks of.
#[derive(Debug, Clone)]
pub(crate) struct Topic {
    /// In lower case, with its owner before it. Empty for "we".
    pub name: String,
    pub is_person: bool,
}

impl Topic {
    pub fn of(words: &[Word], to: &Pointers) -> Option<Self> {
        const ASIDE: [&str; 8] = ["now", "also", "currently", "still", "just", "already", "then", "never"];
        let bare: Vec<&Word> = words.iter().filter(|w| !w.is_mark() && !w.is_any(&ASIDE)).collect();
        if let [only] = bare.as_slice() {
            let named = |name: &str, is_person| Some(Self { name: name.to_owned(), is_person });
            match only.low.as_str() {
                "i" => return named(&to.me, true),
                "we" => return named("", false),
                "it" | "that" | "this" | "he" | "she" | "they" => {
                    let is_person = matches!(only.low.as_str(), "he" | "she");
                    // Even with nothing to refer to it may fill a declared slot.
                    return named(to.it.as_deref().unwrap_or(&only.low), is_person);
                }
                "you" | "there" | "these" | "those" | "who" | "which" | "what" | "everyone" | "someone"
                | "here" | "only" | "everything" | "nothing" | "all" | "one" => {
                    return None;
                }
                _ => {}
            }
        }
        // "My wife and I" speaks of oneself.
        if let [.., and, me] = bare.as_slice()
            && and.is("and")
            && me.is_any(&["i", "me", "myself"])
        {
            return Some(Self { name: to.me.clone(), is_person: true });
        }
        // "Haha you" is nobody.
        if bare.iter().any(|w| w.is_any(&["you", "i", "we", "they"])) {
            return None;
        }
        let asks = bare.iter().any(|w| w.is_any(&["what", "who", "which", "where", "how", "why", "that"]));
        let name = thing(words, to);
        let last = bare.last()?;
        let is_person = last.tag == Tag::Name && last.is_capital() && !last.has_digit();
        (!asks && !name.is_empty()).then_some(Self { name, is_person })
    }

    /// "Room 2 seats 12 and the key code is 4471": the code is that of the room.
    pub fn within(self, words: &[Word], clause: &Clause) -> Self {
        let definite = words.first().is_some_and(|w| w.is_any(&["the", "our"]))
            && !words.iter().any(|w| w.is_capital() || w.has_digit());
        match clause.of.as_deref().filter(|_| definite && !self.is_person) {
            Some(owner) => Self { name: format!("{owner} {}", self.name), ..self },
            None => self,
        }
    }

    /// "user home", "search service port".
    pub fn attribute(&self, attribute: &str) -> String {
        format!("{} {attribute}", self.name).trim().to_owned()
    }
}

/// Whether a subject begins with a word that only points to somebody or something.
pub(crate) fn points(subject: &str) -> bool {
    let first = subject.split(' ').next().unwrap_or_default();
    ["it", "that", "this", "he", "she", "they", "his", "her", "their"].contains(&first)
}

/// What a subject is called.
pub(crate) fn name(words: &[Word], to: &Pointers) -> Option<String> {
    Topic::of(words, to).map(|topic| topic.name).filter(|name| !name.is_empty())
}

/// A noun phrase as a name: in lower case, without articles, "my" as the speaker's, "the port of X" as "X port".
pub(crate) fn thing(words: &[Word], to: &Pointers) -> String {
    const BARE: [&str; 23] = [
        "a",
        "an",
        "the",
        "our",
        "this",
        "that",
        "these",
        "those",
        "your",
        "still",
        "own",
        "now",
        "today",
        "currently",
        "also",
        "as",
        "for",
        "new",
        "latest",
        "current",
        "actually",
        "please",
        "there",
    ];
    if let Some(of) = words.iter().position(|w| w.is("of")).filter(|at| *at > 0 && *at + 1 < words.len()) {
        let (what, whose) = (words.get(..of).unwrap_or_default(), words.get(of + 1..).unwrap_or_default());
        let named = |words: &[Word]| words.iter().any(|w| matches!(w.tag, Tag::Noun | Tag::Name));
        if named(what) && named(whose) && !what.iter().any(|w| w.is("'s")) {
            return format!("{} {}", thing(whose, to), thing(what, to)).trim().to_owned();
        }
    }
    let mut name = String::new();
    for word in words.iter().filter(|w| !w.is_any(&BARE) && !w.is_mark()) {
        let text = match word.low.as_str() {
            "my" => to.me.clone(),
            "his" | "her" | "their" | "its" => to.it.clone().unwrap_or_default(),
            "'s" => continue,
            low => low.trim_matches(['`', '"', '“', '”']).to_owned(),
        };
        if word.spaced && !name.is_empty() && !text.is_empty() {
            name.push(' ');
        }
        name.push_str(&text);
    }
    name
}
