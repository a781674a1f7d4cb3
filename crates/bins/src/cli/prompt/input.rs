//! Lines from a terminal, where they are edited, or from a pipe, where they are taken as they are.

use super::editor::LineEditor;
use super::typed::{PROMPT, Typed};
use crate::cli::CliError;
use crate::cli::session::Session;
use std::io::{BufRead, IsTerminal, Write};

pub(super) enum Input {
    Terminal(Box<LineEditor>),
    Pipe,
}

impl Input {
    pub fn open(session: &Session, out: &mut impl Write) -> Result<Self, CliError> {
        let at_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        Ok(if at_terminal { Self::Terminal(Box::new(LineEditor::open(session, out)?)) } else { Self::Pipe })
    }

    pub fn read(&mut self, out: &mut impl Write) -> Result<Typed, CliError> {
        match self {
            Self::Terminal(editor) => {
                out.flush()?;
                editor.read()
            }
            Self::Pipe => piped(out),
        }
    }

    /// Keeps a line that was dealt with; the arrow keys bring it back.
    pub fn keep(&mut self, line: &str, out: &mut impl Write) -> Result<(), CliError> {
        match self {
            Self::Terminal(editor) => editor.keep(line, out),
            Self::Pipe => Ok(()),
        }
    }
}

/// We show the line ourselves, to make the output read like a session.
fn piped(out: &mut impl Write) -> Result<Typed, CliError> {
    let mut line = Vec::new();
    write!(out, "{PROMPT}")?;
    out.flush()?;
    if std::io::stdin().lock().read_until(b'\n', &mut line)? == 0 {
        writeln!(out)?;
        return Ok(Typed::End);
    }
    let Ok(said) = std::str::from_utf8(&line).map(str::trim) else { return Ok(Typed::NotText) };
    // A terminal has shown what was typed.
    if !std::io::stdin().is_terminal() {
        writeln!(out, "{said}")?;
    }
    Ok(Typed::Line(said.to_owned()))
}
