//! Editing a line at a terminal: history, completion, and what Ctrl-C does.

use super::help::COMMANDS;
use super::typed::{PROMPT, Typed};
use crate::cli::CliError;
use crate::cli::session::Session;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::{History, MemHistory};
use rustyline::validate::Validator;
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Context, Editor, Event, EventContext, EventHandler,
    Helper, KeyCode, KeyEvent, Modifiers, Movement, RepeatCount,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{Added, StoreError, TypedLines};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

pub(super) struct LineEditor {
    editor: Editor<Completion, MemHistory>,
    /// Where lines are kept between runs; none where they are kept for this run alone.
    kept: Option<TypedLines>,
    /// Whether this line was typed with a key that is not known. What its sequence leaves behind looks like text.
    strange: Arc<AtomicBool>,
}

impl LineEditor {
    pub fn open(session: &Session, out: &mut impl Write) -> Result<Self, CliError> {
        let config = Config::builder().completion_type(CompletionType::List).build();
        let mut editor =
            Editor::with_history(config.clone(), MemHistory::with_config(&config)).map_err(into_io)?;
        editor.set_helper(Some(Completion { session: session.clone() }));
        let strange = Arc::new(AtomicBool::new(false));
        let clear = ClearOrEnd(strange.clone());
        editor.bind_sequence(KeyEvent::ctrl('C'), EventHandler::Conditional(Box::new(clear)));
        let watch = StrangeKeys(strange.clone());
        editor.bind_sequence(Event::Any, EventHandler::Conditional(Box::new(watch)));
        let mut opened = Self { editor, kept: session.typed_lines(), strange };
        match opened.kept.as_ref().map(TypedLines::read).transpose() {
            Ok(lines) => {
                for line in lines.into_iter().flatten() {
                    opened.editor.history_mut().add(&line).map_err(into_io)?;
                }
            }
            Err(error) => opened.without_file(&error, out)?,
        }
        Ok(opened)
    }

    pub fn read(&mut self) -> Result<Typed, CliError> {
        self.strange.store(false, Ordering::Relaxed);
        match self.editor.readline(PROMPT) {
            Ok(line) if self.strange.load(Ordering::Relaxed) && !line.trim().is_empty() => {
                self.editor.history_mut().add(&line).map_err(into_io)?;
                Ok(Typed::Strange)
            }
            Ok(line) => Ok(Typed::Line(line.trim().to_owned())),
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(Typed::End),
            Err(error) => match into_io(error) {
                error if error.kind() == ErrorKind::InvalidData => Ok(Typed::NotText),
                error => Err(error.into()),
            },
        }
    }

    pub fn keep(&mut self, line: &str, out: &mut impl Write) -> Result<(), CliError> {
        if line.is_empty() {
            return Ok(());
        }
        match self.kept.as_ref().map(|kept| kept.add(line)).transpose() {
            Ok(Some(Added::Alone)) => self.editor.history_mut().clear().map_err(into_io)?,
            Ok(Some(Added::BesideOthers) | None) => {}
            Err(error) => self.without_file(&error, out)?,
        }
        self.editor.history_mut().add(line).map_err(into_io)?;
        Ok(())
    }

    fn without_file(&mut self, error: &StoreError, out: &mut impl Write) -> Result<(), CliError> {
        self.kept = None;
        writeln!(out, "What you type is not kept for the next time: {error}")?;
        Ok(())
    }
}

fn into_io(error: ReadlineError) -> std::io::Error {
    match error {
        ReadlineError::Io(error) => error,
        other => std::io::Error::other(other),
    }
}

/// Ctrl-C clears what is typed, and ends the prompt where nothing is.
struct ClearOrEnd(Arc<AtomicBool>);

impl ConditionalEventHandler for ClearOrEnd {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        self.0.store(false, Ordering::Relaxed);
        Some(if context.line().is_empty() { Cmd::Interrupt } else { Cmd::Kill(Movement::WholeBuffer) })
    }
}

/// Notes a key that is not known, or an answer of the terminal, and leaves it to the editor.
struct StrangeKeys(Arc<AtomicBool>);

impl ConditionalEventHandler for StrangeKeys {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, _: &EventContext<'_>) -> Option<Cmd> {
        let strange = match event.get(0) {
            Some(KeyEvent(KeyCode::UnknownEscSeq, _)) => true,
            // Escape with one of these begins a string that the terminal sends.
            Some(KeyEvent(KeyCode::Char(']' | 'P' | '_' | '^' | 'X'), modifiers)) => {
                modifiers.contains(Modifiers::ALT)
            }
            _ => false,
        };
        if strange {
            self.0.store(true, Ordering::Relaxed);
        }
        None
    }
}

/// Completes the first word to a command, and what follows one that takes a subject to a subject.
struct Completion {
    session: Session,
}

impl Completion {
    fn subjects(&self) -> BTreeSet<String> {
        // The key is pressed on a thread that waits for nothing else.
        let subjects = block_in_place(|| Handle::current().block_on(self.session.subjects()));
        subjects.unwrap_or_default()
    }
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..at).unwrap_or_default();
        let Some((word, rest)) = typed.split_once(' ') else {
            return Ok((0, beginning(typed, commands(typed))));
        };
        let rest = rest.trim_start();
        let start = typed.len() - rest.len();
        Ok(match word.to_lowercase().as_str() {
            "help" => (start, beginning(rest, commands(rest))),
            word if takes_subject(word) => (start, beginning(rest, self.subjects())),
            _ => (at, Vec::new()),
        })
    }
}

/// The commands, and once something is typed the tools as well.
fn commands(typed: &str) -> BTreeSet<String> {
    let tools = service::catalogue().iter().filter(|_| !typed.is_empty()).map(|tool| tool.name);
    COMMANDS.iter().map(|(name, ..)| *name).chain(tools).map(str::to_owned).collect()
}

fn takes_subject(word: &str) -> bool {
    let takes =
        |schema: Value| schema.get("required").and_then(|names| names.get(0)) == Some(&"subject".into());
    word == "forget"
        || service::catalogue().iter().any(|tool| tool.name == word && takes(tool.input_schema()))
}

fn beginning(typed: &str, names: BTreeSet<String>) -> Vec<Pair> {
    let typed = typed.to_lowercase();
    let fits = names.into_iter().filter(|name| name.to_lowercase().starts_with(&typed));
    fits.map(|name| Pair { display: name.clone(), replacement: name }).collect()
}

impl Helper for Completion {}
impl Highlighter for Completion {}
impl Validator for Completion {}
impl Hinter for Completion {
    type Hint = String;
}
