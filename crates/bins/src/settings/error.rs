//! A setting that cannot be used, and what it takes.

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable} {problem}")]
pub struct SettingsError {
    pub variable: String,
    pub problem: String,
}

impl SettingsError {
    pub(super) fn new(variable: &str, problem: impl Into<String>) -> Self {
        Self { variable: variable.to_owned(), problem: problem.into() }
    }
}
