//! `svc remember`, `recall`, `forget`, `history` and `list`: one call and its answer, for scripts and hooks.

use super::CliError;
use super::session::Session;
use super::wait_notice::while_waiting;
use crate::settings::Settings;
use crate::startup::StartupError;
use clap::{Args, Subcommand};
use domain::Fact;
use serde_json::{Value, json};
use service::Reply;
use std::io::Write;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Remember what a text says.
    Remember(Words),
    /// Answer a question from what is true now.
    Recall(Words),
    /// Take back what is no longer true; it stays in history.
    Forget(Words),
    /// Show every value that a subject has had, oldest first.
    History(Words),
    /// Show everything that is remembered.
    List {
        #[command(flatten)]
        form: Form,
    },
}

#[derive(Debug, Args)]
pub struct Words {
    /// In quotes, or as several words.
    #[arg(required = true)]
    words: Vec<String>,
    #[command(flatten)]
    form: Form,
}

#[derive(Debug, Args)]
pub struct Form {
    /// Answer with one JSON object: "text", and the facts in "facts".
    #[arg(long)]
    json: bool,
}

impl Command {
    /// A call that did not do its work is an error that a script can see. JSON is written without line breaks.
    pub async fn run(
        self,
        settings: Settings,
        out: &mut impl Write,
        unbroken: &mut impl Write,
    ) -> Result<(), CliError> {
        let session = Session::open(settings).await?;
        let (tool, arguments, form) = self.call();
        let reply = while_waiting(session.call(tool, arguments.clone())).await;
        if !reply.is_done {
            return Err(CliError::Refused(reply.text));
        }
        if !form.json {
            writeln!(out, "{}", reply.text)?;
            return Ok(());
        }
        let answer = match facts(&session, tool, &arguments, &reply).await? {
            Some(facts) => json!({ "text": reply.text, "facts": facts }),
            None => json!({ "text": reply.text }),
        };
        writeln!(unbroken, "{answer}")?;
        Ok(())
    }

    fn call(self) -> (&'static str, Value, Form) {
        let (tool, argument, words) = match self {
            Self::List { form } => return ("list_memories", json!({}), form),
            Self::Remember(words) => ("remember", "text", words),
            Self::Recall(words) => ("recall", "question", words),
            Self::Forget(words) => ("forget", "text", words),
            Self::History(words) => ("history", "subject", words),
        };
        (tool, json!({ argument: words.words.join(" ") }), words.form)
    }
}

/// The facts that the answer speaks of; an answer to a question is text alone.
async fn facts(
    session: &Session,
    tool: &str,
    arguments: &Value,
    reply: &Reply,
) -> Result<Option<Vec<Value>>, CliError> {
    let subject = arguments.get("subject").and_then(Value::as_str).unwrap_or_default();
    Ok(match tool {
        "remember" | "forget" => Some(
            reply
                .outcomes
                .iter()
                .map(|o| json!({ "action": o.action.word(), "subject": o.subject, "value": o.value, "id": o.id }))
                .collect(),
        ),
        "list_memories" => {
            let standing = session.standing().await.map_err(StartupError::from)?;
            Some(standing.iter().map(|fact| shown(fact)).collect())
        }
        "history" => {
            let history = session.history(subject).await.map_err(StartupError::from)?;
            Some(history.iter().map(shown).collect())
        }
        _ => None,
    })
}

fn shown(fact: &Fact) -> Value {
    json!({
        "id": fact.id,
        "subject": fact.subject,
        "value": fact.value,
        "status": fact.status.word(),
        "scope": fact.scope,
        "confidence": fact.confidence,
        "source": fact.source,
        "supersedes": fact.supersedes,
        "created": fact.created.to_string(),
        "changed": fact.changed.to_string(),
    })
}
