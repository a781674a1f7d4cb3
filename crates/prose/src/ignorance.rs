//! Answers that say that nothing is known.

/// Whether an answer says that it does not know.
pub fn is_ignorance(answer: &str) -> bool {
    const PHRASES: [&str; 21] = [
        "not know",
        "not sure",
        "n't know",
        "no information",
        "unknown",
        "not say",
        "n't say",
        "no record",
        "not recorded",
        "not mention",
        "n't mention",
        "nothing",
        "no facts",
        "cannot tell",
        "can't tell",
        "not specified",
        "not provided",
        "not remember",
        "n't remember",
        "i do not have",
        "i don't have",
    ];
    let answer = answer.to_lowercase().replace('’', "'");
    PHRASES.iter().any(|phrase| answer.contains(phrase))
}
