//! `svc-lab` as a program, with a language model of the tests' on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod bench;
mod eval;
mod eval_forms;
mod eval_guarded;
mod eval_lived_in;
mod eval_long;
mod laboratory;
