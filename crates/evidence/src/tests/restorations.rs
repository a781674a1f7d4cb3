//! Which heads outside a note of a restoration excuses, and which it does not.

use super::{chain, draft, end_of, keys, noon, signed_head, signer, time};
use crate::{
    Appender, Broken, ChainVerifier, Hash, Head, Position, Restoration, Signed, SignedHead,
    SignedRestoration, Signer, StoredEntry,
};

const LOST: u64 = 12;

/// A log of eight entries that once had twelve, and then the note and two entries more.
struct Restored {
    entries: Vec<StoredEntry>,
    head: SignedHead,
    notes: Vec<SignedRestoration>,
    outside: Vec<SignedHead>,
}

/// The four entries that were lost were signed by now.
fn before() -> domain::Timestamp {
    time("2026-11-02T12:00:00Z")
}

fn confirmed() -> domain::Timestamp {
    time("2026-11-03T12:00:00Z")
}

fn head_at(size: u64, ts: domain::Timestamp, signer: &Signer) -> SignedHead {
    Signed::new(Head { at: Position { size, hash: Hash([0xcd; 32]) }, ts, tree: None }, Some(signer))
}

impl Restored {
    fn new() -> Self {
        let (mut entries, head) = chain(Some(&signer()));
        let kept = head.statement.at;
        let lost = head_at(LOST, before(), &signer());
        let note = Restoration {
            kept,
            lost: lost.statement.at,
            ts: confirmed(),
            reason: "the disk failed".to_owned(),
        };
        let signer = signer();
        let mut appender = Appender::new(end_of(&entries));
        entries.extend((0..2).map(|_| appender.append(draft("later", vec![])).unwrap()));
        let head = signed_head(&appender, confirmed(), Some(&signer));
        Self { entries, head, notes: vec![Signed::new(note, Some(&signer))], outside: vec![lost] }
    }

    fn note(&mut self, change: impl FnOnce(&mut Restoration)) {
        change(&mut self.notes[0].statement);
        self.notes[0] = Signed::new(self.notes[0].statement.clone(), Some(&signer()));
    }

    fn verify(&self) -> Result<u64, Broken> {
        let keys = keys();
        let mut verifier =
            ChainVerifier::new(Some(&keys), None, self.outside.clone())?.restored(&self.notes)?;
        self.entries.chunks(3).try_for_each(|chunk| verifier.push(chunk))?;
        verifier.finish(Some(&self.head))
    }

    #[track_caller]
    fn broken(&self, reason: &str) {
        let broken = self.verify().unwrap_err();
        assert!(broken.reason.contains(reason), "{broken:?}");
    }
}

#[test]
fn only_a_confirmed_restoration_is_intact() {
    let mut log = Restored::new();
    assert_eq!(log.verify(), Ok(10));
    log.notes.clear();
    log.broken("svc restore --confirm");
}

#[test]
fn a_note_covers_exactly_the_heads_of_the_missing_part() {
    for size in 1..LOST + 3 {
        let mut log = Restored::new();
        log.outside = vec![head_at(size, before(), &signer())];
        assert_eq!(log.verify().is_ok(), (9..=LOST).contains(&size), "a head that counts {size}");
    }
}

#[test]
fn a_head_signed_after_the_note_counts_against_the_log() {
    for ts in [confirmed(), time("2026-11-04T00:00:00Z")] {
        let mut log = Restored::new();
        log.outside = vec![head_at(11, ts, &signer())];
        log.broken("rolled back");
        log.outside = vec![head_at(9, ts, &signer())];
        log.broken("rewritten");
    }
}

#[test]
fn a_rollback_after_the_note_is_noticed() {
    let mut log = Restored::new();
    log.outside = vec![log.head.clone()];
    assert_eq!(log.verify(), Ok(10));
    log.entries.truncate(8);
    log.head = Signed::new(Head { at: log.notes[0].statement.kept, ts: noon(), tree: None }, Some(&signer()));
    log.broken("rolled back");
}

#[test]
fn a_forged_or_unsigned_note_is_noticed() {
    let mut log = Restored::new();
    log.notes[0] = Signed::new(log.notes[0].statement.clone(), Some(&Signer::from_seed([8; 32])));
    log.broken("no valid signature");
    log.notes[0].signature = None;
    log.broken("no valid signature");
    let mut log = Restored::new();
    log.notes[0].statement.reason.push('!');
    log.broken("no valid signature");
}

#[test]
fn a_forged_head_in_the_missing_part_is_noticed() {
    let mut log = Restored::new();
    log.outside = vec![head_at(LOST, before(), &Signer::from_seed([8; 32]))];
    log.broken("no valid signature");
}

#[test]
fn a_note_of_another_log_is_noticed() {
    for (size, lost) in [(8, LOST), (3, LOST), (11, LOST)] {
        let mut log = Restored::new();
        log.outside.clear();
        log.note(|note| {
            note.kept = Position { size, hash: Hash([1; 32]) };
            note.lost.size = lost;
        });
        log.broken("it is not this log");
    }
}

#[test]
fn several_restorations_are_told_apart() {
    let mut log = Restored::new();
    let first = log.entries[3].clone();
    let earlier = Restoration {
        kept: Position { size: 4, hash: first.hash.unwrap() },
        lost: Position { size: 6, hash: Hash([2; 32]) },
        ts: noon(),
        reason: "a mistake".to_owned(),
    };
    log.notes.push(Signed::new(earlier, Some(&signer())));
    assert_eq!(log.verify(), Ok(10));
    // What the first one lost is excused for heads of its own time alone.
    log.outside.push(head_at(5, before(), &signer()));
    log.broken("rewritten");
}
