//! Checking the chain as it streams by. What is kept between chunks does not grow with the log.

use crate::seqset::SeqSet;
use crate::{
    KEY_ROTATED, Keyring, LogEnd, Position, SignedAnchor, SignedHead, SignedRestoration, Statement,
    StoredDetail, StoredEntry,
};
use std::collections::VecDeque;
use std::num::NonZero;

mod batch;
mod broken;
mod contents;

pub use broken::Broken;

#[derive(Debug)]
pub struct ChainVerifier<'a> {
    keys: Option<&'a Keyring>,
    start: Position,
    last: LogEnd,
    /// Heads that the entries to come must meet, the smallest first.
    outside: VecDeque<SignedHead>,
    /// Positions up to which restorations say that the log was kept, the smallest first.
    kept: VecDeque<Position>,
    /// Blanked entries that no later entry has accounted for yet.
    unanswered: SeqSet,
    workers: usize,
}

impl<'a> ChainVerifier<'a> {
    /// Without `keys` the deployment signs nothing, and hashes alone are checked. `outside` are the heads kept
    /// outside the database; read them before the log, or a head may be newer than the entries read.
    pub fn new(
        keys: Option<&'a Keyring>,
        anchor: Option<&SignedAnchor>,
        outside: Vec<SignedHead>,
    ) -> Result<Self, Broken> {
        let last = match anchor {
            None => LogEnd::genesis(),
            Some(anchor) => {
                let at = anchor.statement.at;
                if !is_vouched_for(anchor, keys) {
                    return Err(Broken::at(
                        at.size,
                        "the anchor of the purged entries has no valid signature",
                    ));
                }
                LogEnd { hash: at.hash, tree: anchor.statement.tree() }
            }
        };
        Self::from(keys, last.at(), last, outside)
    }

    /// Goes on after `end`, up to where the log was found intact and has not changed since. It begins at `start`. Outside
    /// heads that are not beyond `end` were met then.
    pub fn after(
        keys: Option<&'a Keyring>,
        start: Position,
        end: LogEnd,
        outside: Vec<SignedHead>,
    ) -> Result<Self, Broken> {
        Self::from(keys, start, end, outside)
    }

    fn from(
        keys: Option<&'a Keyring>,
        start: Position,
        last: LogEnd,
        mut outside: Vec<SignedHead>,
    ) -> Result<Self, Broken> {
        let from = last.at();
        outside.sort_by_key(|head| head.statement.at.size);
        for head in &outside {
            let at = head.statement.at;
            if !is_vouched_for(head, keys) {
                return Err(Broken::at(at.size, "a head kept outside the database has no valid signature"));
            }
            if at.size == from.size && !agrees(head, &last) {
                return Err(rewritten(head));
            }
        }
        // Nothing is left of purged entries to compare with.
        outside.retain(|head| head.statement.at.size > from.size);
        let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
        let outside = outside.into();
        let (kept, unanswered) = (VecDeque::new(), SeqSet::default());
        Ok(Self { keys, start, last, outside, kept, unanswered, workers })
    }

    /// Takes the operator's word for what is missing since the database was restored. Outside heads of that part do not
    /// count against the log; the log must pass through the positions that the notes say were kept.
    pub fn restored(mut self, notes: &[SignedRestoration]) -> Result<Self, Broken> {
        let from = self.last.at();
        for note in notes {
            let kept = note.statement.kept;
            if !is_vouched_for(note, self.keys) {
                return Err(Broken::at(kept.size, "a note of a restoration has no valid signature"));
            }
            if kept.size == from.size && kept.hash != from.hash {
                return Err(diverged(kept));
            }
            // Nothing is left of purged entries to compare with.
            if kept.size > from.size {
                self.kept.push_back(kept);
            }
            self.outside.retain(|head| !note.statement.covers(&head.statement));
        }
        self.kept.make_contiguous().sort_by_key(|kept| kept.size);
        Ok(self)
    }

    /// Chunks of a few thousand entries are checked fastest. After a failure the verifier is of no more use.
    pub fn push(&mut self, chunk: &[StoredEntry]) -> Result<(), Broken> {
        let contents = contents::check(chunk, self.keys, self.workers);
        let linked = match contents {
            None => chunk,
            // The position of the faulty entry is still checked: a missing neighbour is the clearer reason.
            Some((index, _)) => chunk.get(..=index).unwrap_or(chunk),
        };
        linked.iter().try_for_each(|stored| self.link(stored))?;
        contents.map_or(Ok(()), |(_, broken)| Err(broken))
    }

