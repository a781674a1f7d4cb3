//! The signed head of the audit log, kept outside the database: a log that was cut back or replaced by an older copy
//! is shorter than a head that was once signed.

use crate::StoreError;
use crate::secrets::Secrets;
use domain::Timestamp;
use evidence::{LogEnd, OutsideHead, Position, Signed, SignedHead};
use parking_lot::Mutex;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Two slots are written in turn. Each is a sector of the disk, which a power cut leaves as it was or as it was to be.
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
    secrets: Arc<Secrets>,
    /// What it held when it was last written or found to be ours.
    known: Arc<Mutex<Vec<u8>>>,
}

/// What the file holds.
pub(crate) struct Outside {
    pub kept: Kept,
    /// Another program has the file locked, so the newest heads may be missing from it.
    pub is_locked: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Kept {
    Heads(Vec<SignedHead>),
    /// There is no file, or not two heads in it.
    Nothing,
    /// What is in it was not signed by this deployment for this file.
    NotOurs,
}

impl Outside {
    /// A copy of a database has no heads of its own yet.
    pub const NOT_YET: Self = Self { kept: Kept::Heads(Vec::new()), is_locked: false };
}

impl Kept {
    pub fn heads(self) -> Option<Vec<SignedHead>> {
        match self {
            Self::Heads(heads) => Some(heads),
            Self::Nothing | Self::NotOurs => None,
        }
    }
}

/// How many entries the head file beside a database says that there were, whoever wrote it.
pub(crate) fn entries_beside(database: &Path) -> u64 {
    let held = std::fs::read(path_beside(database)).unwrap_or_default();
    let heads = [0, 1].into_iter().filter_map(|n| slot(&held, n));
    heads.map(|slot| slot.head().statement.at.size).max().unwrap_or(0)
}

pub(crate) fn path_beside(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".head");
    PathBuf::from(name)
}

impl HeadFile {
    pub fn beside(database: &Path, secrets: &Arc<Secrets>) -> Self {
        Self::at(path_beside(database), secrets)
    }

