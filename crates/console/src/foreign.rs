//! Words that others wrote, as the pages show them: apart from our own words, which they can neither turn around nor
//! continue, and with a sign for every character that nobody could see.

use maud::{Markup, html};
use std::ops::RangeInclusive;

/// Characters that show nothing, or that change the direction of what is beside them.
const UNSEEN: [RangeInclusive<char>; 21] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{13430}'..='\u{1343f}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d159}'..='\u{1d159}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{16fe4}'..='\u{16fe4}',
    '\u{e0000}'..='\u{e0fff}',
];

pub(crate) fn foreign(text: &str) -> Markup {
    html! {
        bdi {
            @for piece in pieces(text) {
                @match piece {
                    Piece::Seen(text) => (text),
                    Piece::Unseen(characters) => span.unseen title="Characters that cannot be seen" { (sign(characters)) },
                }
            }
        }
    }
}

/// The same where there is room for text only, as in a title.
pub(crate) fn foreign_text(text: &str) -> String {
    let shown = |piece| match piece {
        Piece::Seen(text) => text.to_owned(),
        Piece::Unseen(characters) => sign(characters),
    };
    pieces(text).into_iter().map(shown).collect()
}

enum Piece<'a> {
    Seen(&'a str),
    Unseen(&'a str),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut from, mut is_unseen_before) = (0, false);
    let mut before = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let is_unseen = is_unseen(before, c, characters.peek().map(|(_, after)| *after));
        if is_unseen != is_unseen_before {
            pieces.push(piece(text, from..at, is_unseen_before));
            (from, is_unseen_before) = (at, is_unseen);
        }
        before = Some(c);
    }
    pieces.push(piece(text, from..text.len(), is_unseen_before));
    pieces
}

fn piece(text: &str, range: std::ops::Range<usize>, is_unseen: bool) -> Piece<'_> {
    let text = text.get(range).unwrap_or_default();
    if is_unseen { Piece::Unseen(text) } else { Piece::Seen(text) }
}

/// `⟨U+202E U+200B⟩`
fn sign(characters: &str) -> String {
    let codes: Vec<String> = characters.chars().map(|c| format!("U+{:04X}", u32::from(c))).collect();
    format!("⟨{}⟩", codes.join(" "))
}

/// Joiners stay where a script needs them or an emoji is made with them: there they can be seen by what they do.
fn is_unseen(before: Option<char>, c: char, after: Option<char>) -> bool {
    let both = |is: fn(char) -> bool| before.is_some_and(is) && after.is_some_and(is);
    match c {
        '\n' | '\r' | '\t' => false,
        '\u{200c}' | '\u{200d}' => !both(is_joined_letter) && !both(is_of_emoji),
        '\u{fe0e}' | '\u{fe0f}' => !before.is_some_and(is_of_emoji) && after != Some('\u{20e3}'),
        _ => c.is_control() || is_listed(c),
    }
}

fn is_listed(c: char) -> bool {
    UNSEEN.iter().any(|range| range.contains(&c))
}

/// Of a script that is written with joiners, such as Arabic or Devanagari.
fn is_joined_letter(c: char) -> bool {
    let of_script = matches!(c,
        '\u{600}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{a840}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{11fff}');
    of_script && !c.is_numeric() && !is_listed(c)
}

fn is_of_emoji(c: char) -> bool {
    let is_picture = matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}');
    (is_picture && !is_listed(c)) || c == '\u{fe0f}'
}

#[cfg(test)]
mod tests {
    use super::{foreign, foreign_text};

    #[test]
    fn what_cannot_be_seen_has_a_sign() {
        for (text, shown) in [
            ("atenolol \u{202e}gm 05\u{202c} daily", "atenolol ⟨U+202E⟩gm 05⟨U+202C⟩ daily"),
            ("10\u{200b}0 mg", "10⟨U+200B⟩0 mg"),
            ("10\u{200c}0 mg", "10⟨U+200C⟩0 mg"),
            ("as\u{200d}pirin", "as⟨U+200D⟩pirin"),
            ("\u{200b}\u{200b}", "⟨U+200B U+200B⟩"),
            ("a\u{e0041}\u{1b}[2K", "a⟨U+E0041 U+001B⟩[2K"),
            ("\u{fe0f}1", "⟨U+FE0F⟩1"),
        ] {
            assert_eq!(foreign_text(text), shown);
        }
    }

    #[test]
    fn what_scripts_and_emoji_need_stays() {
        for text in [
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}⚕\u{fe0f} and 👨\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "שלום 5 mg\nand more",
            "é, naïve, 東京",
        ] {
            assert_eq!(foreign_text(text), text);
        }
    }

    #[test]
    fn words_of_others_are_kept_apart_and_are_text() {
        assert_eq!(foreign("<b>").into_string(), "<bdi>&lt;b&gt;</bdi>");
    }
}
