//! What the prompt says of its commands.

use crate::line_wrap::wrapped;
use serde_json::Value;

pub(super) const HELP: &str = "\
Say something, and it is remembered. Ask something that ends in '?', and it is
answered.

  remember <text>      the same, said outright
  recall <question>
  forget <text>        take back what is no longer true
  list                 everything that is remembered, with its number; ⚠ marks
                       what waits for you to decide
  confirm <number>     make the change that waits
  reject <number>      leave things as they are
  history <subject>    every value that it has had, by a name that 'list' shows
  help <command>       more about one of them
  quit

The reply says what became of each fact: ADD (new), COEXIST (beside others),
SUPERSEDE (replaces the old value), RETRACT (no longer true), REFINE (more
detail), DEDUP (known already), ARCHIVE (was true once), FLAG (not sure: waits
for you to decide).

Every tool can be called by its name, with its first argument in plain words or
all of them in JSON:
  explain_decision 1
  recall {\"question\": \"Which database do we use?\", \"explain\": true}
A tool that erases takes JSON only. docs/tools.md describes all 32.

At a terminal Tab completes commands and subjects, and the arrow keys bring back
what was typed before. Ctrl-C clears a line, and ends an empty one.";

/// The commands that are no tools, and those whose short form differs from the tool's own.
pub(super) const COMMANDS: [(&str, &str, &str); 10] = [
    ("remember", "remember <text>", "Remembers what the text says, as does a line that is not a command."),
    (
        "recall",
        "recall <question>",
        "Answers from what is true now. A line that ends in '?' is a question too.",
    ),
    (
        "forget",
        "forget <text>",
        "Takes back what is no longer true. It stays in history; see 'help delete' for erasing.",
    ),
    (
        "list",
        "list",
        "Shows everything that is remembered, with its number, what waits for you to decide, and the latest history.",
    ),
    (
        "confirm",
        "confirm <number>",
        "Makes the change that waits under that number. 'list' shows the numbers.",
    ),
    (
        "reject",
        "reject <number>",
        "Drops the change that waits under that number, and leaves things as they are.",
    ),
    (
        "history",
        "history <subject>",
        "Shows every value that the subject has had, oldest first. 'list' shows the subjects.",
    ),
    ("help", "help, or help <command>", "Shows the commands, or more about one of them."),
    ("quit", "quit", "Ends the prompt. So do 'exit', and Ctrl-D or Ctrl-C on an empty line."),
    ("exit", "exit", "Ends the prompt, as 'quit' does."),
];

/// What there is to say about a command or a tool; `None` where there is none of that name.
pub(super) fn about(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    if let Some((_, usage, text)) = COMMANDS.iter().find(|(command, ..)| *command == name) {
        return Some(wrapped(&format!("{usage}\n  {text}")));
    }
    let tool = service::catalogue().iter().find(|tool| tool.name == name)?;
    let schema = tool.input_schema();
    let arguments: Vec<&str> = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    let usage = format!("{name} {{…}}\n  {}\n  Arguments: {}.", tool.description, arguments.join(", "));
    Some(wrapped(&usage))
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, HELP, about};
    use crate::line_wrap::COLUMNS;

    #[test]
    fn help_covers_every_command_in_80_columns() {
        let names = COMMANDS.iter().map(|(name, ..)| *name);
        let tools = service::catalogue().iter().map(|tool| tool.name);
        let texts = names.chain(tools).map(|name| about(name).expect(name));
        for text in texts.chain([HELP.to_owned()]) {
            assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        }
        assert_eq!(about("sing"), None);
    }
}