    pub fn at(path: PathBuf, secrets: &Arc<Secrets>) -> Self {
        Self { path, secrets: secrets.clone(), known: Arc::default() }
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
    /// This is done for a new database, and where the operator asks for it. A log whose head file is gone has lost what
    /// vouched for it, and must not get a fresh one unasked.
    pub fn begin(&self, head: Option<&SignedHead>, now: Timestamp) -> io::Result<()> {
        if self.path.exists() {
            return Ok(());
        }
        let empty = self.secrets.end_sign(&LogEnd::genesis(), now).head;
        self.make(head.unwrap_or(&empty))
    }

    /// The file gets its name when it is whole, so one without a head in it was emptied by somebody.
    fn make(&self, head: &SignedHead) -> io::Result<()> {
        let mut name: OsString = self.path.clone().into();
        name.push(format!(".{}.tmp", std::process::id()));
        let draft = PathBuf::from(name);
        let file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&draft)?;
        (&file).write_all(&self.both(head)?)?;
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
            Ok(held) if held.is_file() && held.permissions().mode() & 0o077 != 0 => {
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
        let held = contents(&file)?;
        let other = || io::Error::other("it names another log, or none; run verify_audit");
        let Kept::Heads(heads) = self.judged(&held) else { return Err(other()) };
        let newest = heads.iter().map(|held| held.statement.at).max_by_key(|at| at.size);
        if newest.is_none_or(|at| !passes(at)) {
            return Err(other());
        }
        if newest.is_some_and(|at| at.size >= head.statement.at.size) {
            return Ok(());
        }
        let size = |head: &SignedHead| head.statement.at.size;
        let written = match heads.as_slice() {
            [first, second] if held.len() == SLOTS * SLOT_BYTES && !is_old_form(&held) => {
                let place = usize::from(size(first) > size(second)) * SLOT_BYTES;
                let slot = self.slot_of(head)?;
                write_at(&file, place, &slot)?;
                let mut written = held;
                written.splice(place..place + SLOT_BYTES, slot);
                written
            }
            _ => {
                let both = self.both(head)?;
                write_at(&file, 0, &both)?;
                both
            }
        };
        *self.known.lock() = written;
        Ok(())
    }

    /// What the bytes of the file are. The signatures of what this process wrote or checked last are not checked again.
    fn judged(&self, bytes: &[u8]) -> Kept {
        let slots = [slot(bytes, 0), slot(bytes, 1)];
        let whole = match &slots {
            [Some(_), Some(_)] => true,
            // Versions before this one wrote the second slot with the first entry.
            [Some(Slot::Old(_)), None] => bytes.len() == SLOT_BYTES,
            _ => false,
        };
        if !whole {
            return Kept::Nothing;
        }
        let mut known = self.known.lock();
        if *known != bytes {
            if slots.iter().flatten().any(|slot| !slot.is_ours(&self.secrets)) {
                return Kept::NotOurs;
            }
            *known = bytes.to_vec();
        }
        Kept::Heads(slots.into_iter().flatten().map(|slot| slot.head().clone()).collect())
    }

    fn slot_of(&self, head: &SignedHead) -> io::Result<Vec<u8>> {
        let body = self.secrets.sign(OutsideHead(head.clone())).encode();
        let length = u16::try_from(body.len()).map_err(io::Error::other)?;
        let mut bytes = [length.to_be_bytes().as_slice(), &body].concat();
        if bytes.len() > SLOT_BYTES {
            return Err(io::Error::other("the head does not fit its slot"));
        }
        bytes.resize(SLOT_BYTES, 0);
        Ok(bytes)
    }

    /// The file with this head in both slots.
    fn both(&self, head: &SignedHead) -> io::Result<Vec<u8>> {
        Ok(self.slot_of(head)?.repeat(SLOTS))
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
        let both = self.both(head)?;
        write_at(&file, 0, &both)?;
        file.set_len(both.len() as u64)
    }

    /// What is read while somebody else has the file locked counts once two reads agree, so that a slot which is just
    /// being written is not taken for a damaged one.
    pub fn read(&self) -> io::Result<Outside> {
        // In the place of the file there may be a folder, or something that never ends.
        if fs::metadata(&self.path).is_ok_and(|held| !held.is_file()) {
            return Ok(Outside { kept: Kept::NotOurs, is_locked: false });
        }
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Outside { kept: Kept::Nothing, is_locked: false });
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
        Ok(Outside { kept: self.judged(&bytes), is_locked })
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

/// A head in the file.
enum Slot {
    Signed(Box<Signed<OutsideHead>>),
    /// As the first version wrote it, whose heads know of no tree.
    Old(Box<SignedHead>),
}

impl Slot {
    fn head(&self) -> &SignedHead {
        match self {
            Self::Signed(signed) => &signed.statement.0,
            Self::Old(head) => head,
        }
    }

    fn is_ours(&self, secrets: &Secrets) -> bool {
        secrets.signing().is_none_or(|signing| match self {
            Self::Signed(signed) => signed.is_signed_by(&signing.keyring),
            Self::Old(head) => head.is_signed_by(&signing.keyring),
        })
    }
}

fn slot(bytes: &[u8], n: usize) -> Option<Slot> {
    let (length, rest) = bytes.get(n * SLOT_BYTES..)?.split_first_chunk::<2>()?;
    let body = rest.get(..usize::from(u16::from_be_bytes(*length)))?;
    let old = || Signed::decode(body).ok().filter(|head: &SignedHead| head.statement.tree.is_none());
    match Signed::decode(body) {
        Ok(signed) => Some(Slot::Signed(Box::new(signed))),
        Err(_) => old().map(|head| Slot::Old(Box::new(head))),
    }
}

/// Whether one of the heads is as the first version wrote it.
fn is_old_form(bytes: &[u8]) -> bool {
    [0, 1].into_iter().any(|n| matches!(slot(bytes, n), Some(Slot::Old(_))))
}

fn write_at(mut file: &File, place: usize, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(place as u64))?;
    file.write_all(bytes)
}
