//! `svc` by itself: a prompt on the memory that the settings name.

use super::CliError;
use super::session::Session;
use crate::settings::Settings;
use domain::limits;
use serde_json::{Value, json};
use service::{Effect, ToolInfo};
use std::io::{BufRead, IsTerminal, Write};

const PROMPT: &str = "svc> ";
const HELP: &str = "\
Say something, and it is remembered. Ask something that ends in '?', and it is answered.

  remember <text>      the same, said outright
  recall <question>
  forget <text>        what is no longer so
  list                 all that is remembered, with its number; ⚠ marks what waits for your word
  confirm <number>     make the change that waits: the new value comes, or what is marked goes
  reject <number>      leave things as they are
  history <subject>    every value that it has had, by a name that 'list' shows
  help, quit

What was said is answered by what became of it: ADD (new), COEXIST (beside others), SUPERSEDE (in place of the old
value), RETRACT (no longer so), REFINE (more detail), DEDUP (known already), ARCHIVE (was so once), FLAG (not sure:
waits for your word).

Every tool can be called by its name, with its first argument in plain words or all of them in JSON:
  explain_decision 1
  recall {\"question\": \"Which database do we use?\", \"explain\": true}
A tool that erases takes JSON only. docs/tools.md describes all 32.";

/// What a line asks for.
#[derive(Debug, PartialEq)]
enum Line {
    Nothing,
    Help,
    Quit,
    Call {
        tool: &'static str,
        arguments: Value,
    },
    /// It cannot be understood; the text says what to do.
    Puzzling(String),
}

/// Reads lines until there are no more of them.
pub async fn run(settings: Settings, mut input: impl BufRead, out: &mut impl Write) -> Result<(), CliError> {
    let place = settings.storage.shown();
    let is_built_in = settings.models.chat.is_none();
    let session = Session::open(settings).await?;
    writeln!(out, "svc {}, a memory for AI agents, kept in {place}", env!("CARGO_PKG_VERSION"))?;
    if is_built_in {
        writeln!(
            out,
            "The built-in model reads and answers, in plain English; docs/settings.md says how to name another."
        )?;
    }
    writeln!(out, "Say something to remember, or ask something that ends in '?'. 'help' shows more.")?;
    // A terminal shows what is typed. Input from elsewhere is shown by us, so that the output reads like a session.
    let echoes = !std::io::stdin().is_terminal();
    let mut line = Vec::new();
    loop {
        write!(out, "{PROMPT}")?;
        out.flush()?;
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            writeln!(out)?;
            return Ok(());
        }
        let Ok(said) = std::str::from_utf8(&line).map(str::trim) else {
            writeln!(
                out,
                "That line is not UTF-8 text, so nothing was done. Type it again, or convert the file."
            )?;
            continue;
        };
        if echoes {
            writeln!(out, "{said}")?;
        }
        match understand(said) {
            Line::Nothing => {}
            Line::Help => writeln!(out, "{HELP}")?,
            Line::Quit => return Ok(()),
            Line::Puzzling(text) => writeln!(out, "{text}")?,
            Line::Call { tool, arguments } => {
                let own_space =
                    ["user_id", "agent_id", "run_id"].iter().all(|name| arguments.get(name).is_none());
                let text = session.call(tool, arguments).await.text;
                let waiting = if own_space { waiting(&session, tool, &text).await } else { Vec::new() };
                // What waits is said below, with the words that settle it here.
                let told = |line: &&str| waiting.is_empty() || !line.starts_with("Waiting #");
                for line in text.lines().filter(told) {
                    writeln!(out, "{line}")?;
                }
                if let Some(hint) = hint(tool, said, &text) {
                    writeln!(out, "{hint}")?;
                }
                for (number, effect) in waiting {
                    writeln!(
                        out,
                        "#{number}, if confirmed: {effect}. 'confirm {number}' or 'reject {number}'?"
                    )?;
                }
            }
        }
    }
}

/// What to do next, where a reply does not say it.
fn hint(tool: &str, said: &str, reply: &str) -> Option<String> {
    const ASKING: [&str; 27] = [
        "who", "who's", "whose", "what", "what's", "where", "where's", "when", "when's", "which", "why",
        "how", "is", "are", "was", "were", "do", "does", "did", "has", "have", "can", "could", "will",
        "would", "should", "tell",
    ];
    let begins = said.split_whitespace().next().unwrap_or_default().to_lowercase().replace('’', "'");
    match tool {
        "history" if reply.starts_with("No history for ") => {
            Some("'list' shows the names under which things are remembered.".to_owned())
        }
        "list_memories" if reply.matches("\n  ◦ ").count() >= limits::RETIRED_SHOWN => Some(format!(
            "Of the history at most the last {} rows are shown; 'history <subject>' shows all of one subject.",
            limits::RETIRED_SHOWN
        )),
        "remember" if !reply.starts_with("Stored") && ASKING.contains(&begins.as_str()) => {
            Some("If it is a question, end it with '?'.".to_owned())
        }
        _ => None,
    }
}

