//! Facts: by number, by subject, by what changed.

use super::as_told::{Compared, compare};
use super::numbered_facts::{get_readable, readable, rows_numbered};
use super::spaces::{self, SpaceQuery};
use super::statement_texts::{facts_open, facts_readable};
use crate::StoreError;
use crate::rows::facts::{COLUMNS, SealedFact, SpaceChanges};
use crate::rows::spaces::SpaceVersion;
use crate::script::{Db, Query, Reach, StoreResult};
use crate::sql::{Param, among, numbers, params};
use crate::store::Store;
use domain::keys::{subject_keys, text_key};
use domain::{Caller, Fact, FactId, Space, SpaceId, SpaceKey, Status, Tenant};
use reconcile::Needs;
use std::collections::{BTreeSet, HashSet};

/// The rows of a space that meet the condition, which names what comes after the tenant and the space from `$3` on.
async fn rows_where<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    condition: &str,
    more: Vec<Param<'_>>,
) -> StoreResult<Vec<SealedFact>> {
    let sql = format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND space = $2 {condition}");
    let mut params: Vec<Param<'_>> = params![space.tenant, space.id].into();
    params.extend(more);
    db.all(&sql, &params).await
}

/// Those facts of a space that meet the condition and open.
async fn found<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    condition: &str,
    more: Vec<Param<'_>>,
) -> StoreResult<Vec<Fact>> {
    let rows = rows_where(db, space, condition, more).await?;
    readable(db, space.tenant, &rows).await
}

/// Those of the facts that are there; an error where one does not open.
pub(super) async fn get<D: Db>(db: &mut D, space: SpaceKey<'_>, ids: &[FactId]) -> StoreResult<Vec<Fact>> {
    let rows = rows_numbered(db, space, ids).await?;
    facts_open(db, space.tenant, &rows).await
}

/// The two ways in which the rows of a subject may be found.
pub(super) fn subject_indexes<D: Db>(db: &D, space: SpaceKey<'_>, subject: &str) -> [[u8; 16]; 2] {
    subject_keys(subject).map(|key| db.secrets().index("subject", space, &key))
}

/// Whether the subject had a value that is no longer current.
pub(super) async fn was_superseded<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    subject: &str,
) -> StoreResult<bool> {
    let [key, former] = subject_indexes(db, space, subject);
    let condition = format!("AND subject_ix IN ($3, $4) AND status {} LIMIT 1", among(&[Status::Superseded]));
    let found = rows_where(db, space, &condition, params![key, former].into()).await?;
    Ok(!found.is_empty())
}

/// By their subject, oldest first.
// Here and below, `+id` keeps SQLite from walking the whole tenant in the order of its ids, which it prefers to finding
// the few rows by their index and sorting them.
const OF_SUBJECT: &str = "AND subject_ix IN ($3, $4) ORDER BY +id";

/// Every row of the subject, oldest first.
async fn history<D: Db>(db: &mut D, space: SpaceKey<'_>, subject: &str) -> StoreResult<Vec<Fact>> {
    let [key, former] = subject_indexes(db, space, subject);
    found(db, space, OF_SUBJECT, params![key, former].into()).await
}

async fn rows_standing<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    subject: &str,
) -> StoreResult<Vec<SealedFact>> {
    let [key, former] = subject_indexes(db, space, subject);
    let condition =
        format!("AND subject_ix IN ($3, $4) AND status {} ORDER BY +id", among(&Status::STANDING));
    rows_where(db, space, &condition, params![key, former].into()).await
}

/// What is active or flagged under the subjects, and the numbered facts, as far as they open.
async fn bearing<D: Db>(db: &mut D, space: SpaceKey<'_>, needs: &Needs) -> StoreResult<Vec<Fact>> {
    let condition = format!("AND subject_ix = $3 AND status {}", among(&Status::STANDING));
    let ids: Vec<FactId> = needs.ids.iter().copied().collect();
    let mut rows = rows_numbered(db, space, &ids).await?;
    for key in &needs.subjects {
        let index = db.secrets().index("subject", space, key);
        rows.extend(rows_where(db, space, &condition, params![index].into()).await?);
    }
    let mut seen = BTreeSet::new();
    rows.retain(|row| seen.insert(row.id));
    readable(db, space.tenant, &rows).await
}

