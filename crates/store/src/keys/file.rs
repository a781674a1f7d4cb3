//! The key files beside a database: read whole, refused when others may read them, and made once however many
//! processes try.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::secret::random;
use super::{Database, KeyError, lines};

/// Room for a thousand keys; a longer file is not one of ours.
const FILE_BYTES: usize = 1024 * 1024;

pub(crate) struct KeyFile {
    pub path: PathBuf,
    /// Settings under which a database has no such file.
    needless_with: &'static str,
}

impl KeyFile {
    pub fn master(database: &Path) -> Self {
        Self { path: suffixed(database, ".key"), needless_with: "SVC_ENCRYPT=off, or SVC_KEY" }
    }

    pub fn signing(database: &Path) -> Self {
        Self { path: suffixed(database, ".sign.key"), needless_with: "SVC_SIGN=off, or SVC_KEY" }
    }

    pub fn salt(database: &Path) -> Self {
        Self { path: suffixed(database, ".salt"), needless_with: "no SVC_KEY" }
    }

    /// The text of the file; for a new database that has none yet, of the one that `make` yields or that another
    /// process puts there first.
    pub async fn read_or_make(
        &self,
        database: Database,
        make: impl Future<Output = Result<Zeroizing<String>, KeyError>>,
    ) -> Result<Zeroizing<String>, KeyError> {
        if let Some(text) = read(&self.path)? {
            return Ok(text);
        }
        if database == Database::New {
            create(&self.path, make.await?.as_bytes())?;
        }
        read(&self.path)?
            .ok_or_else(|| KeyError::Missing { path: self.path.clone(), settings: self.needless_with })
    }

    /// What the file holds, if there is one.
    pub fn text(&self) -> Result<Option<Zeroizing<String>>, KeyError> {
        read(&self.path)
    }

    /// Makes the file from the copy that the database keeps; one that is there takes the keys that came since.
    pub fn take(&self, text: &[u8]) -> Result<(), KeyError> {
        let Some(held) = read(&self.path)? else { return create(&self.path, text) };
        let grown = std::str::from_utf8(text).ok().and_then(|text| lines::grown(&held, text));
        grown.map_or(Ok(()), |grown| replace_apart(&self.path, grown.as_bytes()))
    }

    pub fn damaged(&self, problem: impl Into<String>) -> KeyError {
        KeyError::Damaged { path: self.path.clone(), problem: problem.into() }
    }
}

fn suffixed(database: &Path, suffix: &str) -> PathBuf {
    let mut path = OsString::from(database);
    path.push(suffix);
    PathBuf::from(path)
}

/// Room for a hundred thousand destroyed keys of users, each of which takes up to two kilobytes.
const APART_BYTES: usize = 256 * 1024 * 1024;

/// What a file holds that is kept apart from the database.
pub(crate) fn read_apart(path: &Path) -> Result<Option<Vec<u8>>, KeyError> {
    Ok(read_bytes(path, APART_BYTES)?.map(|bytes| bytes.to_vec()))
}

/// Puts the file in place of the one that is there, whole and durable.
pub(crate) fn replace_apart(path: &Path, content: &[u8]) -> Result<(), KeyError> {
    put(path, content, |draft| fs::rename(draft, path))
}

fn read(path: &Path) -> Result<Option<Zeroizing<String>>, KeyError> {
    let Some(bytes) = read_bytes(path, FILE_BYTES)? else { return Ok(None) };
    let not_text = |_| KeyError::Unreadable {
        path: path.to_owned(),
        reason: io::Error::new(io::ErrorKind::InvalidData, "it is no text"),
    };
    let text = std::str::from_utf8(&bytes).map_err(not_text)?;
    Ok(Some(Zeroizing::new(text.to_owned())))
}

/// What the file holds, if there is one. A file that is longer than `most` is not one of ours.
fn read_bytes(path: &Path, most: usize) -> Result<Option<Zeroizing<Vec<u8>>>, KeyError> {
    let unreadable = |reason| KeyError::Unreadable { path: path.to_owned(), reason };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(unreadable(e)),
    };
    check_mode(path, &file)?;
    let size = file.metadata().map_err(unreadable)?.len();
    // The whole room at once: a buffer that grows leaves copies of the secret behind.
    let room = usize::try_from(size).unwrap_or(most).min(most) + 1;
    let mut bytes = Zeroizing::new(Vec::with_capacity(room));
    file.take(most as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > most {
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidData, "it is too long for a key file")));
    }
    Ok(Some(bytes))
}

#[cfg(unix)]
fn check_mode(path: &Path, file: &File) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt;
    let metadata =
        file.metadata().map_err(|reason| KeyError::Unreadable { path: path.to_owned(), reason })?;
    let mode = metadata.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(KeyError::OpenToOthers { path: path.to_owned(), mode });
    }
    Ok(())
}

/// Elsewhere the folder's access list decides who may read.
#[cfg(not(unix))]
fn check_mode(_: &Path, _: &File) -> Result<(), KeyError> {
    Ok(())
}

/// Puts the file in place, whole and durable, unless another process was faster: then that one's file stays.
fn create(path: &Path, content: &[u8]) -> Result<(), KeyError> {
    put(path, content, |draft| match fs::hard_link(draft, path) {
        // A link, unlike a rename, fails where the name is taken: of all that start at once, one wins.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        put => put,
    })
}

fn put(path: &Path, content: &[u8], name: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), KeyError> {
    let unwritable = |reason| KeyError::Unwritable { path: path.to_owned(), reason };
    let mut draft = OsString::from(path);
    draft.push(format!(".{}.tmp", hex::encode(random::<8>()?.as_slice())));
    let draft = Draft(PathBuf::from(draft));
    draft.write(content).map_err(unwritable)?;
    name(&draft.0).map_err(unwritable)?;
    drop(draft);
    // Who lost the race waits for the disk as well, since it uses the same key from here on.
    sync_folder(path).map_err(unwritable)
}

/// A file under a name of its own, gone when dropped.
struct Draft(PathBuf);

impl Draft {
    fn write(&self, content: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.0)?;
        file.write_all(content)?;
        file.sync_all()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // A draft that stays is harmless: nobody else may read it, and nobody looks for it.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Elsewhere a folder cannot be opened as a file, and the file system keeps names durable by itself.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{create, read};
    use std::fs;

    #[test]
    fn of_many_that_create_at_once_all_read_the_same_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.key");
        let texts = std::thread::scope(|scope| {
            let tasks: Vec<_> = (0..8)
                .map(|n: u8| {
                    let path = &path;
                    scope.spawn(move || {
                        create(path, format!("{n}").repeat(4096).as_bytes()).unwrap();
                        read(path).unwrap().unwrap()
                    })
                })
                .collect();
            tasks.into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(texts[0].len(), 4096);
        assert!(texts.iter().all(|text| *text == texts[0]));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft stays");
    }

    #[test]
    fn an_existing_file_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.key");
        create(&path, b"first").unwrap();
        create(&path, b"second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
    }

    #[test]
    fn a_missing_folder_and_an_endless_file_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let message = create(&folder.path().join("no/a.key"), b"x").unwrap_err().to_string();
        assert!(message.contains("Its folder must exist"), "{message}");

        let path = folder.path().join("a.key");
        create(&path, "x".repeat(super::FILE_BYTES + 1).as_bytes()).unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("too long"), "{message}");
    }
}
