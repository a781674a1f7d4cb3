//! The signed head of the audit log, kept outside the database: a log that was cut back or replaced by an older copy
//! is shorter than a head that was once signed.

use crate::StoreError;
use domain::Timestamp;
use evidence::{Head, Position, Signed, SignedHead};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Two slots are written in turn, so that a write torn by a power cut leaves the other one whole.
const SLOTS: usize = 2;
const SLOT_BYTES: usize = 512;
/// Our own processes hold the lock for microseconds. Past this time somebody else has it, and is not waited for.
const LOCK_TIME: Duration = Duration::from_millis(50);
const LOCK_POLL: Duration = Duration::from_millis(1);
/// Reads of a file that somebody writes without end.
const READS: usize = 3;

#[derive(Clone)]
pub(crate) struct HeadFile {
    path: PathBuf,
}

/// What the file holds.
pub(crate) struct Outside {
    /// `None` where there is no file, or nothing in it that was ever a head.
    pub heads: Option<Vec<SignedHead>>,
    /// Another program has the file locked, so the newest heads may be missing from it.
    pub is_locked: bool,
}

impl HeadFile {
    pub fn beside(database: &Path) -> Self {
        let mut name = database.as_os_str().to_owned();
        name.push(".head");
        Self { path: PathBuf::from(name) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does something with the file on a thread of its own. It may be locked, or on a disk that does not answer, and no
    /// other call waits for that.
    pub async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> io::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let file = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&file)).await;
        let done = done.map_err(|_| StoreError::Panicked)?;
        done.map_err(|error| StoreError::corrupt("the head kept outside the database", error))
    }

    /// Makes the file where there is none: with the head that the log has, or for a log that has no entries yet.
    ///
    /// Beside a database in a file this is done for an empty log only: a log with entries whose head file is gone has
    /// lost its witness, and must not get a fresh one unasked.
    pub fn begin(&self, head: Option<&SignedHead>, now: Timestamp) -> io::Result<()> {
        if self.path.exists() {
            return Ok(());
        }
        let empty =
            Signed { statement: Head { at: Position::GENESIS, ts: now, tree: None }, signature: None };
        self.make(head.unwrap_or(&empty))
    }

    /// The file gets its name when it is whole, so one without a head in it was emptied by somebody.
    fn make(&self, head: &SignedHead) -> io::Result<()> {
        let mut name: OsString = self.path.clone().into();
        name.push(format!(".{}.tmp", std::process::id()));
        let draft = PathBuf::from(name);
        let file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&draft)?;
        write_slot(&file, 0, head)?;
        file.sync_all()?;
        // A link, unlike a rename, leaves a file alone that another process was quicker to make.
        let linked = fs::hard_link(&draft, &self.path);
        fs::remove_file(&draft)?;
        match linked {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }

    /// Takes the file away from everybody but its owner: whoever can open it can lock it.
    pub fn keep_private(&self) -> io::Result<()> {
        match fs::metadata(&self.path) {
            Ok(held) if held.permissions().mode() & 0o077 != 0 => {
                fs::set_permissions(&self.path, Permissions::from_mode(0o600))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Moves the head forward, never back, whatever other processes write. A head that the log does not pass through
    /// bears witness to a log that was rolled back or rewritten, and is kept. Only the newest is asked about: whoever
    /// wrote it had found the one before it in the same log.
    pub fn advance(
        &self,
        head: &SignedHead,
        wait: Wait,
        mut passes: impl FnMut(Position) -> bool,
    ) -> io::Result<()> {
        let file = OpenOptions::new().read(true).write(true).open(&self.path)?;
        lock(&file, wait)?;
        let held = slots(&contents(&file)?);
        let newest = held.iter().flatten().map(|held| held.statement.at).max_by_key(|at| at.size);
        if newest.is_none_or(|at| !passes(at)) {
            return Err(io::Error::other("it names another log, or none; run verify_audit"));
        }
        write_if_newer(&file, &held, head)
    }

    /// Begins anew with this head. The operator has signed for what the old heads vouched for, and the note is on disk:
    /// whatever a crash leaves of them is excused by it.
    pub fn reset(&self, head: &SignedHead) -> io::Result<()> {
        let file = match OpenOptions::new().read(true).write(true).open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.make(head),
            Err(error) => return Err(error),
        };
        lock(&file, Wait::Briefly)?;
        write_slot(&file, 0, head)?;
        file.set_len(SLOT_BYTES as u64)
    }

    /// What is read while somebody else has the file locked counts once two reads agree, so that a slot which is just
    /// being written is not taken for a damaged one.
    pub fn read(&self) -> io::Result<Outside> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Outside { heads: None, is_locked: false });
            }
            Err(error) => return Err(error),
        };
        let is_locked = match poll(Wait::Briefly, || file.try_lock_shared()) {
            Ok(()) => false,
            Err(error) if is_locked(&error) => true,
            Err(error) => return Err(error),
        };
        let mut bytes = contents(&file)?;
        for _ in 0..if is_locked { READS } else { 0 } {
            let before = std::mem::replace(&mut bytes, contents(&file)?);
            if before == bytes {
                break;
            }
        }
        let heads: Vec<SignedHead> = slots(&bytes).into_iter().flatten().collect();
        Ok(Outside { heads: (!heads.is_empty()).then_some(heads), is_locked })
    }
}

