//! Quotas: how much one key, and one tenant, may ask for. Calls are counted here, by each process for itself; facts and
//! bytes by the store.

use domain::{Caller, Identity};
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{OverStorage, StorageQuotas};

const MINUTE: Duration = Duration::from_secs(60);
/// When to come back where a call that is under way has to end first.
const SOON: Duration = Duration::from_secs(1);

/// What the operator allows; nothing set is no quota.
#[derive(Debug, Clone, Default)]
pub struct Quotas {
    pub key: CallQuotas,
    pub tenant: CallQuotas,
    pub storage: StorageQuotas,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct CallQuotas {
    pub calls_per_minute: Option<usize>,
    pub concurrent: Option<usize>,
}

/// A quota that is used up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverQuota {
    pub why: String,
    /// When to come back; `None` where only erasing makes room.
    pub retry_after: Option<Duration>,
}

impl From<OverStorage> for OverQuota {
    fn from(over: OverStorage) -> Self {
        Self { why: over.to_string(), retry_after: None }
    }
}

/// Whose calls are counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Who {
    Key(String),
    Tenant(String),
}

#[derive(Debug, Default)]
struct Count {
    /// When the calls of the last minute came, oldest first; empty where there is no quota on them.
    calls: VecDeque<Instant>,
    under_way: usize,
}

/// Clones share what they count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter(Arc<Mutex<HashMap<Who, Count>>>);

/// Held while a call is under way.
#[derive(Debug)]
pub(crate) struct Ticket {
    meter: Meter,
    held: Vec<Who>,
}

impl Meter {
    /// Lets a call in, where both its key and its tenant have room. The person at the machine has no key.
    pub fn enter(&self, quotas: &Quotas, caller: &Caller, now: Instant) -> Result<Ticket, OverQuota> {
        let mut wanted = Vec::new();
        if let Identity::Principal(principal) = &caller.identity {
            wanted.push((Who::Key(principal.id.to_string()), quotas.key));
        }
        wanted.push((Who::Tenant(caller.tenant.to_string()), quotas.tenant));
        wanted.retain(|(_, quota)| quota.calls_per_minute.is_some() || quota.concurrent.is_some());
        let mut counts = self.0.lock();
        for (who, quota) in &wanted {
            counts.entry(who.clone()).or_default().check(who, *quota, now)?;
        }
        for (who, quota) in &wanted {
            let count = counts.entry(who.clone()).or_default();
            count.under_way += 1;
            if quota.calls_per_minute.is_some() {
                count.calls.push_back(now);
            }
        }
        Ok(Ticket { meter: self.clone(), held: wanted.into_iter().map(|(who, _)| who).collect() })
    }
}

impl Count {
    fn check(&mut self, who: &Who, quota: CallQuotas, now: Instant) -> Result<(), OverQuota> {
        let (word, whose) = match who {
            Who::Key(_) => ("KEY", "a key"),
            Who::Tenant(_) => ("TENANT", "a tenant"),
        };
        let left = |at: &Instant| MINUTE.saturating_sub(now.saturating_duration_since(*at));
        while self.calls.front().is_some_and(|oldest| left(oldest).is_zero()) {
            self.calls.pop_front();
        }
        if let Some(most) = quota.calls_per_minute
            && self.calls.len() >= most
        {
            let wait = self.calls.front().map_or(MINUTE, left);
            let seconds = wait.as_millis().div_ceil(1000).max(1);
            let why = format!(
                "SVC_QUOTA_{word}_CALLS allows {whose} {most} call(s) a minute, and {} were made. Try again in {seconds} \
                 second(s).",
                self.calls.len()
            );
            return Err(OverQuota { why, retry_after: Some(wait) });
        }
        if let Some(most) = quota.concurrent
            && self.under_way >= most
        {
            let why = format!(
                "SVC_QUOTA_{word}_CONCURRENT allows {whose} {most} call(s) at once, and {} are under way. Try again when \
                 one of them has ended.",
                self.under_way
            );
            return Err(OverQuota { why, retry_after: Some(SOON) });
        }
        Ok(())
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut counts = self.meter.0.lock();
        for who in &self.held {
            if let Some(count) = counts.get_mut(who) {
                count.under_way = count.under_way.saturating_sub(1);
                if count.under_way == 0 && count.calls.is_empty() {
                    counts.remove(who);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CallQuotas, Meter, Quotas};
    use domain::{
        Caller, Identity, Principal, PrincipalKind, PrincipalOrigin, Role, Scopes, Tenant, Timestamp,
    };
    use std::time::{Duration, Instant};

    fn caller(id: &str) -> Caller {
        let principal = Principal {
            id: PrincipalOrigin::ApiKey.id(id),
            name: id.to_owned(),
            role: Role::Agent,
            kind: PrincipalKind::Agent,
            tenant: Tenant::default(),
            scopes: Scopes::All,
            shown: None,
        };
        let now = Instant::now();
        Caller::new(Identity::Principal(principal), "r".to_owned(), Timestamp::now(), now)
    }

    #[test]
    fn a_key_has_its_calls_and_the_tenant_has_them_together() {
        let key = CallQuotas { calls_per_minute: Some(2), concurrent: None };
        let tenant = CallQuotas { calls_per_minute: Some(3), concurrent: None };
        let (quotas, meter) = (Quotas { key, tenant, ..Quotas::default() }, Meter::default());
        let start = Instant::now();
        let enter = |id: &str, seconds| {
            meter.enter(&quotas, &caller(id), start + Duration::from_secs(seconds)).map(drop)
        };
        assert!(enter("a", 0).is_ok() && enter("a", 10).is_ok());
        let over = enter("a", 20).unwrap_err();
        assert_eq!(over.retry_after, Some(Duration::from_secs(40)));
        assert!(over.why.starts_with("SVC_QUOTA_KEY_CALLS allows a key 2 call(s) a minute"), "{}", over.why);
        assert!(enter("b", 20).is_ok());
        let over = enter("b", 21).unwrap_err();
        assert!(over.why.starts_with("SVC_QUOTA_TENANT_CALLS"), "{}", over.why);
        assert!(enter("a", 60).is_ok());
    }

    #[test]
    fn a_call_that_has_ended_makes_room() {
        let key = CallQuotas { calls_per_minute: None, concurrent: Some(1) };
        let (quotas, meter) = (Quotas { key, ..Quotas::default() }, Meter::default());
        let now = Instant::now();
        let first = meter.enter(&quotas, &caller("a"), now);
        assert!(first.is_ok() && meter.enter(&quotas, &caller("b"), now).is_ok());
        let over = meter.enter(&quotas, &caller("a"), now).unwrap_err();
        assert!(over.why.starts_with("SVC_QUOTA_KEY_CONCURRENT allows a key 1 call(s)"), "{}", over.why);
        drop(first);
        assert!(meter.enter(&quotas, &caller("a"), now).is_ok());
        assert!(meter.0.lock().is_empty());
    }
}
