//! What a listing of the audit log asks for, and the query that finds it by an index on either engine.

use super::audit::{COLUMNS, RawEntry};
use crate::sql::Param;
use domain::{EntryNumber, Timestamp};

/// Whose entries a listing shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditReach {
    Deployment,
    Tenant,
    /// The entries of one user's spaces in the caller's tenant.
    User(String),
}

/// Which entries are listed, newest first: in their order in the log, or by their time where a time is asked for.
#[derive(Debug, Clone)]
pub struct AuditQuery {
    pub reach: AuditReach,
    /// Only what comes after the entry of this number in the listing.
    pub before: Option<EntryNumber>,
    pub action: Option<String>,
    pub caller: Option<String>,
    /// The earliest time, itself included.
    pub since: Option<Timestamp>,
    /// The latest time, itself included.
    pub until: Option<Timestamp>,
    pub most: usize,
}

/// A query with its values, in the order of their numbers.
#[derive(Debug, Default)]
struct Listing<'a> {
    conditions: Vec<String>,
    values: Vec<Param<'a>>,
}

/// The tenants that have entries, found by jumps through the index rather than by reading the log.
pub(crate) const TENANTS: &str = "WITH RECURSIVE known (tenant) AS (
    SELECT min(tenant) FROM audit_entry
    UNION ALL
    SELECT (SELECT min(tenant) FROM audit_entry WHERE tenant > known.tenant) FROM known WHERE known.tenant IS NOT NULL
 ) SELECT tenant FROM known WHERE tenant IS NOT NULL";

/// The time of the entry from which a listing goes on.
pub(crate) const TIME_OF: &str = "SELECT ts FROM audit_entry WHERE seq = $1";

impl AuditQuery {
    /// The indexes begin with the tenant. So a listing over all tenants that picks entries asks for each tenant's, and
    /// one that takes them as they come needs no index but the log's own order.
    pub(crate) fn is_by_tenant(&self) -> bool {
        self.reach == AuditReach::Deployment
            && (self.action.is_some() || self.caller.is_some() || self.is_by_time())
    }

    pub(crate) fn is_by_time(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// The query for one tenant, or for all of them. `from` is the time of the entry `before`, where that is there.
    pub(crate) fn listing<'a>(
        &'a self,
        tenant: Option<&'a str>,
        from: Option<i64>,
    ) -> (String, Vec<Param<'a>>) {
        let mut listing = Listing::default();
        listing.only("tenant =", tenant.map(Param::from));
        if let AuditReach::User(user) = &self.reach {
            listing.only("user_id =", Some(user.into()));
        }
        listing.only("action =", self.action.as_deref().map(Param::from));
        listing.only("caller =", self.caller.as_deref().map(Param::from));
        listing.only("ts >=", self.since.map(Param::from));
        listing.only("ts <=", self.until.map(Param::from));
        match (self.before, from.filter(|_| self.is_by_time())) {
            (Some(before), Some(from)) => {
                let (ts, seq) = (listing.value(from.into()), listing.value(before.into()));
                listing.conditions.push(format!("(ts, seq) < ({ts}, {seq})"));
            }
            (before, _) => listing.only("seq <", before.map(Param::from)),
        }
        let most = listing.value(i64::try_from(self.most).unwrap_or(i64::MAX).into());
        let conditions = match listing.conditions.as_slice() {
            [] => String::new(),
            some => format!("WHERE {}", some.join(" AND ")),
        };
        let order = if self.is_by_time() { "ts DESC, seq DESC" } else { "seq DESC" };
        let sql = format!("SELECT {COLUMNS} FROM audit_entry {conditions} ORDER BY {order} LIMIT {most}");
        (sql, listing.values)
    }

    /// What several tenants' queries found, as one listing.
    pub(crate) fn merged(&self, mut found: Vec<RawEntry>) -> Vec<RawEntry> {
        let by_time = self.is_by_time();
        found.sort_by_key(|row| std::cmp::Reverse((if by_time { row.ts } else { 0 }, row.seq)));
        found.truncate(self.most);
        found
    }
}

impl<'a> Listing<'a> {
    /// Takes the value in; returns its parameter in the query.
    fn value(&mut self, value: Param<'a>) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }

    fn only(&mut self, condition: &str, value: Option<Param<'a>>) {
        if let Some(value) = value {
            let value = self.value(value);
            self.conditions.push(format!("{condition} {value}"));
        }
    }
}
