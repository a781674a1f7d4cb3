//! What a page comes to, before it is put into its frame.

use crate::foreign::foreign;
use crate::html::{Again, trouble};
use hyper::StatusCode;
use maud::{Markup, html};

/// What a request comes to.
pub(crate) enum Shown {
    Page {
        status: StatusCode,
        title: String,
        main: Markup,
        again: Again,
    },
    /// A part of a page, which the script puts in its place.
    Piece(Markup),
    /// The browser goes on, and the next page tells the notice.
    Next {
        path: String,
        notice: Option<String>,
    },
    /// There is no such page.
    Nothing,
}

impl Shown {
    pub fn page(title: impl Into<String>, main: Markup) -> Self {
        Self::Page { status: StatusCode::OK, title: title.into(), main, again: Again::No }
    }

    /// What was asked for is not there, or no longer. Names the page where it would be.
    pub fn gone(text: &str, link: &str, to: &str) -> Self {
        let main = html! {
            (trouble("Not found", text))
            p { a href=(link) { (foreign(to)) } }
        };
        Self::page("Not found", main).with_status(StatusCode::NOT_FOUND)
    }

    pub fn with_status(self, now: StatusCode) -> Self {
        match self {
            Self::Page { title, main, again, .. } => Self::Page { status: now, title, main, again },
            other => other,
        }
    }

    pub fn next(path: impl Into<String>) -> Self {
        Self::Next { path: path.into(), notice: None }
    }

    pub fn told(path: impl Into<String>, notice: impl Into<String>) -> Self {
        Self::Next { path: path.into(), notice: Some(notice.into()) }
    }
}
