//! The part of speech of every word: a tagger's guess, corrected where the words around it say more.

use crate::lexicon::LEXICON;
use crate::word::{Tag, Word};
use harper_brill::{Tagger, UPOS, brill_tagger};

/// Gives every word its part of speech, and tells the `'s` of "it's" from that of "Anna's".
pub(crate) fn tag(words: &mut [Word]) {
    let plain: Vec<String> = words.iter().map(|w| w.low.clone()).collect();
    let tags = brill_tagger().tag_sentence(&plain);
    for (word, tag) in words.iter_mut().zip(tags) {
        word.tag = own_tag(word).unwrap_or_else(|| from_upos(tag, word));
    }
    if let Some(first) =
        words.first_mut().filter(|w| w.tag == Tag::Name && w.low.ends_with("ed") && w.text.len() > 5)
    {
        first.tag = Tag::Verb;
    }
    settle_apostrophes(words);
    settle_verbs(words);
    settle_nouns(words);
    settle_compounds(words);
    settle_modifiers(words);
}

fn own_tag(word: &Word) -> Option<Tag> {
    let low = word.low.as_str();
    Some(match low {
        "am" | "is" | "are" | "was" | "were" | "be" | "been" | "being" | "has" | "have" | "had" | "do"
        | "does" | "did" | "will" | "would" | "can" | "could" | "may" | "might" | "must" | "shall"
        | "should" | "cannot" => Tag::Aux,
        "not" | "no" | "never" | "now" | "still" | "just" | "also" | "currently" | "already" | "longer"
        | "again" | "anymore" | "instead" | "always" | "usually" | "actually" | "recently" | "ever"
        | "only" => Tag::Adverb,
        "a" | "an" | "the" | "this" | "that" | "these" | "those" | "my" | "our" | "your" | "his" | "her"
        | "its" | "their" | "all" | "every" | "each" | "some" | "any" => Tag::Determiner,
        "i" | "we" | "you" | "he" | "she" | "it" | "they" | "me" | "us" | "him" | "them" => Tag::Pronoun,
        _ if word.is_quoted() => Tag::Name,
        _ if word.is_mark() => Tag::Other,
        _ if LEXICON.is_preposition(low) => Tag::Preposition,
        _ if word.text.chars().next().is_some_and(|c| c.is_ascii_digit()) => Tag::Number,
        _ if LEXICON.is_irregular_verb(low) && low != "left" && low != "rose" && low != "felt" => Tag::Verb,
        _ => return None,
    })
}

fn from_upos(tag: Option<UPOS>, word: &Word) -> Tag {
    match tag {
        Some(UPOS::NOUN) => Tag::Noun,
        Some(UPOS::PROPN) => Tag::Name,
        Some(UPOS::VERB) if word.low.contains('-') => Tag::Adjective,
        Some(UPOS::VERB) => Tag::Verb,
        Some(UPOS::AUX) => Tag::Aux,
        Some(UPOS::ADJ) => Tag::Adjective,
        Some(UPOS::ADV) => Tag::Adverb,
        Some(UPOS::PRON) => Tag::Pronoun,
        Some(UPOS::DET) => Tag::Determiner,
        Some(UPOS::ADP) => Tag::Preposition,
        Some(UPOS::NUM) => Tag::Number,
        Some(_) => Tag::Other,
        None if word.low.contains('-') && word.low.ends_with("ed") => Tag::Adjective,
        None if word.is_capital() => Tag::Name,
        None if verb_shaped(&word.low) => Tag::Verb,
        None => Tag::Noun,
    }
}

/// The tagger does not know the word, and its verb has one of our lists behind it.
fn verb_shaped(low: &str) -> bool {
    let verb = LEXICON.verb(low);
    (low.ends_with("ed") || low.ends_with("ing"))
        && (LEXICON.is_change(&verb)
            || LEXICON.is_removal(&verb, None)
            || LEXICON.is_stative(&verb)
            || low.ends_with("ed"))
}

