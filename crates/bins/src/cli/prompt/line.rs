//! What a line asks for. One that begins with a command is that command, or gets help; it is never taken for something
//! to remember.

use super::help::{self, HELP};
use crate::line_wrap::wrapped;
use serde_json::{Value, json};
use service::{Effect, ToolInfo};

#[derive(Debug, PartialEq)]
pub(super) enum Line {
    Nothing,
    Quit,
    Call {
        tool: &'static str,
        arguments: Value,
    },
    /// There is nothing to call; the text says why, or helps.
    Told(String),
}

const FOREIGN: &str = "That is no command here. Commands are plain words: 'list' shows what is remembered, \
    'help' shows the others, 'quit' ends.";
const CONTROL: &str = "That line holds keys that are no text, such as an arrow key, so nothing was done. \
    Type it again.";

pub(super) fn understand(line: &str) -> Line {
    if line.is_empty() {
        return Line::Nothing;
    }
    if line.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return Line::Told(wrapped(CONTROL));
    }
    if is_foreign(line) {
        return Line::Told(wrapped(FOREIGN));
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (word, rest) = (word.to_lowercase(), rest.trim());
    match command(&word, rest) {
        Command::Line(line) => line,
        // "List the servers?" asks something.
        _ if line.ends_with('?') => Line::Call { tool: "recall", arguments: json!({ "question": line }) },
        Command::Misused(why) => {
            Line::Told(wrapped(&format!("{why}\nTo have the line remembered, put 'remember' before it.")))
        }
        Command::None => Line::Call { tool: "remember", arguments: json!({ "text": line }) },
    }
}

/// What ends or steers other programs, and is said to no memory.
fn is_foreign(line: &str) -> bool {
    const WORDS: [&str; 9] = ["q", "bye", "logout", "ls", "clear", "man", "quit()", "exit()", "/?"];
    let is_word = !line.contains(char::is_whitespace);
    line.starts_with(':')
        || (is_word && line.starts_with(['/', '\\']))
        || WORDS.contains(&line.to_lowercase().as_str())
}

enum Command {
    Line(Line),
    /// A command with something that it does not take.
    Misused(String),
    /// The first word is no command.
    None,
}

fn command(word: &str, rest: &str) -> Command {
    let numbered = rest.strip_prefix('#').unwrap_or(rest);
    let fits = match (word, rest) {
        ("help" | "?", "") => Line::Told(HELP.to_owned()),
        ("help", _) => match help::about(rest) {
            Some(text) => Line::Told(text),
            None => {
                return Command::Misused(format!(
                    "There is no command '{rest}'; 'help' shows those that there are."
                ));
            }
        },
        ("quit" | "exit", "") => Line::Quit,
        ("list", "") => Line::Call { tool: "list_memories", arguments: json!({}) },
        ("quit" | "exit" | "list", _) => {
            return Command::Misused(format!("'{word}' is a command, and takes nothing after it."));
        }
        ("confirm" | "reject", _) if numbered.parse::<i64>().is_ok() => {
            let tool = if word == "confirm" { "confirm_change" } else { "reject_change" };
            Line::Call { tool, arguments: json!({ "memory_id": numbered }) }
        }
        ("confirm" | "reject", _) => {
            return Command::Misused(format!(
                "'{word}' takes one number that 'list' shows: {word} <number>."
            ));
        }
        _ => match service::catalogue().iter().find(|tool| tool.name == word) {
            Some(tool) => return call(tool, rest),
            None => return Command::None,
        },
    };
    Command::Line(fits)
}

/// A tool called by its name.
fn call(tool: &ToolInfo, rest: &str) -> Command {
    let schema = tool.input_schema();
    let required = schema.get("required").and_then(|names| names.get(0)).and_then(Value::as_str);
    let name = tool.name;
    if rest.starts_with('{') {
        return Command::Line(match serde_json::from_str(rest) {
            Ok(arguments) => Line::Call { tool: name, arguments },
            Err(error) => Line::Told(wrapped(&format!("The arguments of {name} are not JSON: {error}"))),
        });
    }
    match (required, rest) {
        _ if tool.effect == Effect::Destructive => Command::Misused(erasing(name, required, rest)),
        (None, "") => Command::Line(Line::Call { tool: name, arguments: json!({}) }),
        (None, _) => Command::Misused(format!("'{name}' is a tool, and takes nothing after it, or JSON.")),
        (Some(argument), "") => {
            Command::Line(Line::Told(format!("{name} takes its {argument}: {name} <{argument}>")))
        }
        (Some(argument), _) => Command::Line(Line::Call { tool: name, arguments: json!({ argument: rest }) }),
    }
}

