//! What comes of one line at the prompt.

pub(super) const PROMPT: &str = "svc> ";

pub(super) enum Typed {
    Line(String),
    NotText,
    /// Typed with a key that is not known.
    Strange,
    End,
}
