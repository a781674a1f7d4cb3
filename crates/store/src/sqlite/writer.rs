//! The one thread of a process that writes. Calls queue, and what is waiting commits together: one transaction, one
//! append to the audit chain, one flush to the disk, however many calls there are in the group. Where more waits than
//! fits into a group, tenants and their callers are taken in turn.

use super::connection::{self, Meter};
use super::db::{SqliteDb, at_once};
use super::touched;
use super::tx::SqliteTx;
use crate::StoreError;
use crate::head_file::{HeadFile, Lag, is_locked};
use crate::health::{Health, Stage};
use crate::load::Waiting;
use crate::rows::log_end::KnownEnd;
use crate::script::{Durability, Script, StoreResult};
use crate::scripts::log::log_passes;
use crate::secrets::Secrets;
use domain::{Account, Capacity, FairQueue};
use evidence::SignedHead;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Larger groups gain nothing over this and make the first caller wait for the last.
const GROUP: usize = 256;
/// A group that has taken so long already takes no further call: those of it that have not begun wait for the next one,
/// and among those who came meanwhile they are taken in turn again.
const GROUP_TIME: Duration = Duration::from_millis(8);
/// What a read leaves in the log reaches the disk within this time, well inside a second.
const FLUSH_AFTER: Duration = Duration::from_millis(400);

trait Job: Send {
    fn account(&self) -> Account;
    fn durability(&self) -> Durability;
    /// Whether what the job wrote is to be kept.
    fn run(&mut self, tx: &mut SqliteTx<'_>) -> bool;
    fn settle(self: Box<Self>, commit: Result<(), StoreError>);
}

struct Queued<S: Script> {
    script: S,
    result: Option<StoreResult<S::Output>>,
    reply: oneshot::Sender<StoreResult<S::Output>>,
}

impl<S: Script> Job for Queued<S> {
    fn account(&self) -> Account {
        self.script.ground().account()
    }

    fn durability(&self) -> Durability {
        self.script.durability()
    }

    fn run(&mut self, tx: &mut SqliteTx<'_>) -> bool {
        let run = AssertUnwindSafe(|| at_once(self.script.run(tx)));
        let result = catch_unwind(run).unwrap_or(Err(StoreError::Panicked));
        let keep = result.is_ok();
        self.result = Some(result);
        keep
    }

    fn settle(self: Box<Self>, commit: Result<(), StoreError>) {
        let result = match (self.result, commit) {
            (Some(Err(own)), _) => Err(own),
            (_, Err(commit)) => Err(commit),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(StoreError::Closed),
        };
        // A caller that has gone no longer listens; what it asked for has happened all the same.
        let _ = self.reply.send(result);
    }
}

/// What came of a group that committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Something,
    /// Each of its calls failed by itself.
    Nothing,
}

/// What is in a group, and on whose account.
type Group = Vec<(Account, Box<dyn Job>)>;

/// A handle on the writing thread; clones share it.
#[derive(Clone)]
pub(crate) struct Writer(Arc<Thread>);

struct Thread {
    queue: Option<mpsc::Sender<Box<dyn Job>>>,
    running: Option<JoinHandle<()>>,
    waiting: Waiting,
    health: Arc<Health>,
}

/// With the last handle the thread finishes what is queued, flushes, and closes the database as a process that ends
/// well should.
impl Drop for Thread {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(running) = self.running.take()
            && running.join().is_err()
        {
            tracing::error!("the writing thread panicked");
        }
    }
}

impl Writer {
    pub fn start(path: &Path, secrets: Arc<Secrets>, meter: Option<&Meter>) -> Result<Self, StoreError> {
        let connection = connection::open(path, meter)?;
        if secrets.state.is_some() {
            touched::watch(&connection)?;
        }
        let (queue, jobs) = mpsc::channel();
        let (head_file, head_lag) = (HeadFile::beside(path, &secrets), Lag::default());
        let health = Arc::<Health>::default();
        let worker = Worker {
            waiting: FairQueue::new(Capacity::of(usize::MAX)),
            head_file,
            head_lag,
            wal: wal_path(path),
            connection,
            synchronous: "",
            secrets,
            unsynced: None,
            known: None,
            health: health.clone(),
            ended: None,
        };
        let running = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || worker.serve(&jobs))
            .map_err(|e| StoreError::Startup(format!("cannot start the writing thread: {e}")))?;
        let waiting = Waiting::default();
        Ok(Self(Arc::new(Thread { queue: Some(queue), running: Some(running), waiting, health })))
    }

    pub fn health(&self) -> &Health {
        &self.0.health
    }

    /// Calls that have not been committed yet.
    pub fn waiting(&self) -> usize {
        self.0.waiting.count()
    }

    pub async fn run<S: Script>(&self, script: S) -> StoreResult<S::Output> {
        let _waiter = self.0.waiting.begin();
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Queued { script, result: None, reply });
        let queue = self.0.queue.as_ref().ok_or(StoreError::Closed)?;
        queue.send(job).map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

fn wal_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

struct Worker {
    waiting: FairQueue<Box<dyn Job>>,
    connection: Connection,
    /// What the connection was last told of when to flush.
    synchronous: &'static str,
    secrets: Arc<Secrets>,
    head_file: HeadFile,
    head_lag: Lag,
    wal: PathBuf,
    /// The head of entries that the disk may not have yet.
    unsynced: Option<SignedHead>,
    known: Option<KnownEnd>,
    health: Arc<Health>,
    /// Why nothing is written any more. After a failed sync nobody knows what is on the disk, and a second sync that
    /// succeeds says nothing about what the first one lost.
    ended: Option<StoreError>,
}

