//! The rows of a CSV file, as RFC 4180 has them: fields in quotes may hold commas, line breaks, and quotes twice.

/// A row, with the line that it begins on.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    pub line: usize,
    /// `None` where a quote was opened and is not closed as it should be.
    pub fields: Option<Vec<String>>,
}

/// A row that is damaged ends with its line, so the rows behind it are read all the same.
pub fn rows(text: &str) -> Vec<Row> {
    // Spreadsheets of old ended lines with a carriage return alone.
    let line_end = if text.contains('\n') { '\n' } else { '\r' };
    let lines: Vec<&str> = text.split_inclusive(line_end).collect();
    let closes = closes(&lines);
    let (mut rows, mut open): (Vec<Row>, Option<(usize, Reader)>) = (Vec::new(), None);
    for (n, line) in lines.iter().enumerate() {
        let (begins, mut reader) = open.take().unwrap_or((n + 1, Reader::default()));
        match reader.read(line) {
            End::Whole => push(&mut rows, begins, reader.fields),
            End::InQuotes if closes.get(n + 1) == Some(&true) => open = Some((begins, reader)),
            End::InQuotes | End::Damaged => rows.push(Row { line: begins, fields: None }),
        }
    }
    rows
}

/// Empty lines are no rows.
fn push(rows: &mut Vec<Row>, line: usize, fields: Vec<String>) {
    if fields.iter().any(|field| !field.trim().is_empty()) {
        rows.push(Row { line, fields: Some(fields) });
    }
}

/// For each line, whether a row whose quotes are open where the line begins comes to its end.
fn closes(lines: &[&str]) -> Vec<bool> {
    let mut closes = vec![false; lines.len()];
    let mut later = false;
    for (line, closes) in lines.iter().zip(&mut closes).rev() {
        let mut reader = Reader { state: State::Quoted, ..Reader::default() };
        later = match reader.read(line) {
            End::Whole => true,
            End::InQuotes => later,
            End::Damaged => false,
        };
        *closes = later;
    }
    closes
}

/// Where a line leaves the row.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Whole,
    InQuotes,
    Damaged,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    Quoted,
    /// Behind the quote that ended a field.
    Closed,
}

#[derive(Debug, Default)]
struct Reader {
    fields: Vec<String>,
    field: String,
    state: State,
}

impl Reader {
    fn read(&mut self, line: &str) -> End {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match (&self.state, c) {
                (State::Quoted, '"') if chars.next_if_eq(&'"').is_some() => self.field.push('"'),
                (State::Quoted, '"') => self.state = State::Closed,
                (State::Plain, '"') if self.field.is_empty() => self.state = State::Quoted,
                (State::Plain | State::Closed, ',') => self.end_field(),
                (State::Closed, c) if !c.is_whitespace() => return End::Damaged,
                _ => self.field.push(c),
            }
        }
        if self.state == State::Quoted {
            self.field.push('\n');
            return End::InQuotes;
        }
        self.end_field();
        End::Whole
    }

    fn end_field(&mut self) {
        self.fields.push(std::mem::take(&mut self.field));
        self.state = State::Plain;
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, rows};

    fn lines(text: &str) -> Vec<(usize, bool)> {
        rows(text).iter().map(|row| (row.line, row.fields.is_some())).collect()
    }

    #[test]
    fn quotes_hold_commas_and_line_breaks() {
        let read = rows("a,b\r\n\"x, \"\"y\"\"\",\"two\nlines\" \n\nlast,\n");
        let row = |line, fields: [&str; 2]| Row { line, fields: Some(fields.map(str::to_owned).to_vec()) };
        assert_eq!(read, [row(1, ["a", "b"]), row(2, ["x, \"y\"", "two\nlines "]), row(5, ["last", ""])]);
    }

    #[test]
    fn carriage_returns_alone_end_lines() {
        assert_eq!(rows("a,b\r1,\"x\ry\"\r2,z\r"), rows("a,b\n1,\"x\ny\"\n2,z\n"));
    }

    #[test]
    fn a_quote_that_is_not_closed_costs_one_row() {
        assert_eq!(lines("a\n\"cut"), [(1, true), (2, false)]);
        let open = "a,b\n1,\"open\n2,x\n3,\"y\"\n4,\"two\nlines\"\n5,z";
        assert_eq!(lines(open), [(1, true), (2, false), (3, true), (4, true), (5, true), (7, true)]);
        assert_eq!(lines("a\n\"he said \"no\" to it\"\nb"), [(1, true), (2, false), (3, true)]);
    }

    #[test]
    fn a_file_of_open_quotes_is_read_in_one_go() {
        let many = 200_000;
        assert_eq!(rows(&"a\",\"\n".repeat(many)).len(), many);
    }
}
