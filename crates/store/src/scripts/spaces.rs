//! Spaces: where they are and how far they have come.

use super::numbered_facts;
use crate::StoreError;
use crate::rows::spaces::{
    ASSIGNMENT, AssignedSpace, FoundSpace, POLICY, SealedAssignment, SpaceRow, SpaceSize, SpaceVersion,
    UserSpace,
};
use crate::script::{Db, Query, Reach, Rows, Series, StoreResult};
use crate::seal::{FOR_USER, UserKeyId};
use crate::sql::{FromRow, among, params};
use crate::store::Store;
use domain::{Account, Caller, FactId, ReceiptId, Space, SpaceId, SpaceKey, Status, Tenant};
use std::collections::{BTreeSet, HashMap};

/// Something asked within one space.
pub(super) trait SpaceQuery: Send + Sync + 'static {
    type Output: Send + 'static;

    /// As for [`Query::is_large`].
    fn is_large(&self) -> bool {
        false
    }

    fn run<D: Db>(
        &self,
        db: &mut D,
        space: SpaceKey<'_>,
        at: SpaceVersion,
    ) -> impl Future<Output = StoreResult<Self::Output>> + Send;
}

/// A question to a space that may not exist yet.
struct InSpace<Q> {
    account: Account,
    space: Space,
    query: Q,
}

impl<Q: SpaceQuery> Query for InSpace<Q> {
    type Output = Option<Q::Output>;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.account.tenant)
    }

    fn account(&self) -> Account {
        self.account.clone()
    }

    fn is_large(&self) -> bool {
        self.query.is_large()
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let tenant = &self.account.tenant;
        let Some(row) = find(db, tenant, &self.space).await? else { return Ok(None) };
        let key = SpaceKey { tenant, id: row.id };
        self.query.run(db, key, row.at).await.map(Some)
    }
}

const FIND: &str = "SELECT id, version, epoch, erasing, user_id, user_key, policy FROM space
     WHERE tenant = $1 AND user_id = $2 AND agent_id = $3 AND run_id = $4";

/// The space's row. Where something is being erased from the user's spaces, that has to be finished first.
pub(super) async fn find<D: Db>(db: &mut D, tenant: &Tenant, space: &Space) -> StoreResult<Option<SpaceRow>> {
    let values = params![tenant, &space.user_id, &space.agent_id, &space.run_id];
    let Some(found) = db.one::<FoundSpace>(FIND, &values).await? else { return Ok(None) };
    let (row, sealed) = found.settled()?;
    db.secrets().refuse_anothers(SpaceKey { tenant, id: row.id }, &sealed)?;
    Ok(Some(row))
}

/// The same, and the row is ours alone until the transaction ends. It then has a key to seal the user's content under.
pub(super) async fn lock<R: Rows>(
    rows: &mut R,
    tenant: &Tenant,
    space: &Space,
) -> StoreResult<Option<SpaceRow>> {
    let sql = format!("{FIND} {}", R::LOCK);
    let values = params![tenant, &space.user_id, &space.agent_id, &space.run_id];
    let Some(found) = rows.db().one::<FoundSpace>(&sql, &values).await? else { return Ok(None) };
    let (row, sealed) = found.settled()?;
    if rows.db().secrets().users.is_none() {
        return Ok(Some(row));
    }
    let place = SpaceKey { tenant, id: row.id };
    rows.db().secrets().refuse_anothers(place, &sealed)?;
    let assigned = rows.db().secrets().assigned(place, &sealed);
    let key = match usable(rows.db(), place, &sealed).await? {
        Some(key) => key,
        None => key_of_user(rows, tenant, &space.user_id).await?,
    };
    if assigned != Some(key) || sealed.column != Some(key) {
        assign(rows, place, &sealed, key).await?;
    }
    Ok(Some(SpaceRow { key: Some(key), ..row }))
}

