//! The programs. One file holds them all, and goes by the name that it was called by.

mod svc;
mod svc_mcp;
mod svc_migrate;
mod svc_server;

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

/// Runs the program of this name, as it is in the first argument of a process.
pub fn run(called: Option<&OsStr>) -> ExitCode {
    let name = called.and_then(|path| Path::new(path).file_name()).and_then(OsStr::to_str);
    match name {
        Some("svc-mcp") => svc_mcp::main(),
        Some("svc-server") => svc_server::main(),
        Some("svc-migrate") => svc_migrate::main(),
        _ => svc::main(),
    }
}
