//! The verb of a clause with its helpers: tense, voice, negation.

use super::lexicon::LEXICON;
use super::words::{Tag, Word};

#[derive(Debug, Clone, Default)]
pub(super) struct Verb {
    /// The stem of the verb that carries the meaning.
    pub stem: String,
    pub past: bool,
    pub passive: bool,
    pub negated: bool,
    /// "is switching"
    pub progressive: bool,
    /// "has switched"
    pub perfect: bool,
    /// "up" of "get up"
    pub particle: Option<String>,
    /// "used to"
    pub formerly: bool,
}

const PARTICLES: [&str; 8] = ["up", "out", "off", "down", "back", "over", "away", "forward"];

/// The verb with its helpers, and how many words they take.
pub(super) fn verb_group(words: &[Word]) -> (Verb, usize) {
    let mut verb = Verb::default();
    let mut last: Option<Word> = None;
    let (mut be, mut have, mut used) = (false, false, 0);
    while let Some(word) = words.get(used) {
        let next = words.get(used + 1);
        let joins = match word.tag {
            Tag::Aux => last.as_ref().is_none_or(|l| l.tag == Tag::Aux || l.is_any(&["to", "used"])),
            Tag::Verb => {
                last.as_ref().is_none_or(|l| l.tag == Tag::Aux || l.is("to"))
                    && continues(word, last.as_ref())
            }
            Tag::Adverb if word.is("no") => next.is_some_and(|w| w.is("longer")),
            Tag::Adverb => {
                next.is_some_and(|w| matches!(w.tag, Tag::Verb | Tag::Aux | Tag::Adverb))
                    || word.is_any(&[
                        "not",
                        "never",
                        "no",
                        "longer",
                        "still",
                        "now",
                        "always",
                        "already",
                        "usually",
                        "also",
                        "currently",
                    ])
            }
            _ => {
                word.is("to")
                    && next.is_some_and(|w| matches!(w.tag, Tag::Verb | Tag::Aux))
                    && last.as_ref().is_some_and(|l| {
                        l.is_any(&[
                            "used",
                            "going",
                            "have",
                            "has",
                            "had",
                            "want",
                            "wants",
                            "plan",
                            "plans",
                            "planning",
                            "intend",
                            "intends",
                            "hope",
                            "hopes",
                            "need",
                            "needs",
                            "expected",
                            "scheduled",
                            "about",
                            "aim",
                            "aims",
                        ])
                    })
            }
        };
        if !joins {
            break;
        }
        match word.tag {
            Tag::Adverb => {
                verb.negated |= word.is_any(&["not", "never"])
                    || (word.is("longer") && words.get(used.wrapping_sub(1)).is_some_and(|w| w.is("no")))
            }
            Tag::Aux | Tag::Verb => {
                be |= LEXICON.verb(&word.low) == "be";
                have |= LEXICON.verb(&word.low) == "have";
                verb.past |= last.as_ref().is_none_or(|l| l.tag != Tag::Aux)
                    && is_past(word)
                    && !(next.is_some_and(|w| w.is("to")) && word.is_any(&["expected", "scheduled", "due"]));
                verb.formerly |= word.is("used") && next.is_some_and(|w| w.is("to"));
                verb.negated |= word.is("cannot");
                last = Some(word.clone());
            }
            _ => last = Some(word.clone()),
        }
        used += 1;
    }
    if let Some(word) = &last {
        verb.stem = LEXICON.verb(&word.low);
        let lexical = word.tag == Tag::Verb && verb.stem != "be" && verb.stem != "have";
        verb.progressive = lexical && be && word.low.ends_with("ing");
        verb.passive = lexical && be && !word.low.ends_with("ing");
        verb.perfect = have && lexical;
        if verb.perfect {
            verb.past = false;
        }
    }
    used += leads_on(&mut verb, words.get(used..).unwrap_or_default());
    if verb.stem != "be"
        && let Some(word) = words.get(used).filter(|w| PARTICLES.contains(&w.low.as_str()))
    {
        verb.particle = Some(word.low.clone());
        used += 1;
    }
    (verb, used)
}

/// "Finished migrating", "got moved", "decided to switch": the second verb is what is said.
fn leads_on(verb: &mut Verb, rest: &[Word]) -> usize {
    let leads = matches!(
        verb.stem.as_str(),
        "finish" | "complet" | "start" | "begin" | "get" | "decid" | "end" | "agre" | "manag"
    );
    if !leads {
        return 0;
    }
    let skipped = rest.iter().take_while(|w| w.is_any(&["to", "up", "just", "finally", "all"])).count();
    let Some(next) = rest.get(skipped) else { return 0 };
    let fits = next.tag == Tag::Verb && (skipped > 0 || next.low.ends_with("ing") || is_past(next));
    if !fits {
        return 0;
    }
    verb.passive = verb.stem == "get" && !next.low.ends_with("ing");
    verb.stem = LEXICON.verb(&next.low);
    skipped + 1
}

/// After "has" and "is" only a participle belongs to the verb: "has life insurance" and "is Go" have none.
fn continues(word: &Word, last: Option<&Word>) -> bool {
    let have = last.is_some_and(|l| l.is_any(&["has", "have", "had"]));
    let be = last.is_some_and(|l| LEXICON.verb(&l.low) == "be");
    if be {
        return is_past(word) || word.low.ends_with("ing") || word.low.ends_with("en");
    }
    !have || is_past(word) || word.is_any(&["been", "put", "set", "let", "run", "come", "become"])
}

pub(super) fn is_past(word: &Word) -> bool {
    word.is_any(&["was", "were", "had", "did", "used"])
        || (word.tag == Tag::Verb
            && !word
                .is_any(&["need", "feed", "exceed", "proceed", "succeed", "speed", "bleed", "embed", "seed"])
            && (word.low.ends_with("ed") || is_irregular_past(&word.low)))
}

fn is_irregular_past(low: &str) -> bool {
    LEXICON.is_irregular_verb(low)
        && !low.ends_with("es")
        && !low.ends_with("ing")
        && LEXICON.verb(low) != "be"
        && LEXICON.verb(low) != "have"
        && !matches!(low, "goes" | "does")
}
