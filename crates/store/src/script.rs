//! What a transaction does, written once for both engines. A script sees rows through a few operations; how they are
//! locked, grouped and sent is up to the engine.

use crate::StoreError;
use crate::apart::Apart;
use crate::call::{Call, Record};
use crate::copy::{Batch, Key, Table};
use crate::keys::Ring;
use crate::secrets::Secrets;
use crate::sql::{FromRow, Param, RowWrite};
use crate::state::Change;
use domain::{Account, FactId, SourcePolicy, Space, SpaceKey, Tenant};
use evidence::{LogEnd, SeqRange};
use reconcile::{HeldFacts, Needs, Plan, Write};
use std::sync::{Arc, LazyLock};

/// What an operation on rows gives, or why it failed.
pub(crate) type StoreResult<T> = Result<T, StoreError>;

/// A whole transaction that writes. It may be run again from the start when nothing of it was kept.
pub(crate) trait Script: Send + Sync + 'static {
    type Output: Send + 'static;

    fn ground(&self) -> Ground<'_>;

    fn touches(&self) -> Touches {
        Touches::Rows
    }

    fn durability(&self) -> Durability {
        Durability::Now
    }

    fn run<R: Rows>(&self, rows: &mut R) -> impl Future<Output = StoreResult<Self::Output>> + Send;
}

/// A script that is kept to be run again. Whatever the trait has is passed on.
impl<S: Script> Script for Arc<S> {
    type Output = S::Output;

    fn ground(&self) -> Ground<'_> {
        (**self).ground()
    }

    fn touches(&self) -> Touches {
        (**self).touches()
    }

    fn durability(&self) -> Durability {
        (**self).durability()
    }

    fn run<R: Rows>(&self, rows: &mut R) -> impl Future<Output = StoreResult<Self::Output>> + Send {
        (**self).run(rows)
    }
}

/// A question to the database, answered from one consistent view of it.
pub(crate) trait Query: Send + Sync + 'static {
    type Output: Send + 'static;

    fn reach(&self) -> Reach<'_>;

    /// Whom it is asked for.
    fn account(&self) -> Account {
        match self.reach() {
            Reach::Tenant(tenant) => Account { tenant: tenant.clone(), ..Account::of_deployment() },
            Reach::Deployment => Account::of_deployment(),
        }
    }

    /// Whether it is a single statement on what is of the whole deployment, which needs no transaction around it.
    fn is_lookup(&self) -> bool {
        false
    }

    /// Whether it opens as many rows as there are. That takes long, and is not done on the threads that serve everybody.
    fn is_large(&self) -> bool {
        false
    }

    fn run<D: Db>(&self, db: &mut D) -> impl Future<Output = StoreResult<Self::Output>> + Send;
}

/// A question that is kept to be asked again. Whatever the trait has is passed on.
impl<Q: Query> Query for Arc<Q> {
    type Output = Q::Output;

    fn reach(&self) -> Reach<'_> {
        (**self).reach()
    }

    fn account(&self) -> Account {
        (**self).account()
    }

    fn is_lookup(&self) -> bool {
        (**self).is_lookup()
    }

    fn is_large(&self) -> bool {
        (**self).is_large()
    }

    fn run<D: Db>(&self, db: &mut D) -> impl Future<Output = StoreResult<Self::Output>> + Send {
        (**self).run(db)
    }
}

/// Whose rows a transaction touches, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ground<'a> {
    pub tenant: &'a Tenant,
    space: Option<&'a Space>,
    /// The caller's id; empty for what the service does by itself.
    caller: &'a str,
}

impl<'a> Ground<'a> {
    /// What the service does in the space by itself.
    pub fn new(tenant: &'a Tenant, space: &'a Space) -> Self {
        Self { tenant, space: Some(space), caller: "" }
    }

    pub fn of(call: &'a Call) -> Self {
        Self { tenant: &call.caller.tenant, space: call.space.as_ref(), caller: call.caller.id() }
    }

    /// The call's, in a space that it need not have named.
    pub fn within(call: &'a Call, space: &'a Space) -> Self {
        Self { space: Some(space), ..Self::of(call) }
    }

    /// What the service does for the whole deployment.
    pub fn of_deployment() -> Self {
        static TENANT: LazyLock<Tenant> = LazyLock::new(Tenant::default);
        Self::tenant(&TENANT)
    }

    /// No space in particular.
    pub fn tenant(tenant: &'a Tenant) -> Self {
        Self { tenant, space: None, caller: "" }
    }

