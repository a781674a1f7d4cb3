//! The signed head of the audit log, kept outside the database: a log that was cut back or replaced by an older copy
//! is shorter than a head that was once signed.

use domain::Timestamp;
use evidence::{Head, Position, Signed, SignedHead};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Two slots are written in turn, so that a write torn by a power cut leaves the other one whole.
const SLOTS: usize = 2;
const SLOT_BYTES: usize = 512;

#[derive(Clone)]
pub(crate) struct HeadFile {
    path: PathBuf,
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

    /// Makes the file where there is none: with the head that the log has, or for a log that has no entries yet.
    ///
    /// Beside a database in a file this is done for an empty log only: a log with entries whose head file is gone has
    /// lost its witness, and must not get a fresh one unasked.
    pub fn begin(&self, head: Option<&SignedHead>, now: Timestamp) -> io::Result<()> {
        if self.path.exists() {
            return Ok(());
        }
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&self.path)?;
        file.lock()?;
        let empty = Signed { statement: Head { at: Position::GENESIS, ts: now }, signature: None };
        write_if_newer(&file, head.unwrap_or(&empty))
    }

    /// Moves the head forward, never back, whatever other processes write. A head that the log does not pass through
    /// bears witness to a log that was rolled back or rewritten, and is kept. Only the newest is asked about: whoever
    /// wrote it had found the one before it in the same log.
    pub fn advance(&self, head: &SignedHead, mut passes: impl FnMut(Position) -> bool) -> io::Result<()> {
        let file = OpenOptions::new().read(true).write(true).open(&self.path)?;
        file.lock()?;
        let newest =
            slots(&file)?.into_iter().flatten().map(|held| held.statement.at).max_by_key(|at| at.size);
        if newest.is_some_and(|at| !passes(at)) {
            return Err(io::Error::other("it names another log; run verify_audit"));
        }
        write_if_newer(&file, head)
    }

    /// Begins anew with this head. The operator has signed for what the old heads vouched for, and the note is on disk:
    /// whatever a crash leaves of them is excused by it.
    pub fn reset(&self, head: &SignedHead) -> io::Result<()> {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&self.path)?;
        file.lock()?;
        write_slot(&file, 0, head)?;
        file.set_len(SLOT_BYTES as u64)
    }

    /// The heads in the file; `None` where there is no file, or nothing in it that was ever a head.
    pub fn read(&self) -> io::Result<Option<Vec<SignedHead>>> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        file.lock_shared()?;
        let heads: Vec<SignedHead> = slots(&file)?.into_iter().flatten().collect();
        Ok((!heads.is_empty()).then_some(heads))
    }
}

fn slots(mut file: &File) -> io::Result<[Option<SignedHead>; SLOTS]> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take((SLOTS * SLOT_BYTES) as u64).read_to_end(&mut bytes)?;
    let slot = |n: usize| {
        let slot = bytes.get(n * SLOT_BYTES..)?;
        let (length, rest) = slot.split_first_chunk::<2>()?;
        Signed::decode(rest.get(..usize::from(u16::from_be_bytes(*length)))?).ok()
    };
    Ok([slot(0), slot(1)])
}

fn write_if_newer(file: &File, head: &SignedHead) -> io::Result<()> {
    let held = slots(file)?;
    let size = |slot: &Option<SignedHead>| slot.as_ref().map(|head| head.statement.at.size);
    if held.iter().any(|slot| size(slot) >= Some(head.statement.at.size)) {
        return Ok(());
    }
    let [first, second] = &held;
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
