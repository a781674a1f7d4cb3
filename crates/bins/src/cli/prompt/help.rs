//! What the prompt says of its commands.

use crate::fitted::fitted;
use serde_json::Value;

pub(super) const HELP: &str = "\
Say something, and it is remembered. Ask something that ends in '?', and it is
answered.

  remember <text>      the same, said outright
  recall <question>
  forget <text>        what is no longer so
  list                 all that is remembered, with its number; ⚠ marks what
                       waits for your word
  confirm <number>     make the change that waits: the new value comes, or what
                       is marked goes
  reject <number>      leave things as they are
  history <subject>    every value that it has had, by a name that 'list' shows
  help <command>       more about one of them
  quit

What was said is answered by what became of it: ADD (new), COEXIST (beside
others), SUPERSEDE (in place of the old value), RETRACT (no longer so), REFINE
(more detail), DEDUP (known already), ARCHIVE (was so once), FLAG (not sure:
waits for your word).

Every tool can be called by its name, with its first argument in plain words or
all of them in JSON:
  explain_decision 1
  recall {\"question\": \"Which database do we use?\", \"explain\": true}
A tool that erases takes JSON only. docs/tools.md describes all 32.

At a terminal Tab completes commands and subjects, and the arrow keys bring back
what was typed before. Ctrl-C clears a line, and ends an empty one.";

/// The commands that are no tools, and those whose short form differs from the tool's own.
pub(super) const COMMANDS: [(&str, &str, &str); 10] = [
    (
        "remember",
        "remember <text>",
        "Remembers what the text says. A line that is no command is remembered as well.",
    ),
    (
        "recall",
        "recall <question>",
        "Answers from what holds now. A line that ends in '?' is answered as well.",
    ),
    (
        "forget",
        "forget <text>",
        "Takes back what is no longer so. It stays in history; 'help delete' tells of erasing.",
    ),
    (
        "list",
        "list",
        "Shows all that is remembered, with its number, what waits for your word, and the latest history.",
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
    ("help", "help, or help <command>", "Shows the commands, or tells more about one of them."),
    ("quit", "quit", "Ends the prompt. So do 'exit', and Ctrl-D or Ctrl-C on an empty line."),
    ("exit", "exit", "Ends the prompt, as 'quit' does."),
];

/// What there is to say about a command or a tool; `None` where there is none of that name.
pub(super) fn about(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    if let Some((_, usage, text)) = COMMANDS.iter().find(|(command, ..)| *command == name) {
        return Some(fitted(&format!("{usage}\n  {text}")));
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
    Some(fitted(&usage))
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, HELP, about};
    use crate::fitted::COLUMNS;

    #[test]
    fn every_command_and_every_tool_is_told_of_in_80_columns() {
        let names = COMMANDS.iter().map(|(name, ..)| *name);
        let tools = service::catalogue().iter().map(|tool| tool.name);
        let texts = names.chain(tools).map(|name| about(name).expect(name));
        for text in texts.chain([HELP.to_owned()]) {
            assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        }
        assert_eq!(about("sing"), None);
    }
}
