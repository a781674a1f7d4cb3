//! The parts of a statement as the network sees them: each tells one thing, and is meant in one way.

use encoder::{MEANINGS, Meant, Token};
use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct Part<'a> {
    pub text: &'a str,
    pub meant: Meant,
    /// The words that a question would be answered with.
    pub value: Option<&'a str>,
}

struct Word {
    at: Range<usize>,
    meant: [f32; MEANINGS],
    start: f32,
    value: f32,
}

const ALL: [Meant; MEANINGS] = [
    Meant::Nothing,
    Meant::So,
    Meant::Event,
    Meant::Past,
    Meant::Future,
    Meant::Hedged,
    Meant::Hypothetical,
    Meant::Sarcastic,
    Meant::Asked,
    Meant::End,
];

/// So many times more likely another meaning must be than the plain one.
const CLEARLY: f32 = 2.0;

pub(super) fn parts<'a>(statements: &[&'a str]) -> Vec<Vec<Part<'a>>> {
    let read = encoder::tokens(statements);
    statements.iter().zip(read).map(|(statement, tokens)| parts_of(statement, tokens)).collect()
}

fn parts_of(statement: &str, tokens: Vec<Token>) -> Vec<Part<'_>> {
    let words = words(statement, tokens);
    let mut runs: Vec<Vec<&Word>> = Vec::new();
    // Words that seem to tell nothing, since the last stretch.
    let mut loose: Vec<&Word> = Vec::new();
    let mut open = false;
    for word in &words {
        let text = statement.get(word.at.clone()).unwrap_or_default();
        let begins = word.start > 0.5;
        let tells = begins || word.value > 0.4 || share(&word.meant, Meant::Nothing) <= 0.5;
        if !text.contains(char::is_alphanumeric) {
            if text == ":" || text == "=" {
                loose.push(word);
            } else {
                loose.clear();
            }
            if let Some(run) = runs.last_mut().filter(|_| open) {
                run.push(word);
            }
        } else if !tells {
            open = false;
            loose.push(word);
        } else if let Some(run) = runs.last_mut().filter(|_| open && !begins) {
            run.push(word);
        } else {
            // "Payout account: Barclays" is about the payout account.
            let named = text_of(statement, &loose).ends_with([':', '=']);
            let mut run = if named { std::mem::take(&mut loose) } else { Vec::new() };
            run.push(word);
            runs.push(run);
            open = true;
        }
        if tells {
            loose.clear();
        }
    }
    merged(statement, runs).iter().filter_map(|run| part(statement, run)).collect()
}

fn text_of<'a>(statement: &'a str, run: &[&Word]) -> &'a str {
    match (run.first(), run.last()) {
        (Some(first), Some(last)) => statement.get(first.at.start..last.at.end).unwrap_or_default(),
        _ => "",
    }
}

/// What is said to be so has a value: a stretch without one belongs to what follows it in the sentence.
fn merged<'a>(statement: &str, runs: Vec<Vec<&'a Word>>) -> Vec<Vec<&'a Word>> {
    let incomplete = |run: &[&Word]| {
        let so = meant(run).is_some_and(|(_, meant)| matches!(meant, Meant::So | Meant::Event));
        let short = run.len() < 3
            && !text_of(statement, run).contains(|c: char| c.is_ascii_digit() || c.is_uppercase());
        let heads = text_of(statement, run).trim_end().ends_with([':', '=']);
        so && (short || heads || !run.iter().any(|word| word.value > 0.4))
    };
    let together = |a: &[&Word], b: &[&Word]| {
        let (Some(a), Some(b)) = (a.last(), b.first()) else { return false };
        let seam = statement.get(a.at.end.saturating_sub(1)..b.at.start).unwrap_or_default();
        !seam.contains(['.', ';', '!', '?', '\n'])
    };
    let mut found: Vec<Vec<&Word>> = Vec::new();
    for run in runs {
        match found.last_mut() {
            Some(before) if incomplete(before) && together(before, &run) => before.extend(run),
            _ => found.push(run),
        }
    }
    found
}

fn meant(run: &[&Word]) -> Option<(f32, Meant)> {
    let mut shares = [0.0; MEANINGS];
    for word in run {
        shares.iter_mut().zip(word.meant).for_each(|(sum, part)| *sum += part);
    }
    let told = ALL.into_iter().filter(|m| *m != Meant::Nothing);
    let best = told.map(|m| (share(&shares, m), m)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let so = share(&shares, Meant::So);
    Some(if best.0 < so * CLEARLY { (so, Meant::So) } else { best })
}

fn part<'a>(statement: &'a str, run: &[&Word]) -> Option<Part<'a>> {
    let (_, meant) = meant(run)?;
    let text = trimmed(text_of(statement, run));
    let mut value: Option<Range<usize>> = None;
    let mut best: Option<Range<usize>> = None;
    for word in run {
        if word.value > 0.5 {
            let range = value.get_or_insert(word.at.clone());
            range.end = word.at.end;
            if best.as_ref().is_none_or(|b| b.len() <= range.len()) {
                best = Some(range.clone());
            }
        } else {
            value = None;
        }
    }
    Some(Part { text, meant, value: best.and_then(|range| statement.get(range)).map(trimmed) })
}

/// Without the marks at its end; the point of "Dr." or "p.m." stays.
fn trimmed(text: &str) -> &str {
    const SHORT: [&str; 11] = ["dr", "mr", "mrs", "ms", "st", "inc", "ltd", "co", "jr", "sr", "etc"];
    let text = text.trim_end_matches([',', ';', ':', '-', '–', '—', ' ', '!']);
    let Some(without) = text.strip_suffix('.') else { return text };
    let last = without.rsplit([' ', '.']).next().unwrap_or_default().to_lowercase();
    if last.chars().count() < 2 && !last.chars().all(char::is_numeric) || SHORT.contains(&last.as_str()) {
        text
    } else {
        without
    }
}

fn share(shares: &[f32; MEANINGS], meant: Meant) -> f32 {
    shares.get(meant as usize).copied().unwrap_or_default()
}

/// Whole words of the network's pieces: what no space divides, but for marks at its end.
fn words(statement: &str, tokens: Vec<Token>) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut counts: Vec<f32> = Vec::new();
    for token in tokens {
        let closing = statement
            .get(token.at.clone())
            .is_some_and(|t| matches!(t, "," | ";" | "!" | "?" | ")" | "(" | "—" | ":" | "="));
        match found.last_mut().filter(|w| w.at.end == token.at.start && !closing) {
            Some(word) => {
                word.at.end = token.at.end;
                word.meant.iter_mut().zip(token.meant).for_each(|(sum, part)| *sum += part);
                word.value = word.value.max(token.value);
                if let Some(count) = counts.last_mut() {
                    *count += 1.0;
                }
            }
            None => {
                found.push(Word { at: token.at, meant: token.meant, start: token.start, value: token.value });
                counts.push(1.0);
            }
        }
    }
    for (word, count) in found.iter_mut().zip(counts) {
        word.meant.iter_mut().for_each(|share| *share /= count);
    }
    found
}