fn settle_apostrophes(words: &mut [Word]) {
    let mut before: Option<Word> = None;
    let after = words.to_vec();
    let following: Vec<Option<Word>> = words.iter().skip(1).cloned().map(Some).chain([None]).collect();
    let later: Vec<Option<Word>> = words.iter().skip(2).cloned().map(Some).chain([None, None]).collect();
    for (at, ((word, next), after_next)) in words.iter_mut().zip(following).zip(later).enumerate() {
        if word.is("'s") {
            let pronoun = before.as_ref().is_some_and(|w| {
                w.is_any(&["it", "that", "he", "she", "there", "what", "who", "where", "here", "let", "this"])
            });
            let goes_on = next.as_ref().is_some_and(|w| {
                w.is_any(&[
                    "a", "an", "the", "not", "now", "still", "been", "on", "in", "at", "no", "my", "our",
                ]) || (w.tag == Tag::Verb && w.low.ends_with("ing"))
            });
            let has_done =
                next.as_ref().is_some_and(|w| w.is("been") || (w.tag == Tag::Verb && w.low.ends_with("ed")))
                    && after_next
                        .as_ref()
                        .is_some_and(|w| matches!(w.tag, Tag::Determiner | Tag::Name) || w.is("been"))
                    || next.as_ref().is_some_and(|w| w.is("been"));
            let named =
                before.as_ref().is_some_and(|w| w.is("name")) && next.as_ref().is_some_and(Word::is_capital);
            let tells = after.get(at + 1..).is_some_and(is_told);
            // "At St Anne's now."
            let named_behind = after.get(..at).is_some_and(|before| {
                let names = before.iter().rev().take_while(|w| w.tag == Tag::Name).count();
                names > 0 && before.iter().rev().nth(names).is_some_and(Word::is_preposition)
            });
            // "St. Mary's."
            let of_name = before.as_ref().is_some_and(Word::is_capital);
            if before.as_ref().is_some_and(|w| w.is("let")) {
                word.becomes("us", Tag::Pronoun);
            } else if named {
                word.becomes("is", Tag::Aux);
            } else if pronoun && has_done {
                word.becomes("has", Tag::Aux);
            } else if pronoun
                || !named_behind && (goes_on || tells)
                || !of_name && next.as_ref().is_none_or(Word::is_mark)
            {
                word.becomes("is", Tag::Aux);
            }
        }
        before = Some(word.clone());
    }
}

/// "Budget's 80k", "the client's conservative", "blood type's AB negative": up to the next mark, preposition or verb, what
/// is behind the `'s` tells something of what is before it. "Anna's birthday" does not.
fn is_told(behind: &[Word]) -> bool {
    let ends = |w: &Word| w.is_mark() || w.is_preposition() || matches!(w.tag, Tag::Aux | Tag::Verb);
    let until = behind.iter().position(ends).unwrap_or(behind.len());
    let stops = behind.get(until).is_none_or(|w| w.is_mark() || w.is_preposition());
    let run = behind.get(..until).unwrap_or_default();
    stops
        && (matches!(run, [only] if only.has_digit()) || run.last().is_some_and(|w| w.tag == Tag::Adjective))
}

/// "The team lead is Ada": what looks like a verb is a noun behind a noun and before "is".
fn settle_nouns(words: &mut [Word]) {
    let copy: Vec<Word> = words.to_vec();
    for (at, word) in words.iter_mut().enumerate() {
        let before = at.checked_sub(1).and_then(|before| copy.get(before));
        let of_noun =
            before.is_some_and(|w| matches!(w.tag, Tag::Noun | Tag::Name | Tag::Adjective | Tag::Determiner));
        let is_next = copy.get(at + 1).is_some_and(|w| w.is_any(&["is", "was"]));
        if word.tag == Tag::Verb
            && of_noun
            && is_next
            && !word.low.ends_with("ing")
            && !word.low.ends_with("ed")
        {
            word.tag = Tag::Noun;
        }
    }
}