impl Worker {
    fn serve(mut self, jobs: &mpsc::Receiver<Box<dyn Job>>) {
        let mut unflushed: Option<Instant> = None;
        loop {
            jobs.try_iter().for_each(|job| self.queue(job));
            let group: Group = std::iter::from_fn(|| self.waiting.serve()).take(GROUP).collect();
            if !group.is_empty() {
                match self.commit_group(group) {
                    Durability::Now => unflushed = None,
                    Durability::Soon => unflushed = unflushed.or_else(|| Some(Instant::now())),
                }
            } else {
                let first = match unflushed {
                    None => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
                    Some(since) => jobs.recv_timeout(FLUSH_AFTER.saturating_sub(since.elapsed())),
                };
                match first {
                    Ok(first) => self.queue(first),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        self.flush();
                        return;
                    }
                }
            }
            if unflushed.is_some_and(|since| since.elapsed() >= FLUSH_AFTER) {
                self.flush();
                unflushed = None;
            }
        }
    }

    fn queue(&mut self, job: Box<dyn Job>) {
        self.waiting.push(&job.account(), job);
    }

    fn commit_group(&mut self, mut group: Group) -> Durability {
        let durability = group.iter().map(|(_, job)| job.durability()).max().unwrap_or(Durability::Now);
        let mut costs = Vec::with_capacity(group.len());
        let committed = match &self.ended {
            Some(error) => Err(error.clone()),
            None => self.try_commit(&mut group, durability, &mut costs),
        };
        let begun = if costs.is_empty() { group.len() } else { costs.len() };
        for (account, job) in group.split_off(begun).into_iter().rev() {
            self.waiting.put_back(&account, job);
        }
        match &committed {
            Ok(Kept::Something) => self.health.committed(),
            // That says nothing of whether something would be taken.
            Ok(Kept::Nothing) => self.health.failed(),
            Err(error) => {
                self.health.failed();
                tracing::error!(%error, calls = group.len(), "a group of calls did not commit");
            }
        }
        let mut costs = costs.into_iter();
        for (account, job) in group {
            self.waiting.done(&account, costs.next().unwrap_or_default());
            job.settle(committed.clone().map(drop));
        }
        durability
    }

    /// Notes what each call that was begun has cost.
    fn try_commit(
        &mut self,
        group: &mut Group,
        durability: Durability,
        costs: &mut Vec<u64>,
    ) -> Result<Kept, StoreError> {
        let mut kept = Kept::Nothing;
        let synchronous = match durability {
            Durability::Now => "FULL",
            Durability::Soon => "NORMAL",
        };
        if self.synchronous != synchronous {
            self.connection.pragma_update(None, "synchronous", synchronous)?;
            self.synchronous = synchronous;
        }
        let end = {
            self.health.enter(Stage::Locking);
            let mut tx = SqliteTx::begin(&mut self.connection, &self.secrets, self.known.as_ref())?;
            self.health.enter(Stage::Writing);
            let group_began = Instant::now();
            for (_, job) in group {
                let began = Instant::now();
                if began - group_began >= GROUP_TIME && !costs.is_empty() {
                    break;
                }
                let ran = tx.savepoint(|tx| {
                    let keep = job.run(tx);
                    if keep {
                        kept = Kept::Something;
                    }
                    keep
                });
                costs.push(u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX));
                ran?;
            }
            tx.commit()
        };
        let end = match end {
            Ok(end) => end,
            Err(uncommitted) => {
                if let Some(why) = uncommitted.failed_sync {
                    self.end(&why);
                }
                return Err(uncommitted.error);
            }
        };
        if let Some(end) = end {
            self.unsynced = Some(end.head.clone());
            self.known = Some(end.known());
        }
        if durability == Durability::Now {
            self.witness();
        }
        Ok(kept)
    }

    /// Notes the head of what is on the disk beside the database. It must never be ahead of the disk: after a power cut
    /// the log would seem to have been cut back. A head that lags is repaired by the next group, and a log longer than
    /// the head outside is no tampering.
    fn witness(&mut self) {
        let Some(head) = self.unsynced.take() else { return };
        let mut db = SqliteDb { sql: &mut self.connection, secrets: &self.secrets };
        let passes = |at| at_once(log_passes(&mut db, at)).unwrap_or(false);
        let mut written = self.head_file.advance(&head, self.head_lag.wait(), passes);
        if written.as_ref().is_err_and(|error| !is_locked(error))
            && matches!(db.settle(&self.head_file), Ok(true))
        {
            written = Ok(());
        }
        self.head_lag.note(&written, &self.head_file);
        if written.is_ok() {
            self.health.head_kept.notify_one();
        }
    }

    /// Flushes the write-ahead log. SQLite takes no locks on that file, so opening and closing it here is safe.
    fn flush(&mut self) {
        if self.ended.is_some() {
            return;
        }
        match File::open(&self.wal).and_then(|wal| wal.sync_data()) {
            Ok(()) => self.witness(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => self.end(&error.to_string()),
        }
    }

    /// Refuses whatever comes from now on, and leaves the files as they are.
    fn end(&mut self, why: &str) {
        let error = StoreError::SyncFailed(why.to_owned());
        tracing::error!(%error, "nothing more is written");
        if let Err(error) = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) {
            tracing::error!(%error, "the write-ahead log may be copied into the database when it is closed");
        }
        self.health.failed();
        self.ended = Some(error);
    }
}
