//! Each package, made from the programs as they were built, is installed where nothing else is, and works.

use crate::support::documents::root;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;

/// What the programs of the tests may take together, in megabytes: they are built with less care than what is published,
/// which may take 40. They took 74 when this was written.
const DEBUG_LIMIT: &str = "85";

/// The packages of the programs that were built with the tests.
static MADE: LazyLock<PathBuf> = LazyLock::new(|| {
    let (programs, made) = (TempDir::new().unwrap(), Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages"));
    // What an earlier run left may be of another version.
    let _ = std::fs::remove_dir_all(&made);
    for built in [
        env!("CARGO_BIN_EXE_svc"),
        env!("CARGO_BIN_EXE_svc-mcp"),
        env!("CARGO_BIN_EXE_svc-server"),
        env!("CARGO_BIN_EXE_svc-migrate"),
    ] {
        let name = Path::new(built).file_name().unwrap();
        // What a debugger needs is most of the file, and would be packed for minutes.
        run(Command::new("strip").arg("-o").arg(programs.path().join(name)).arg(built));
    }
    run(make(programs.path(), &made).args(["--limit", DEBUG_LIMIT]));
    made
});

fn make(programs: &Path, made: &Path) -> Command {
    let mut make = Command::new("python3");
    make.arg(root().join("packaging/make")).arg("--programs").arg(programs).arg("--out").arg(made);
    make
}

fn made_where(is_wanted: impl Fn(&str) -> bool) -> PathBuf {
    let mut files = std::fs::read_dir(&*MADE).unwrap().map(|file| file.unwrap());
    files.find(|file| is_wanted(file.file_name().to_str().unwrap())).unwrap().path()
}

fn made(ending: &str) -> PathBuf {
    made_where(|name| name.ends_with(ending))
}

/// What it printed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

/// Whether the machine has what the package is installed with. The checks on a change must have it.
fn has(program: &str, arguments: &[&str]) -> bool {
    let has = Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success());
    if !has {
        let notice = format!("NOT RUN: {program} {} does not work here\n", arguments.join(" "));
        assert!(std::env::var_os("CI").is_none(), "{notice}");
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
    }
    has
}

/// All four names, and the demo, which opens a database and asks the built-in model.
fn works(installed: impl Fn(&str) -> Command) {
    for name in ["svc", "svc-mcp", "svc-server", "svc-migrate"] {
        let said = run(installed(name).arg("--version"));
        assert_eq!(said.lines().next(), Some(&*format!("{name} {}", env!("CARGO_PKG_VERSION"))));
    }
    let said = run(installed("svc").arg("demo"));
    assert!(said.contains("That was all."), "{said}");
}

fn in_folder(folder: &Path) -> impl Fn(&str) -> Command {
    move |name| Command::new(folder.join(name))
}

#[test]
fn the_installer_installs_and_updates() {
    let home = TempDir::new().unwrap();
    let bin = home.path().join(".local/bin");
    for _ in 0..2 {
        let from = format!("file://{}", MADE.display());
        let install = &mut Command::new("sh");
        install.arg(made("install.sh")).env("HOME", home.path()).env("SVC_FROM", from).env_remove("SVC_BIN");
        assert!(run(install).contains(&format!("begin with: {}/svc demo", bin.display())));
        works(in_folder(&bin));
    }
}

#[test]
fn programs_that_grew_too_large_are_not_packed() {
    let (programs, made) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for (name, size) in [("svc", 39_500_000), ("svc-mcp", 0), ("svc-server", 0), ("svc-migrate", 600_000)] {
        std::fs::File::create(programs.path().join(name)).unwrap().set_len(size).unwrap();
    }
    let output = make(programs.path(), made.path()).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the programs take 40.1 MB together, and the limit is 40 MB"), "{said}");
    assert_eq!(std::fs::read_dir(made.path()).unwrap().count(), 0, "something was packed");
}

#[test]
fn an_archive_that_is_not_what_its_sum_says_is_not_installed() {
    let (changed, home) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let archive = made(".tar.gz");
    let mut bytes = std::fs::read(&archive).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(changed.path().join(archive.file_name().unwrap()), bytes).unwrap();
    std::fs::copy(made("SHA256SUMS"), changed.path().join("SHA256SUMS")).unwrap();
    let from = format!("file://{}", changed.path().display());
    let output =
        Command::new("sh").arg(made("install.sh")).env("HOME", home.path()).env("SVC_FROM", from).output();
    let output = output.unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("is damaged"), "{output:?}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "something was left behind");
}

#[test]
fn the_wheel_installs_into_an_empty_environment() {
    if !has("python3", &["-c", "import venv, ensurepip"]) {
        return;
    }
    let place = TempDir::new().unwrap();
    run(Command::new("python3").args(["-m", "venv"]).arg(place.path()));
    let pip = place.path().join("bin/pip");
    run(Command::new(pip).args(["install", "--quiet", "--no-index"]).arg(made(".whl")));
    works(in_folder(&place.path().join("bin")));
}

#[test]
fn the_npm_packages_install_into_an_empty_folder() {
    if !has("npm", &["--version"]) {
        return;
    }
    let place = TempDir::new().unwrap();
    std::fs::write(place.path().join("package.json"), "{}").unwrap();
    let of_all = made(&format!("svc-memory-{}.tgz", env!("CARGO_PKG_VERSION")));
    let platform = format!("svc-memory-{}-", std::env::consts::OS);
    let of_platform = made_where(|name| name.starts_with(&platform));
    let install = &mut Command::new("npm");
    install.current_dir(place.path()).args(["install", "--offline", "--no-audit", "--no-fund"]);
    run(install.arg(of_platform).arg(of_all));
    works(in_folder(&place.path().join("node_modules/.bin")));
}