/// "Drives" and "reviews" are verbs behind a subject and before what a verb takes, whatever the tagger says.
fn settle_verbs(words: &mut [Word]) {
    let copy: Vec<Word> = words.to_vec();
    for (at, word) in words.iter_mut().enumerate() {
        if at > 0 && word.is_capital() && word.tag == Tag::Name {
            continue;
        }
        let helper = copy.get(..at).unwrap_or_default().iter().rev().find(|w| w.tag != Tag::Adverb);
        let verb = LEXICON.verb(&word.low);
        let listed = LEXICON.is_change(&verb) || LEXICON.is_removal(&verb, None);
        let behind_noun = at > 0
            && copy.get(at - 1).is_some_and(|w| matches!(w.tag, Tag::Noun | Tag::Name | Tag::Pronoun))
            && copy
                .get(at + 1)
                .is_none_or(|w| matches!(w.tag, Tag::Preposition | Tag::Determiner) || w.is_mark());
        if word.tag == Tag::Adjective && word.low.ends_with("ed") && listed && behind_noun {
            word.tag = Tag::Verb;
            continue;
        }
        if word.tag == Tag::Adjective
            && word.low.ends_with("ed")
            && listed
            && helper.is_some_and(|w| w.tag == Tag::Aux && !w.is_any(&["is", "are", "am"]))
        {
            word.tag = Tag::Verb;
            continue;
        }
        if !matches!(word.tag, Tag::Noun | Tag::Adjective | Tag::Name | Tag::Other | Tag::Adverb)
            || word.is_mark()
        {
            continue;
        }
        // "now" and "no longer" may come between subject and verb.
        let before =
            copy.get(..at).unwrap_or_default().iter().rev().find(|w| w.tag != Tag::Adverb || w.is_mark());
        let after = copy.get(at + 1);
        let takes = after.is_none_or(|w| {
            matches!(
                w.tag,
                Tag::Determiner | Tag::Preposition | Tag::Pronoun | Tag::Number | Tag::Adverb | Tag::Name
            ) || w.is_quoted()
                || w.is_mark()
        });
        let verb_follows =
            after.is_some_and(|w| w.tag == Tag::Aux || w.tag == Tag::Verb && !w.low.ends_with("ed"));
        let behind_pronoun = before.is_some_and(|w| w.tag == Tag::Pronoun) && word.low != "all";
        let behind_noun = before.is_some_and(|w| matches!(w.tag, Tag::Noun | Tag::Name | Tag::Number))
            && word.low.ends_with('s');
        let plural =
            before.is_some_and(|w| w.tag == Tag::Noun && w.low.ends_with('s')) && !word.low.ends_with('s');
        let opens = before.is_none_or(|w| w.is_mark() || w.is("and"))
            && after.is_some_and(|w| matches!(w.tag, Tag::Preposition | Tag::Pronoun | Tag::Determiner))
            && !word.low.ends_with('s');
        let known = LEXICON.is_common_verb(&word.low);
        let reads =
            known && takes && (behind_noun || plural || opens) && !(behind_noun && after.is_none() && at < 2);
        let another = copy.iter().any(|w| matches!(w.tag, Tag::Aux | Tag::Verb) && !w.low.ends_with("ing"));
        let nothing_else = known && behind_noun && !another;
        if !verb_follows
            && ((reads && !(another && opens))
                || nothing_else
                || (behind_pronoun
                    && (known || takes)
                    && !word.is_capital()
                    && word.tag != Tag::Adverb
                    && word.tag != Tag::Adjective))
        {
            word.tag = Tag::Verb;
        }
    }
}

/// Behind "the retry", "limit" is a noun if the sentence has its verb already.
fn settle_compounds(words: &mut [Word]) {
    let copy: Vec<Word> = words.to_vec();
    for (at, word) in words.iter_mut().enumerate().skip(2) {
        let before = copy.get(at - 1).is_some_and(|w| w.tag == Tag::Noun);
        let article = copy.get(at - 2).is_some_and(|w| w.tag == Tag::Determiner);
        let earlier = copy.get(..at - 2).unwrap_or_default().iter().any(|w| w.tag == Tag::Verb);
        if word.tag == Tag::Verb
            && before
            && article
            && earlier
            && !word.low.ends_with("ed")
            && !word.low.ends_with('s')
        {
            word.tag = Tag::Noun;
        }
    }
}

/// A participle between a determiner or adjective and a noun is not a verb: "the approved budget".
fn settle_modifiers(words: &mut [Word]) {
    let tags: Vec<(Tag, String)> = words.iter().map(|w| (w.tag, w.low.clone())).collect();
    for (at, word) in words.iter_mut().enumerate() {
        if word.tag != Tag::Verb {
            continue;
        }
        let before = at.checked_sub(1).and_then(|i| tags.get(i));
        let after = tags.get(at + 1);
        let opened = before.is_some_and(|(tag, low)| {
            matches!(tag, Tag::Determiner | Tag::Adjective) || low == "'s" || low == "no"
        });
        let noun_follows = after.is_some_and(|(tag, _)| matches!(tag, Tag::Noun | Tag::Name));
        let after_article = before.is_some_and(|(tag, _)| *tag == Tag::Determiner);
        let irregular = LEXICON.is_irregular_verb(&word.low) && !(after_article && noun_follows);
        if opened && (noun_follows || !word.low.ends_with("ed")) && !irregular {
            word.tag = if noun_follows { Tag::Adjective } else { Tag::Noun };
        }
        let later = tags
            .iter()
            .skip(at + 1)
            .find(|(tag, _)| !matches!(tag, Tag::Noun | Tag::Name | Tag::Adjective | Tag::Number))
            .is_some_and(|(tag, low)| matches!(tag, Tag::Aux | Tag::Verb) && !low.ends_with("ing"));
        if (word.low.ends_with("ing") || word.low.ends_with("ed") && later)
            && before.is_none()
            && noun_follows
        {
            word.tag = Tag::Adjective;
        }
    }
}

/// Whether the tagger knows the word as anything but a name.
pub(crate) fn is_known(low: &str) -> bool {
    let tagged = brill_tagger().tag_sentence(&[low.to_owned()]);
    tagged.first().is_some_and(|tag| tag.is_some_and(|tag| tag != UPOS::PROPN))
}
