//! `svc` by itself: a prompt on the memory that the settings name.

mod editor;
mod flagged;
mod help;
mod hint;
mod input;
mod line;
mod typed;

use super::CliError;
use super::session::Session;
use super::wait_notice::while_waiting;
use crate::settings::{DatabaseFile, Settings};
use input::Input;
use line::{Line, understand};
use serde_json::Value;
use service::{Reply, ToolReply};
use std::io::{IsTerminal, Write};
use typed::Typed;

const NOT_TEXT: &str =
    "That line is not UTF-8 text, so nothing was done. Type it again, or convert the\nfile.";
const STRANGE: &str = "A key that svc does not know was pressed, and parts of it may be in the line, so nothing was \
    done. The up arrow brings the line back.";

/// Reads lines until there are no more of them.
pub async fn run(settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
    let greeting = greeting(&settings);
    let session = Session::open(settings).await?;
    write!(out, "{greeting}")?;
    let mut input = Input::open(&session, out)?;
    loop {
        let said = match input.read(out)? {
            Typed::End => break,
            Typed::NotText => {
                writeln!(out, "{NOT_TEXT}")?;
                continue;
            }
            Typed::Strange => {
                writeln!(out, "{STRANGE}")?;
                continue;
            }
            Typed::Line(said) => said,
        };
        match understand(&said) {
            Line::Nothing => {}
            Line::Quit => break,
            Line::Told(text) => writeln!(out, "{text}")?,
            Line::Call { tool, arguments } => respond(&session, &said, tool, arguments, out).await?,
        }
        input.keep(&said, out)?;
    }
    session.end().await;
    Ok(())
}

fn greeting(settings: &Settings) -> String {
    let mut lines = vec![format!(
        "svc {}, a memory for AI agents, kept in {}",
        env!("CARGO_PKG_VERSION"),
        settings.storage.shown()
    )];
    if let DatabaseFile::Here { other: Some(other) } = &settings.database_file {
        lines.push("It was found in this folder. Start svc elsewhere for your own memory, in".to_owned());
        lines.push(format!("{}.", other.display()));
    }
    if settings.models.chat.is_none() {
        lines.push("The built-in model reads plain English; docs/settings.md lists others.".to_owned());
    }
    lines.push("Say something to remember, or ask something that ends in '?'. 'help' shows more.".to_owned());
    lines.join("\n") + "\n"
}

async fn respond(
    session: &Session,
    said: &str,
    tool: &str,
    arguments: Value,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let own_space = ["user_id", "agent_id", "run_id"].iter().all(|name| arguments.get(name).is_none());
    let Some(mut reply) = call(session, tool, arguments).await? else {
        writeln!(out, "Stopped waiting. 'list' shows whether anything was stored.")?;
        return Ok(());
    };
    let waiting = if own_space { flagged::waiting(session, &reply).await } else { Vec::new() };
    // What waits is said below, with the words that settle it here.
    if let (false, Reply::Done(ToolReply::Remember(remembered))) = (waiting.is_empty(), &mut reply) {
        remembered.waiting.clear();
    }
    writeln!(out, "{reply}")?;
    if let Some(hint) = hint::hint(said, &reply) {
        writeln!(out, "{hint}")?;
    }
    for (number, effect) in waiting {
        writeln!(out, "#{number}, if confirmed: {effect}. 'confirm {number}' or 'reject {number}'?")?;
    }
    Ok(())
}

/// The reply; `None` where the person at the terminal did not want to wait for it.
async fn call(session: &Session, tool: &str, arguments: Value) -> Result<Option<Reply>, CliError> {
    let (notice, call) = session.begin(tool, arguments);
    let call = Box::pin(call);
    if !std::io::stdin().is_terminal() {
        return Ok(Some(call.await));
    }
    while_waiting(notice, async {
        tokio::select! {
            reply = call => Ok(Some(reply)),
            interrupted = tokio::signal::ctrl_c() => Ok(interrupted.map(|()| None)?),
        }
    })
    .await
}
