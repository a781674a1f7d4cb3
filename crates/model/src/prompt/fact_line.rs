//! A stored fact as a line of a prompt.

use domain::Fact;

/// `#id subject = value`, on one line whatever the value holds, so no value can pose as another fact.
pub(super) fn fact_line(fact: &Fact, notes: &[String]) -> String {
    let mut all: Vec<String> = Vec::new();
    if fact.scope != "global" {
        all.push(format!("scope {}", fact.scope));
    }
    all.extend_from_slice(notes);
    all.extend(fact.dates());
    let notes = if all.is_empty() { String::new() } else { format!(" [{}]", all.join("; ")) };
    one_line(&format!("#{} {} = {}{notes}", fact.id, fact.subject, fact.value))
}

pub(super) fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " ")
}
