//! What a clause says about a subject.

/// A value of something, as a clause gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The subject, in lower case and with its owner: "search service port". Empty if the clause only says that one
    /// value replaced another.
    pub subject: String,
    pub value: String,
    pub shift: Shift,
    pub arity: Arity,
}

/// How many such values a subject may have at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arity {
    One,
    /// One at a time, but a held value is replaced only if the network agrees.
    Unsure,
    /// Many, each under a name of its own.
    Many,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shift {
    /// It holds.
    Is,
    /// It holds now, and something else held before.
    Became { from: Option<String> },
    /// It held once.
    Was,
    /// It will hold.
    Will,
    /// It no longer holds.
    Gone,
}

/// What the pronouns of a clause refer to.
#[derive(Debug, Clone)]
pub(crate) struct Pointers {
    /// Who speaks.
    pub me: String,
    /// The topic of the sentence before, if it has just one.
    pub it: Option<String>,
}

/// Between who takes a drug and which.
pub(crate) const TAKES: &str = " takes ";
