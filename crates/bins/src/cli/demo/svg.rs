//! The demo as a moving picture: an SVG that plays without a script, for pages that cannot run a program.

use crate::line_wrap::{COLUMNS, wrapped};
use std::fmt::Write as _;
use std::io::{self, Write};

/// How long each scene is shown before the next appears, and how long the last one stays before it starts again.
const SCENE: f64 = 1.3;
const END: f64 = 5.0;
/// The visible part of the terminal; what is above it has scrolled away.
const ROWS: usize = 24;

const LINE: usize = 19;
const COLUMN: usize = 8;
const MARGIN: usize = 18;
/// How far the letters reach below their baseline.
const DESCENT: usize = 5;

/// Colours for a light and a dark page; `class` gives the letters.
const STYLE: &str = "\
svg{background:#fafafa;border-radius:8px}\
text{font:13.3px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#24292f}\
.h{fill:#0b6e7f;font-weight:bold}.d{fill:#6e7781}.g{fill:#1a7f37}.y{fill:#8a6100}.r{fill:#c1121f;font-weight:bold}\
@media(prefers-color-scheme:dark){svg{background:#14181d}text{fill:#d5dbe1}\
.h{fill:#56d4dd}.d{fill:#8b949e}.g{fill:#56d364}.y{fill:#e3b341}.r{fill:#ff7b72}}\
@media(prefers-reduced-motion:reduce){g{animation:none!important}}";

/// Takes what the demo prints, with its colours. Every flush ends a scene: what was printed since the last one appears
/// at once, as it does on a terminal.
#[derive(Debug, Default)]
pub struct Film {
    scenes: Vec<String>,
    current: String,
}

impl Write for Film {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.current.push_str(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.current.is_empty() {
            self.scenes.push(std::mem::take(&mut self.current));
        }
        Ok(())
    }
}

impl Film {
    pub fn svg(&self) -> String {
        let total = self.scenes.len() as f64 * SCENE + END;
        let (mut rules, mut scroll, mut body) = (String::new(), String::new(), String::new());
        let (mut row, mut colour) = (0, None);
        for (n, scene) in self.scenes.iter().enumerate() {
            // A blank line at the very top would be wasted.
            let text = if n == 0 { scene.trim_start_matches('\n') } else { scene.as_str() };
            let starts = 100.0 * (n as f64 * SCENE) / total;
            let _ = write!(body, "<g class=\"s\" style=\"animation-name:s{n}\">");
            for line in wrapped(text).lines() {
                row += 1;
                body.push_str(&text_element(line, MARGIN + row * LINE - DESCENT, &mut colour));
            }
            body.push_str("</g>\n");
            let _ = write!(rules, "@keyframes s{n}{{0%{{opacity:0}}{starts:.2}%{{opacity:1}}}}");
            let hidden = row.saturating_sub(ROWS) * LINE;
            let _ = write!(scroll, "{starts:.2}%{{transform:translateY(-{hidden}px)}}");
        }
        let (width, height) = (COLUMNS * COLUMN + 2 * MARGIN, ROWS * LINE + 2 * MARGIN);
        let screen = ROWS * LINE;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>svc demo: what the memory does, step by step</title>\n\
             <style>{STYLE}.s,.t{{animation:{total:.1}s step-end infinite}}.t{{animation-name:t}}\
             @keyframes t{{{scroll}}}{rules}</style>\n\
             <clipPath id=\"screen\"><rect y=\"{MARGIN}\" width=\"{width}\" height=\"{screen}\"/></clipPath>\n\
             <g clip-path=\"url(#screen)\"><g class=\"t\">\n{body}</g></g>\n</svg>\n"
        )
    }
}

/// One line of the terminal. Its indent becomes a place, because renderers do not agree on leading spaces. A colour
/// stays on until it is taken back, which may be on a later line.
fn text_element(line: &str, y: usize, colour: &mut Option<&'static str>) -> String {
    let text = line.trim_start_matches(' ');
    let x = MARGIN + (line.len() - text.len()) * COLUMN;
    let mut spans = String::new();
    for (n, piece) in text.split('\u{1b}').enumerate() {
        let mut shown = piece;
        if n > 0
            && let Some((code, rest)) = piece.trim_start_matches('[').split_once('m')
        {
            (*colour, shown) = (class(code), rest);
        }
        match colour {
            _ if shown.is_empty() => {}
            Some(class) => drop(write!(spans, "<tspan class=\"{class}\">{}</tspan>", escaped(shown))),
            None => spans.push_str(&escaped(shown)),
        }
    }
    if spans.is_empty() {
        return spans;
    }
    format!("<text x=\"{x}\" y=\"{y}\" xml:space=\"preserve\">{spans}</text>\n")
}

/// The colours that the demo uses, by their escape codes.
fn class(code: &str) -> Option<&'static str> {
    match code {
        "1;36" => Some("h"),
        "2" => Some("d"),
        "32" => Some("g"),
        "33" => Some("y"),
        "1;31" => Some("r"),
        _ => None,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::Film;
    use std::io::Write;

    #[test]
    fn each_scene_appears_at_its_time() {
        let mut film = Film::default();
        for scene in ["\n\u{1b}[1;36mA step\u{1b}[0m\n", "  you> a < b\n    one\n", "last\n"] {
            film.write_all(scene.as_bytes()).unwrap();
            film.flush().unwrap();
        }
        let svg = film.svg();
        assert!(svg.contains("you&gt; a &lt; b"), "{svg}");
        assert!(svg.contains("<tspan class=\"h\">A step</tspan>"), "{svg}");
        // Three scenes of 1.3 s and 5 s at the end.
        assert!(svg.contains("animation:8.9s step-end infinite"), "{svg}");
        assert!(svg.contains("@keyframes s1{0%{opacity:0}14.61%{opacity:1}}"), "{svg}");
    }
}
