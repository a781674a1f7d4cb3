//! A witness that is a file elsewhere, of the same form as the head file beside the database. It may be on a disk that
//! does not answer, and nothing waits for that longer than a moment.

use super::deployment;
use super::log::{HeadInside, standing};
use crate::StoreError;
use crate::head_file::{HeadFile, Kept, Wait};
use crate::script::{Db, Ground, Query, Reach, Rows, Script, StoreResult};
use crate::store::Store;
use crate::witness::Testimony;
use domain::{Tenant, Timestamp};
use evidence::{Position, SignedHead};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedMutexGuard;

/// How long a file may take to be read or written.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Other processes write the file too.
const TRIES: usize = 4;

/// The turn of whoever asks. Work on a disk that does not answer keeps it, so no second one gets stuck beside it.
pub(super) type Turn = Arc<OwnedMutexGuard<()>>;

/// How the log compares with the heads in the file.
enum Comparison {
    Passes,
    /// The operator has confirmed that what the file knows is lost.
    Excused,
    Against(Testimony),
}

struct Compared(Vec<SignedHead>);

impl Query for Compared {
    type Output = Comparison;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Comparison> {
        let standing = standing(db, self.0.clone()).await?;
        if standing.is_settled(db.secrets()) {
            return Ok(Comparison::Excused);
        }
        let Some(lost) = standing.lost(db.secrets())? else { return Ok(Comparison::Passes) };
        let log = HeadInside.run(db).await?.map_or(0, |head| head.statement.at.size);
        let entries = lost.at.size;
        let said =
            if entries > log { Testimony::Longer { entries, log } } else { Testimony::Forked { entries } };
        Ok(Comparison::Against(said))
    }
}

/// That the file of this name was begun. A file that was there and is gone is not begun again unasked.
struct Begun(String);

impl Query for Begun {
    type Output = bool;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<bool> {
        Ok(deployment::get(db, &self.0).await?.is_some())
    }
}

struct Begin {
    tenant: Tenant,
    row: String,
}

impl Script for Begin {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.tenant)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        deployment::set(rows, &self.row, &[]).await
    }
}

fn row(file: &HeadFile) -> String {
    format!("witness:{}", file.path().display())
}

async fn apart<T: Send + 'static>(
    file: &HeadFile,
    turn: &Turn,
    work: impl FnOnce(&HeadFile) -> io::Result<T> + Send + 'static,
) -> Result<T, Testimony> {
    let (file, turn) = (file.clone(), turn.clone());
    let done = tokio::task::spawn_blocking(move || {
        let done = work(&file);
        drop(turn);
        done
    });
    match tokio::time::timeout(TIMEOUT, done).await {
        Ok(Ok(done)) => done.map_err(|error| Testimony::Away(error.to_string())),
        Ok(Err(_)) => Err(Testimony::Away("the work on it ended in a panic".to_owned())),
        Err(_) => Err(Testimony::Away(format!("no answer within {} seconds", TIMEOUT.as_secs()))),
    }
}

impl Store {
    pub(super) async fn file_ask(&self, file: &HeadFile, turn: &Turn) -> StoreResult<Testimony> {
        for _ in 0..TRIES {
            let kept = match apart(file, turn, HeadFile::read).await {
                Ok(outside) => outside.kept,
                Err(said) => return Ok(said),
            };
            let heads = match kept {
                Kept::Heads(heads) => heads,
                Kept::NotOurs => {
                    let why = "it holds nothing that this deployment signed for such a file";
                    return Ok(Testimony::Unbelieved(why.to_owned()));
                }
                Kept::Nothing => match self.file_begin_first(file, turn).await? {
                    Some(said) => return Ok(said),
                    None => continue,
                },
            };
            // The head of a log without entries says nothing.
            let heads: Vec<_> = heads.into_iter().filter(|head| head.statement.at.size > 0).collect();
            let known: Vec<Position> = heads.iter().map(|head| head.statement.at).collect();
            let newest = known.iter().map(|at| at.size).max().unwrap_or(0);
            let comparison = self.read(Compared(heads)).await?;
            let Some(head) = self.head_on_disk().await? else {
                return Ok(Testimony::Agrees { entries: newest });
            };
            let entries = newest.max(head.statement.at.size);
            let written = match comparison {
                Comparison::Against(said) => return Ok(said),
                Comparison::Excused => apart(file, turn, move |file| file.reset(&head)).await,
                Comparison::Passes => {
                    let passes = move |at| at == Position::GENESIS || known.contains(&at);
                    apart(file, turn, move |file| file.advance(&head, Wait::Briefly, passes)).await
                }
            };
            if written.is_ok() {
                return Ok(Testimony::Agrees { entries });
            }
        }
        Ok(Testimony::Away("it cannot be written, or others keep writing it".to_owned()))
    }

    /// Begins the file where it never was; otherwise what is to be said of it.
    async fn file_begin_first(&self, file: &HeadFile, turn: &Turn) -> StoreResult<Option<Testimony>> {
        if file.path().exists() || self.read(Begun(row(file))).await? {
            let why = "the file is gone, or not whole; put it back, or begin it anew with svc restore --confirm REASON";
            return Ok(Some(Testimony::Away(why.to_owned())));
        }
        self.file_begin(file, turn).await
    }

    async fn file_begin(&self, file: &HeadFile, turn: &Turn) -> StoreResult<Option<Testimony>> {
        let head = self.head_on_disk().await?;
        if let Err(said) = apart(file, turn, move |file| file.begin(head.as_ref(), Timestamp::now())).await {
            return Ok(Some(said));
        }
        self.write(Begin { tenant: Tenant::default(), row: row(file) }).await?;
        Ok(None)
    }

    /// Begins the file anew with the log as it is, where there is none that can be read; whether that was so.
    pub(super) async fn file_begin_again(&self, file: &HeadFile, turn: &Turn) -> StoreResult<bool> {
        match apart(file, turn, HeadFile::read).await {
            Ok(outside) if matches!(outside.kept, Kept::Nothing) => {}
            _ => return Ok(false),
        }
        let Some(head) = self.head_on_disk().await? else { return Ok(false) };
        let reset = apart(file, turn, move |file| file.reset(&head)).await;
        reset.map_err(|_| StoreError::Startup(format!("cannot write {}", file.path().display())))?;
        self.write(Begin { tenant: Tenant::default(), row: row(file) }).await?;
        Ok(true)
    }

    /// The heads that the file remembers; none where it cannot be read.
    pub(super) async fn file_heads(&self, file: &HeadFile, turn: &Turn) -> Vec<SignedHead> {
        let read = apart(file, turn, HeadFile::read).await;
        read.ok().and_then(|outside| outside.kept.heads()).unwrap_or_default()
    }
}
