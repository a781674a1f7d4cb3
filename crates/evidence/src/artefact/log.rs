//! The whole log as lines of JSON, or that of a tenant with the hashes of all other entries.

use super::distinct;
use super::entries::{entry, head};
use super::json::{At, Fault};
use super::keys::key_history;
use crate::seqset::SeqSet;
use crate::{Anchor, KEY_ROTATED, Keyring, LogEnd, SignedHead};
use domain::counted;
use serde_json::Value;

/// What the first line of such a file has.
pub(super) const MARK: &str = "audit_export";

/// Checks the lines as they come. What is kept between them does not grow with the log.
#[derive(Debug)]
pub struct LogCheck {
    keys: Keyring,
    line: u64,
    end: LogEnd,
    start: u64,
    /// Whose entries are shown in full; `None` for everybody's.
    tenant: Option<String>,
    shown: u64,
    passed: u64,
    blanked: u64,
    unanswered: SeqSet,
    head: Option<SignedHead>,
}

impl LogCheck {
    pub fn new(keys: Keyring) -> Self {
        Self {
            keys,
            line: 0,
            end: LogEnd::genesis(),
            start: 0,
            tenant: None,
            shown: 0,
            passed: 0,
            blanked: 0,
            unanswered: SeqSet::default(),
            head: None,
        }
    }

    /// Whether a file that begins with this line is of this kind.
    pub fn begins(line: &str) -> bool {
        serde_json::from_str::<Value>(line).is_ok_and(|value| value.get(MARK).is_some())
    }

    pub fn line(&mut self, line: &str) -> Result<(), Fault> {
        self.line += 1;
        let place = format!("line {}", self.line);
        let value = distinct::read(line.as_bytes()).map_err(|e| Fault {
            at: place.clone(),
            why: format!("it is not JSON: column {}: {}", e.column(), distinct::why(&e)),
        })?;
        let at = At::root(place, &value);
        if self.head.is_some() {
            return Err(at.fault("it follows the head, which is the last line"));
        }
        if self.line == 1 {
            return self.begin(&at);
        }
        if let Some(found) = at.maybe("head") {
            self.head = Some(head(&found, &self.keys)?);
            return Ok(());
        }
        self.entry(&at)
    }

    fn begin(&mut self, at: &At<'_>) -> Result<(), Fault> {
        if at.get(MARK)?.number()? != 1 {
            return Err(at.fault("this file is of a newer form than this program knows"));
        }
        if !at.has("tenant") {
            return Err(at.fault("it names no tenant, and does not say that it is of all of them (null)"));
        }
        self.tenant = at.maybe("tenant").map(|tenant| tenant.text().map(str::to_owned)).transpose()?;
        if let Some(history) = at.maybe("key_history") {
            self.keys = self.keys.clone().following(&key_history(&history)?);
        }
        if let Some(anchor) = at.maybe("anchor") {
            let anchor = anchor.signed::<Anchor>(&self.keys)?.statement;
            self.end = LogEnd { hash: anchor.at.hash, tree: anchor.tree() };
            self.start = anchor.at.size;
        }
        Ok(())
    }

    fn entry(&mut self, at: &At<'_>) -> Result<(), Fault> {
        let before = self.end.at();
        let expected = before.size.saturating_add(1);
        let seq = at.get("seq")?.number()?;
        if seq != expected {
            return Err(at.fault(format!("it is entry {seq}, where entry {expected} must come")));
        }
        if at.maybe("body").is_none() {
            if self.tenant.is_none() {
                return Err(at.fault("an export of the whole log shows every entry"));
            }
            self.end.pass(at.get("hash")?.hash()?);
            self.passed += 1;
            return Ok(());
        }
        let checked = entry(at, &self.keys)?;
        if checked.entry.prev != before.hash {
            return Err(at.fault(format!("entry {seq} does not follow the hash of entry {}", before.size)));
        }
        if checked.entry.action == KEY_ROTATED && !self.keys.retires_at(before) {
            return Err(at.fault("it tells of a new signing key, and the key history does not"));
        }
        checked.entry.blanks.iter().for_each(|range| self.unanswered.remove(*range));
        if checked.is_blanked() {
            self.unanswered.push(seq);
            self.blanked += 1;
        }
        self.shown += 1;
        self.end.pass(checked.hash);
        Ok(())
    }

    /// What the file proves.
    pub fn finish(self) -> Result<String, Fault> {
        let place = |why: String| Fault { at: "the end of the file".to_owned(), why };
        let Some(head) = self.head else {
            return Err(place("the head is missing; the file was cut".to_owned()));
        };
        let (head, end) = (head.statement, self.end.at());
        if head.at != end {
            let (size, count) = (head.at.size, end.size);
            return Err(place(format!(
                "the head counts {size} entries and the file {count}, or their hashes differ"
            )));
        }
        if head.tree.is_none() && self.passed > 0 {
            return Err(place(
                "the head is from before the log was a tree, and vouches for no single hash".to_owned(),
            ));
        }
        if head.tree.is_some_and(|tree| tree.root != self.end.tree.root()) {
            return Err(place("the root of the head is not that of the tree over these entries".to_owned()));
        }
        if self.tenant.is_none()
            && let Some(seq) = self.unanswered.first()
        {
            return Err(place(format!("the detail of entry {seq} was blanked, and no later entry says so")));
        }
        let kept = end.size - self.start;
        let entries = counted(kept, "entry", "entries");
        let purged =
            if self.start == 0 { String::new() } else { format!(" after {} that were purged", self.start) };
        let blanked = if self.blanked == 0 {
            String::new()
        } else {
            format!("; {} with the detail erased", self.blanked)
        };
        Ok(match self.tenant {
            None => format!(
                "the whole log as of {}: {entries}{purged}, none missing, none changed{blanked}",
                head.ts
            ),
            Some(tenant) => format!(
                "{} of tenant {tenant} in their places in the log as of {}, which counts {entries}{purged}{blanked}; of \
                 the others only the hashes are here, so that none of those is of this tenant is the operator's word",
                counted(self.shown, "entry", "entries"),
                head.ts
            ),
        })
    }
}
