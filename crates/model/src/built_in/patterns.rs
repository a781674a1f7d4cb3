//! Patterns of words and parts of speech, as the word lists write them: one or more slots in a row, divided by spaces.
//!
//! | Slot | stands for |
//! |---|---|
//! | `word`, `a\|b` | that word, one of these words |
//! | `<verb>` | a word of that class, see [`Class`] |
//! | `_` | any one word |
//! | `~` | none to four words |
//! | `!a\|<verb>` | here stands none of these; takes no word |
//! | `a?` | as `a`, and may be left out |
//! | `^`, `$` | the beginning and the end |
//!
//! What a line with a leading `-` matches is innocent: it is taken out before the other lines are tried.

use super::classes::{Class, class};
use super::words::Word;

#[derive(Debug, Clone)]
pub(super) struct Pattern {
    slots: Vec<Slot>,
    /// The words of which one must be there, from the slot with the fewest.
    needs: Vec<String>,
}

/// The patterns of a list. Those of lines with a leading minus are taken out of the words first.
#[derive(Debug)]
pub(super) struct Patterns {
    innocent: Vec<Pattern>,
    telling: Vec<Pattern>,
}

impl Patterns {
    pub fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let (mut innocent, mut telling) = (Vec::new(), Vec::new());
        for line in lines {
            match line.strip_prefix("- ") {
                Some(line) => innocent.push(Pattern::read(line)),
                None => telling.push(Pattern::read(line)),
            }
        }
        Self { innocent, telling }
    }

    pub fn hold(&self, words: &[Word]) -> bool {
        self.places(words).next().is_some()
    }

    /// Where each of the patterns first stands.
    pub fn places(&self, words: &[Word]) -> impl Iterator<Item = (usize, usize)> {
        let mut left = words.to_vec();
        for (from, to) in self.innocent.iter().filter_map(|p| p.find(words)) {
            left.iter_mut().take(to).skip(from).for_each(Word::hush);
        }
        self.telling.iter().filter_map(move |p| p.find(&left))
    }
}

#[derive(Debug, Clone)]
struct Slot {
    kind: Kind,
    optional: bool,
}

#[derive(Debug, Clone)]
enum Kind {
    OneOf(Vec<Atom>),
    NoneOf(Vec<Atom>),
    Gap,
    Start,
    End,
}

#[derive(Debug, Clone)]
enum Atom {
    Any,
    End,
    Word(String),
    Class(Class),
}

/// How far a `~` reaches.
const LONGEST_GAP: usize = 4;

impl Pattern {
    pub fn read(line: &str) -> Self {
        let slots: Vec<Slot> = line.split_whitespace().map(slot).collect();
        let needs = slots.iter().filter_map(Slot::words).min_by_key(Vec::len).unwrap_or_default();
        Self { slots, needs }
    }

    /// Whether it is a phrase of words only.
    pub fn is_plain(line: &str) -> bool {
        !line.split_whitespace().any(|s| s.contains(['<', '|', '~', '!', '^', '$', '_']) || s.ends_with('?'))
    }

    /// Where it first stands among the words, which must be free of marks: its beginning and its end.
    pub fn find(&self, words: &[Word]) -> Option<(usize, usize)> {
        if !self.needs.is_empty() && !words.iter().any(|w| self.needs.contains(&w.low)) {
            return None;
        }
        (0..words.len()).find_map(|at| self.reach(&self.slots, words, at).map(|end| (at, end)))
    }

    fn reach(&self, slots: &[Slot], words: &[Word], at: usize) -> Option<usize> {
        let Some((slot, rest)) = slots.split_first() else { return Some(at) };
        let ends = |atoms: &[Atom]| at == words.len() && atoms.iter().any(|a| matches!(a, Atom::End));
        let fits = |atoms: &[Atom]| words.get(at).is_some_and(|w| atoms.iter().any(|a| a.fits(w)));
        let taken = match &slot.kind {
            Kind::Start if at == 0 => self.reach(rest, words, at),
            Kind::End if at == words.len() => self.reach(rest, words, at),
            Kind::Start | Kind::End => None,
            Kind::NoneOf(atoms) if !fits(atoms) && !ends(atoms) => self.reach(rest, words, at),
            Kind::NoneOf(_) => None,
            Kind::Gap => {
                (at..=(at + LONGEST_GAP).min(words.len())).find_map(|to| self.reach(rest, words, to))
            }
            Kind::OneOf(atoms) if ends(atoms) => self.reach(rest, words, at),
            Kind::OneOf(atoms) if fits(atoms) => self.reach(rest, words, at + 1),
            Kind::OneOf(_) => None,
        };
        taken.or_else(|| if slot.optional { self.reach(rest, words, at) } else { None })
    }
}