/// The key of the space's user, where it can seal: as it was assigned, or, in a space from before that was kept, as the
/// column has it and a fact there opens with it.
async fn usable<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    sealed: &SealedAssignment,
) -> StoreResult<Option<UserKeyId>> {
    let key = owned(db, space, sealed).await?;
    Ok(key.filter(|key| db.secrets().users.as_ref().is_some_and(|users| users.can_seal(Some(*key)))))
}

/// The key that is the user's by what is sealed, whether it was destroyed or not.
async fn owned<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    sealed: &SealedAssignment,
) -> StoreResult<Option<UserKeyId>> {
    if let Some(key) = db.secrets().assigned(space, sealed) {
        if sealed.column != Some(key) {
            tracing::error!(tenant = %space.tenant, space = space.id.0, "the key of a user was changed by somebody else");
        }
        return Ok(Some(key));
    }
    match sealed.column {
        Some(key) if opens_a_fact(db, space, key).await? => Ok(Some(key)),
        _ => Ok(None),
    }
}

/// What is sealed of a space.
pub(super) enum SealedOfSpace {
    /// With the number of the key that was assigned to its user, as its column should have it.
    Opens(Option<i64>),
    /// Every change waits there already.
    Damaged,
}

pub(super) async fn sealed_of<D: Db>(db: &mut D, space: SpaceKey<'_>) -> StoreResult<SealedOfSpace> {
    let sql = format!("SELECT {ASSIGNMENT} FROM space WHERE tenant = $1 AND id = $2");
    let sealed: Option<SealedAssignment> = db.one(&sql, &params![space.tenant, space.id]).await?;
    let found = db.all(POLICY, &params![space.tenant, space.id]).await?;
    if db.secrets().policy_open(space, found).is_err() {
        return Ok(SealedOfSpace::Damaged);
    }
    let assigned = sealed.and_then(|sealed| db.secrets().assigned(space, &sealed));
    Ok(SealedOfSpace::Opens(assigned.map(|key| key.0.cast_signed())))
}

/// The keys that facts of the space say they are sealed under.
async fn named_by_facts<D: Db>(db: &mut D, space: SpaceKey<'_>) -> StoreResult<Vec<UserKeyId>> {
    let sql = "SELECT DISTINCT substr(body, 3, 7) FROM fact
        WHERE tenant = $1 AND space = $2 AND substr(body, 1, 1) = $3";
    let found: Vec<(Vec<u8>,)> = db.all(sql, &params![space.tenant, space.id, vec![FOR_USER]]).await?;
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte));
    Ok(found.into_iter().map(|(bytes,)| UserKeyId(number(&bytes))).collect())
}

/// Whether a fact of the space opens with this key, which nobody else could have sealed it with.
async fn opens_a_fact<D: Db>(db: &mut D, space: SpaceKey<'_>, key: UserKeyId) -> StoreResult<bool> {
    let sql = "SELECT id FROM fact WHERE tenant = $1 AND space = $2 AND substr(body, 1, 1) = $3
        AND substr(body, 3, 7) = $4 ORDER BY id LIMIT 1";
    let [_, number @ ..] = key.0.to_be_bytes();
    let values = params![space.tenant, space.id, vec![FOR_USER], number.to_vec()];
    let Some((id,)) = db.one::<(i64,)>(sql, &values).await? else { return Ok(false) };
    Ok(!numbered_facts::get_readable(db, space, &[FactId(id)]).await?.is_empty())
}

/// Notes the key of the space's user, and seals that it is.
pub(super) async fn assign<R: Rows>(
    rows: &mut R,
    space: SpaceKey<'_>,
    sealed: &SealedAssignment,
    key: UserKeyId,
) -> StoreResult<()> {
    let body = rows.db().secrets().assignment_seal(space, sealed, key)?;
    let sql = "UPDATE space SET user_key = $3, policy = COALESCE($4, policy) WHERE tenant = $1 AND id = $2";
    rows.run(sql, &params![space.tenant, space.id, key, body.as_deref()]).await?;
    Ok(())
}

