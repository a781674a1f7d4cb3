//! The one handle that the service works with, whichever engine keeps the rows.

use crate::call::{Call, Record};
use crate::keys::KeySettings;
use crate::load::Load;
use crate::postgres::{Postgres, PostgresSettings};
use crate::records::{Attestation, Created, Decided, Ended, Reconciled, Recorded, Renewed, Taken, Updated};
use crate::rows::audit::{AuditLine, AuditReport};
use crate::rows::audit_list::AuditQuery;
use crate::rows::counters::Counts;
use crate::rows::decisions::{DecisionRow, NewDecision};
use crate::rows::erasure::{Also, Erased, Expired};
use crate::rows::export::Export;
use crate::rows::facts::SpaceChanges;
use crate::rows::principals::{
    Creation, KeyHash, NewKey, PrincipalState, Revocation, Revoked, Rotated, Rotation,
};
use crate::rows::receipts::{Attested, ReceiptRow};
use crate::rows::restorations::Missing;
use crate::rows::schema::Schema;
use crate::rows::spaces::SpaceVersion;
use crate::rows::statements::{Edit, Planned, Said, Verdict};
use crate::secrets::Secrets;
use crate::sqlite::{Sqlite, SqliteSettings};
use crate::typed_lines::{self, TypedLines};
use crate::{ChainWait, StoreError};
use domain::{Caller, Fact, FactId, Principal, SourcePolicy, Space, Timestamp};
use evidence::Hash;
use reconcile::{Plan, SlotSchema};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub enum StoreSettings {
    Sqlite(SqliteSettings),
    Postgres(PostgresSettings),
}

impl SqliteSettings {
    pub fn keys(&self) -> KeySettings {
        let Self { path, keys, encrypt, sign, .. } = self.clone();
        KeySettings { beside: path, source: keys, encrypt, sign }
    }
}

impl PostgresSettings {
    pub fn keys(&self) -> KeySettings {
        let Self { beside, keys, encrypt, sign, .. } = self.clone();
        KeySettings { beside, source: keys, encrypt, sign }
    }
}

impl StoreSettings {
    pub fn keys(&self) -> KeySettings {
        match self {
            Self::Sqlite(settings) => settings.keys(),
            Self::Postgres(settings) => settings.keys(),
        }
    }
}

impl StoreSettings {
    /// Where the memory is, as a person reads it: the file in full, or the server without its password.
    pub fn shown(&self) -> String {
        match self {
            Self::Sqlite(settings) => {
                let path = std::path::absolute(&settings.path).unwrap_or_else(|_| settings.path.clone());
                path.display().to_string()
            }
            Self::Postgres(settings) => settings.shown(),
        }
    }
}

/// A handle on the database; clones share it.
#[derive(Debug, Clone)]
pub struct Store(Engine);

#[derive(Debug, Clone)]
enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// The same method on whichever engine there is.
macro_rules! on_engine {
    ($store:expr, $method:ident($($argument:expr),*)) => {
        match &$store.0 {
            Engine::Sqlite(engine) => engine.$method($($argument),*).await,
            Engine::Postgres(engine) => engine.$method($($argument),*).await,
        }
    };
}

impl Schema {
    /// Reads the version without creating anything.
    pub async fn of(settings: &StoreSettings) -> Result<Self, StoreError> {
        match settings {
            StoreSettings::Sqlite(settings) => Self::of_sqlite(&settings.path),
            StoreSettings::Postgres(settings) => Self::of_postgres(&settings.url).await,
        }
    }

    /// Applies what is pending; returns the versions that were applied.
    pub async fn migrate(settings: &StoreSettings, now: Timestamp) -> Result<Vec<i64>, StoreError> {
        match settings {
            StoreSettings::Sqlite(settings) => Self::migrate_sqlite(&settings.path, now),
            StoreSettings::Postgres(settings) => Self::migrate_postgres(&settings.url, now).await,
        }
    }
}

