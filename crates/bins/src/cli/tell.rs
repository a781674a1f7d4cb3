//! `svc remember`, `recall`, `forget`, `history`, `list` and `brief`: one call and its answer, for scripts and hooks.

use super::CliError;
use super::session::Session;
use super::wait_notice::while_waiting;
use super::whose::Whose;
use crate::settings::Settings;
use clap::{Args, Subcommand};
use domain::{Timestamp, moment};
use reconcile::Outcome;
use serde_json::{Value, json};
use service::{Reply, ToolReply, fact_json};
use std::io::Write;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Remember what a text says.
    Remember(Words),
    /// Answer a question from what is true now, or was held to be true at an earlier time.
    Recall {
        #[command(flatten)]
        words: Words,
        #[command(flatten)]
        then: Then,
        #[command(flatten)]
        whose: Whose,
    },
    /// Take back what is no longer true; it stays in history.
    Forget(Words),
    /// Show every value that a subject has had, oldest first.
    History {
        #[command(flatten)]
        words: Words,
        #[command(flatten)]
        whose: Whose,
    },
    /// Show everything that is remembered, or was at an earlier time.
    List {
        #[command(flatten)]
        form: Form,
        #[command(flatten)]
        then: Then,
        #[command(flatten)]
        whose: Whose,
    },
    /// Show what an agent should have before it begins: preferences, current facts, and what waits for a decision. The
    /// same memory gives the same bytes.
    Brief {
        /// The most that it may take; a token is four ASCII characters, or one other.
        #[arg(long, value_name = "N", default_value = "1500")]
        tokens: u32,
        /// Also what has changed since then: a day, such as 2026-11-18, or a time.
        #[arg(long, value_name = "DATE", default_value = "")]
        since: String,
        #[command(flatten)]
        form: Form,
        #[command(flatten)]
        whose: Whose,
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

impl Words {
    fn text(&self) -> String {
        self.words.join(" ")
    }
}

#[derive(Debug, Args)]
pub struct Then {
    /// What was held to be true at this time, such as 2026-11-18T12:00:00Z; a date is its beginning, UTC.
    #[arg(long, value_name = "TIME", value_parser = time)]
    as_of: Option<Timestamp>,
}

fn time(text: &str) -> Result<Timestamp, String> {
    moment(text).ok_or_else(|| "it takes a time such as 2026-11-18T12:00:00Z, or a date".to_owned())
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
        let session = match self {
            Self::Brief { .. } => Session::without_model(settings).await?,
            _ => Session::open(settings).await?,
        };
        let (tool, arguments, form) = self.call();
        let (notice, call) = session.begin(tool, arguments);
        let reply = while_waiting(notice, call).await;
        let text = reply.text();
        let (Reply::Done(done) | Reply::Incomplete { reply: done, .. }) = reply else {
            return Err(CliError::Refused(text));
        };
        if !form.json {
            writeln!(out, "{text}")?;
            out.flush()?;
            session.end().await;
            return Ok(());
        }
        let answer = match facts(&done) {
            Some(facts) => json!({ "text": text, "facts": facts }),
            None => json!({ "text": text }),
        };
        writeln!(unbroken, "{answer}")?;
        unbroken.flush()?;
        session.end().await;
        Ok(())
    }

    fn call(self) -> (&'static str, Value, Form) {
        let (tool, mut arguments, form, whose) = match self {
            Self::List { form, then: Then { as_of: Some(at) }, whose } => {
                ("list_memories", json!({ "as_of": at.to_string() }), form, Some(whose))
            }
            Self::List { form, whose, .. } => ("list_memories", json!({}), form, Some(whose)),
            Self::Recall { words, then: Then { as_of: Some(at) }, whose } => {
                let asked = json!({ "question": words.text(), "as_of": at.to_string() });
                ("recall", asked, words.form, Some(whose))
            }
            Self::Recall { words, whose, .. } => {
                ("recall", json!({ "question": words.text() }), words.form, Some(whose))
            }
            Self::History { words, whose } => {
                ("history", json!({ "subject": words.text() }), words.form, Some(whose))
            }
            Self::Brief { tokens, since, form, whose } => {
                ("brief", json!({ "tokens": tokens, "since": since }), form, Some(whose))
            }
            Self::Remember(words) => ("remember", json!({ "text": words.text() }), words.form, None),
            Self::Forget(words) => ("forget", json!({ "text": words.text() }), words.form, None),
        };
        if let Some(whose) = whose {
            whose.name_space(&mut arguments);
        }
        (tool, arguments, form)
    }
}

/// The facts that the answer speaks of; an answer to a question is text alone.
fn facts(done: &ToolReply) -> Option<Vec<Value>> {
    Some(match done {
        ToolReply::Remember(remembered) => remembered.outcomes.iter().map(outcome).collect(),
        ToolReply::Forget(forgotten) => forgotten.outcomes.iter().map(outcome).collect(),
        ToolReply::ListMemories(list) => list.standing().into_iter().map(fact_json).collect(),
        ToolReply::History(history) => history.facts.iter().map(fact_json).collect(),
        _ => return None,
    })
}

fn outcome(o: &Outcome) -> Value {
    json!({ "action": o.action.word(), "subject": o.subject, "value": o.value, "id": o.id })
}
