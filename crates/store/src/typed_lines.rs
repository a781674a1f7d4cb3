//! What a person typed at the prompt, in a file beside the database. It holds what was told, so it is kept as the rows
//! are: sealed where they are sealed, and gone as soon as anything is erased.

use crate::StoreError;
use crate::secrets::{Binding, Secrets};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Lines that are carried over to the next run: months of use, and read at once.
const MOST: usize = 1000;

#[derive(Debug)]
pub struct TypedLines {
    path: PathBuf,
    secrets: Arc<Secrets>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    BesideOthers,
    /// Something was erased since the last line, and with it all lines before this one.
    Alone,
}

impl TypedLines {
    pub(crate) fn beside(database: &Path, secrets: Arc<Secrets>) -> Self {
        Self { path: path(database), secrets }
    }

    /// The lines of earlier runs, oldest first. One that does not open was written under other keys, and is left out.
    pub fn read(&self) -> Result<Vec<String>, StoreError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(self.fault(&error)),
        };
        let written: Vec<&str> = text.lines().collect();
        let recent = written.get(written.len().saturating_sub(MOST)..).unwrap_or_default();
        let lines: Vec<String> = recent.iter().filter_map(|line| self.opened(line)).collect();
        if recent.len() < written.len() {
            self.shorten(recent).map_err(|e| self.fault(&e))?;
        }
        // From here on a missing file means that something was erased.
        self.open(Missing::IsMade).map_err(|e| self.fault(&e))?;
        Ok(lines)
    }

    pub fn add(&self, line: &str) -> Result<Added, StoreError> {
        let written = hex::encode(self.secrets.seal(BINDING, line.as_bytes())?) + "\n";
        let (opened, added) = match self.open(Missing::IsAnError) {
            Err(error) if error.kind() == ErrorKind::NotFound => (self.open(Missing::IsMade), Added::Alone),
            opened => (opened, Added::BesideOthers),
        };
        opened.and_then(|mut file| file.write_all(written.as_bytes())).map_err(|e| self.fault(&e))?;
        Ok(added)
    }

    /// Keeps the lines of earlier runs under the newest keys.
    pub(crate) fn seal_anew(&self) -> Result<(), StoreError> {
        if !self.path.exists() {
            return Ok(());
        }
        let mut anew = Vec::new();
        for line in self.read()? {
            anew.push(hex::encode(self.secrets.seal(BINDING, line.as_bytes())?));
        }
        let anew: Vec<&str> = anew.iter().map(String::as_str).collect();
        self.shorten(&anew).map_err(|e| self.fault(&e))
    }

    fn open(&self, missing: Missing) -> io::Result<fs::File> {
        OpenOptions::new().append(true).create(missing == Missing::IsMade).mode(0o600).open(&self.path)
    }

    fn opened(&self, line: &str) -> Option<String> {
        let sealed = hex::decode(line).ok()?;
        String::from_utf8(self.secrets.open(BINDING, &sealed).ok()?).ok()
    }

    fn shorten(&self, recent: &[&str]) -> io::Result<()> {
        let draft = self.path.with_added_extension("tmp");
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        file.write_all((recent.join("\n") + "\n").as_bytes())?;
        fs::rename(draft, &self.path)
    }

    fn fault(&self, error: &io::Error) -> StoreError {
        fault(&self.path, error)
    }
}

/// Removes the lines, since any of them may hold what is about to be erased.
pub(crate) fn remove(database: &Path) -> Result<(), StoreError> {
    let path = path(database);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(fault(&path, &error)),
        _ => Ok(()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    IsMade,
    IsAnError,
}

const BINDING: Binding<'static> = Binding { what: "a typed line", tenant: "", row: [0; 3] };

fn path(database: &Path) -> PathBuf {
    database.with_added_extension("history")
}

fn fault(path: &Path, error: &io::Error) -> StoreError {
    StoreError::Startup(format!("{}: {error}; check its permissions", path.display()))
}
