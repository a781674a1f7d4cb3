//! Removing for good: facts, what decisions disclose of them, and on request decisions, receipts and audit details.
//!
//! What is too much for one transaction goes in pieces, between which others are served. The first transaction notes
//! what is to go and marks every space of the user: whoever comes to one of them finishes the erasure first, so nobody
//! sees half of it, and a process that was killed leaves nothing that stays half done. The receipt comes with the last.

use super::erasure_pieces::{carry_out, finish};
use super::erasure_plan::{PIECE, is_small, plan, reached};
use super::{credentials, deployment, receipts, spaces, user_keys};
use crate::StoreError;
use crate::call::Call;
use crate::rows::erasure::{
    Also, COLUMNS, ErasureIntent, ErasurePlan, ErasureSummary, ErasureTarget, Expired, SealedErasure,
};
use crate::rows::spaces::AssignedSpace;
use crate::script::{Db, Ground, Query, Reach, Rows, Script, Series, StoreResult, Touches};
use crate::sql::params;
use crate::store::Store;
use domain::{Identity, ReceiptId, Space, SpaceId, SpaceKey, Tenant};
use evidence::ReceiptKind;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

/// The first transaction of an erasure, and the only one where little goes.
struct Begin {
    call: Call,
    intent: ErasureIntent,
}

enum Begun {
    Done(ErasureSummary),
    /// All that is left is to be done in pieces.
    Marked(ReceiptId),
}

impl Script for Begin {
    type Output = Begun;

    fn touches(&self) -> Touches {
        if self.intent.also.audit { Touches::RowsApart } else { Touches::Rows }
    }

    fn ground(&self) -> Ground<'_> {
        Ground::within(&self.call, &self.intent.space)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Begun> {
        let Self { call, intent } = self;
        let tenant = &call.caller.tenant;
        let reached = self.lock_reached(rows).await?;
        if intent.takes_whole_user() {
            let name = announced(tenant, &intent.space.user_id);
            rows.run("DELETE FROM deployment WHERE name = $1", &params![name]).await?;
        }
        if !is_small(rows.db(), tenant, intent, &reached).await? {
            return self.mark(rows).await.map(Begun::Marked);
        }
        let intent = &self.with_keys(rows).await?;
        let plan = plan(rows.db(), tenant, intent, reached).await?;
        let mut receipt = None;
        if plan.len() > 0 {
            let number = ReceiptId(rows.take(tenant, Series::Receipt, 1).await?);
            carry_out(rows, tenant, &plan.piece(0, usize::MAX), number, intent.now).await?;
            receipt = Some(number);
        }
        let summary = finish(rows, call, intent, &plan, receipt).await?;
        if !intent.keys().is_empty() {
            // Last, when nothing but the commit can fail any more. Should that fail, the erasure was announced, and is
            // carried out at the next start.
            user_keys::destroy(rows, &intent.keys()).await?;
        }
        Ok(Begun::Done(summary))
    }
}

/// The row of `deployment` by which the erasure of a user is announced.
fn announced(tenant: &Tenant, user_id: &str) -> String {
    format!("{ANNOUNCED}{tenant}\u{1f}{user_id}")
}

const ANNOUNCED: &str = "erasing_user:";

/// Announces the erasure of a user. A key is destroyed outside the transaction that erases what it sealed; whatever becomes
/// of that one, this says what was to be done.
struct Announce {
    tenant: Tenant,
    intent: ErasureIntent,
}

impl Script for Announce {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.tenant)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        let name = announced(&self.tenant, &self.intent.space.user_id);
        let intent = rows.db().secrets().erasure_seal(&self.tenant, ReceiptId(0), &self.intent)?;
        deployment::set(rows, &name, &intent).await
    }
}

/// What was announced, and lost its key before it was carried out.
struct Announced;

impl Query for Announced {
    type Output = Vec<(Tenant, ErasureIntent)>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let sql = "SELECT name, value FROM deployment WHERE name LIKE 'erasing_user:%'";
        let mut found = Vec::new();
        for (name, value) in db.all::<(String, Vec<u8>)>(sql, &[]).await? {
            let Some((tenant, _)) = name.strip_prefix(ANNOUNCED).and_then(|rest| rest.split_once('\u{1f}'))
            else {
                continue;
            };
            let tenant = Tenant::new(tenant);
            let sealed = SealedErasure::announced(value);
            let intent = db.secrets().erasure_open(&tenant, ReceiptId(0), &sealed)?;
            found.push((tenant, intent));
        }
        Ok(found)
    }
}

