//! What an item of a list is about.

use super::subject_key;

/// Words after a number that make it a dose, in the singular and folded.
const DOSE_UNITS: [&str; 33] = [
    "mg", "mcg", "ug", "µg", "μg", "g", "kg", "ml", "l", "iu", "unit", "u", "meq", "mmol", "mol", "%",
    "drop", "puff", "tab", "tablet", "cap", "capsule", "spray", "patch", "dose", "x", "time", "daily",
    "weekly", "bid", "tid", "qd", "cc",
];

/// The identity of a list's item: the text before a dash or a dose. Another reaction or another dose is then a change
/// of the same item.
pub fn item_key(value: &str) -> String {
    subject_key(&before_dose(before_dash(value)))
}

fn before_dash(value: &str) -> &str {
    [" - ", "—", "–"]
        .iter()
        .filter_map(|dash| value.split_once(dash))
        .map(|(before, _)| before)
        .filter(|before| !before.trim().is_empty())
        .min_by_key(|before| before.len())
        .unwrap_or(value)
}

fn before_dose(value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    let dose = (1..words.len()).find(|&i| is_dose(words.get(i).copied(), words.get(i + 1).copied()));
    words.into_iter().take(dose.unwrap_or(usize::MAX)).collect::<Vec<_>>().join(" ")
}

fn is_dose(word: Option<&str>, next: Option<&str>) -> bool {
    let Some(word) = word.map(|w| w.trim_start_matches(['(', '[', '~', '@'])) else { return false };
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || ".,/-–x".contains(c));
    if unit.is_empty() { next.is_some_and(is_unit) || word.ends_with('x') } else { is_unit(unit) }
}

fn is_unit(word: &str) -> bool {
    let word = word.trim_matches(|c: char| ".,;:()[]".contains(c)).to_lowercase();
    let first = word.split('/').next().unwrap_or(&word);
    DOSE_UNITS.iter().any(|unit| first == *unit || first.strip_suffix('s') == Some(unit))
}

#[cfg(test)]
mod tests {
    use super::item_key;

    #[test]
    fn an_item_is_the_text_before_a_dash_or_a_dose() {
        for (value, key) in [
            ("Penicillin — rash", "penicillin"),
            ("Penicillin—anaphylaxis", "penicillin"),
            ("Penicillin - hives – severe", "penicillin"),
            ("Warfarin 5 mg daily", "warfarin"),
            ("warfarin 7.5mg", "warfarin"),
            ("Ramipril (5 mg)", "ramipril"),
            ("Insulin glargine: 10 units", "insulin glargine"),
            ("Co-trimoxazole 2x daily", "co trimoxazole"),
            ("Heparin 5,000 IU/ml", "heparin"),
            ("Vitamin B12 1000 µg", "vitamin b12"),
            ("5-HTP 100 mg", "5 htp"),
            ("Latex", "latex"),
        ] {
            assert_eq!(item_key(value), key, "{value}");
        }
    }

    #[test]
    fn a_number_without_a_unit_belongs_to_the_item() {
        assert_ne!(item_key("Room 12"), item_key("Room 14"));
        assert_ne!(item_key("Flight 123 to Oslo"), item_key("Flight 456 to Rome"));
        assert_eq!(item_key("10 mg tablets"), "10 mg tablets");
        assert_eq!(item_key("— none"), item_key("none"));
    }
}
