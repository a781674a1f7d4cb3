//! How a process writes: in each of two lanes one transaction at a time, in which the calls that wait commit together, with
//! one append to the audit chain. One lane is for what writes rows, the other for reads, which leave only an audit entry and
//! so wait for no write. Where more waits than fits into a group, tenants and their callers are taken in turn. A second lane
//! for rows was measured: the groups are smaller then, a process alone is no faster, and several wait more for each other.

use super::chain::Closed;
use super::job::{Group, Job, Typed, taken};
use super::shared::Shared;
use super::tx::PostgresTx;
use crate::StoreError;
use crate::health::Health;
use crate::load::Waiting;
use crate::script::{Rows, Script, StoreResult, Touches};
use crate::scripts::log::log_holds;
use deadpool_postgres::Object;
use domain::{Capacity, FairQueue};
use evidence::SignedHead;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Larger groups make the first caller wait for the last.
const GROUP: usize = 48;
/// Entries alone go to the server together.
const ENTRIES: usize = 256;
/// For this long a call is tried again when the database was away, or broke it off in favour of another.
const PATIENCE: Duration = Duration::from_secs(8);
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// A handle on the writing of a process; clones share it.
#[derive(Clone)]
pub(crate) struct Lane {
    rows: mpsc::UnboundedSender<Box<dyn Job>>,
    entries: mpsc::UnboundedSender<Box<dyn Job>>,
    waiting: Waiting,
    pub health: Arc<Health>,
}

impl Lane {
    /// Calls that have not been committed yet.
    pub fn waiting(&self) -> usize {
        self.waiting.count()
    }

    pub fn start(shared: &Arc<Shared>) -> Self {
        let health = Arc::<Health>::default();
        let [rows, entries] = [GROUP, ENTRIES].map(|most| {
            let (queue, jobs) = mpsc::unbounded_channel();
            let waiting = FairQueue::new(Capacity::of(usize::MAX));
            let worker = Worker { shared: shared.clone(), health: health.clone() };
            tokio::spawn(worker.serve(Queue { jobs, waiting, next: None, most }));
            queue
        });
        Self { rows, entries, waiting: Waiting::default(), health }
    }

