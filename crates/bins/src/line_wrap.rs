//! Text for a person at a terminal: lines are wrapped between words to fit 80 columns.

use std::io::{self, IsTerminal, Write};
use unicode_width::UnicodeWidthStr;

pub const COLUMNS: usize = 80;

/// The text with its long lines broken. What has no space to break at stays whole: a path, a key.
pub fn wrapped(text: &str) -> String {
    text.split('\n').map(wrapped_line).collect::<Vec<_>>().join("\n")
}

fn wrapped_line(line: &str) -> String {
    if width(line) <= COLUMNS {
        return line.to_owned();
    }
    let indent = " ".repeat(line.len() - line.trim_start_matches(' ').len());
    let (mut done, mut current) = (String::new(), String::new());
    for word in line.trim_start_matches(' ').split(' ') {
        if current.is_empty() {
            current = format!("{indent}{word}");
        } else if width(&current) + 1 + width(word) <= COLUMNS {
            current = format!("{current} {word}");
        } else {
            done.push_str(current.trim_end());
            done.push('\n');
            current = format!("{indent}{word}");
        }
    }
    done + &current
}

/// The columns that a text takes; what colours it takes none.
fn width(text: &str) -> usize {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().width();
    let coloured = parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest).width());
    first + coloured.sum::<usize>()
}

/// Breaks lines where somebody reads them at a terminal, and leaves them alone elsewhere.
#[derive(Debug)]
pub struct WrappedOutput<W> {
    out: W,
    breaks: Breaks,
    line: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Breaks {
    BetweenWords,
    Never,
}

impl WrappedOutput<io::StdoutLock<'static>> {
    pub fn stdout() -> Self {
        let out = io::stdout();
        let breaks = if out.is_terminal() { Breaks::BetweenWords } else { Breaks::Never };
        Self { out: out.lock(), breaks, line: Vec::new() }
    }
}

impl<W: Write> Write for WrappedOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.breaks == Breaks::Never {
            return self.out.write(bytes);
        }
        self.line.extend_from_slice(bytes);
        if let Some(end) = self.line.iter().rposition(|byte| *byte == b'\n') {
            let lines: Vec<u8> = self.line.drain(..=end).collect();
            self.out.write_all(wrapped(&String::from_utf8_lossy(&lines)).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.line)?;
        self.line.clear();
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, wrapped};

    #[test]
    fn long_lines_break_between_words_and_keep_their_indent() {
        let text = format!("short\n  {}", "word ".repeat(40).trim_end());
        let lines = wrapped(&text);
        assert!(lines.lines().all(|line| line.len() <= COLUMNS), "{lines}");
        assert!(lines.lines().skip(1).all(|line| line.starts_with("  word")), "{lines}");
        assert_eq!(lines.split_whitespace().count(), 41);
    }

    #[test]
    fn long_words_stay_whole_and_colour_has_no_width() {
        let path = "/x".repeat(60);
        assert_eq!(wrapped(&format!("kept in {path}")), format!("kept in\n{path}"));
        let coloured = format!("\u{1b}[1;36m{}\u{1b}[0m", "x ".repeat(40).trim_end());
        assert_eq!(wrapped(&coloured), coloured);
    }
}
