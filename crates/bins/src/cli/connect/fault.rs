//! Why a client's file is left alone.

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("line {line}, column {column}: {problem}. Mend that and try again; nothing was changed")]
    Broken { line: usize, column: usize, problem: String },
    #[error("{0}. Nothing was changed; run it without --write, and put what it shows there yourself")]
    Unusual(String),
}

impl Fault {
    pub(super) fn unusual(why: impl Into<String>) -> Self {
        Self::Unusual(why.into())
    }
}
