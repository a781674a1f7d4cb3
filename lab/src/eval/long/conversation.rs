//! A long conversation: turns on dated days, what each tells and changes, and questions with the turns that answer them.

use domain::Timestamp;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Duration;

/// An unknown field is an error: a mistyped label must not pass unnoticed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    pub id: String,
    pub genre: String,
    pub sessions: Vec<Session>,
    pub questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    pub date: String,
    pub turns: Vec<Turn>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    pub id: String,
    pub speaker: String,
    pub text: String,
    /// Whether it says something that the memory could be asked for later.
    pub tells: bool,
    /// Earlier turns of which something is no longer true after this one.
    #[serde(default)]
    pub changes: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub question: String,
    pub answer: String,
    /// The turns that hold the answer.
    pub evidence: Vec<String>,
}

impl Turn {
    /// As the memory is told it.
    pub fn line(&self) -> String {
        format!("{}: {}", self.speaker, self.text)
    }
}

impl Conversation {
    pub fn parse(text: &str) -> Result<Self, String> {
        let conversation: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut ids = BTreeSet::new();
        for turn in conversation.turns() {
            if let Some(unknown) = turn.changes.iter().find(|id| !ids.contains(id.as_str())) {
                return Err(format!("turn {} changes {unknown}, which is no earlier turn", turn.id));
            }
            if !ids.insert(turn.id.as_str()) {
                return Err(format!("turn {} is there twice", turn.id));
            }
        }
        for question in &conversation.questions {
            if let Some(unknown) = question.evidence.iter().find(|id| !ids.contains(id.as_str())) {
                return Err(format!("'{}' has the evidence {unknown}, which is no turn", question.question));
            }
            if question.evidence.is_empty() {
                return Err(format!("'{}' has no evidence", question.question));
            }
        }
        for session in &conversation.sessions {
            session.at(0)?;
        }
        Ok(conversation)
    }

    pub fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.sessions.iter().flat_map(|session| &session.turns)
    }

    /// The turns with the time at which each is told.
    pub fn timed(&self) -> impl Iterator<Item = (Timestamp, &Turn)> {
        self.sessions.iter().flat_map(|session| {
            let timed = move |(at, turn)| Some((session.at(at).ok()?, turn));
            session.turns.iter().enumerate().filter_map(timed)
        })
    }
}

impl Session {
    /// Noon of its day, and a second more for each turn.
    fn at(&self, turn: usize) -> Result<Timestamp, String> {
        let noon: Timestamp =
            format!("{}T12:00:00Z", self.date).parse().map_err(|e| format!("date '{}': {e}", self.date))?;
        noon.checked_add(Duration::from_secs(turn as u64)).map_err(|e| e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::Conversation;
    use serde_json::{Value, json};

    fn parsed(turns: &Value, evidence: &str) -> Result<Conversation, String> {
        let whole = json!({ "id": "x", "genre": "friends",
            "sessions": [{ "date": "2024-03-02", "turns": turns }],
            "questions": [{ "question": "Where?", "answer": "Leeds", "evidence": [evidence] }] });
        Conversation::parse(&whole.to_string())
    }

    #[test]
    fn turns_are_told_at_noon_a_second_apart() {
        let turn = |id| json!({ "id": id, "speaker": "Joel", "text": "We moved.", "tells": true });
        let conversation = parsed(&json!([turn("a"), turn("b")]), "a").unwrap();
        let (at, turn) = conversation.timed().nth(1).unwrap();
        assert_eq!(
            (at.to_string().as_str(), turn.line().as_str()),
            ("2024-03-02T12:00:01Z", "Joel: We moved.")
        );
    }

    #[test]
    fn a_label_that_names_no_turn_is_an_error() {
        let turn = json!({ "id": "a", "speaker": "Joel", "text": "Moved.", "tells": true, "changes": ["a"] });
        assert_eq!(parsed(&json!([turn]), "a").unwrap_err(), "turn a changes a, which is no earlier turn");
        assert!(parsed(&json!([]), "a").unwrap_err().contains("evidence a, which is no turn"));
    }
}
