//! Which file the memory is kept in: without a setting, one for each person, wherever the program is started.

use super::env::Env;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

const NAME: &str = "svc.db";
/// A database, or what belongs to one: with PostgreSQL, or before a backup is restored, the keys are there alone.
const FILES: [&str; 6] =
    [NAME, "svc.db.key", "svc.db.sign.key", "svc.db.users.key", "svc.db.salt", "svc.db.head"];

/// The file that the memory is kept in, and how it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseFile {
    /// `SVC_DB` names it.
    Named(PathBuf),
    /// It is in the current folder, where it was found, or where there is no home to keep it in.
    Here {
        /// The person's own file, which is not used.
        other: Option<PathBuf>,
    },
    /// In the user's data folder, which is made on first use.
    Own(PathBuf),
}

impl DatabaseFile {
    pub(super) fn of(env: &Env) -> Self {
        match (env.text("SVC_DB"), own(env)) {
            (Some(named), _) => Self::Named(PathBuf::from(named)),
            (None, Some(own)) if !FILES.iter().any(|file| Path::new(file).exists()) => Self::Own(own),
            (None, own) => Self::Here { other: own.filter(|file| file.exists()) },
        }
    }

    pub fn file(&self) -> &Path {
        match self {
            Self::Named(file) | Self::Own(file) => file,
            Self::Here { .. } => Path::new(NAME),
        }
    }

    /// Makes the folder of the person's own file, readable by them alone. The folder of a file that was named must exist:
    /// it may be misspelt.
    pub fn make_folder(&self) -> io::Result<()> {
        let Self::Own(file) = self else { return Ok(()) };
        let folder = file.parent().unwrap_or(file);
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
            let text = format!("cannot make the folder {}: {error}; set SVC_DB", folder.display());
            io::Error::new(error.kind(), text)
        })
    }
}

/// In the data folder of the user: XDG's, or the platform's own.
fn own(env: &Env) -> Option<PathBuf> {
    const PLATFORM: &str =
        if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    let absolute = |name: &str| env.text(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(PLATFORM)))?;
    Some(data.join("svc").join(NAME))
}