    /// Checks that the entry follows the one before it. Its stored hash is trusted here.
    fn link(&mut self, stored: &StoredEntry) -> Result<(), Broken> {
        let entry = &stored.entry;
        let before = self.last.at();
        let expected = before.size.saturating_add(1);
        if entry.seq < expected {
            return Err(Broken::at(entry.seq, "the entry stands twice or out of order"));
        }
        if entry.seq > expected {
            return Err(Broken::at(
                expected,
                format!("the entry is missing; entry {} stands in its place", entry.seq),
            ));
        }
        let Some(hash) = stored.hash else {
            return Err(Broken::at(entry.seq, "the entry has no hash"));
        };
        if entry.prev != before.hash {
            return Err(Broken::at(
                entry.seq,
                format!("the entry does not follow the hash of entry {}", before.size),
            ));
        }
        if let Some(reason) = entry.blanks_fault() {
            return Err(Broken::at(entry.seq, reason));
        }
        if entry.action == KEY_ROTATED && self.keys.is_some_and(|keys| !keys.retires_at(before)) {
            return Err(Broken::at(
                entry.seq,
                "the entry tells of a new signing key, and the key history does not; put the newest copy of the \
                 signing key file back",
            ));
        }
        entry.blanks.iter().for_each(|range| self.unanswered.remove(*range));
        if stored.detail == StoredDetail::Blanked {
            self.unanswered.push(entry.seq);
        }
        self.last.pass(hash);
        while let Some(head) = self.outside.pop_front_if(|head| head.statement.at.size == entry.seq) {
            if !agrees(&head, &self.last) {
                return Err(rewritten(&head));
            }
        }
        while let Some(kept) = self.kept.pop_front_if(|kept| kept.size == entry.seq) {
            if kept.hash != hash {
                return Err(diverged(kept));
            }
        }
        Ok(())
    }

    /// Up to where the entries were checked so far.
    pub const fn end(&self) -> &LogEnd {
        &self.last
    }

    pub const fn start(&self) -> Position {
        self.start
    }

    /// Returns how many entries were verified. `head` is the one in the database.
    pub fn finish(self, head: Option<&SignedHead>) -> Result<u64, Broken> {
        let last = self.last.at();
        match head {
            Some(head) => self.meet(head)?,
            None if last.size > 0 => {
                return Err(Broken::at(
                    last.size,
                    "the log has entries, and the database has no head for it",
                ));
            }
            None => {}
        }
        if let Some(head) = self.outside.back() {
            return Err(Broken::at(
                last.size.saturating_add(1),
                format!(
                    "the log was rolled back: it is shorter than a head kept outside the database, which was signed at \
                     {} and counts {} entries; {RESTORED}",
                    head.statement.ts, head.statement.at.size
                ),
            ));
        }
        if let Some(kept) = self.kept.front() {
            return Err(diverged(*kept));
        }
        if let Some(seq) = self.unanswered.first() {
            return Err(Broken::at(seq, "the detail was blanked, and no later entry says so"));
        }
        Ok(last.size - self.start.size)
    }

    fn meet(&self, head: &SignedHead) -> Result<(), Broken> {
        let (at, last) = (head.statement.at, self.last.at());
        if !is_vouched_for(head, self.keys) {
            Err(Broken::at(at.size, "the head has no valid signature"))
        } else if at.size < self.start.size {
            Err(Broken::at(self.start.size, "the anchor of the purged entries is newer than the head"))
        } else if at.size > last.size {
            let reason = format!("the entry is missing; the head counts {} entries", at.size);
            Err(Broken::at(last.size.saturating_add(1), reason))
        } else if at.size < last.size {
            let reason = format!("the entry stands after the head, which counts {} entries", at.size);
            Err(Broken::at(at.size + 1, reason))
        } else if at.hash != last.hash {
            Err(Broken::at(at.size, "the head names another hash than that of the last entry"))
        } else if !agrees(head, &self.last) {
            Err(Broken::at(at.size, "the head names another root than that of the tree over the entries"))
        } else {
            Ok(())
        }
    }
}

fn is_vouched_for<T: Statement>(signed: &crate::Signed<T>, keys: Option<&Keyring>) -> bool {
    keys.is_none_or(|keys| signed.is_signed_by(keys))
}

/// Whether the head is of the log that ends here.
fn agrees(head: &SignedHead, end: &LogEnd) -> bool {
    head.statement.at == end.at() && head.statement.tree.is_none_or(|tree| tree.root == end.tree.root())
}

/// What an operator can do who knows why the log has changed.
pub const RESTORED: &str =
    "if this database was restored from a backup, confirm that with svc restore --confirm REASON";

fn rewritten(head: &SignedHead) -> Broken {
    let reason = format!(
        "the log was rewritten: a head kept outside the database, signed at {}, names another hash here; {RESTORED}",
        head.statement.ts
    );
    Broken::at(head.statement.at.size, reason)
}

fn diverged(kept: Position) -> Broken {
    Broken::at(
        kept.size,
        "a note of a restoration says that the log was kept up to here, and it is not this log",
    )
}