/// What is active or flagged under the subject, whatever its history; an error where one of them does not open.
pub(super) async fn of_subject<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    subject: &str,
) -> StoreResult<Vec<Fact>> {
    let rows = rows_standing(db, space, subject).await?;
    facts_open(db, space.tenant, &rows).await
}

/// The number of each row that is to be erased, of the subject or of the whole space, and the facts of those that open.
/// With a subject go the changes that wait on one of its facts, since they hold its value.
pub(super) async fn doomed<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    subject: Option<&str>,
) -> StoreResult<(Vec<FactId>, Vec<Fact>)> {
    let rows = match subject {
        Some(subject) => {
            let [key, former] = subject_indexes(db, space, subject);
            rows_where(db, space, OF_SUBJECT, params![key, former].into()).await?
        }
        None => rows_where(db, space, "ORDER BY id", Vec::new()).await?,
    };
    let mut facts = readable(db, space.tenant, &rows).await?;
    let mut ids: Vec<FactId> = rows.iter().map(|row| row.id).collect();
    if subject.is_some() && !ids.is_empty() {
        let condition = format!("AND status {} ORDER BY +id", among(&[Status::FlaggedConflict]));
        let waits_on = |flag: &Fact| flag.pending.as_ref().and_then(|pending| pending.target);
        let mut waiting = found(db, space, &condition, Vec::new()).await?;
        waiting.retain(|flag| waits_on(flag).is_some_and(|id| ids.contains(&id)) && !ids.contains(&flag.id));
        ids.extend(waiting.iter().map(|flag| flag.id));
        facts.extend(waiting);
    }
    Ok((ids, facts))
}

/// The facts that keep these very words. One that somebody tampered with cannot be given others, and is left out.
pub(super) async fn of_words<D: Db>(db: &mut D, space: SpaceKey<'_>, text: &str) -> StoreResult<Vec<Fact>> {
    let index = db.secrets().index("text", space, &text_key(text));
    let sql =
        format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND space = $2 AND text_ix = $3 ORDER BY +id");
    let rows: Vec<SealedFact> = db.all(&sql, &params![space.tenant, space.id, index]).await?;
    readable(db, space.tenant, &rows).await
}

/// The facts of the space that open, and how many do not.
pub(super) async fn of_space<D: Db>(db: &mut D, space: SpaceKey<'_>) -> StoreResult<(Vec<Fact>, usize)> {
    let (ids, facts) = doomed(db, space, None).await?;
    let missing = ids.len() - facts.len();
    Ok((facts, missing))
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
    readable(db, space.tenant, &rows).await
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
        facts_readable(db, tenant, &rows).await
    }
}

/// Facts of a tenant by their numbers, whatever has become of them, with their spaces.
struct Numbered {
    tenant: Tenant,
    ids: Vec<FactId>,
}

impl Query for Numbered {
    type Output = Vec<(Space, Fact)>;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.tenant)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let sql = format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND id = $2");
        let mut rows: Vec<SealedFact> = db.all_each(&sql, &self.tenant, &numbers(&self.ids), &[]).await?;
        rows.sort_by_key(|row| row.id);
        let of: HashSet<SpaceId> = rows.iter().map(|row| row.space).collect();
        let spaces = spaces::numbered(db, &self.tenant, &of.into_iter().collect::<Vec<_>>()).await?;
        rows.retain(|row| spaces.contains_key(&row.space));
        let facts = facts_readable(db, &self.tenant, &rows).await?;
        Ok(facts.into_iter().filter_map(|(space, fact)| Some((spaces.get(&space)?.clone(), fact))).collect())
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
    type Output = (SpaceChanges, Compared);

    fn is_large(&self) -> bool {
        self.since.is_none()
    }

    async fn run<D: Db>(
        &self,
        db: &mut D,
        space: SpaceKey<'_>,
        at: SpaceVersion,
    ) -> StoreResult<Self::Output> {
        let known = self.since.filter(|known| known.epoch == at.epoch && known.version <= at.version);
        let facts = match known {
            Some(known) if known.version == at.version => Vec::new(),
            Some(known) => changed_since(db, space, known).await?,
            None => standing(db, space).await?,
        };
        let ids: Vec<FactId> = facts.iter().map(|fact| fact.id).collect();
        let compared = compare(db, space, &ids).await?;
        Ok((SpaceChanges { at, whole: known.is_none(), facts }, compared))
    }
}

