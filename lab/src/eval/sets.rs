//! The stories, in two halves: one to tune on, one that is only measured.

use super::folder::{File, Folder};
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
    pub fn sequences(&self, folder: &Folder) -> Result<Vec<Sequence>, String> {
        let files = match self {
            Self::Tune => folder.files("stories/tune", "jsonl")?,
            Self::HeldOut => folder.files("stories/held-out", "jsonl")?,
            Self::File(path) => {
                let file = File::read(path.clone());
                vec![file.map_err(|e| format!("{e}; --set takes tune, held-out or a file of sequences"))?]
            }
        };
        let read: Result<Vec<_>, _> = files.iter().map(read).collect();
        Ok(read?.concat())
    }
}

fn read(file: &File) -> Result<Vec<Sequence>, String> {
    parse(&file.text).map_err(|error| format!("{}, {error}", file.path.display()))
}

#[cfg(test)]
mod tests;
