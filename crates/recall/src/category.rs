//! The category of a fact, which decides whether it is critical.

use domain::Fact;

pub fn is_critical(fact: &Fact, categories: &[String]) -> bool {
    category_key(fact).is_some_and(|key| categories.iter().any(|category| folded(category) == key))
}

/// The fact's category as critical categories are compared with it. A blank one is none.
pub(crate) fn category_key(fact: &Fact) -> Option<String> {
    fact.category().map(folded).filter(|key| !key.is_empty())
}

pub(crate) fn folded(category: &str) -> String {
    category.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::is_critical;
    use crate::samples::{critical_fact, fact};
    use domain::FactId;

    fn categories(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn categories_ignore_case_and_a_blank_one_is_none() {
        assert!(is_critical(&critical_fact(FactId(1), "a", "x", " Allergy"), &categories(&["allergy "])));
        assert!(!is_critical(&critical_fact(FactId(1), "a", "x", " "), &categories(&["", " "])));
        assert!(!is_critical(&fact(FactId(1), "a", "x"), &categories(&["allergy"])));
    }
}
