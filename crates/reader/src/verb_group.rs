//! A verb with its helpers, and what they say about it.

use crate::lexicon::LEXICON;
use crate::reading::Shift;
use crate::stem::stem;
use crate::word::{Tag, Word};

#[derive(Debug, Default)]
pub(crate) struct VerbGroup {
    /// The stem of its base form; none for a form of "be" alone.
    pub verb: Option<String>,
    pub end: usize,
    pub negated: bool,
    pub no_longer: bool,
    pub modal: bool,
    pub now: bool,
    pub is: bool,
    pub past: bool,
    pub doing: bool,
    pub helped: bool,
    pub habit: bool,
    pub will: bool,
}

impl VerbGroup {
    pub fn read(words: &[Word], start: usize) -> Option<Self> {
        let mut group = Self { end: start, ..Self::default() };
        while let Some(word) = words.get(group.end) {
            let next = words.get(group.end + 1);
            let helps = next.is_some_and(|w| matches!(w.tag, Tag::Verb | Tag::Aux | Tag::Adverb));
            match word.low.as_str() {
                "is" | "are" | "am" | "be" | "been" | "being" | "was" | "were" => {
                    group.is = true;
                    group.past = matches!(word.low.as_str(), "was" | "were");
                }
                "has" | "have" | "had" | "do" | "does" | "did" if helps => group.helped = true,
                "will" => group.will = true,
                "would" | "could" | "might" | "may" | "should" | "can" | "must" | "shall" => {
                    group.modal = true
                }
                "not" | "never" => group.negated = true,
                "no" if next.is_some_and(|w| w.is("longer")) => group.no_longer = true,
                "now" => group.now = true,
                // "used to live in"
                "used" if next.is_some_and(|w| w.is("to")) => {
                    group.past = true;
                    group.habit = true;
                    group.end += 1;
                }
                _ if word.tag == Tag::Adverb => {}
                _ if word.tag == Tag::Verb || group.end == start || group.habit || group.will => {
                    if group.is && !is_verb_form(word) {
                        break;
                    }
                    group.doing = word.low.ends_with("ing");
                    group.past |= !group.is && !group.helped && !group.habit && is_past(&word.low);
                    group.verb = Some(LEXICON.verb(&word.low));
                    group.end += 1;
                    break;
                }
                _ => break,
            }
            group.end += 1;
        }
        (group.verb.is_some() || group.is).then_some(group)
    }

    /// What the verb says about when it holds.
    pub fn shift(&self) -> Shift {
        if self.will {
            return Shift::Will;
        }
        // Whoever joined or started is there now.
        let begun = self.past && self.verb.as_deref().is_some_and(|verb| matches!(verb, "join" | "start"));
        match (self.no_longer, self.now || begun, self.past) {
            (true, _, _) => Shift::Gone,
            (_, true, _) => Shift::Became { from: None },
            (_, _, true) => Shift::Was,
            _ => Shift::Is,
        }
    }

    /// It is denied, or could be, or is to be.
    pub fn is_open(&self) -> bool {
        self.modal || self.negated && !self.no_longer
    }
}

fn is_verb_form(word: &Word) -> bool {
    word.low.ends_with("ed") || word.low.ends_with("ing") || LEXICON.is_irregular_verb(&word.low)
}

fn is_past(form: &str) -> bool {
    if matches!(form, "has" | "does" | "goes") {
        return false;
    }
    form.ends_with("ed") || LEXICON.is_irregular_verb(form) && LEXICON.verb(form) != stem(form)
}
