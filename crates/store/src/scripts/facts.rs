//! Facts: by number, by subject, by what changed.

use super::spaces::SpaceQuery;
use super::statement_texts::{facts_open, facts_open_placed};
use crate::StoreError;
use crate::rows::facts::{COLUMNS, SealedFact, SpaceChanges};
use crate::rows::spaces::SpaceVersion;
use crate::script::{Db, Query, Reach, StoreResult};
use crate::sql::{Param, among, numbers, params};
use crate::store::Store;
use domain::keys::{subject_keys, text_key};
use domain::{Caller, Fact, FactId, Space, SpaceId, SpaceKey, Status, Tenant};

/// Those facts of a space that meet the condition, which names what comes after the tenant and the space from `$3` on.
async fn found<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    condition: &str,
    more: Vec<Param<'_>>,
) -> StoreResult<Vec<Fact>> {
    let sql = format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND space = $2 {condition}");
    let mut params: Vec<Param<'_>> = params![space.tenant, space.id].into();
    params.extend(more);
    let rows: Vec<SealedFact> = db.all(&sql, &params).await?;
    facts_open(db, space.tenant, &rows).await
}

/// Those of the facts that are there.
pub(super) async fn get<D: Db>(db: &mut D, space: SpaceKey<'_>, ids: &[FactId]) -> StoreResult<Vec<Fact>> {
    let sql = format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND id = $2 AND space = $3");
    let rows: Vec<SealedFact> = db.all_each(&sql, space.tenant, &numbers(ids), &params![space.id]).await?;
    facts_open(db, space.tenant, &rows).await
}

/// The two ways in which the rows of a subject may be found.
pub(super) fn subject_indexes<D: Db>(db: &D, space: SpaceKey<'_>, subject: &str) -> [[u8; 16]; 2] {
    subject_keys(subject).map(|key| db.secrets().index("subject", space, &key))
}

/// Every row of the subject, oldest first.
// Here and below, `+id` keeps SQLite from walking the whole tenant in the order of its ids, which it prefers to finding
// the few rows by their index and sorting them.
pub(super) async fn history<D: Db>(db: &mut D, space: SpaceKey<'_>, subject: &str) -> StoreResult<Vec<Fact>> {
    let [key, former] = subject_indexes(db, space, subject);
    found(db, space, "AND subject_ix IN ($3, $4) ORDER BY +id", params![key, former].into()).await
}

/// What is active or flagged under the subject, whatever its history.
pub(super) async fn of_subject<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    subject: &str,
) -> StoreResult<Vec<Fact>> {
    let [key, former] = subject_indexes(db, space, subject);
    let condition =
        format!("AND subject_ix IN ($3, $4) AND status {} ORDER BY +id", among(&Status::STANDING));
    found(db, space, &condition, params![key, former].into()).await
}

/// The facts that keep these very words. One that somebody tampered with cannot be given others, and is left out.
pub(super) async fn of_words<D: Db>(db: &mut D, space: SpaceKey<'_>, text: &str) -> StoreResult<Vec<Fact>> {
    let index = db.secrets().index("text", space, &text_key(text));
    let sql =
        format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND space = $2 AND text_ix = $3 ORDER BY +id");
    let rows: Vec<SealedFact> = db.all(&sql, &params![space.tenant, space.id, index]).await?;
    let placed = facts_open_placed(db, space.tenant, &rows).await?;
    Ok(placed.into_iter().map(|(_, fact)| fact).collect())
}

pub(super) async fn of_space<D: Db>(db: &mut D, space: SpaceKey<'_>) -> StoreResult<Vec<Fact>> {
    found(db, space, "ORDER BY id", Vec::new()).await
}

async fn changed_since<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    known: SpaceVersion,
) -> StoreResult<Vec<Fact>> {
    found(db, space, "AND version > $3 ORDER BY +id", params![known.version].into()).await
}

async fn standing<D: Db>(db: &mut D, space: SpaceKey<'_>) -> StoreResult<Vec<Fact>> {
    found(db, space, &format!("AND status {}", among(&Status::STANDING)), Vec::new()).await
}

/// The rows that were retired most recently, newest first.
async fn retired<D: Db>(db: &mut D, space: SpaceKey<'_>, most: usize) -> StoreResult<Vec<Fact>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {}
         WHERE tenant = $1 AND space = $2 AND status {} ORDER BY version DESC, id DESC LIMIT $3",
        D::by_index("fact", "fact_retired"),
        among(&Status::RETIRED),
    );
    let rows: Vec<SealedFact> = db.all(&sql, &params![space.tenant, space.id, most as i64]).await?;
    facts_open(db, space.tenant, &rows).await
}

/// Facts of a tenant that are active, with their spaces, whichever these are.
struct Active {
    tenant: Tenant,
    which: ActiveFacts,
}

enum ActiveFacts {
    Numbered(Vec<FactId>),
    Page { after: FactId, most: usize },
}