/// What each flagged fact in a reply waits to do. A removal looks like the fact that it would remove.
async fn waiting(session: &Session, tool: &str, text: &str) -> Vec<(i64, String)> {
    let listed = match tool {
        "list_memories" => text.to_owned(),
        "remember" if text.contains("[FLAG] ") => session.call("list_memories", json!({})).await.text,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for line in listed.lines().filter_map(|line| line.strip_prefix("⚠ ")) {
        let Some((pair, rest)) = line.rsplit_once("  (#") else { continue };
        let number = rest.split(',').next().and_then(|number| number.parse().ok());
        let told = tool == "list_memories" || flags(text, pair);
        let Some(number) = number.filter(|_| told) else { continue };
        let shown = session.call("get_memory", json!({ "memory_id": number })).await.text;
        let effect = shown.lines().find_map(|line| line.strip_prefix("  if confirmed: "));
        found.extend(effect.map(|effect| (number, effect.to_owned())));
    }
    found
}

/// Whether a reply flags this fact, and not only one whose value begins with the same words.
fn flags(reply: &str, pair: &str) -> bool {
    let mark = format!("[FLAG] {pair}");
    let ends = |rest: &str| rest.is_empty() || rest.starts_with("; [") || rest.starts_with('\n');
    reply.match_indices(&mark).any(|(at, _)| reply.get(at + mark.len()..).is_some_and(ends))
}

fn understand(line: &str) -> Line {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let numbered = rest.strip_prefix('#').unwrap_or(rest);
    match (word, rest) {
        ("", _) => return Line::Nothing,
        ("help" | "?", "") => return Line::Help,
        ("quit" | "exit", "") => return Line::Quit,
        ("list", "") => return Line::Call { tool: "list_memories", arguments: json!({}) },
        ("confirm" | "reject", _) if numbered.parse::<i64>().is_ok() => {
            let tool = if word == "confirm" { "confirm_change" } else { "reject_change" };
            return Line::Call { tool, arguments: json!({ "memory_id": numbered }) };
        }
        ("confirm" | "reject", _) if !numbered.contains(char::is_alphabetic) => {
            return Line::Puzzling(format!("{word} takes one number that 'list' shows: {word} <number>"));
        }
        _ => {}
    }
    let tool = service::catalogue().iter().find(|tool| tool.name == word);
    match tool.and_then(|tool| call(tool, rest)) {
        Some(line) => line,
        None if line.ends_with('?') => Line::Call { tool: "recall", arguments: json!({ "question": line }) },
        None => Line::Call { tool: "remember", arguments: json!({ "text": line }) },
    }
}

/// A tool called by its name, or `None` where the words only begin like one.
fn call(tool: &ToolInfo, rest: &str) -> Option<Line> {
    let schema = tool.input_schema();
    let required = schema.get("required").and_then(|names| names.get(0)).and_then(Value::as_str);
    let name = tool.name;
    if rest.starts_with('{') {
        return Some(match serde_json::from_str(rest) {
            Ok(arguments) => Line::Call { tool: name, arguments },
            Err(error) => Line::Puzzling(format!("The arguments of {name} are not JSON: {error}")),
        });
    }
    match (required, rest) {
        (None, "") => Some(Line::Call { tool: name, arguments: json!({}) }),
        (None, _) => None,
        (Some(argument), "") => {
            Some(Line::Puzzling(format!("{name} takes its {argument}: {name} <{argument}>")))
        }
        // "delete old branches after a merge" may be something to remember.
        (Some(_), _) if tool.effect == Effect::Destructive => None,
        (Some(argument), _) => Some(Line::Call { tool: name, arguments: json!({ argument: rest }) }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, flags, hint, understand};
    use domain::limits;
    use serde_json::{Value, json};

    fn check(line: &str, tool: &'static str, arguments: Value) {
        assert_eq!(understand(line), Line::Call { tool, arguments }, "{line}");
    }

    #[test]
    fn a_statement_is_remembered_and_a_question_recalled() {
        check("We use Postgres.", "remember", json!({ "text": "We use Postgres." }));
        check("What do we use?", "recall", json!({ "question": "What do we use?" }));
        check("health is good", "remember", json!({ "text": "health is good" }));
    }

    #[test]
    fn a_tool_takes_its_first_argument_in_plain_words_or_all_in_json() {
        check("remember We use Postgres.", "remember", json!({ "text": "We use Postgres." }));
        check("forget  the lead", "forget", json!({ "text": "the lead" }));
        check("history deploy target", "history", json!({ "subject": "deploy target" }));
        check("list", "list_memories", json!({}));
        check("verify_audit", "verify_audit", json!({}));
        check("confirm_change 3", "confirm_change", json!({ "memory_id": "3" }));
        check("confirm #3", "confirm_change", json!({ "memory_id": "3" }));
        check("reject 12", "reject_change", json!({ "memory_id": "12" }));
        check("confirm the date", "remember", json!({ "text": "confirm the date" }));
        check(r#"audit_log {"limit": 2}"#, "audit_log", json!({ "limit": 2 }));
        check("audit_log", "audit_log", json!({}));
    }

    #[test]
    fn nothing_is_erased_by_words_alone() {
        let text = "delete old branches after a merge";
        check(text, "remember", json!({ "text": text }));
        check(r#"delete {"subject": "a"}"#, "delete", json!({ "subject": "a" }));
    }

    #[test]
    fn a_flag_is_not_taken_for_one_that_begins_alike() {
        let reply = "Stored: [FLAG] rent = 900; [ADD] city = Leeds";
        assert!(flags(reply, "rent = 900"));
        assert!(!flags(reply, "rent = 90") && !flags(reply, "city = Leeds"));
        assert!(flags("Stored: [FLAG] rent = 90", "rent = 90"));
    }

    #[test]
    fn a_question_without_its_mark_is_told_what_it_lacks() {
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

    #[test]
    fn half_a_command_is_explained() {
        for line in ["recall", "history", "confirm", "reject 2, 3", r#"recall {"question": "#] {
            assert!(matches!(understand(line), Line::Puzzling(_)), "{line}");
        }
        assert_eq!(understand("help"), Line::Help);
        assert_eq!(understand("quit"), Line::Quit);
        assert_eq!(understand("  ".trim()), Line::Nothing);
    }
}
