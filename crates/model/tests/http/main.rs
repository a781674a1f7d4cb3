//! The clients against real HTTP servers that misbehave in every way that providers do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod adapting;
mod broken_replies;
mod embedding;
mod presence;
mod requests;
mod retrying;
mod support;