    /// In this order spaces are locked.
    pub fn place(self) -> (&'a Tenant, Option<&'a Space>) {
        (self.tenant, self.space)
    }

    pub fn account(self) -> Account {
        Account { tenant: self.tenant.clone(), caller: self.caller.to_owned() }
    }
}

/// What a transaction writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touches {
    Rows,
    /// An audit entry, and no row besides. It waits for nothing that rows wait for.
    Log,
    /// An audit entry that depends on what the calls before it have come to.
    LogInTurn,
    /// Rows, in a group of its own. A call may need that because it reads what the log holds so far, in which the entries
    /// of its group would be missing, or because it locks what other processes wait for, and must not hold it while
    /// its group waits for a space.
    RowsApart,
}

/// Whether the caller may hear of the commit before it has reached the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Durability {
    /// The entry of a read: it outlives the process at once, and a power cut a moment later.
    Soon,
    /// On disk before the reply.
    Now,
}

/// Whose rows a transaction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach<'a> {
    Tenant(&'a Tenant),
    /// The audit log, the principals and the numbers given out of every tenant, and nothing else.
    Deployment,
}

/// Numbers that are given out once within a tenant.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Series {
    Fact,
    Decision,
    Receipt,
    Space,
}

impl Series {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Decision => "decision",
            Self::Receipt => "receipt",
            Self::Space => "space",
        }
    }
}

/// What only one transaction at a time may do, whichever process it is of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Alone<'a> {
    /// Two processes that fill the last room of a tenant's quota at once: one of them waits, and then finds it full.
    /// Where that makes a circle with the lock of a space, PostgreSQL breaks one of them off, and it is run again.
    Storing(&'a Tenant),
    /// Two processes that fill the last seat at once: one of them waits, and then finds it taken.
    Seating,
    /// Nobody else appends to the log: where a key is retired, the log must not go on under it.
    Signing,
    /// Two purges of the audit log at once would each cut from what they saw, and the later anchor could come before
    /// the earlier cut.
    Purging,
    /// Of two that change what is kept apart at once, each would put back what the other took out.
    KeepingApart,
    /// A write that has not seen the graph turned on leaves no row for it. It is waited for, and then the rebuild sees
    /// what it wrote.
    TurningOnGraph,
}

/// The facts that a plan must see, and the policy of their space.
pub(crate) type PlanBasis = (HeldFacts, SourcePolicy);

/// Reading rows.
pub(crate) trait Db: Send {
    fn secrets(&self) -> &Secrets;

    /// A table to be read by this index, for an engine that would choose worse.
    fn by_index(table: &str, index: &str) -> String;

    fn one<T: FromRow>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
    ) -> impl Future<Output = StoreResult<Option<T>>> + Send;

    fn all<T: FromRow>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
    ) -> impl Future<Output = StoreResult<Vec<T>>> + Send;

    /// What the statement finds for each of the numbers, in no particular order. Its `$1` is the tenant, and a number is
    /// compared as `= $2`, so that an engine can put a list there; `rest` begins with `$3`.
    fn all_each<T: FromRow>(
        &mut self,
        sql: &str,
        tenant: &Tenant,
        each: &[i64],
        rest: &[Param<'_>],
    ) -> impl Future<Output = StoreResult<Vec<T>>> + Send;

    /// Like [`Self::all_each`], for keys in place of numbers.
    fn all_keyed<T: FromRow>(
        &mut self,
        sql: &str,
        tenant: &Tenant,
        keys: &[Vec<u8>],
    ) -> impl Future<Output = StoreResult<Vec<T>>> + Send;

    /// What is kept apart from the rows.
    fn apart(&mut self, what: Apart) -> impl Future<Output = StoreResult<Option<Vec<u8>>>> + Send;

    /// The master keys as they are kept by now.
    fn ring(&mut self) -> impl Future<Output = StoreResult<Ring>> + Send;

    /// The next rows of a table, those of a tenant where it is divided, as they are; none of them at its end.
    fn table_page(
        &mut self,
        table: &'static Table,
        tenant: Option<&Tenant>,
        after: Option<&Key>,
    ) -> impl Future<Output = StoreResult<Batch>> + Send;

    /// The numbered rows of a tenant, as they are; those that are not there are left out.
    fn table_rows(
        &mut self,
        table: &'static Table,
        tenant: &Tenant,
        numbers: &[i64],
    ) -> impl Future<Output = StoreResult<Batch>> + Send;

    /// What a plan rests on, found by key: the cost follows the statement, not the space.
    fn plan_basis(
        &mut self,
        space: SpaceKey<'_>,
        needs: &Needs,
    ) -> impl Future<Output = StoreResult<PlanBasis>> + Send;
}

