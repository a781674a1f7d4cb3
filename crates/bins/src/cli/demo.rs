//! `svc demo`: half a minute that shows what the memory does, on a real database that is gone afterwards.

mod svg;

use super::CliError;
use super::session::Session;
use crate::settings::Settings;
use crate::startup::StartupError;
use clap::Args;
use domain::{
    DecisionId, FactId, Identity, OwnQuotas, Principal, PrincipalKind, PrincipalOrigin, Role, Scopes, Tenant,
};
use serde_json::{Value, json};
use service::{AuditVerdict, Decided, Explanation, Reply, ToolReply};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{AuditReport, DecisionRow};
use svg::Film;

#[derive(Debug, Args)]
pub struct Command {
    /// Do not pause between the steps.
    #[arg(long)]
    fast: bool,
    /// Write the demo as an animated SVG into this file instead of showing it.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Command {
    pub async fn run(self, out: &mut impl Write) -> Result<(), CliError> {
        if let Some(file) = self.svg {
            let (mut film, colour) = (Film::default(), true);
            perform(&mut film, colour, Pace::Fast).await?;
            return Ok(std::fs::write(file, film.svg())?);
        }
        let terminal = std::io::stdout().is_terminal();
        let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let pace = if terminal && !self.fast { Pace::Readable } else { Pace::Fast };
        perform(out, colour, pace).await
    }
}

async fn perform(out: &mut impl Write, colour: bool, pace: Pace) -> Result<(), CliError> {
    let folder = tempfile::tempdir()?;
    let database = folder.path().join("demo.db");
    let session = open(&database).await?;
    let mut stage = Stage { session, out, colour, pace };
    play(&mut stage).await?;
    tampering(stage, &database).await
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    Readable,
    Fast,
}

/// The demo's own settings, whatever the shell has: the built-in model, and slots for a team that writes software.
async fn open(database: &Path) -> Result<Session, CliError> {
    let variables = [
        ("SVC_DB", database.to_string_lossy().into_owned()),
        ("SVC_SLOT_SCHEMA", "preset:coding".to_owned()),
    ];
    let settings = Settings::from_variables(variables.map(|(name, value)| (name.to_owned(), value)));
    Ok(Session::open(settings.map_err(StartupError::from)?).await?)
}

async fn play(stage: &mut Stage<'_, impl Write>) -> Result<(), CliError> {
    let (agent, you) = (agent(), Identity::Local);

    stage.step("A new value replaces the old one; history stays.").await?;
    stage.remember("Our database is MySQL.").await?;
    stage.remember("We moved from MySQL to Postgres.").await?;
    stage.call(&agent, "history", json!({ "subject": "database" })).await?;

    stage.step("What is no longer true is retracted, not lost.").await?;
    stage.remember("Dana is the code owner.").await?;
    stage.remember("Dana is no longer the code owner.").await?;

    stage.step("A guarded slot changes only when a person approves.").await?;
    stage.remember("We deploy to Heroku.").await?;
    stage.remember("We now deploy to Fly.io.").await?;
    let waiting = stage.call(&agent, "pending_changes", json!({})).await?;
    let proposal = json!({ "memory_id": proposed(&waiting) });
    stage.call(&agent, "confirm_change", proposal.clone()).await?;
    stage.call(&you, "confirm_change", proposal).await?;

    stage.step("Questions are answered from what is true now.").await?;
    stage.call(&agent, "recall", json!({ "question": "Where do we deploy?", "explain": true })).await?;

    stage.step("A decision is recorded with what was believed at the time, and signed.").await?;
    let decision = json!({ "action_summary": "Renewed the database support contract", "question": "Which database do we use?" });
    let recorded = stage.call(&agent, "record_decision", decision).await?;
    stage.call(&agent, "explain_decision", json!({ "decision_id": decided(&recorded) })).await?;

    stage.step("Every call is in a signed log. It is intact…").await?;
    stage.call(&you, "verify_audit", json!({})).await?;
    Ok(())
}

/// Somebody with access to the disk changes who did something, behind the service's back.
async fn tampering(mut stage: Stage<'_, impl Write>, database: &Path) -> Result<(), CliError> {
    const SQL: &str = "UPDATE audit_entry SET caller = 'somebody else' WHERE seq = 5";
    stage.step("…until somebody edits the database file.").await?;
    stage.say("sqlite3 demo.db", SQL)?;
    let refused = |error: rusqlite::Error| CliError::Refused(format!("the demo's database: {error}"));
    rusqlite::Connection::open(database).and_then(|sql| sql.execute_batch(SQL)).map_err(refused)?;
    stage.call(&Identity::Local, "verify_audit", json!({})).await?;
    stage.step("That was all. `svc` opens a memory of your own, `svc connect` gives it to your agent.").await
}

