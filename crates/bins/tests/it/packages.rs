//! Each package, made from the programs as they were built, is installed where nothing else is, and works.

use crate::support::documents::root;
use crate::support::{Server, created, http};
use serde_json::Value;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;

/// What the programs of the tests may take together, in megabytes: they are built with less care than what is published,
/// which may take 40. They took 74 when this was written.
const DEBUG_LIMIT: &str = "95";

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
fn has(command: &mut Command) -> bool {
    let has = command.output().is_ok_and(|output| output.status.success());
    if !has {
        let notice = format!("NOT RUN: {command:?} does not work here\n");
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
    if !has(Command::new("python3").args(["-c", "import venv, ensurepip"])) {
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
    if !has(Command::new("npm").arg("--version")) {
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

/// What the image holds, unpacked, and what it says of how it is started.
struct Image {
    root: TempDir,
    config: Value,
}

impl Image {
    /// As skopeo reads it, whose code is none of ours. Podman reads the index of the OCI, Docker a list of its own.
    fn unpacked() -> Self {
        let copies = TempDir::new().unwrap();
        // The root folder is everybody's, as in a container.
        let root = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap();
        let archive = made(".image.tar");
        for form in ["docker-archive", "oci-archive"] {
            let from = format!("{form}:{}", archive.display());
            let to = format!("dir:{}", copies.path().join(form).display());
            run(Command::new("skopeo").args(["--insecure-policy", "copy", &from, &to]));
        }
        let file = |name: &str| copies.path().join("oci-archive").join(name);
        let json = |name: &str| -> Value {
            let text = std::fs::read(file(name)).unwrap();
            serde_json::from_slice(&text).unwrap()
        };
        let named = |blob: &Value| blob["digest"].as_str().unwrap().replace("sha256:", "");
        let manifest = json("manifest.json");
        for layer in manifest["layers"].as_array().unwrap() {
            run(Command::new("tar").arg("-xpf").arg(file(&named(layer))).arg("-C").arg(root.path()));
        }
        Self { root, config: json(&named(&manifest["config"]))["config"].take() }
    }

    /// A program in the image, started as the image says, with no other file of this machine in sight.
    fn command(&self, program: &str) -> Command {
        let said = |name: &str| self.config[name].as_str().unwrap();
        let mut command = entering(self.root.path(), said("WorkingDir"), said("User"));
        let variables = strings(&self.config["Env"]).map(|variable| variable.split_once('=').unwrap());
        command.env_clear().envs(variables).arg(program);
        command
    }
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

/// The command that runs another so that it sees this folder only, begins in that one below it, and is this user's.
/// Whoever is not root here becomes the user in a namespace.
fn entering(root: &Path, folder: &str, user: &str) -> Command {
    let (user, group) = user.split_once(':').unwrap();
    let root = root.display();
    let (program, folder, is_user, is_group) = if rustix::process::geteuid().is_root() {
        ("nsenter", format!("{root}{folder}"), "--setuid", "--setgid")
    } else {
        ("unshare", folder.to_owned(), "--map-user", "--map-group")
    };
    let mut command = Command::new(program);
    command.args([format!("--root={root}"), format!("--wd={folder}")]);
    command.args([format!("{is_user}={user}"), format!("{is_group}={group}")]);
    command
}

#[test]
fn the_image_holds_all_that_the_server_needs() {
    if !has(Command::new("dpkg-query").args(["--status", "bash", "ca-certificates"]))
        || !has(Command::new("skopeo").arg("--version"))
        || !has(entering(Path::new("/"), "/", "10001:10001").arg("true"))
    {
        return;
    }
    let image = Image::unpacked();
    let data = image.root.path().join("data");
    assert_eq!(std::fs::read_dir(&data).unwrap().count(), 0, "the memory is not empty");
    let who = run(image.command("bash").args(["-c", "echo $UID $PWD; [[ -O /data ]] && : >file"]));
    assert_eq!(who, "10001 /data\n");
    let trusted = image.root.path().join("etc/ssl/certs/ca-certificates.crt");
    let trusted = std::fs::read_to_string(trusted).unwrap();
    assert!(trusted.matches("-----BEGIN CERTIFICATE-----\n").count() > 50, "{trusted}");
    works(|name| image.command(name));

    let entry: Vec<&str> = strings(&image.config["Entrypoint"]).collect();
    let server = Server::start(image.command(entry[0]));
    let answer = server.connect().ask(&http::request("GET", "/healthz", &[], b"")).unwrap();
    assert_eq!((answer.status, &*answer.body), (200, r#"{"status":"ok"}"#));
    let (port, check) = (server.address().port().to_string(), &image.config["Healthcheck"]["Test"]);
    let is_healthy = || {
        let mut words = strings(check).skip(1);
        let mut check = image.command(words.next().unwrap());
        check.args(words).env("SVC_PORT", &port).status().unwrap().success()
    };
    assert!(is_healthy());
    let said = run(image.command("svc").args(["principal", "create", "alice", "--role", "admin"]));
    let (_, key) = created(&said);
    assert!(server.client(&key).remember("Our database is Postgres.").contains("ADD"));
    assert!(data.join("memory.db").exists());
    server.terminate();
    assert!(server.wait().success());
    assert!(!is_healthy());
}
