//! All programs in one file: see `programs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    svc::programs::run(std::env::args_os().next().as_deref())
}