/// An agent that may read and write, and may not approve.
fn agent() -> Identity {
    Identity::Principal(Principal {
        id: PrincipalOrigin::ApiKey.id("demo"),
        name: "agent".to_owned(),
        role: Role::Agent,
        kind: PrincipalKind::Agent,
        tenant: Tenant::default(),
        scopes: Scopes::All,
        quotas: OwnQuotas::default(),
        shown: None,
    })
}

/// The number of the first change that waits.
fn proposed(reply: &Reply) -> Option<FactId> {
    match reply {
        Reply::Done(ToolReply::PendingChanges(list)) => list.waiting.first().map(|change| change.fact.id),
        _ => None,
    }
}

/// The number of the decision that was recorded.
fn decided(reply: &Reply) -> Option<DecisionId> {
    match reply {
        Reply::Done(ToolReply::RecordDecision(recorded)) => Some(recorded.id),
        _ => None,
    }
}

struct Stage<'a, W> {
    session: Session,
    out: &'a mut W,
    colour: bool,
    pace: Pace,
}

impl<W: Write> Stage<'_, W> {
    async fn remember(&mut self, text: &str) -> Result<Reply, CliError> {
        self.call(&agent(), "remember", json!({ "text": text })).await
    }

    async fn call(&mut self, who: &Identity, tool: &str, arguments: Value) -> Result<Reply, CliError> {
        let name = if *who == Identity::Local { "you" } else { "agent" };
        self.say(name, &format!("{tool} {}", shown(&arguments)))?;
        let reply = self.session.call_as(who.clone(), tool, arguments).await;
        let (text, (tone, part)) = (reply.text(), tone(&reply));
        let last = text.lines().count().saturating_sub(1);
        for (n, line) in text.lines().enumerate() {
            let painted = match part {
                Part::All => true,
                Part::FirstLine => n == 0,
                Part::LastLine => n == last,
            };
            writeln!(self.out, "    {}", self.painted(if painted { tone } else { PLAIN }, line))?;
        }
        self.pause(Duration::from_millis(1100)).await?;
        Ok(reply)
    }

    async fn step(&mut self, text: &str) -> Result<(), CliError> {
        writeln!(self.out, "\n{}", self.painted("1;36", text))?;
        self.pause(Duration::from_millis(1300)).await
    }

    fn say(&mut self, who: &str, what: &str) -> Result<(), CliError> {
        writeln!(self.out, "  {} {}", self.painted("2", &format!("{who}>")), what.trim_end())?;
        Ok(())
    }

    fn painted(&self, tone: &str, text: &str) -> String {
        if self.colour && !tone.is_empty() {
            format!("\u{1b}[{tone}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    async fn pause(&mut self, time: Duration) -> Result<(), CliError> {
        self.out.flush()?;
        if self.pace == Pace::Readable {
            tokio::time::sleep(time).await;
        }
        Ok(())
    }
}

/// The arguments as a person would say them: the first by itself, the others with their names.
fn shown(arguments: &Value) -> String {
    let arguments = arguments.as_object().into_iter().flatten().enumerate();
    let said = arguments
        .map(|(n, (name, value))| if n == 0 { value.to_string() } else { format!("{name}: {value}") });
    said.collect::<Vec<_>>().join(", ")
}

/// Which part of a reply has a colour.
enum Part {
    All,
    FirstLine,
    LastLine,
}

const PLAIN: &str = "";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const RED: &str = "1;31";

/// Green for what is well, yellow for what waits, red for what is refused or broken.
fn tone(reply: &Reply) -> (&'static str, Part) {
    let done = match reply {
        Reply::Done(done) => done,
        Reply::Denied { .. } => return (RED, Part::All),
        _ => return (PLAIN, Part::All),
    };
    match done {
        ToolReply::Remember(remembered) if !remembered.waiting.is_empty() => (YELLOW, Part::FirstLine),
        ToolReply::PendingChanges(list) if !list.waiting.is_empty() => (YELLOW, Part::All),
        ToolReply::ConfirmChange(Decided::Approved { .. }) => (GREEN, Part::All),
        ToolReply::ExplainDecision(Explanation { found: Some((_, DecisionRow::Verified(_))), .. }) => {
            (GREEN, Part::LastLine)
        }
        ToolReply::VerifyAudit(AuditVerdict(AuditReport::Intact { .. })) => (GREEN, Part::All),
        ToolReply::VerifyAudit(AuditVerdict(AuditReport::Broken(_))) => (RED, Part::All),
        _ => (PLAIN, Part::All),
    }
}
