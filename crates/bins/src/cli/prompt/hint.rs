//! What to do next, where a reply does not say it.

use domain::limits;
use service::{Memories, MemoryList, Page, Reply, ToolReply};

pub(super) fn hint(said: &str, reply: &Reply) -> Option<String> {
    let Reply::Done(done) = reply else { return None };
    const ASKING: [&str; 27] = [
        "who", "who's", "whose", "what", "what's", "where", "where's", "when", "when's", "which", "why",
        "how", "is", "are", "was", "were", "do", "does", "did", "has", "have", "can", "could", "will",
        "would", "should", "tell",
    ];
    let begins = said.split_whitespace().next().unwrap_or_default().to_lowercase().replace('’', "'");
    match done {
        ToolReply::History(history) if history.facts.is_empty() => {
            Some("'list' shows the names that things are remembered under.".to_owned())
        }
        ToolReply::ListMemories(Memories::Now(MemoryList { page: Page::Last { retired, .. }, .. }))
            if retired.len() >= limits::RETIRED_SHOWN =>
        {
            Some(format!(
                "Only the last {} rows of history are shown; 'history <subject>' shows all of one subject.",
                limits::RETIRED_SHOWN
            ))
        }
        ToolReply::Remember(remembered) if !remembered.is_stored() && ASKING.contains(&begins.as_str()) => {
            Some("If it is a question, end it with '?'.".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::hint;
    use domain::{Action, Fact, FactId, FactKind, Metadata, Status, Timestamp, Triple, limits};
    use reconcile::Outcome;
    use service::{Memories, MemoryList, Page, Remembered, Reply, SubjectHistory, ToolReply};

    fn remembered(actions: &[Action]) -> Reply {
        let outcome = |action: &Action| Outcome {
            action: *action,
            subject: "rent".to_owned(),
            value: "900".to_owned(),
            reason: String::new(),
            id: None,
        };
        let outcomes = actions.iter().map(outcome).collect();
        Reply::Done(ToolReply::Remember(Remembered { outcomes, ..Remembered::default() }))
    }

    fn retired() -> Fact {
        let at = Timestamp::UNIX_EPOCH;
        Fact {
            id: FactId(1),
            subject: "rent".to_owned(),
            value: "900".to_owned(),
            scope: "global".to_owned(),
            kind: FactKind::State,
            status: Status::Superseded,
            confidence: 1.0,
            source: None,
            list_item: false,
            supersedes: None,
            metadata: Metadata::new(),
            triple: Triple::default(),
            text: "".into(),
            pending: None,
            earlier: Vec::new(),
            times: domain::Times::default(),
            created: at,
            changed: at,
        }
    }

    #[test]
    fn a_question_without_its_mark_gets_a_hint() {
        assert!(hint("What is my rent", &remembered(&[])).is_some());
        assert!(hint("What is my rent", &remembered(&[Action::Skip])).is_some());
        assert_eq!(hint("ok then", &remembered(&[])), None);
        assert_eq!(hint("What I pay is 900", &remembered(&[Action::Add])), None);
    }

    #[test]
    fn a_history_that_was_cut_says_so() {
        let list = |rows: usize| {
            let page = Page::Last { flagged: Vec::new(), retired: vec![retired(); rows] };
            Reply::Done(ToolReply::ListMemories(Memories::Now(MemoryList { active: Vec::new(), page })))
        };
        assert_eq!(hint("list", &list(limits::RETIRED_SHOWN - 1)), None);
        assert!(hint("list", &list(limits::RETIRED_SHOWN)).is_some());
    }

    #[test]
    fn a_subject_without_history_is_told_where_the_names_are() {
        let history = |facts: Vec<Fact>| {
            Reply::Done(ToolReply::History(SubjectHistory { subject: "rent".to_owned(), facts }))
        };
        assert!(hint("history rent", &history(Vec::new())).is_some());
        assert_eq!(hint("history rent", &history(vec![retired()])), None);
    }
}
