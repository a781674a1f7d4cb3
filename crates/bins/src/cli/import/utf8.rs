//! The text of a file, of which a part may be no text.

/// Is in the text for what is not UTF-8. A file of text holds none, and JSON allows none.
const MARK: char = '\0';

pub const NOT_UTF8: &str = "it is not UTF-8 text; convert the file to UTF-8";

/// Without the mark that some programs put at the start of a file.
pub fn decoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(MARK);
        }
    }
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    text
}

pub fn is_whole(text: &str) -> bool {
    !text.contains(MARK)
}