/// Whether a lock that somebody else holds is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    No,
    Briefly,
}

/// Whether the head outside has fallen behind the log. It is said once, and the lock that keeps it there is waited for
/// once: after that every group tries, and none waits.
#[derive(Debug, Default)]
pub(crate) struct Lag(AtomicBool);

impl Lag {
    pub fn wait(&self) -> Wait {
        if self.0.load(Ordering::Relaxed) { Wait::No } else { Wait::Briefly }
    }

    pub fn note<E: std::fmt::Display>(&self, written: &Result<(), E>, file: &HeadFile) {
        let file = file.path().display();
        match (written, self.0.swap(written.is_err(), Ordering::Relaxed)) {
            (Err(error), false) => tracing::warn!(
                %error,
                "the head of the audit log could not be written to {file}; every commit tries again"
            ),
            (Ok(()), true) => tracing::info!("the head of the audit log is written to {file} again"),
            (Err(_), true) | (Ok(()), false) => {}
        }
    }
}

/// Whether that is all that kept the head from being written.
pub(crate) fn is_locked(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

fn lock(file: &File, wait: Wait) -> io::Result<()> {
    poll(wait, || file.try_lock())
}

fn poll(wait: Wait, mut attempt: impl FnMut() -> Result<(), TryLockError>) -> io::Result<()> {
    let began = Instant::now();
    loop {
        match attempt() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if wait == Wait::Briefly && began.elapsed() < LOCK_TIME => {
                std::thread::sleep(LOCK_POLL);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another program has it locked"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn contents(mut file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take((SLOTS * SLOT_BYTES) as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn slots(bytes: &[u8]) -> [Option<SignedHead>; SLOTS] {
    let slot = |n: usize| {
        let slot = bytes.get(n * SLOT_BYTES..)?;
        let (length, rest) = slot.split_first_chunk::<2>()?;
        Signed::decode(rest.get(..usize::from(u16::from_be_bytes(*length)))?).ok()
    };
    [slot(0), slot(1)]
}

fn write_if_newer(file: &File, held: &[Option<SignedHead>; SLOTS], head: &SignedHead) -> io::Result<()> {
    let size = |slot: &Option<SignedHead>| slot.as_ref().map(|head| head.statement.at.size);
    if held.iter().any(|slot| size(slot) >= Some(head.statement.at.size)) {
        return Ok(());
    }
    let [first, second] = held;
    write_slot(file, usize::from(size(first) > size(second)), head)
}

fn write_slot(mut file: &File, slot: usize, head: &SignedHead) -> io::Result<()> {
    let body = head.encode();
    let length = u16::try_from(body.len()).map_err(io::Error::other)?;
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend_from_slice(&body);
    if bytes.len() > SLOT_BYTES {
        return Err(io::Error::other("the head does not fit its slot"));
    }
    bytes.resize(SLOT_BYTES, 0);
    file.seek(SeekFrom::Start((slot * SLOT_BYTES) as u64))?;
    file.write_all(&bytes)
}
