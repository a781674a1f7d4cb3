//! The store through its public interface, in one program: each further one costs a link.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod keys_beside;
mod keys_vault;
mod tenant_in_every_query;
mod typed_lines;
