//! `svc-mcp`, `svc-server` and `svc-migrate` as `cargo build` makes them: each hands over to the `svc` beside it, under
//! its own name, and so the programs are linked and stored once. A package has links to `svc` in their place.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

pub fn to_svc(name: &str) -> ExitCode {
    let svc = match std::env::current_exe() {
        Ok(path) => path.with_file_name("svc"),
        Err(error) => return refuse(name, &format!("cannot tell where it is: {error}")),
    };
    let error = Command::new(&svc).arg0(name).args(std::env::args_os().skip(1)).exec();
    refuse(name, &format!("cannot run {}: {error}; put svc into the same folder", svc.display()))
}

fn refuse(name: &str, why: &str) -> ExitCode {
    // Where nobody reads it, there is nobody to tell.
    let _ = writeln!(io::stderr(), "{name}: {why}");
    ExitCode::FAILURE
}