/// The key of the user's other spaces, or a new one. Where it is another's, that space is ours until the transaction ends:
/// an erasure that is about to destroy the key is waited for, or waits.
async fn key_of_user<R: Rows>(rows: &mut R, tenant: &Tenant, user_id: &str) -> StoreResult<UserKeyId> {
    let sql = format!(
        "SELECT id, {ASSIGNMENT} FROM space WHERE tenant = $1 AND user_id = $2 AND user_key IS NOT NULL
         ORDER BY agent_id, run_id LIMIT 1 {}",
        R::LOCK
    );
    let other: Option<AssignedSpace> = rows.db().one(&sql, &params![tenant, user_id]).await?;
    let Some(AssignedSpace { id, sealed }) = other else { return new_key() };
    match usable(rows.db(), SpaceKey { tenant, id }, &sealed).await? {
        Some(key) => Ok(key),
        None => new_key(),
    }
}

pub(super) fn new_key() -> StoreResult<UserKeyId> {
    UserKeyId::fresh().map_err(|e| StoreError::Startup(e.to_string()))
}

/// The spaces of the user, with what their rows say of the key; an error where one was sealed for somebody else.
pub(super) async fn assigned_to<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    user_id: &str,
) -> StoreResult<Vec<AssignedSpace>> {
    let sql = format!(
        "SELECT id, {ASSIGNMENT} FROM space WHERE tenant = $1 AND user_id = $2 ORDER BY agent_id, run_id"
    );
    let found: Vec<AssignedSpace> = db.all(&sql, &params![tenant, user_id]).await?;
    for AssignedSpace { id, sealed } in &found {
        db.secrets().refuse_anothers(SpaceKey { tenant, id: *id }, sealed)?;
    }
    Ok(found)
}

/// The keys that the user's spaces are sealed under: one, as a rule. Each was assigned to this user, or has opened a fact of
/// theirs; what a column says alone is another's key, for all that is known.
pub(super) async fn keys_of_user<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    user_id: &str,
) -> StoreResult<Vec<UserKeyId>> {
    let mut keys = BTreeSet::new();
    for AssignedSpace { id, sealed } in assigned_to(db, tenant, user_id).await? {
        let space = SpaceKey { tenant, id };
        keys.extend(owned(db, space, &sealed).await?);
        for key in named_by_facts(db, space).await? {
            if !keys.contains(&key) && opens_a_fact(db, space, key).await? {
                keys.insert(key);
            }
        }
    }
    Ok(keys.into_iter().collect())
}

/// The space's row, made where it is missing, and ours alone until the transaction ends.
pub(super) async fn open<R: Rows>(rows: &mut R, tenant: &Tenant, space: &Space) -> StoreResult<SpaceRow> {
    if let Some(found) = lock(rows, tenant, space).await? {
        return Ok(found);
    }
    let id = rows.take(tenant, Series::Space, 1).await?;
    // Where another process was faster, this waits for it and leaves its row as it is.
    let sql = "INSERT INTO space (tenant, id, user_id, agent_id, run_id) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (tenant, user_id, agent_id, run_id) DO NOTHING";
    rows.run(sql, &params![tenant, id, &space.user_id, &space.agent_id, &space.run_id]).await?;
    let row = lock(rows, tenant, space).await?;
    row.ok_or_else(|| StoreError::corrupt("a space", "its row is gone"))
}

const OF_USER: &str = "SELECT id, user_id, agent_id, run_id, erasing FROM space
     WHERE tenant = $1 AND user_id = $2 ORDER BY agent_id, run_id";

/// Every space of the user, whatever is being erased from them.
pub(super) async fn of_user<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    user_id: &str,
) -> StoreResult<Vec<(SpaceId, Space)>> {
    let found: Vec<UserSpace> = db.all(OF_USER, &params![tenant, user_id]).await?;
    Ok(found.into_iter().map(|found| (found.id, found.space)).collect())
}