impl Query for Active {
    type Output = Vec<(SpaceId, Fact)>;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.tenant)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let tenant = &self.tenant;
        let active = among(&[Status::Active]);
        let mut rows: Vec<SealedFact> = match &self.which {
            ActiveFacts::Numbered(ids) => {
                let sql =
                    format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND id = $2 AND status {active}");
                db.all_each(&sql, tenant, &numbers(ids), &[]).await?
            }
            ActiveFacts::Page { after, most } => {
                let sql = format!(
                    "SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND id > $2 AND status {active} ORDER BY id LIMIT $3"
                );
                db.all(&sql, &params![tenant, *after, *most as i64]).await?
            }
        };
        rows.sort_by_key(|row| row.id);
        facts_open_placed(db, tenant, &rows).await
    }
}

struct ActiveCount(Tenant);

impl Query for ActiveCount {
    type Output = u64;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.0)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<u64> {
        let active = among(&[Status::Active]);
        let sql = format!("SELECT count(*) FROM fact WHERE tenant = $1 AND status {active}");
        let count: Option<(i64,)> = db.one(&sql, &params![&self.0]).await?;
        Ok(count.and_then(|(count,)| u64::try_from(count).ok()).unwrap_or(0))
    }
}

struct Changes {
    since: Option<SpaceVersion>,
}

impl SpaceQuery for Changes {
    type Output = SpaceChanges;

    fn is_large(&self) -> bool {
        self.since.is_none()
    }

    async fn run<D: Db>(
        &self,
        db: &mut D,
        space: SpaceKey<'_>,
        at: SpaceVersion,
    ) -> StoreResult<SpaceChanges> {
        let known = self.since.filter(|known| known.epoch == at.epoch && known.version <= at.version);
        let facts = match known {
            Some(known) if known.version == at.version => Vec::new(),
            Some(known) => changed_since(db, space, known).await?,
            None => standing(db, space).await?,
        };
        Ok(SpaceChanges { at, whole: known.is_none(), facts })
    }
}

/// Which facts are asked for.
enum Facts {
    Numbered(FactId),
    History(String),
    OfSubject(String),
    Retired { most: usize },
}

impl SpaceQuery for Facts {
    type Output = Vec<Fact>;

    async fn run<D: Db>(&self, db: &mut D, space: SpaceKey<'_>, _: SpaceVersion) -> StoreResult<Vec<Fact>> {
        match self {
            Self::Numbered(id) => get(db, space, &[*id]).await,
            Self::History(subject) => history(db, space, subject).await,
            Self::OfSubject(subject) => of_subject(db, space, subject).await,
            Self::Retired { most } => retired(db, space, *most).await,
        }
    }
}

impl Store {
    async fn facts(&self, caller: &Caller, space: &Space, which: Facts) -> StoreResult<Vec<Fact>> {
        Ok(self.read_in(caller, space, which).await?.unwrap_or_default())
    }

    pub async fn fact_get(
        &self,
        caller: &Caller,
        space: &Space,
        id: FactId,
    ) -> Result<Option<Fact>, StoreError> {
        Ok(self.facts(caller, space, Facts::Numbered(id)).await?.pop())
    }

    /// Every row of the subject, oldest first.
    pub async fn fact_history(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        self.facts(caller, space, Facts::History(subject.to_owned())).await
    }

    /// The active and flagged facts of one subject.
    pub async fn facts_standing(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        self.facts(caller, space, Facts::OfSubject(subject.to_owned())).await
    }

    /// The most recent facts that are no longer current, newest first.
    pub async fn facts_retired(
        &self,
        caller: &Caller,
        space: &Space,
        most: usize,
    ) -> Result<Vec<Fact>, StoreError> {
        self.facts(caller, space, Facts::Retired { most }).await
    }

    /// Those of the facts that are active, in the order of their numbers, with their spaces.
    pub async fn facts_active(
        &self,
        tenant: &Tenant,
        ids: Vec<FactId>,
    ) -> Result<Vec<(SpaceId, Fact)>, StoreError> {
        self.read(Active { tenant: tenant.clone(), which: ActiveFacts::Numbered(ids) }).await
    }

    /// The next active facts of a tenant in the order of their numbers, with their spaces.
    pub async fn facts_active_page(
        &self,
        tenant: &Tenant,
        after: FactId,
        most: usize,
    ) -> Result<Vec<(SpaceId, Fact)>, StoreError> {
        self.read(Active { tenant: tenant.clone(), which: ActiveFacts::Page { after, most } }).await
    }

    pub async fn facts_active_count(&self, tenant: &Tenant) -> Result<u64, StoreError> {
        self.read(ActiveCount(tenant.clone())).await
    }

    pub async fn space_changes(
        &self,
        caller: &Caller,
        space: &Space,
        since: Option<SpaceVersion>,
    ) -> Result<SpaceChanges, StoreError> {
        let changes = self.read_in(caller, space, Changes { since }).await?;
        Ok(changes.unwrap_or_else(SpaceChanges::none))
    }
}