impl Store {
    /// Opens the database, setting it up and making its keys where it is new. Must be called within a Tokio runtime.
    pub async fn open(settings: StoreSettings, now: Timestamp) -> Result<Self, StoreError> {
        Ok(Self(match settings {
            StoreSettings::Sqlite(settings) => Engine::Sqlite(Sqlite::open(settings, now).await?),
            StoreSettings::Postgres(settings) => Engine::Postgres(Postgres::open(settings, now).await?),
        }))
    }

    fn secrets(&self) -> &Secrets {
        match &self.0 {
            Engine::Sqlite(engine) => engine.secrets(),
            Engine::Postgres(engine) => engine.secrets(),
        }
    }

    pub fn is_sealed(&self) -> bool {
        self.secrets().sealer.is_on()
    }

    /// The public half of the signing key in hexadecimal; `None` when signing is off.
    pub fn public_key(&self) -> Option<String> {
        self.secrets().signer.as_ref().map(|signer| signer.public_key().to_hex())
    }

    /// What was typed at the prompt of this database. There is none with PostgreSQL: an erasure on one host could not
    /// reach the files on the others.
    pub fn typed_lines(&self) -> Option<TypedLines> {
        match &self.0 {
            Engine::Sqlite(engine) => Some(engine.typed_lines()),
            Engine::Postgres(_) => None,
        }
    }

    /// Comes before an erasure: should that fail, less is lost than if it were the other way round.
    fn typed_lines_remove(&self) -> Result<(), StoreError> {
        match &self.0 {
            Engine::Sqlite(engine) => typed_lines::remove(engine.path()),
            Engine::Postgres(_) => Ok(()),
        }
    }

    /// How long this process has waited for other processes to leave the end of the audit log; `None` on an engine
    /// where the wait is not told apart from the commit.
    pub fn chain_wait(&self) -> Option<ChainWait> {
        match &self.0 {
            Engine::Sqlite(_) => None,
            Engine::Postgres(engine) => Some(engine.chain_wait()),
        }
    }

    /// How busy this process is with the database.
    pub fn load(&self) -> Load {
        match &self.0 {
            Engine::Sqlite(engine) => engine.load(),
            Engine::Postgres(engine) => engine.load(),
        }
    }

    /// Whether the database answers.
    pub async fn ready(&self) -> Result<(), StoreError> {
        on_engine!(self, ready())
    }

    /// Writes the audit entry and the counts of a call that changed nothing.
    pub async fn call_record(&self, call: Call, record: Record) -> Result<(), StoreError> {
        on_engine!(self, call_record(call, record))
    }

    /// Records a call that was given up, unless it had got as far as its own entry.
    pub async fn call_abandoned(&self, call: Call, record: Record) -> Result<(), StoreError> {
        on_engine!(self, call_abandoned(call, record))
    }

    pub async fn counts(&self) -> Result<Counts, StoreError> {
        on_engine!(self, counts())
    }

    /// Entries newest first.
    pub async fn audit_list(&self, caller: &Caller, query: AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
        on_engine!(self, audit_list(caller, query))
    }

    /// Recomputes every hash and signature of the log, and compares it with the heads in and outside the database.
    pub async fn audit_verify(&self) -> Result<AuditReport, StoreError> {
        on_engine!(self, audit_verify())
    }

    /// What the heads kept outside know of the log and it does not hold, unless the operator has confirmed that.
    pub async fn restoration_missing(&self) -> Result<Option<Missing>, StoreError> {
        on_engine!(self, restoration_missing())
    }

    /// Signs the operator's word that the database was restored, for this reason, and begins the head outside anew.
    /// `None` when nothing is missing; an error when more is wrong with the log than that.
    pub async fn restoration_confirm(
        &self,
        call: Call,
        reason: String,
    ) -> Result<Option<Missing>, StoreError> {
        on_engine!(self, restoration_confirm(call, reason))
    }

    pub async fn fact_get(
        &self,
        caller: &Caller,
        space: &Space,
        id: FactId,
    ) -> Result<Option<Fact>, StoreError> {
        on_engine!(self, fact_get(caller, space, id))
    }

    /// Every row of the subject, oldest first.
    pub async fn fact_history(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        on_engine!(self, fact_history(caller, space, subject))
    }

    /// The active and flagged facts of one subject.
    pub async fn facts_standing(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        on_engine!(self, facts_standing(caller, space, subject))
    }