    pub async fn run<S: Script>(&self, script: S) -> StoreResult<S::Output> {
        let _waiter = self.waiting.begin();
        let (reply, answer) = oneshot::channel();
        let touches = script.touches();
        let job = Box::new(Typed { script, until: Instant::now() + PATIENCE, value: None, reply });
        let lane = if touches == Touches::Log { &self.entries } else { &self.rows };
        lane.send(job).map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

struct Queue {
    jobs: mpsc::UnboundedReceiver<Box<dyn Job>>,
    waiting: FairQueue<Box<dyn Job>>,
    /// A call that has to have the next group for itself.
    next: Option<Box<dyn Job>>,
    /// Calls in a group.
    most: usize,
}

impl Queue {
    /// Waits for something to do. Nothing comes any more when the store has been closed.
    async fn first(&mut self) -> Option<Group> {
        if let Some(job) = self.next.take() {
            return Some(vec![job]);
        }
        if let Some(job) = self.take() {
            return Some(vec![job]);
        }
        self.jobs.recv().await.map(|job| vec![job])
    }

    fn take(&mut self) -> Option<Box<dyn Job>> {
        while let Ok(job) = self.jobs.try_recv() {
            self.waiting.push(&job.account(), job);
        }
        taken(&mut self.waiting)
    }

    /// Adds what else waits.
    fn fill(&mut self, group: &mut Group) {
        while self.next.is_none()
            && group.len() < self.most
            && !holds_apart(group)
            && let Some(job) = self.take()
        {
            if job.touches() == Touches::RowsApart {
                self.next = Some(job);
            } else {
                group.push(job);
            }
        }
    }
}

struct Worker {
    shared: Arc<Shared>,
    health: Arc<Health>,
}

impl Worker {
    async fn serve(self, mut queue: Queue) {
        let mut group = Group::new();
        let mut pause = FIRST_PAUSE;
        loop {
            if group.is_empty() {
                match queue.first().await {
                    Some(first) => group = first,
                    None => return,
                }
            }
            queue.fill(&mut group);
            // Where even that fails, the calls learn that nobody answers them any more, and the writing goes on.
            group = AssertUnwindSafe(self.commit_group(group)).catch_unwind().await.unwrap_or_default();
            if group.is_empty() {
                pause = FIRST_PAUSE;
            } else {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }

    /// Returns the calls that are to be tried again.
    async fn commit_group(&self, mut group: Group) -> Group {
        // All processes lock spaces in this one order, so that no two of them wait for each other in a circle. What is
        // equal keeps its order.
        group.sort_by(|a, b| a.ground().place().cmp(&b.ground().place()));
        match self.try_commit(&mut group).await {
            Ok(closed) => self.settle(group, closed).await,
            Err(error) if group.len() == 1 || error.is_lost() => given_up(group, &error),
            // One of them failed, and took the others with it.
            Err(_) => self.commit_apart(group).await,
        }
    }

    async fn commit_apart(&self, group: Group) -> Group {
        let mut again = Group::new();
        for job in group {
            let mut alone = vec![job];
            again.extend(match self.try_commit(&mut alone).await {
                Ok(closed) => self.settle(alone, closed).await,
                Err(error) => given_up(alone, &error),
            });
        }
        again
    }

    /// Runs every call and commits them together. An error is of a call, or of the connection, and nothing was kept.
    async fn try_commit(&self, group: &mut Group) -> Result<Closed, StoreError> {
        let client = self.shared.writing.get().await?;
        let mut tx = PostgresTx::new(&client, &self.shared);
        // A panic that reaches this is no call's own. The writing goes on, with another connection.
        let ended = AssertUnwindSafe(carry_out(&mut tx, group)).catch_unwind().await;
        let ended = ended.unwrap_or(Ok(Closed::Failed(StoreError::Panicked)));
        if !matches!(ended, Ok(Closed::Committed(_))) {
            tx.unrecord();
        }
        let usable = match &ended {
            Ok(closed) => matches!(closed, Closed::Committed(_)),
            Err(_) => client.batch_execute("ROLLBACK").await.is_ok(),
        };
        if !usable {
            // With the connection goes whatever the transaction had done.
            drop(Object::take(client));
        }
        ended
    }

    async fn settle(&self, group: Group, closed: Closed) -> Group {
        let (outcome, end) = match closed {
            Closed::Committed(end) => (Ok(()), end),
            Closed::Failed(error) => (Err(error), None),
            Closed::Unknown(end) => match self.happened(&end.head).await {
                Ok(true) => (Ok(()), Some(end)),
                Ok(false) => (Err(StoreError::lost("the connection broke before the commit")), None),
                Err(error) => (Err(error), None),
            },
        };
        if let Some(end) = end {
            self.shared.witness(&end.head).await;
            self.health.head_kept.notify_one();
            self.shared.last_end.set(end.known());
        }
        match outcome {
            Ok(()) => {
                self.health.committed();
                group.into_iter().for_each(|job| job.settle(Ok(())));
                Group::new()
            }
            Err(error) => given_up(group, &error),
        }
    }

    /// Finds out whether a commit whose answer never came has happened: the log then holds its last entry.
    async fn happened(&self, head: &SignedHead) -> Result<bool, StoreError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.looked(head).await {
                Err(_) if Instant::now() < until => tokio::time::sleep(LONGEST_PAUSE).await,
                // Not knowing, the calls must not be tried again: they might then happen twice.
                Err(error) => {
                    return Err(StoreError::OutcomeUnknown(format!(
                        "the connection broke during the commit: {error}"
                    )));
                }
                found => return found,
            }
        }
    }

    /// The server may still be at work on a commit whose connection is gone. It then holds the log, so the log is
    /// waited for before it is read.
    async fn looked(&self, head: &SignedHead) -> Result<bool, StoreError> {
        let client = self.shared.writing.get().await?;
        let mut tx = PostgresTx::new(&client, &self.shared);
        let looked = async {
            tx.log_wait().await?;
            log_holds(tx.db(), head.statement.at).await
        };
        let looked = looked.await;
        drop(Object::take(client));
        looked
    }
}

async fn carry_out(tx: &mut PostgresTx<'_>, group: &mut Group) -> Result<Closed, StoreError> {
    run(tx, group).await?;
    if !tx.has_entries() {
        return Ok(tx.commit().await);
    }
    let log = match tx.log_lock().await {
        Ok(log) => log,
        Err(error) => return Ok(Closed::Failed(error)),
    };
    tx.admit().await?;
    Ok(tx.append(log).await)
}

async fn run(tx: &mut PostgresTx<'_>, jobs: &mut Group) -> Result<(), StoreError> {
    for job in jobs {
        if matches!(job.touches(), Touches::Rows | Touches::RowsApart) {
            tx.enter(job.ground().tenant).await?;
        }
        if let Some(error) = job.run(tx).await {
            return Err(error);
        }
        tx.record_rest().await?;
    }
    Ok(())
}

fn holds_apart(group: &Group) -> bool {
    group.iter().any(|job| job.touches() == Touches::RowsApart)
}

fn may_try_again(error: &StoreError, job: &dyn Job) -> bool {
    error.is_passing() && Instant::now() < job.until()
}

fn given_up(group: Group, error: &StoreError) -> Group {
    let mut again = Group::new();
    for job in group {
        if may_try_again(error, &*job) { again.push(job) } else { job.settle(Err(error.clone())) }
    }
    again
}
