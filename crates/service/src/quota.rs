//! Quotas: how much one key, and one tenant, may ask for. Calls are counted here, by each process for itself; facts and
//! bytes by the store.

use domain::{Caller, Identity, OwnQuotas, Quota, SetBy};
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

impl Quotas {
    /// The setting that holds for every key, and what it allows.
    pub fn of_key(&self, quota: Quota) -> (&'static str, Option<u64>) {
        let calls = |most: Option<usize>| most.and_then(|most| u64::try_from(most).ok());
        let held = |most: Option<i64>| most.and_then(|most| u64::try_from(most).ok());
        match quota {
            Quota::CallsPerMinute => ("SVC_QUOTA_KEY_CALLS", calls(self.key.calls_per_minute)),
            Quota::AtOnce => ("SVC_QUOTA_KEY_CONCURRENT", calls(self.key.concurrent)),
            Quota::Facts => ("SVC_QUOTA_KEY_FACTS", held(self.storage.key.facts)),
            Quota::Bytes => ("SVC_QUOTA_KEY_BYTES", held(self.storage.key.bytes)),
        }
    }
}

/// What counts for one key or one tenant, and who set it.
#[derive(Debug, Clone, Copy, Default)]
struct Limits {
    calls_per_minute: Option<(usize, SetBy)>,
    concurrent: Option<(usize, SetBy)>,
}

impl Limits {
    /// The lower of what the deployment allows and what the principal has of its own.
    fn narrowed(deployment: CallQuotas, own: &OwnQuotas) -> Self {
        Self {
            calls_per_minute: own.narrow(Quota::CallsPerMinute, deployment.calls_per_minute),
            concurrent: own.narrow(Quota::AtOnce, deployment.concurrent),
        }
    }
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
            let limits = Limits::narrowed(quotas.key, &principal.quotas);
            wanted.push((Who::Key(principal.id.to_string()), limits));
        }
        let limits = Limits::narrowed(quotas.tenant, &OwnQuotas::default());
        wanted.push((Who::Tenant(caller.tenant.to_string()), limits));
        wanted.retain(|(_, limits)| limits.calls_per_minute.is_some() || limits.concurrent.is_some());
        let mut counts = self.0.lock();
        for (who, limits) in &wanted {
            counts.entry(who.clone()).or_default().check(who, *limits, now)?;
        }
        for (who, limits) in &wanted {
            let count = counts.entry(who.clone()).or_default();
            count.under_way += 1;
            if limits.calls_per_minute.is_some() {
                count.calls.push_back(now);
            }
        }
        Ok(Ticket { meter: self.clone(), held: wanted.into_iter().map(|(who, _)| who).collect() })
    }
}

impl Count {
    fn check(&mut self, who: &Who, limits: Limits, now: Instant) -> Result<(), OverQuota> {
        let left = |at: &Instant| MINUTE.saturating_sub(now.saturating_duration_since(*at));
        while self.calls.front().is_some_and(|oldest| left(oldest).is_zero()) {
            self.calls.pop_front();
        }
        if let Some((most, set_by)) = limits.calls_per_minute
            && self.calls.len() >= most
        {
            let wait = self.calls.front().map_or(MINUTE, left);
            let seconds = wait.as_millis().div_ceil(1000).max(1);
            let why = format!(
                "{} {most} call(s) a minute, and {} were made. Try again in {seconds} second(s).{}",
                allows(who, "CALLS", set_by),
                self.calls.len(),
                changed_by(set_by)
            );
            return Err(OverQuota { why, retry_after: Some(wait) });
        }
        if let Some((most, set_by)) = limits.concurrent
            && self.under_way >= most
        {
            let why = format!(
                "{} {most} call(s) at once, and {} are under way. Try again when one of them has ended.{}",
                allows(who, "CONCURRENT", set_by),
                self.under_way,
                changed_by(set_by)
            );
            return Err(OverQuota { why, retry_after: Some(SOON) });
        }
        Ok(())
    }
}

fn allows(who: &Who, what: &str, set_by: SetBy) -> String {
    match (set_by, who) {
        (SetBy::Deployment, Who::Key(_)) => format!("SVC_QUOTA_KEY_{what} allows a key"),
        (SetBy::Deployment, Who::Tenant(_)) => format!("SVC_QUOTA_TENANT_{what} allows a tenant"),
        (SetBy::Principal, _) => "the quota of this key allows it".to_owned(),
    }
}

fn changed_by(set_by: SetBy) -> &'static str {
    match set_by {
        SetBy::Deployment => "",
        SetBy::Principal => " An admin can change that quota, in the console or with svc principal change.",
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
        Caller, Identity, OwnQuotas, Principal, PrincipalKind, PrincipalOrigin, Quota, Role, Scopes, Tenant,
        Timestamp,
    };
    use std::num::NonZeroU64;
    use std::time::{Duration, Instant};

    fn caller(id: &str) -> Caller {
        let principal = Principal {
            id: PrincipalOrigin::ApiKey.id(id),
            name: id.to_owned(),
            role: Role::Agent,
            kind: PrincipalKind::Agent,
            tenant: Tenant::default(),
            scopes: Scopes::All,
            quotas: OwnQuotas::default(),
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
    fn a_quota_of_its_own_narrows_and_never_lifts() {
        let key = CallQuotas { calls_per_minute: Some(2), concurrent: None };
        let (quotas, meter, now) = (Quotas { key, ..Quotas::default() }, Meter::default(), Instant::now());
        let enter = |own: Option<u64>| {
            let mut caller = caller("a");
            if let Identity::Principal(principal) = &mut caller.identity {
                principal.quotas.set(Quota::CallsPerMinute, own.and_then(NonZeroU64::new));
            }
            meter.enter(&quotas, &caller, now).map(drop).map_err(|over| over.why)
        };
        assert!(enter(None).is_ok());
        let own = enter(Some(1)).unwrap_err();
        assert!(
            own.starts_with("the quota of this key allows it 1 call(s) a minute, and 1 were made."),
            "{own}"
        );
        assert!(
            own.ends_with("An admin can change that quota, in the console or with svc principal change.")
        );
        assert!(enter(Some(9)).is_ok());
        let lower = enter(Some(9)).unwrap_err();
        assert!(lower.starts_with("SVC_QUOTA_KEY_CALLS allows a key 2 call(s)"), "{lower}");
        let (quotas, meter) = (Quotas::default(), Meter::default());
        let mut caller = caller("a");
        if let Identity::Principal(principal) = &mut caller.identity {
            principal.quotas.set(Quota::AtOnce, NonZeroU64::new(1));
        }
        let first = meter.enter(&quotas, &caller, now);
        let over = meter.enter(&quotas, &caller, now).unwrap_err();
        assert!(over.why.starts_with("the quota of this key allows it 1 call(s) at once"), "{}", over.why);
        drop(first);
        assert!(meter.0.lock().is_empty());
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
