//! What the programs share: settings, logging, and putting the parts together.

pub mod cli;
pub mod line_wrap;
pub mod logging;
pub mod open_files;
pub mod programs;
pub mod settings;
pub mod startup;
mod witness_book;