/// Nothing is erased by words alone.
fn erasing(name: &str, required: Option<&str>, rest: &str) -> String {
    let arguments = match required {
        Some(argument) => json!({ argument: if rest.is_empty() { "…" } else { rest } }),
        None => json!({}),
    };
    let mild = if name == "delete" { "\n'forget' only takes back what is no longer true." } else { "" };
    format!("'{name}' cannot be undone, so it takes JSON:\n  {name} {arguments}{mild}")
}

#[cfg(test)]
mod tests {
    use super::{Line, understand};
    use crate::line_wrap::COLUMNS;
    use serde_json::{Value, json};

    fn check(line: &str, tool: &'static str, arguments: Value) {
        assert_eq!(understand(line), Line::Call { tool, arguments }, "{line}");
    }

    fn told(line: &str) -> String {
        match understand(line) {
            Line::Told(text) => text,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_statement_is_remembered_and_a_question_recalled() {
        check("We use Postgres.", "remember", json!({ "text": "We use Postgres." }));
        check("What do we use?", "recall", json!({ "question": "What do we use?" }));
        check("List the servers?", "recall", json!({ "question": "List the servers?" }));
        check("/etc/hosts is ours", "remember", json!({ "text": "/etc/hosts is ours" }));
    }

    #[test]
    fn a_tool_takes_one_plain_argument_or_json() {
        check("remember We use Postgres.", "remember", json!({ "text": "We use Postgres." }));
        check("Remember delete old branches", "remember", json!({ "text": "delete old branches" }));
        check("forget  the lead", "forget", json!({ "text": "the lead" }));
        check("history deploy target", "history", json!({ "subject": "deploy target" }));
        check("list", "list_memories", json!({}));
        check("verify_audit", "verify_audit", json!({}));
        check("confirm_change 3", "confirm_change", json!({ "memory_id": "3" }));
        check("confirm #3", "confirm_change", json!({ "memory_id": "3" }));
        check("reject 12", "reject_change", json!({ "memory_id": "12" }));
        check(r#"audit_log {"limit": 2}"#, "audit_log", json!({ "limit": 2 }));
        check("audit_log", "audit_log", json!({}));
    }

    #[test]
    fn nothing_is_erased_by_words_alone() {
        assert!(told("delete shoe size").contains(r#"delete {"subject":"shoe size"}"#));
        assert!(told("delete_all").contains("delete_all {}"));
        check(r#"delete {"subject": "a"}"#, "delete", json!({ "subject": "a" }));
    }

    #[test]
    fn a_command_with_a_wrong_argument_gets_help() {
        for (line, help) in [
            ("list my servers", "takes nothing after it"),
            ("quit smoking", "'remember' before it"),
            ("confirm abc", "confirm <number>"),
            ("confirm the date", "confirm <number>"),
            ("reject 2, 3", "reject <number>"),
            ("health is good", "'remember' before it"),
            ("help remember", "remember <text>"),
            ("HELP delete", "delete {…}"),
            ("help me out", "no command 'me out'"),
            ("confirm", "confirm <number>"),
            ("recall", "recall <question>"),
            ("history", "history <subject>"),
            (r#"recall {"question": "#, "not JSON"),
            (":q", "'quit' ends"),
            (":help me", "'help' shows"),
            ("/quit", "'quit' ends"),
            ("q", "'quit' ends"),
            ("\u{1b}[A", "no text"),
        ] {
            let text = told(line);
            assert!(text.replace('\n', " ").contains(help), "{line}: {text}");
            assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        }
    }

    #[test]
    fn commands_are_known_in_any_case() {
        check("List", "list_memories", json!({}));
        assert_eq!(understand("Quit"), Line::Quit);
        assert_eq!(understand("exit"), Line::Quit);
        assert!(told("Help").contains("history <subject>"));
        assert_eq!(understand(""), Line::Nothing);
    }
}