/// Whether the key of a user is destroyed, and what it sealed is still there.
struct IsKeyless {
    tenant: Tenant,
    user_id: String,
}

impl Query for IsKeyless {
    type Output = bool;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.tenant)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<bool> {
        let keys = spaces::keys_of_user(db, &self.tenant, &self.user_id).await?;
        Ok(db.secrets().users.as_ref().is_some_and(|users| keys.iter().any(|key| users.lacks(*key))))
    }
}

impl Begin {
    /// The intent with the keys that it destroys. From here on the user's spaces have another one.
    async fn with_keys<R: Rows>(&self, rows: &mut R) -> StoreResult<ErasureIntent> {
        if !self.intent.takes_whole_user() {
            return Ok(self.intent.clone());
        }
        let (tenant, user_id) = (&self.call.caller.tenant, &self.intent.space.user_id);
        // Once more: a space that was made while the others were waited for is there by now, and has their key.
        spaces::lock_user(rows, tenant, user_id).await?;
        let keys = spaces::keys_of_user(rows.db(), tenant, user_id).await?;
        let mut checked = 0;
        if !keys.is_empty() {
            let next = spaces::new_key()?;
            for AssignedSpace { id, sealed } in spaces::assigned_to(rows.db(), tenant, user_id).await? {
                checked += 1;
                spaces::assign(rows, SpaceKey { tenant, id }, &sealed, next).await?;
            }
        }
        Ok(self.intent.destroying(&keys, checked))
    }

    async fn lock_reached<R: Rows>(&self, rows: &mut R) -> StoreResult<Vec<(SpaceId, Space)>> {
        let (tenant, space) = (&self.call.caller.tenant, &self.intent.space);
        if self.intent.reaches_whole_user() {
            return spaces::lock_user(rows, tenant, &space.user_id).await;
        }
        let row = spaces::lock(rows, tenant, space).await?;
        Ok(row.into_iter().map(|row| (row.id, space.clone())).collect())
    }

    /// Notes what is to be erased, in every space of the user: decisions in any of them may repeat what goes.
    async fn mark<R: Rows>(&self, rows: &mut R) -> StoreResult<ReceiptId> {
        let (tenant, user_id) = (&self.call.caller.tenant, &self.intent.space.user_id);
        spaces::lock_user(rows, tenant, user_id).await?;
        let intent = self.with_keys(rows).await?;
        // The entry, for which the key is looked at, comes at the end, when it no longer matters: what has begun is
        // finished.
        if let Identity::Principal(principal) = &self.call.caller.identity {
            credentials::check(rows.db(), principal, None).await?;
        }
        let id = ReceiptId(rows.take(tenant, Series::Receipt, 1).await?);
        let body = rows.db().secrets().erasure_seal(tenant, id, &intent)?;
        let sql = "INSERT INTO erasure (tenant, id, body, done) VALUES ($1, $2, $3, 0)";
        rows.run(sql, &params![tenant, id, body]).await?;
        let sql = "UPDATE space SET erasing = $3 WHERE tenant = $1 AND user_id = $2";
        rows.run(sql, &params![tenant, user_id, id]).await?;
        // Its entry comes with its receipt, even if nobody waits for the answer any more.
        self.call.set_recorded();
        Ok(id)
    }
}

/// What goes, as it is found while the spaces are marked.
struct Planning {
    tenant: Tenant,
    intent: ErasureIntent,
}

impl Query for Planning {
    type Output = ErasurePlan;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.tenant)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<ErasurePlan> {
        let of_user = spaces::of_user(db, &self.tenant, &self.intent.space.user_id).await?;
        plan(db, &self.tenant, &self.intent, reached(&self.intent, of_user)).await
    }
}

/// Writes down what goes, so that all pieces take the same. Whoever else found it meanwhile found the same.
struct Plan {
    tenant: Tenant,
    id: ReceiptId,
    plan: ErasurePlan,
}

impl Script for Plan {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.tenant)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        let plan = rows.db().secrets().erasure_plan_seal(&self.tenant, self.id, &self.plan)?;
        let sql = "UPDATE erasure SET plan = $3 WHERE tenant = $1 AND id = $2 AND plan IS NULL";
        rows.run(sql, &params![&self.tenant, self.id, plan]).await?;
        Ok(())
    }
}

/// Takes the marks away.
async fn unmark<R: Rows>(rows: &mut R, tenant: &Tenant, id: ReceiptId) -> StoreResult<()> {
    rows.run("UPDATE space SET erasing = NULL WHERE tenant = $1 AND erasing = $2", &params![tenant, id])
        .await?;
    rows.run("DELETE FROM erasure WHERE tenant = $1 AND id = $2", &params![tenant, id]).await?;
    Ok(())
}

