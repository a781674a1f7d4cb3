//! The rows of a CSV file, as RFC 4180 has them: fields in quotes may hold commas, line breaks, and quotes twice.

use std::mem::take;

/// Each row with the line that it begins on, or the place at which a quote stands where none may.
pub fn rows(text: &str) -> Result<Vec<(usize, Vec<String>)>, String> {
    // Spreadsheets of old ended lines with a carriage return alone.
    let line_end = if text.contains('\n') { '\n' } else { '\r' };
    let (mut rows, mut fields, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut begins, mut opened) = (1, None);
    for (line, n) in text.split_inclusive(line_end).zip(1..) {
        let line = line.strip_suffix(line_end).unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let (mut chars, mut is_closed) = (line.chars().zip(1..).peekable(), false);
        while let Some((c, column)) = chars.next() {
            match (c, opened) {
                ('"', Some(_)) if chars.next_if(|(next, _)| *next == '"').is_some() => field.push('"'),
                ('"', Some(_)) => (opened, is_closed) = (None, true),
                ('"', None) if field.is_empty() && !is_closed => opened = Some((n, column)),
                (',', None) => {
                    fields.push(take(&mut field));
                    is_closed = false;
                }
                (c, None) if is_closed && !c.is_whitespace() => {
                    return Err(format!("a field goes on behind its quotes at line {n}, column {column}"));
                }
                (c, _) => field.push(c),
            }
        }
        if opened.is_some() {
            field.push('\n');
            continue;
        }
        fields.push(take(&mut field));
        let row = take(&mut fields);
        // Empty lines are no rows.
        if row.iter().any(|field| !field.trim().is_empty()) {
            rows.push((begins, row));
        }
        begins = n + 1;
    }
    match opened {
        Some((line, column)) => {
            Err(format!("a quote is opened and not closed at line {line}, column {column}"))
        }
        None => Ok(rows),
    }
}
