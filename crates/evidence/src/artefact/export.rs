//! The export of a space.

use super::entries::{entry, head, included};
use super::json::{At, Fault, Finding};
use super::statements::{decision, receipt};
use crate::{Entry, Head, Keyring};
use domain::{Space, counted};

pub(super) fn export(root: &At<'_>, keys: &Keyring) -> Vec<Finding> {
    let mut found = Vec::new();
    let head = match root.maybe("audit_head").map(|at| head(&at, keys)).transpose() {
        Ok(head) => head.map(|head| head.statement),
        Err(fault) => {
            found.push(Err(fault));
            None
        }
    };
    let space = match space(root) {
        Ok(space) => space,
        Err(fault) => return vec![Err(fault)],
    };
    each(root, "receipts", &mut found, |at| receipt(at, keys, Some(&space)));
    each(root, "decisions", &mut found, |at| decision(at, keys, Some(&space)));
    match entries(root, keys, head.as_ref(), &space) {
        Ok(said) => found.push(Ok(said)),
        Err(fault) => found.push(Err(fault)),
    }
    if let Err(fault) = readable(root) {
        found.push(Err(fault));
    }
    if let Some(records) = root.maybe("records").and_then(|at| at.items().ok()) {
        let records = counted(records.len() as u64, "fact", "facts");
        found.push(Ok(format!("{records} without signatures: nothing here vouches for what they say")));
    }
    found
}

fn space(root: &At<'_>) -> Result<Space, Fault> {
    let at = root.get("space")?;
    let text = |name: &str| at.maybe(name).map_or(Ok(""), |found| found.text());
    Ok(Space::new(text("user_id")?, text("agent_id")?, text("run_id")?))
}

fn readable(root: &At<'_>) -> Result<(), Fault> {
    let at = root.get("unreadable")?;
    match at.number()? {
        0 => Ok(()),
        some => Err(
            at.fault(format!("the service itself could not read {some} record(s) when it made this export"))
        ),
    }
}

fn each(
    root: &At<'_>,
    name: &str,
    found: &mut Vec<Finding>,
    check: impl Fn(&At<'_>) -> Result<String, Fault>,
) {
    match root.get(name).and_then(|list| list.items()) {
        Ok(items) => found.extend(items.iter().map(check)),
        Err(fault) => found.push(Err(fault)),
    }
}

/// Each entry is vouched for by itself: the entries of one space are not all of the log.
fn entries(root: &At<'_>, keys: &Keyring, head: Option<&Head>, space: &Space) -> Result<String, Fault> {
    let list = root.get("audit")?;
    let mut before = 0;
    let (mut count, mut blanked) = (0, 0);
    for at in list.items()? {
        let checked = entry(&at, keys)?;
        if checked.entry.seq <= before {
            return Err(at.fault(format!("entry {} comes after entry {before}", checked.entry.seq)));
        }
        before = checked.entry.seq;
        let Entry { user, agent, run, .. } = &checked.entry;
        if [user, agent, run] != [&space.user_id, &space.agent_id, &space.run_id] {
            return Err(at.fault("it is an entry of another space"));
        }
        let Some(head) = head else { return Err(at.fault("no head vouches for it")) };
        if checked.entry.changes.is_some() {
            included(&at, &checked, head)?;
        }
        count += 1;
        blanked += u64::from(checked.is_blanked());
    }
    let entries = counted(count, "audit entry", "audit entries");
    let blanked =
        if blanked == 0 { String::new() } else { format!(", {blanked} of them with the detail erased") };
    let of = head
        .map_or_else(String::new, |head| format!(" of the log that counted {} at {}", head.at.size, head.ts));
    Ok(format!("{entries}{of}{blanked}; that none is left out, only an export of the whole log shows"))
}
