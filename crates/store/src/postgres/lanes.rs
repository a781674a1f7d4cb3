//! How a process writes: a few lanes, each with one transaction at a time. The calls that wait in a lane commit
//! together, with one append to the audit chain. All calls of one user go through one lane, in their order.

use super::Shared;
use super::chain::Closed;
use super::tx::Tx;
use super::walls::Reach;
use crate::StoreError;
use crate::call::Call;
use crate::error::Trouble;
use domain::Space;
use evidence::SignedHead;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Two lanes keep PostgreSQL busy while a third waits for the disk.
const LANES: usize = 3;
/// Larger groups make the first caller wait for the last. PostgreSQL also keeps up to 64 parts of a transaction at hand.
const GROUP: usize = 48;
/// For this long a call is tried again when the database was away, or broke it off in favour of another.
const PATIENCE: Duration = Duration::from_secs(8);
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// A whole transaction. It may be run again from the start when nothing of it was kept.
pub(crate) trait Work: Send + Sync + 'static {
    type Output: Send + 'static;

    fn touches(&self) -> Touches {
        Touches::Rows
    }

    fn ground(&self) -> Ground<'_>;

    fn run(&self, tx: &mut Tx) -> impl Future<Output = Result<Self::Output, StoreError>> + Send;
}

/// Whose rows a transaction touches. Their order is the one in which spaces are locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ground<'a> {
    pub tenant: &'a str,
    space: (&'a str, &'a str, &'a str),
}

impl<'a> Ground<'a> {
    pub fn new(tenant: &'a str, space: Option<&'a Space>) -> Self {
        Self { tenant, space: space.map_or(("", "", ""), |s| (&s.user_id, &s.agent_id, &s.run_id)) }
    }

    pub fn of(call: &'a Call) -> Self {
        Self::new(call.caller.tenant.as_str(), call.space.as_ref())
    }

    fn lane(self) -> usize {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one((self.tenant, self.space.0));
        usize::try_from(hash % LANES as u64).unwrap_or(0)
    }
}

/// What a transaction writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touches {
    Rows,
    /// An audit entry, and no row besides.
    Log,
    /// Rows and what the log holds so far. The entries of calls in the same group are not in it yet, so this call has a
    /// group of its own.
    Past,
}

trait Job: Send {
    fn ground(&self) -> Ground<'_>;
    fn touches(&self) -> Touches;
    fn until(&self) -> Instant;
    /// What became of it; `None` where it is to be kept.
    fn run<'a>(&'a mut self, tx: &'a mut Tx) -> BoxFuture<'a, Option<StoreError>>;
    fn settle(self: Box<Self>, outcome: Result<(), StoreError>);
}

struct Typed<W: Work> {
    work: W,
    until: Instant,
    value: Option<W::Output>,
    reply: oneshot::Sender<Result<W::Output, StoreError>>,
}

impl<W: Work> Job for Typed<W> {
    fn ground(&self) -> Ground<'_> {
        self.work.ground()
    }

    fn touches(&self) -> Touches {
        self.work.touches()
    }

    fn until(&self) -> Instant {
        self.until
    }

    fn run<'a>(&'a mut self, tx: &'a mut Tx) -> BoxFuture<'a, Option<StoreError>> {
        Box::pin(async {
            let ran = AssertUnwindSafe(self.work.run(tx)).catch_unwind().await;
            match ran.unwrap_or(Err(StoreError::Panicked)) {
                Ok(value) => {
                    self.value = Some(value);
                    None
                }
                Err(error) => Some(error),
            }
        })
    }

    fn settle(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Self { value, reply, .. } = *self;
        // A caller that has gone no longer listens; what it asked for has happened all the same.
        let _ = reply.send(outcome.and_then(|()| value.ok_or(StoreError::Closed)));
    }
}

/// A handle on the lanes; clones share them.
#[derive(Clone)]
pub(crate) struct Lanes(Arc<[mpsc::UnboundedSender<Box<dyn Job>>]>);

impl Lanes {
    pub fn start(shared: &Arc<Shared>) -> Self {
        let lanes = (0..LANES).map(|_| {
            let (queue, jobs) = mpsc::unbounded_channel();
            tokio::spawn(Lane { shared: shared.clone() }.serve(jobs));
            queue
        });
        Self(lanes.collect())
    }

