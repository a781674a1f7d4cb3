//! What to do next, where a reply does not say it.

use domain::limits;

pub(super) fn hint(tool: &str, said: &str, reply: &str) -> Option<String> {
    const ASKING: [&str; 27] = [
        "who", "who's", "whose", "what", "what's", "where", "where's", "when", "when's", "which", "why",
        "how", "is", "are", "was", "were", "do", "does", "did", "has", "have", "can", "could", "will",
        "would", "should", "tell",
    ];
    let begins = said.split_whitespace().next().unwrap_or_default().to_lowercase().replace('’', "'");
    match tool {
        "history" if reply.starts_with("No history for ") => {
            Some("'list' shows the names that things are remembered under.".to_owned())
        }
        "list_memories" if reply.matches("\n  ◦ ").count() >= limits::RETIRED_SHOWN => Some(format!(
            "Only the last {} rows of history are shown; 'history <subject>' shows all of one subject.",
            limits::RETIRED_SHOWN
        )),
        "remember" if !reply.starts_with("Stored") && ASKING.contains(&begins.as_str()) => {
            Some("If it is a question, end it with '?'.".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::hint;
    use domain::limits;

    #[test]
    fn a_question_without_its_mark_gets_a_hint() {
        let nothing = "No durable fact found.";
        assert!(hint("remember", "What is my rent", nothing).is_some());
        assert_eq!(hint("remember", "ok then", nothing), None);
        assert_eq!(hint("remember", "What I pay is 900", "Stored: [ADD] rent = 900"), None);
    }

    #[test]
    fn a_history_that_was_cut_says_so() {
        let reply = |rows: usize| format!("— history —{}", "\n  ◦ a = b  [SUPERSEDED]".repeat(rows));
        assert_eq!(hint("list_memories", "list", &reply(limits::RETIRED_SHOWN - 1)), None);
        assert!(hint("list_memories", "list", &reply(limits::RETIRED_SHOWN)).is_some());
    }
}