impl Slot {
    /// Its words, if nothing else can stand here.
    fn words(&self) -> Option<Vec<String>> {
        let Kind::OneOf(atoms) = &self.kind else { return None };
        let word = |atom: &Atom| match atom {
            Atom::Word(word) => Some(word.clone()),
            _ => None,
        };
        if self.optional { None } else { atoms.iter().map(word).collect() }
    }
}

fn slot(text: &str) -> Slot {
    let (text, optional) = match text.strip_suffix('?') {
        Some(text) if !text.is_empty() => (text, true),
        _ => (text, false),
    };
    let kind = match text {
        "~" => Kind::Gap,
        "^" => Kind::Start,
        "$" => Kind::End,
        _ => match text.strip_prefix('!') {
            Some(rest) => Kind::NoneOf(atoms(rest)),
            None => Kind::OneOf(atoms(text)),
        },
    };
    Slot { kind, optional }
}

fn atoms(text: &str) -> Vec<Atom> {
    let atom = |part: &str| {
        let named = part.strip_prefix('<').and_then(|p| p.strip_suffix('>')).and_then(class);
        match (part, named) {
            ("_", _) => Atom::Any,
            ("$", _) => Atom::End,
            (_, Some(class)) => Atom::Class(class),
            _ => Atom::Word(part.to_owned()),
        }
    };
    text.split('|').filter(|part| !part.is_empty()).map(atom).collect()
}

impl Atom {
    fn fits(&self, word: &Word) -> bool {
        match self {
            Self::Any => true,
            Self::End => false,
            Self::Word(text) => word.low == *text,
            Self::Class(class) => class.holds(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::words::{tag, words};

    fn stands(pattern: &str, text: &str) -> bool {
        let mut words = words(text);
        tag(&mut words);
        words.retain(|w| !w.is_mark());
        Patterns::read(pattern.lines()).hold(&words)
    }

    #[test]
    fn every_slot_of_a_pattern_stands_for_what_is_documented() {
        assert!(stands("is|are due to <base>", "it is due to start"));
        assert!(!stands("is|are due to <base>", "it was due to start"));
        assert!(stands("^ once the? _ $", "once bitten") && stands("^ once the? _ $", "once the rain"));
        assert!(stands("may !not be", "it may be") && !stands("may !not _", "it may not be"));
        assert!(stands("not ~ sure", "not at all quite sure") && !stands("not ~ sure", "not a b c d e sure"));
        assert!(stands("in <num> <unit>", "in three weeks") && stands("on <date>", "on Tuesday"));
        assert!(!stands("once !a|$", "just once") && stands("or so|$", "this or"));
    }

    #[test]
    fn what_a_line_with_a_minus_matches_is_innocent() {
        let list = "- next of kin\nnext";
        assert!(stands(list, "next week") && !stands(list, "her next of kin is Bo"));
    }

    #[test]
    fn every_class_that_a_list_names_is_there() {
        let lists = [
            include_str!("lexicon/asked.txt"),
            include_str!("lexicon/futures.txt"),
            include_str!("lexicon/hedges.txt"),
            include_str!("lexicon/pasts.txt"),
            include_str!("lexicon/sarcasm.txt"),
            include_str!("lexicon/supposed.txt"),
            include_str!("lexicon/whole_doubts.txt"),
            include_str!("lexicon/would.txt"),
        ];
        let names = lists.iter().flat_map(|l| l.split('<').skip(1)).filter_map(|part| part.split_once('>'));
        let unknown: Vec<&str> = names.map(|(name, _)| name).filter(|name| class(name).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