    pub async fn run<W: Work>(&self, work: W) -> Result<W::Output, StoreError> {
        let (reply, answer) = oneshot::channel();
        let lane = work.ground().lane();
        let job = Box::new(Typed { work, until: Instant::now() + PATIENCE, value: None, reply });
        let queue = self.0.get(lane).ok_or(StoreError::Closed)?;
        queue.send(job).map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

struct Lane {
    shared: Arc<Shared>,
}

type Group = Vec<Box<dyn Job>>;

impl Lane {
    async fn serve(self, mut jobs: mpsc::UnboundedReceiver<Box<dyn Job>>) {
        let mut group = Group::new();
        let mut next: Option<Box<dyn Job>> = None;
        let mut pause = FIRST_PAUSE;
        loop {
            if group.is_empty() {
                match next.take() {
                    Some(job) => group.push(job),
                    None => match jobs.recv().await {
                        Some(job) => group.push(job),
                        None => return,
                    },
                }
            }
            while next.is_none()
                && group.len() < GROUP
                && group.iter().all(|job| job.touches() != Touches::Past)
                && let Ok(job) = jobs.try_recv()
            {
                if job.touches() == Touches::Past {
                    next = Some(job);
                } else {
                    group.push(job);
                }
            }
            group = self.commit_group(group).await;
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
        group.sort_by(|a, b| a.ground().cmp(&b.ground()));
        match self.try_commit(&mut group).await {
            Ok((closed, undone)) => self.settle(group, closed, undone).await,
            Err(error) => given_up(group, &error),
        }
    }

    /// Runs every call and commits those that went well; the others are returned by their place with what was wrong.
    async fn try_commit(&self, group: &mut Group) -> Result<(Closed, Vec<(usize, StoreError)>), StoreError> {
        let mut tx = Tx::begin(self.shared.clone()).await?;
        let mut undone = Vec::new();
        for (place, job) in group.iter_mut().enumerate() {
            let mark = tx.mark();
            let writes_rows = job.touches() != Touches::Log;
            if writes_rows && let Err(error) = tx.savepoint(job.ground().tenant).await {
                tx.discard();
                return Err(error);
            }
            let Some(error) = job.run(&mut tx).await else { continue };
            tx.forget(mark);
            if writes_rows && let Err(error) = tx.undo().await {
                tx.discard();
                return Err(error);
            }
            undone.push((place, error));
        }
        Ok((tx.commit().await, undone))
    }

    async fn settle(&self, group: Group, closed: Closed, undone: Vec<(usize, StoreError)>) -> Group {
        let (outcome, head) = match closed {
            Closed::Committed(head) => (Ok(()), head),
            Closed::Failed(error) => (Err(error), None),
            Closed::Unknown(head) => match self.happened(&head).await {
                Ok(true) => (Ok(()), Some(head)),
                Ok(false) => (Err(StoreError::lost("the connection broke before the commit")), None),
                Err(error) => (Err(error), None),
            },
        };
        if let Some(head) = &head {
            self.shared.witness(head).await;
        }
        let mut undone = undone.into_iter().peekable();
        let mut again = Group::new();
        for (place, job) in group.into_iter().enumerate() {
            let own = undone.next_if(|(undone, _)| *undone == place).map(|(_, error)| error);
            match own.map_or_else(|| outcome.clone(), Err) {
                Err(error) if may_try_again(&error, &*job) => again.push(job),
                outcome => job.settle(outcome),
            }
        }
        again
    }

    /// Finds out whether a commit whose answer never came has happened: the log then holds its last entry.
    async fn happened(&self, head: &SignedHead) -> Result<bool, StoreError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.looked(head).await {
                Err(_) if Instant::now() < until => tokio::time::sleep(LONGEST_PAUSE).await,
                // Not knowing, the calls must not be tried again: they might then happen twice.
                Err(error) => {
                    return Err(StoreError::Postgres {
                        why: format!(
                            "the connection broke during a commit, and its outcome is not known: {error}"
                        ),
                        trouble: Trouble::Other,
                    });
                }
                found => return found,
            }
        }
    }
}

impl Lane {
    /// The server may still be at work on a commit whose connection is gone. It then holds the log, so the log is
    /// waited for before it is read.
    async fn looked(&self, head: &SignedHead) -> Result<bool, StoreError> {
        let tx = Tx::begin(self.shared.clone()).await?;
        let looked = async {
            tx.reach(Reach::Deployment).await?;
            tx.db().log_wait().await?;
            tx.db().log_holds(head.statement.at).await
        };
        let looked = looked.await;
        tx.discard();
        looked
    }
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