/// Those of the spaces that are there and from which nothing is being erased.
pub(super) async fn numbered<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    ids: &[SpaceId],
) -> StoreResult<HashMap<SpaceId, Space>> {
    let sql = "SELECT id, user_id, agent_id, run_id, erasing FROM space WHERE tenant = $1 AND id = $2";
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let found: Vec<UserSpace> = db.all_each(sql, tenant, &ids, &[]).await?;
    Ok(found.into_iter().filter_map(|found| found.settled().ok()).collect())
}

/// Every space of the user, ours alone until the transaction ends.
pub(super) async fn lock_user<R: Rows>(
    rows: &mut R,
    tenant: &Tenant,
    user_id: &str,
) -> StoreResult<Vec<(SpaceId, Space)>> {
    let sql = format!("{OF_USER} {}", R::LOCK);
    let found: Vec<UserSpace> = rows.db().all(&sql, &params![tenant, user_id]).await?;
    assigned_to(rows.db(), tenant, user_id).await?;
    found.into_iter().map(UserSpace::settled).collect()
}

/// Waits for the spaces from which this erasure takes something, ours alone until the transaction ends.
pub(super) async fn lock_marked<R: Rows>(
    rows: &mut R,
    tenant: &Tenant,
    erasure: ReceiptId,
) -> StoreResult<()> {
    let sql = format!(
        "SELECT id FROM space WHERE tenant = $1 AND erasing = $2 ORDER BY agent_id, run_id {}",
        R::LOCK
    );
    rows.db().all::<(i64,)>(&sql, &params![tenant, erasure]).await?;
    Ok(())
}

/// An error where something is being erased from the user's spaces.
pub(super) async fn settled<D: Db>(db: &mut D, tenant: &Tenant, user_id: &str) -> StoreResult<()> {
    let sql = "SELECT erasing FROM space WHERE tenant = $1 AND user_id = $2 AND erasing IS NOT NULL LIMIT 1";
    match db.one::<(i64,)>(sql, &params![tenant, user_id]).await? {
        Some((erasure,)) => Err(StoreError::Erasing(ReceiptId(erasure))),
        None => Ok(()),
    }
}

/// The row of the space, whatever is being erased from it.
pub(super) async fn row<D: Db>(db: &mut D, space: SpaceKey<'_>) -> StoreResult<SpaceRow> {
    let sql = "SELECT id, version, epoch, erasing, user_id, user_key, policy FROM space
        WHERE tenant = $1 AND id = $2";
    let found: Option<FoundSpace> = db.one(sql, &params![space.tenant, space.id]).await?;
    let found = found.ok_or_else(|| StoreError::corrupt("a space", "its row is gone"))?;
    db.secrets().refuse_anothers(space, &found.sealed)?;
    let key = owned(db, space, &found.sealed).await?;
    Ok(SpaceRow { key, ..found.row })
}

/// Nothing that was read of the space before this may be kept.
pub(super) async fn forget_cached<R: Rows>(rows: &mut R, space: SpaceKey<'_>) -> StoreResult<()> {
    let sql = "UPDATE space SET version = version + 1, epoch = epoch + 1 WHERE tenant = $1 AND id = $2";
    rows.run(sql, &params![space.tenant, space.id]).await?;
    Ok(())
}

pub(super) async fn user_of<D: Db>(db: &mut D, tenant: &Tenant, id: SpaceId) -> StoreResult<Option<String>> {
    let sql = "SELECT user_id FROM space WHERE tenant = $1 AND id = $2";
    Ok(db.one::<(String,)>(sql, &params![tenant, id]).await?.map(|(user_id,)| user_id))
}

struct Number;

impl SpaceQuery for Number {
    type Output = SpaceId;

