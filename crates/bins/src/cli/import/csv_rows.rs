//! The rows of a CSV file, as RFC 4180 has them: fields in quotes may hold commas, line breaks, and quotes twice.

/// A row, with the line that it begins on.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    pub line: usize,
    pub fields: Vec<String>,
    /// Whether a quote was opened and never closed.
    pub is_cut: bool,
}

pub fn rows(text: &str) -> Vec<Row> {
    let (mut rows, mut rest, mut line) = (Vec::new(), text.trim_start_matches('\u{feff}'), 1);
    while let Some((first_line, after)) = read(rest, line, &mut rows) {
        (line, rest) = (first_line + 1, after);
    }
    rows
}

/// Reads on to the end, or to a quote that is never closed. Then it returns the line on which that row begins and what
/// follows this line, so that the rows behind it are read all the same.
fn read<'a>(text: &'a str, first: usize, rows: &mut Vec<Row>) -> Option<(usize, &'a str)> {
    let (mut line, mut begins, mut begins_at) = (first, first, 0);
    let (mut fields, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match c {
            '"' if is_quoted && next == Some('"') => {
                field.push('"');
                chars.next();
            }
            '"' if is_quoted || field.is_empty() => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            '\r' if !is_quoted && next == Some('\n') => {}
            '\n' if !is_quoted => {
                line += 1;
                fields.push(std::mem::take(&mut field));
                push(rows, begins, std::mem::take(&mut fields), false);
                (begins, begins_at) = (line, at + 1);
            }
            _ => {
                line += usize::from(c == '\n');
                field.push(c);
            }
        }
    }
    fields.push(field);
    push(rows, begins, fields, is_quoted);
    let cut = text.get(begins_at..).filter(|_| is_quoted)?;
    Some((begins, cut.split_once('\n')?.1))
}

/// Empty lines are no rows.
fn push(rows: &mut Vec<Row>, line: usize, fields: Vec<String>, is_cut: bool) {
    if is_cut || fields.iter().any(|field| !field.trim().is_empty()) {
        rows.push(Row { line, fields, is_cut });
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, rows};

    #[test]
    fn quotes_hold_commas_and_line_breaks() {
        let read = rows("a,b\r\n\"x, \"\"y\"\"\",\"two\nlines\"\n\nlast,\n");
        let row =
            |line, fields: [&str; 2]| Row { line, fields: fields.map(str::to_owned).to_vec(), is_cut: false };
        assert_eq!(read, [row(1, ["a", "b"]), row(2, ["x, \"y\"", "two\nlines"]), row(5, ["last", ""])]);
        assert!(rows("a\n\"cut").last().unwrap().is_cut);
    }

    #[test]
    fn a_quote_that_is_never_closed_costs_one_row() {
        let read = rows("a,b\n1,\"open\n2,x\n3,\"y\"\n4,z");
        let lines: Vec<(usize, bool)> = read.iter().map(|row| (row.line, row.is_cut)).collect();
        assert!(lines.contains(&(5, false)), "{lines:?}");
    }
}