/// A transaction that writes.
pub(crate) trait Rows: Send {
    type Db: Db;

    /// At the end of a query: the rows that it finds are ours alone until the transaction ends.
    const LOCK: &'static str;

    /// Puts facts of the tenant `$1` into the outbox, where the graph is on: `$2` is their numbers as a JSON list, `$3`
    /// the time, and `$4` the receipt of their erasure.
    const OUTBOX: &'static str;

    fn db(&mut self) -> &mut Self::Db;

    /// Opens the rows of another reach to what follows.
    fn reach(&mut self, reach: Reach<'_>) -> impl Future<Output = StoreResult<()>> + Send;

    fn alone(&mut self, doing: Alone<'_>) -> impl Future<Output = StoreResult<()>> + Send;

    /// How many rows were written.
    fn run(&mut self, sql: &str, params: &[Param<'_>]) -> impl Future<Output = StoreResult<u64>> + Send;

    /// Carries the steps out in their order.
    fn run_all(&mut self, steps: Vec<RowWrite<'_>>) -> impl Future<Output = StoreResult<()>> + Send;

    /// Takes so many numbers in a row that were never given out; returns the first.
    fn take(
        &mut self,
        tenant: &Tenant,
        series: Series,
        count: i64,
    ) -> impl Future<Output = StoreResult<i64>> + Send;

    /// The number to make a plan with as long as it is not known how many it needs.
    fn ahead(&mut self, tenant: &Tenant) -> impl Future<Output = StoreResult<FactId>> + Send;

    /// Where the log ends, as far as this transaction knows.
    fn log_end(&mut self) -> impl Future<Output = StoreResult<LogEnd>> + Send;

    /// Notes that this transaction changes a principal.
    fn principals_changed(&mut self) -> impl Future<Output = StoreResult<()>> + Send;

    /// Writes what is kept apart from the rows.
    fn apart_set(&mut self, what: Apart, value: &[u8]) -> impl Future<Output = StoreResult<()>> + Send;

    /// Goes on with the keys as this transaction has changed them.
    fn keys_changed(&mut self) -> impl Future<Output = StoreResult<()>> + Send;

    /// Writes the call's audit entry, naming the earlier entries whose detail it blanked, and counts the call. The
    /// transaction does not commit unless the key that the call was made with is still good.
    fn record(
        &mut self,
        call: &Call,
        record: &Record,
        blanks: &[SeqRange],
    ) -> impl Future<Output = StoreResult<()>> + Send;

    /// The next entry lists every row as it was when the log ended with the entry of that number.
    fn list_rows(&mut self, at: u64, rows: Vec<Change>);

    /// The next entry says this of a row, too.
    fn tell(&mut self, change: Change);

    /// Writes an entry of the log that is of no tool's call.
    fn note(&mut self, call: &Call, record: &Record) -> impl Future<Output = StoreResult<()>> + Send;

    /// Like [`Db::all_each`], for a statement that finds nothing.
    fn run_each(
        &mut self,
        sql: &str,
        tenant: &Tenant,
        each: &[i64],
        rest: &[Param<'_>],
    ) -> impl Future<Output = StoreResult<()>> + Send {
        async move {
            self.db().all_each::<()>(sql, tenant, each, rest).await?;
            Ok(())
        }
    }

    /// Makes the plan with numbers of its own for the facts that it adds: `plan` gets the first of them. It is made
    /// again where the numbers that were taken are others than it was first made with, and is then the same plan.
    fn numbered<E: Send>(
        &mut self,
        tenant: &Tenant,
        plan: impl Fn(FactId) -> Result<Plan, E> + Send + Sync,
    ) -> impl Future<Output = StoreResult<Result<Plan, E>>> + Send {
        async move {
            let ahead = self.ahead(tenant).await?;
            let draft = plan(ahead);
            let new = draft.as_ref().map_or(0, new_facts);
            if new == 0 {
                return Ok(draft);
            }
            let first = FactId(self.take(tenant, Series::Fact, new).await?);
            Ok(if first == ahead { draft } else { plan(first) })
        }
    }
}

/// How many facts the plan adds.
fn new_facts(plan: &Plan) -> i64 {
    plan.writes.iter().filter(|write| matches!(write, Write::Insert(_))).count() as i64
}