/// Gives up an erasure of which nothing has been carried out, because what is to go could not be read.
struct GiveUp {
    tenant: Tenant,
    id: ReceiptId,
}

impl Script for GiveUp {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.tenant)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        let sql = "SELECT id FROM erasure WHERE tenant = $1 AND id = $2 AND plan IS NULL";
        let unplanned: Option<(i64,)> = rows.db().one(sql, &params![&self.tenant, self.id]).await?;
        if unplanned.is_some() {
            unmark(rows, &self.tenant, self.id).await?;
        }
        Ok(())
    }
}

/// The next piece.
struct Piece {
    tenant: Tenant,
    id: ReceiptId,
    /// The call that began it, where this process had it.
    call: Option<Call>,
    /// Whether the write-ahead log holds nothing any more of what was erased before this piece.
    is_flushed: bool,
}

enum Carried {
    /// It was finished before.
    Gone,
    Unplanned(ErasureIntent),
    More,
    /// All of it is gone, and the user's key is to be destroyed next.
    Emptied,
    Done(ErasureSummary),
}

impl Script for Piece {
    type Output = Carried;

    /// It locks every space of the user, and must not hold them while others of a group are waited for.
    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.tenant)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Carried> {
        let (tenant, id) = (&self.tenant, self.id);
        let sql = format!("SELECT {COLUMNS} FROM erasure WHERE tenant = $1 AND id = $2 {}", R::LOCK);
        let row: Option<SealedErasure> = rows.db().one(&sql, &params![tenant, id]).await?;
        let Some(row) = row else {
            // Whoever finished it took the marks away with it. One that is left is of no erasure, and would be waited for
            // for ever.
            let sql = "UPDATE space SET erasing = NULL WHERE tenant = $1 AND erasing = $2";
            if rows.run(sql, &params![tenant, id]).await? > 0 {
                tracing::error!(%tenant, erasure = id.0, "a space was marked by somebody else as being erased");
            }
            return Ok(Carried::Gone);
        };
        let intent = rows.db().secrets().erasure_open(tenant, id, &row)?;
        let Some(plan) = rows.db().secrets().erasure_plan_open(tenant, id, &row)? else {
            return Ok(Carried::Unplanned(intent));
        };
        spaces::lock_marked(rows, tenant, id).await?;
        let from = usize::try_from(row.done).unwrap_or_default();
        carry_out(rows, tenant, &plan.piece(from, PIECE), id, intent.now).await?;
        let done = from + PIECE;
        if done < plan.len() || (from < plan.len() && !intent.keys().is_empty()) {
            let sql = "UPDATE erasure SET done = $3 WHERE tenant = $1 AND id = $2";
            rows.run(sql, &params![tenant, id, done as i64]).await?;
            return Ok(Carried::More);
        }
        if !intent.keys().is_empty() {
            if !self.is_flushed {
                return Ok(Carried::Emptied);
            }
            user_keys::destroy(rows, &intent.keys()).await?;
        }
        unmark(rows, tenant, id).await?;
        let call = self.call.clone().unwrap_or_else(|| intent.call(tenant));
        finish(rows, &call, &intent, &plan, Some(id)).await.map(Carried::Done)
    }
}

/// The erasures that are under way in the whole deployment.
struct UnderWay;

impl Query for UnderWay {
    type Output = Vec<(String, i64)>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        db.all("SELECT tenant, id FROM erasure ORDER BY tenant, id", &[]).await
    }
}

/// What the receipt of that number says was done.
struct Proven {
    tenant: Tenant,
    id: ReceiptId,
}

impl Query for Proven {
    type Output = ErasureSummary;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.tenant)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<ErasureSummary> {
        let signed = receipts::vouched(db, &self.tenant, self.id).await?;
        Ok(match signed.map(|signed| signed.statement.kind) {
            Some(ReceiptKind::Erasure(done)) => {
                ErasureSummary::of(&done, Some(self.id), db.secrets().signing().is_some())
            }
            Some(ReceiptKind::Attestation(_)) | None => ErasureSummary::default(),
        })
    }
}

/// Finishes an erasure that is in the way of another call.
pub(super) fn finish_for_another(
    store: Store,
    tenant: Tenant,
    id: ReceiptId,
) -> BoxFuture<'static, StoreResult<()>> {
    async move { store.erasure_carry_out(&tenant, id, None).await.map(drop) }.boxed()
}