    async fn run<D: Db>(&self, _: &mut D, space: SpaceKey<'_>, _: SpaceVersion) -> StoreResult<SpaceId> {
        Ok(space.id)
    }
}

/// How much is active or flagged.
struct Size;

impl SpaceQuery for Size {
    type Output = SpaceSize;

    async fn run<D: Db>(&self, db: &mut D, space: SpaceKey<'_>, _: SpaceVersion) -> StoreResult<SpaceSize> {
        let sql = format!(
            "SELECT count(*), COALESCE(sum(length(body)), 0) FROM {} WHERE tenant = $1 AND space = $2 AND status {}",
            D::by_index("fact", "fact_status"),
            among(&Status::STANDING),
        );
        let found: Option<(i64, i64)> = db.one(&sql, &params![space.tenant, space.id]).await?;
        let (facts, bytes) = found.unwrap_or_default();
        let known = |number: i64| usize::try_from(number).unwrap_or_default();
        Ok(SpaceSize { facts: known(facts), bytes: known(bytes) })
    }
}

/// Whoever was given the number of a fact.
pub(super) async fn tenants<D: Db>(db: &mut D) -> StoreResult<Vec<Tenant>> {
    let sql = "SELECT tenant FROM sequence WHERE name = $1 ORDER BY tenant";
    let tenants: Vec<(String,)> = db.all(sql, &params![Series::Fact.name()]).await?;
    Ok(tenants.into_iter().map(|(tenant,)| Tenant::new(tenant)).collect())
}

struct Tenants;

impl Query for Tenants {
    type Output = Vec<Tenant>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Vec<Tenant>> {
        tenants(db).await
    }
}

struct Flagged(Tenant);

impl FromRow for Space {
    fn from_row(row: &impl crate::sql::Cells) -> StoreResult<Self> {
        Ok(Self { user_id: row.cell(0)?, agent_id: row.cell(1)?, run_id: row.cell(2)? })
    }
}

impl Query for Flagged {
    type Output = Vec<Space>;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.0)
    }

    /// In the order in which the spaces were made.
    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Vec<Space>> {
        let sql = format!(
            "SELECT user_id, agent_id, run_id FROM space
             WHERE tenant = $1 AND EXISTS (SELECT 1 FROM {}
                 WHERE fact.tenant = space.tenant AND fact.space = space.id AND fact.status {})
             ORDER BY id",
            D::by_index("fact", "fact_status"),
            among(&[Status::FlaggedConflict]),
        );
        db.all(&sql, &params![&self.0]).await
    }
}

impl Store {
    /// Asks within one space; `None` where it does not exist yet.
    pub(super) async fn read_in<Q: SpaceQuery>(
        &self,
        caller: &Caller,
        space: &Space,
        query: Q,
    ) -> StoreResult<Option<Q::Output>> {
        self.read(InSpace { account: caller.account(), space: space.clone(), query }).await
    }

    pub async fn space_exists(&self, caller: &Caller, space: &Space) -> Result<bool, StoreError> {
        Ok(self.space_id(caller, space).await?.is_some())
    }

    /// The number of the space; `None` where it does not exist yet.
    pub async fn space_id(&self, caller: &Caller, space: &Space) -> Result<Option<SpaceId>, StoreError> {
        self.read_in(caller, space, Number).await
    }

    /// How much reading the space would bring.
    pub async fn space_size(&self, caller: &Caller, space: &Space) -> Result<SpaceSize, StoreError> {
        Ok(self.read_in(caller, space, Size).await?.unwrap_or_default())
    }

    /// Every tenant that was ever told something, in the order of their names.
    pub async fn tenants(&self) -> Result<Vec<Tenant>, StoreError> {
        self.read(Tenants).await
    }

    /// The spaces of the caller's tenant in which something waits for a decision.
    pub async fn spaces_flagged(&self, caller: &Caller) -> Result<Vec<Space>, StoreError> {
        self.read(Flagged(caller.tenant.clone())).await
    }
}