/// Which facts are asked for.
enum Facts {
    Numbered(FactId),
    History(String),
    OfSubject(String),
    Bearing(Needs),
    Retired { most: usize },
}

impl SpaceQuery for Facts {
    /// Compared in the same view, so that nothing is written in between.
    type Output = (Vec<Fact>, Compared);

    async fn run<D: Db>(
        &self,
        db: &mut D,
        space: SpaceKey<'_>,
        _: SpaceVersion,
    ) -> StoreResult<Self::Output> {
        let found = match self {
            Self::Numbered(id) => get_readable(db, space, &[*id]).await?,
            Self::History(subject) => history(db, space, subject).await?,
            Self::OfSubject(subject) => {
                let rows = rows_standing(db, space, subject).await?;
                readable(db, space.tenant, &rows).await?
            }
            Self::Bearing(needs) => bearing(db, space, needs).await?,
            Self::Retired { most } => retired(db, space, *most).await?,
        };
        let ids: Vec<FactId> = found.iter().map(|fact| fact.id).collect();
        let compared = compare(db, space, &ids).await?;
        Ok((found, compared))
    }
}

/// Which of the facts that were found damaged still are.
struct StillUnreadable;

impl SpaceQuery for StillUnreadable {
    type Output = Vec<FactId>;

    async fn run<D: Db>(&self, db: &mut D, space: SpaceKey<'_>, _: SpaceVersion) -> StoreResult<Vec<FactId>> {
        let (noted, replaced) =
            (db.secrets().unreadable.of(space), db.secrets().unreadable.replaced_in(space));
        let rows = rows_numbered(db, space, &noted).await?;
        let open: Vec<FactId> =
            readable(db, space.tenant, &rows).await?.into_iter().map(|fact| fact.id).collect();
        let is_damaged = |id: &FactId| rows.iter().any(|row| row.id == *id) && !open.contains(id);
        let (damaged, mended): (Vec<FactId>, Vec<FactId>) = noted.into_iter().partition(is_damaged);
        mended.into_iter().for_each(|id| db.secrets().unreadable.forget(space, id));
        Ok(damaged.into_iter().chain(replaced).collect::<BTreeSet<_>>().into_iter().collect())
    }
}

impl Store {
    /// The facts of the space that this process could not open, and that are still so.
    pub async fn facts_unreadable(&self, caller: &Caller, space: &Space) -> Result<Vec<FactId>, StoreError> {
        if self.secrets().unreadable.is_empty() {
            return Ok(Vec::new());
        }
        self.replaced_again(caller, space).await?;
        Ok(self.read_in(caller, space, StillUnreadable).await?.unwrap_or_default())
    }

    /// What is wrong with the database file, by which anything may be missing from what is read.
    pub fn file_damage(&self) -> Option<&str> {
        self.secrets().unreadable.file()
    }

    async fn facts(&self, caller: &Caller, space: &Space, which: Facts) -> StoreResult<Vec<Fact>> {
        let Some((mut found, compared)) = self.read_in(caller, space, which).await? else {
            return Ok(Vec::new());
        };
        let replaced = self.replaced(caller, space, compared).await?;
        found.retain(|fact| !replaced.contains(&fact.id));
        Ok(found.into_iter().map(|fact| fact.counted_at(caller.now)).collect())
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

    /// What a decision on flagged facts rests on, of which these are the needs.
    pub async fn facts_bearing(
        &self,
        caller: &Caller,
        space: &Space,
        needs: Needs,
    ) -> Result<Vec<Fact>, StoreError> {
        self.facts(caller, space, Facts::Bearing(needs)).await
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

    /// Those of the facts that the caller's tenant holds, in the order of their numbers, with their spaces.
    pub async fn facts_numbered(
        &self,
        caller: &Caller,
        ids: Vec<FactId>,
    ) -> Result<Vec<(Space, Fact)>, StoreError> {
        self.read(Numbered { tenant: caller.tenant.clone(), ids }).await
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
        let Some((mut changes, compared)) = self.read_in(caller, space, Changes { since }).await? else {
            return Ok(SpaceChanges::none());
        };
        let replaced = self.replaced(caller, space, compared).await?;
        changes.facts.retain(|fact| !replaced.contains(&fact.id));
        Ok(changes)
    }
}