impl Store {
    /// Carries the pieces out until none is left. `None` where somebody else carried out the last one.
    async fn erasure_carry_out(
        &self,
        tenant: &Tenant,
        id: ReceiptId,
        call: Option<Call>,
    ) -> StoreResult<Option<ErasureSummary>> {
        let _alone = self.erasures().alone(tenant, id).await;
        let mut is_flushed = false;
        loop {
            let piece = Piece { tenant: tenant.clone(), id, call: call.clone(), is_flushed };
            match self.write_now(piece).await? {
                Carried::Gone => return Ok(None),
                Carried::Done(summary) => return Ok(Some(summary)),
                Carried::More => {}
                Carried::Emptied => {
                    self.log_truncate().await?;
                    is_flushed = true;
                }
                Carried::Unplanned(intent) => self.erasure_plan(tenant, id, intent).await?,
            }
        }
    }

    async fn erasure_plan(&self, tenant: &Tenant, id: ReceiptId, intent: ErasureIntent) -> StoreResult<()> {
        match self.read_now(Planning { tenant: tenant.clone(), intent }).await {
            Ok(plan) => self.write_now(Plan { tenant: tenant.clone(), id, plan }).await,
            Err(error) => {
                if error.is_of_content() {
                    self.write_now(GiveUp { tenant: tenant.clone(), id }).await?;
                }
                Err(error)
            }
        }
    }

    /// Finishes what a process that was killed had begun.
    pub(super) async fn erasures_resume(&self) -> Result<(), StoreError> {
        for (tenant, id) in self.read_now(UnderWay).await? {
            self.erasure_carry_out(&Tenant::new(tenant), ReceiptId(id), None).await?;
        }
        Ok(())
    }

    /// Finishes the erasures whose key was destroyed by a process that did not come to their commit.
    pub(super) async fn announced_resume(&self) -> Result<(), StoreError> {
        for (tenant, intent) in self.read_now(Announced).await? {
            let user_id = intent.space.user_id.clone();
            if self.read_now(IsKeyless { tenant: tenant.clone(), user_id }).await? {
                self.erase_all_of_it(intent.call(&tenant), intent).await?;
            }
        }
        Ok(())
    }

    /// What was typed goes before the erasure: should that fail, less is lost than if it were the other way round. The
    /// rest is a task of its own, which goes on when nobody waits for it any more.
    async fn erase(
        &self,
        call: Call,
        space: Space,
        target: ErasureTarget,
        also: Also,
    ) -> Result<ErasureSummary, StoreError> {
        self.typed_lines_remove()?;
        let intent = ErasureIntent::new(&call, space, target, also);
        let store = self.clone();
        let erased = tokio::spawn(async move { store.erase_all_of_it(call, intent).await });
        erased.await.unwrap_or(Err(StoreError::Panicked))
    }

    async fn erase_all_of_it(&self, mut call: Call, intent: ErasureIntent) -> StoreResult<ErasureSummary> {
        let tenant = call.caller.tenant.clone();
        if intent.takes_whole_user() {
            // What the write-ahead log still has of the user goes before the receipt is signed.
            self.log_truncate().await?;
            if self.is_sealed() {
                self.write_now(Announce { tenant: tenant.clone(), intent: intent.clone() }).await?;
            }
        }
        let id = match self.write(Begin { call: call.clone(), intent }).await? {
            Begun::Done(summary) => return Ok(summary),
            Begun::Marked(id) => id,
        };
        // It is finished even if the key ends meanwhile.
        if let Identity::Principal(principal) = &mut call.caller.identity {
            principal.shown = None;
        }
        match self.erasure_carry_out(&tenant, id, Some(call)).await? {
            Some(summary) => Ok(summary),
            None => self.read(Proven { tenant, id }).await,
        }
    }

    /// Erases one subject of one space. A subject that is not there leaves everything as it is, without a receipt.
    pub async fn subject_erase(
        &self,
        call: Call,
        space: Space,
        subject: String,
        also: Also,
    ) -> Result<ErasureSummary, StoreError> {
        self.erase(call, space, ErasureTarget::Subject(subject), also).await
    }

    /// Erases the space, or with neither agent nor run named every space of the user.
    pub async fn space_erase(
        &self,
        call: Call,
        space: Space,
        also: Also,
    ) -> Result<ErasureSummary, StoreError> {
        self.erase(call, space, ErasureTarget::Space, also).await
    }

    /// Erases what is older than the time. With `also.audit` the whole log is cut off before it.
    pub async fn expired_purge(
        &self,
        call: Call,
        space: Space,
        expired: Expired,
        also: Also,
    ) -> Result<ErasureSummary, StoreError> {
        self.erase(call, space, ErasureTarget::Expired(expired), also).await
    }
}