    /// The most recent facts that are no longer current, newest first.
    pub async fn facts_retired(
        &self,
        caller: &Caller,
        space: &Space,
        most: usize,
    ) -> Result<Vec<Fact>, StoreError> {
        on_engine!(self, facts_retired(caller, space, most))
    }

    /// The spaces of the caller's tenant in which something waits for a decision.
    pub async fn spaces_flagged(&self, caller: &Caller) -> Result<Vec<Space>, StoreError> {
        on_engine!(self, spaces_flagged(caller))
    }

    pub async fn space_exists(&self, caller: &Caller, space: &Space) -> Result<bool, StoreError> {
        on_engine!(self, space_exists(caller, space))
    }

    pub async fn space_changes(
        &self,
        caller: &Caller,
        space: &Space,
        since: Option<SpaceVersion>,
    ) -> Result<SpaceChanges, StoreError> {
        on_engine!(self, space_changes(caller, space, since))
    }

    pub async fn space_export(&self, caller: &Caller, space: &Space) -> Result<Export, StoreError> {
        on_engine!(self, space_export(caller, space))
    }

    /// Reconciles a statement with the space. The model is never asked again: what it proposed is judged against what
    /// is held now.
    pub async fn statement_commit(
        &self,
        call: Call,
        space: Space,
        slots: Arc<SlotSchema>,
        said: Said,
    ) -> Result<Plan, StoreError> {
        let proposer = said.proposer;
        let describe = move |plan: &Plan| Reconciled { plan, proposer }.record();
        on_engine!(self, statement_commit(call, space, slots, said, describe))
    }

    /// The facts that these very words came to, if every one of them is still active.
    pub async fn statement_known(
        &self,
        caller: &Caller,
        space: &Space,
        text: &str,
    ) -> Result<Option<Vec<Fact>>, StoreError> {
        on_engine!(self, statement_known(caller, space, text))
    }

    /// Gives a fact a new value; `None` when the space holds no fact of that id.
    pub async fn fact_update(
        &self,
        call: Call,
        space: Space,
        slots: Arc<SlotSchema>,
        edit: Edit,
    ) -> Result<Option<Planned>, StoreError> {
        let id = edit.id;
        let describe = move |planned: Option<&Planned>| Updated { id, planned }.record();
        on_engine!(self, fact_update(call, space, slots, edit, describe))
    }

    /// Confirms or rejects a flagged fact; `None` when the space holds no fact of that id.
    pub async fn change_decide(
        &self,
        call: Call,
        space: Space,
        id: FactId,
        verdict: Verdict,
        note: Option<String>,
    ) -> Result<Option<Planned>, StoreError> {
        let describe = move |planned: Option<&Planned>| Decided { id, verdict, planned }.record();
        on_engine!(self, change_decide(call, space, id, verdict, note, describe))
    }

    pub async fn policy_set(&self, call: Call, space: Space, policy: SourcePolicy) -> Result<(), StoreError> {
        let record = Record::done(policy.mode.word());
        on_engine!(self, policy_set(call, space, policy, record))
    }

    /// Whether the deployment was made with sources bound to principals.
    pub async fn sources_bound(&self) -> Result<bool, StoreError> {
        on_engine!(self, sources_bound())
    }

    pub async fn policy_get(&self, caller: &Caller, space: &Space) -> Result<SourcePolicy, StoreError> {
        on_engine!(self, policy_get(caller, space))
    }

    /// The vectors that this embedder made of the space's active facts.
    pub async fn vectors_of_space(
        &self,
        caller: &Caller,
        space: &Space,
        embedder: &str,
    ) -> Result<Vec<(FactId, Vec<f32>)>, StoreError> {
        on_engine!(self, vectors_of_space(caller, space, embedder))
    }

    /// Keeps vectors of facts that are still there.
    pub async fn vectors_put(
        &self,
        caller: &Caller,
        space: &Space,
        embedder: &str,
        vectors: Vec<(FactId, Vec<f32>)>,
    ) -> Result<(), StoreError> {
        on_engine!(self, vectors_put(caller, space, embedder, vectors))
    }

