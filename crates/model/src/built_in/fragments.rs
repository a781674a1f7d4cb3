//! What is said without a verb: "Weight 71 kg", "Gold plan", "Drain out".

use super::clauses::Clause;
use super::copula::{allergic, allergy, by_kinds};
use super::naming::{Sort, Topic, is_proper, plain_name};
use super::reading::{Reading, Shift, reading};
use super::values::drug;
use super::words::{Tag, Word, spell};

/// Without a verb: "Weight 71 kg", "Gold plan".
pub(super) fn fragment(words: &[Word]) -> Vec<Reading> {
    let text = spell(words);
    if let [no, more, rest @ ..] = words
        && no.is("no")
        && more.is("more")
        && !rest.is_empty()
    {
        return vec![Reading { shift: Shift::Gone, ..reading(plain_name(rest), spell(rest)) }];
    }
    let bare: Vec<Word> = words.iter().skip_while(|w| w.is("on")).cloned().collect();
    if let Some(drug) = drug(&spell(&bare)) {
        let subject = format!("medication {drug}");
        return vec![Reading { attribute: Some("medication"), ..reading(subject, spell(&bare)) }];
    }
    let end = words.iter().position(|w| w.is_any(&["out", "off", "gone", "removed", "stopped", "ended"]));
    if let Some(at) = end.filter(|at| *at > 0 && *at <= 3) {
        let what = words.get(..at).unwrap_or_default();
        return vec![Reading { shift: Shift::Gone, ..reading(plain_name(what), spell(what)) }];
    }
    if words.first().is_some_and(|w| w.is("allergic")) {
        let clause = Clause { words: words.to_vec(), ..Clause::default() };
        return allergic(&clause, &Topic { name: String::new(), sort: Sort::Person }).unwrap_or_default();
    }
    if let Some(at) = words.iter().position(|w| w.is("allergy")).filter(|at| *at > 0) {
        let what = spell(words.get(..at).unwrap_or_default());
        let rest = spell(words.get(at + 1..).unwrap_or_default());
        let value = if rest.is_empty() { what.clone() } else { format!("{what} - {rest}") };
        return vec![allergy(&Topic { name: String::new(), sort: Sort::Person }, value, &what)];
    }
    if let Some(at) = words.iter().position(Word::has_digit).filter(|at| *at > 0) {
        let name = plain_name(words.get(..at).unwrap_or_default());
        let value = spell(words.get(at..).unwrap_or_default());
        let first = words.first().is_some_and(|w| !w.is_preposition() && w.tag != Tag::Verb);
        if !name.is_empty() && first && at <= 3 {
            if let Some(drug) = drug(&text) {
                return vec![Reading {
                    attribute: Some("medication"),
                    ..reading(format!("medication {drug}"), text)
                }];
            }
            return vec![reading(name, value)];
        }
    }
    if let Some(found) = somebody(words) {
        return vec![found];
    }
    if words.len() > 3 {
        return Vec::new();
    }
    by_kinds(&Topic { name: String::new(), sort: Sort::Person }, &text)
}

/// "My husband Tom".
fn somebody(words: &[Word]) -> Option<Reading> {
    let (whose, rest) = words.split_first()?;
    let at = rest.iter().position(Word::is_capital).filter(|at| (1..=3).contains(at))?;
    let (role, name) = rest.split_at(at);
    let plain = role.iter().all(|w| matches!(w.tag, Tag::Noun | Tag::Adjective)) && is_proper(name);
    let whose_is = whose.is_any(&["my", "our", "his", "her", "their"]);
    let role = words.get(..=at)?;
    (whose_is && plain).then(|| reading(plain_name(role), spell(name)))
}
