//! The sequences that come with the program, in two halves: one to tune on, one that is only measured.

use super::sequence::{Sequence, parse};
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    Tune,
    HeldOut,
    /// Sequences of one's own, in the same format.
    File(PathBuf),
}

impl FromStr for Set {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "tune" => Self::Tune,
            "held-out" => Self::HeldOut,
            path => Self::File(PathBuf::from(path)),
        })
    }
}

impl std::fmt::Display for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tune => f.write_str("tune"),
            Self::HeldOut => f.write_str("held-out"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Set {
    pub fn sequences(&self) -> Result<Vec<Sequence>, String> {
        let files = match self {
            Self::Tune => &TUNE,
            Self::HeldOut => &HELD_OUT,
            Self::File(path) => {
                let name = path.display().to_string();
                let text = std::fs::read_to_string(path).map_err(|error| {
                    format!("cannot read {name}: {error}; --set takes tune, held-out or a file of sequences")
                })?;
                return read(&name, &text);
            }
        };
        let read: Result<Vec<_>, _> = files.iter().map(|(name, text)| read(name, text)).collect();
        Ok(read?.concat())
    }
}

fn read(name: &str, text: &str) -> Result<Vec<Sequence>, String> {
    parse(text).map_err(|error| format!("{name}, {error}"))
}

type File = (&'static str, &'static str);

const TUNE: [File; 6] = [
    ("tune/assistant.jsonl", include_str!("../../eval/tune/assistant.jsonl")),
    ("tune/clinical.jsonl", include_str!("../../eval/tune/clinical.jsonl")),
    ("tune/coding.jsonl", include_str!("../../eval/tune/coding.jsonl")),
    ("tune/finance.jsonl", include_str!("../../eval/tune/finance.jsonl")),
    ("tune/sales.jsonl", include_str!("../../eval/tune/sales.jsonl")),
    ("tune/support.jsonl", include_str!("../../eval/tune/support.jsonl")),
];

const HELD_OUT: [File; 6] = [
    ("held-out/assistant.jsonl", include_str!("../../eval/held-out/assistant.jsonl")),
    ("held-out/clinical.jsonl", include_str!("../../eval/held-out/clinical.jsonl")),
    ("held-out/coding.jsonl", include_str!("../../eval/held-out/coding.jsonl")),
    ("held-out/finance.jsonl", include_str!("../../eval/held-out/finance.jsonl")),
    ("held-out/sales.jsonl", include_str!("../../eval/held-out/sales.jsonl")),
    ("held-out/support.jsonl", include_str!("../../eval/held-out/support.jsonl")),
];

#[cfg(test)]
mod tests;