    /// Records the decision; returns its number and the hash of what was signed.
    pub async fn decision_record(
        &self,
        call: Call,
        space: Space,
        decision: NewDecision,
    ) -> Result<(i64, Hash), StoreError> {
        let beliefs = decision.beliefs.len();
        let describe = move |id| Taken { id, beliefs }.record();
        on_engine!(self, decision_record(call, space, decision, describe))
    }

    /// Finds a decision of that user in the caller's tenant, in whichever of the user's spaces it was recorded.
    pub async fn decision_explain(
        &self,
        caller: &Caller,
        user_id: &str,
        id: i64,
    ) -> Result<Option<DecisionRow>, StoreError> {
        on_engine!(self, decision_explain(caller, user_id, id))
    }

    /// Signs what is active for the subject now, anchored to the end of the audit log.
    pub async fn subject_attest(
        &self,
        call: Call,
        space: Space,
        subject: String,
    ) -> Result<Attested, StoreError> {
        let named = subject.clone();
        let describe = move |attested: &Attested| Attestation { subject: &named, attested }.record();
        on_engine!(self, subject_attest(call, space, subject, describe))
    }

    pub async fn receipt_get(&self, caller: &Caller, id: i64) -> Result<Option<ReceiptRow>, StoreError> {
        on_engine!(self, receipt_get(caller, id))
    }

    /// Erases one subject of one space. A subject that is not there leaves everything as it is, without a receipt.
    pub async fn subject_erase(
        &self,
        call: Call,
        space: Space,
        subject: String,
        also: Also,
    ) -> Result<Erased, StoreError> {
        self.typed_lines_remove()?;
        on_engine!(self, subject_erase(call, space, subject, also, Erased::record))
    }

    /// Erases the space, or with neither agent nor run named every space of the user.
    pub async fn space_erase(&self, call: Call, space: Space, also: Also) -> Result<Erased, StoreError> {
        self.typed_lines_remove()?;
        on_engine!(self, space_erase(call, space, also, Erased::record))
    }

    /// Erases what is older than the time. With `also.audit` the whole log is cut off before it.
    pub async fn expired_purge(
        &self,
        call: Call,
        space: Space,
        expired: Expired,
        also: Also,
    ) -> Result<Erased, StoreError> {
        self.typed_lines_remove()?;
        on_engine!(self, expired_purge(call, space, expired, also, Erased::record))
    }

    /// The principal that this is a key of, unless the key has ended or the principal was revoked. Read from the
    /// database each time, so that a key revoked by any process is dead in every process.
    pub async fn principal_by_key(
        &self,
        key: KeyHash,
        now: Timestamp,
    ) -> Result<Option<Principal>, StoreError> {
        on_engine!(self, principal_by_key(key, now))
    }

    /// The operator sees every tenant's principals, another caller its own tenant's.
    pub async fn principal_list(&self, caller: &Caller) -> Result<Vec<PrincipalState>, StoreError> {
        on_engine!(self, principal_list(caller))
    }

    pub async fn principal_create(
        &self,
        call: Call,
        principal: Principal,
        key: NewKey,
        seats: i64,
    ) -> Result<Creation, StoreError> {
        let made = principal.clone();
        let describe = move |creation| Created { principal: &made, creation }.record();
        on_engine!(self, principal_create(call, principal, key, seats, describe))
    }

    /// Ends the key of an active principal within the caller's reach; an erasure also removes one that was revoked before.
    pub async fn principal_revoke(
        &self,
        call: Call,
        id: String,
        how: Revocation,
    ) -> Result<Revoked, StoreError> {
        let named = id.clone();
        let describe = move |found| Ended { id: &named, found }.record();
        on_engine!(self, principal_revoke(call, id, how, describe))
    }
    /// Gives an active principal within the caller's reach a new key.
    pub async fn principal_rotate(
        &self,
        call: Call,
        id: String,
        rotation: Rotation,
    ) -> Result<Rotated, StoreError> {
        let named = id.clone();
        let describe = move |rotated: &Rotated| Renewed { id: &named, rotated }.record();
        on_engine!(self, principal_rotate(call, id, rotation, describe))
    }
}
