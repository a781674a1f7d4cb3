//! Every way to tamper with a log, and the place at which it shows.

use super::{chain, draft, end_of, keys, noon, old_chain, origin, signed_head, signer};
use crate::{
    Anchor, Appender, Broken, Canonical, ChainVerifier, Disclosure, Entry, Hash, Head, Keyring, LogEnd,
    Position, SeqRange, Signed, SignedAnchor, SignedHead, Signer, StoredDetail, StoredEntry, TreeHead,
};

struct Log {
    entries: Vec<StoredEntry>,
    head: Option<SignedHead>,
    outside: Vec<SignedHead>,
    anchor: Option<SignedAnchor>,
}

impl Log {
    fn of((entries, head): (Vec<StoredEntry>, SignedHead)) -> Self {
        Self { entries, outside: vec![head.clone()], head: Some(head), anchor: None }
    }

    fn signed() -> Self {
        Self::of(chain(Some(&signer())))
    }

    /// As the first version wrote it.
    fn old() -> Self {
        Self::of(old_chain(Some(&signer())))
    }

    fn verify_by(&self, keys: Option<&Keyring>, chunk: usize) -> Result<u64, Broken> {
        let mut verifier = ChainVerifier::new(keys, self.anchor.as_ref(), self.outside.clone())?;
        self.entries.chunks(chunk).try_for_each(|c| verifier.push(c))?;
        verifier.finish(self.head.as_ref())
    }

    fn verify(&self) -> Result<u64, Broken> {
        let whole = self.verify_by(Some(&keys()), 1000);
        for chunk in [1, 3, 5] {
            assert_eq!(self.verify_by(Some(&keys()), chunk), whole, "in chunks of {chunk}");
        }
        whole
    }

    fn at(&self, seq: u64) -> Position {
        let stored = self.entries.iter().find(|e| e.entry.seq == seq).unwrap();
        Position { size: seq, hash: stored.hash.unwrap() }
    }

    /// Purges the entries up to `seq`.
    fn purged(mut self, seq: u64) -> Self {
        let (kept, purged) = (self.at(seq), self.entries.iter().filter(|e| e.entry.seq <= seq).cloned());
        let tree = Some(end_of(&purged.collect::<Vec<_>>()).tree);
        self.anchor = Some(Signed::new(Anchor { at: kept, ts: noon(), tree }, Some(&signer())));
        self.entries.retain(|e| e.entry.seq > seq);
        self
    }
}

/// In a log of either form.
#[track_caller]
fn check(tamper: impl Fn(&mut Log), seq: u64, reason: &str) {
    check_in(Log::signed(), &tamper, seq, reason);
    check_in(Log::old(), tamper, seq, reason);
}

#[track_caller]
fn check_in(mut log: Log, tamper: impl Fn(&mut Log), seq: u64, reason: &str) {
    tamper(&mut log);
    expect(&log, seq, reason);
}

#[track_caller]
fn expect(log: &Log, seq: u64, reason: &str) {
    let broken = log.verify().unwrap_err();
    assert_eq!(broken.seq, seq, "{}", broken.reason);
    assert!(broken.reason.contains(reason), "{}", broken.reason);
    assert!(!broken.reason.ends_with('.'), "{}", broken.reason);
}

fn head_at(at: Position, signer: &Signer) -> SignedHead {
    Signed::new(Head { at, ts: noon(), tree: None }, Some(signer))
}

#[test]
fn an_untouched_log_is_intact() {
    assert_eq!(Log::signed().verify(), Ok(8));
    assert_eq!(Log::old().verify(), Ok(8));
    assert_eq!(Log::of(chain(None)).verify_by(None, 3), Ok(8));
    assert_eq!(Log::of(old_chain(None)).verify_by(None, 3), Ok(8));
    let empty = Log { entries: vec![], head: None, outside: vec![], anchor: None };
    assert_eq!(empty.verify(), Ok(0));
}

#[test]
fn an_edited_field_is_found_where_it_is() {
    let edits: [fn(&mut StoredEntry); 9] = [
        |e| e.entry.action = "forged".to_owned(),
        |e| e.entry.user = "bob".to_owned(),
        |e| e.entry.agent.clear(),
        |e| e.entry.run.push('x'),
        |e| e.entry.caller = "local".to_owned(),
        |e| e.entry.request_id.clear(),
        |e| e.entry.ts = super::time("2026-11-01T12:00:00.250000001Z"),
        |e| e.entry.detail = Disclosure::salted("other").unwrap().commitment(),
        |e| e.entry.blanks.push(SeqRange { first: 1, last: 1 }),
    ];
    for edit in edits {
        check(|log| edit(&mut log.entries[3]), 4, "edited");
    }
    // The text moves from one field to its neighbour.
    check(
        |log| {
            let entry = &mut log.entries[3].entry;
            entry.agent = format!("{}{}", entry.user, entry.agent);
            entry.user.clear();
        },
        4,
        "edited",
    );
}

#[test]
fn a_log_of_the_old_form_goes_on_in_the_new_one() {
    let mut log = Log::old();
    let mut appender = Appender::new(end_of(&log.entries));
    log.entries.extend((0..3).map(|_| appender.append(draft("later", vec![])).unwrap()));
    log.head = Some(signed_head(&appender, noon(), Some(&signer())));
    assert_eq!(log.verify(), Ok(11));
    log.entries[4].signature = None;
    expect(&log, 5, "no signature");
}

#[test]
fn an_edit_with_a_new_hash_is_found() {
    let forge = |log: &mut Log| {
        log.entries[3].entry.action = "forged".to_owned();
        log.entries[3].hash = Some(log.entries[3].entry.hash());
    };
    check_in(Log::signed(), forge, 5, "does not follow");
    check_in(Log::old(), forge, 4, "signature does not match");
    let mut unsigned = Log::old();
    forge(&mut unsigned);
    assert_eq!(unsigned.verify_by(None, 1000).unwrap_err().seq, 5);
}

#[test]
fn a_chain_that_was_computed_anew_is_found_by_the_head() {
    let mut log = Log::signed();
    log.entries[3].entry.action = "forged".to_owned();
    let mut prev = log.entries[2].hash.unwrap();
    for stored in log.entries.iter_mut().skip(3) {
        stored.entry.prev = prev;
        prev = stored.entry.hash();
        stored.hash = Some(prev);
    }
    log.outside.clear();
    expect(&log, 8, "another hash");
}

#[test]
fn an_entry_that_pretends_to_another_form_is_found() {
    check_in(Log::signed(), |log| log.entries[3].entry.changes = None, 4, "edited");
    check_in(Log::old(), |log| log.entries[3].entry.changes = Some(Hash::ZERO), 4, "edited");
    check_in(Log::signed(), |log| log.entries[3].entry.changes = Some(Hash([1; 32])), 4, "edited");
    check_in(Log::signed(), |log| log.entries[3].signature = Some(signer().sign(b"x")), 4, "have none");
}

#[test]
fn a_head_with_another_root_is_found() {
    let wrong = |log: &Log| {
        let tree = Some(TreeHead { origin: origin(), root: Hash::ZERO });
        Signed::new(Head { at: log.at(8), ts: noon(), tree }, Some(&signer()))
    };
    check(|log| log.head = Some(wrong(log)), 8, "another root");
    check(|log| log.outside = vec![wrong(log)], 8, "rewritten");
}

#[test]
fn a_wrong_or_missing_hash_is_found() {
    check(|log| log.entries[3].hash = Some(Hash::ZERO), 4, "hash does not match");
    check(|log| log.entries[3].hash = None, 4, "no hash");
    check(|log| log.entries.iter_mut().for_each(|e| e.hash = None), 1, "no hash");
}

#[test]
fn a_wrong_or_missing_signature_is_found() {
    check_in(Log::old(), |log| log.entries[3].signature = None, 4, "no signature");
    let swapped = |log: &mut Log| log.entries[3].signature = log.entries[4].signature;
    check_in(Log::old(), swapped, 4, "signature does not match");
    let stranger = Signer::from_seed([1; 32]);
    let signed = |log: &mut Log| log.entries[3].signature = Some(stranger.sign(b"x"));
    check_in(Log::old(), signed, 4, "not this deployment's");
    check_in(
        Log::old(),
        |log| {
            log.entries[3].signature.as_mut().unwrap().bytes[10] ^= 1;
            log.entries[6].entry.action.clear();
        },
        4,
        "signature does not match",
    );
}

#[test]
fn a_wrong_link_is_found() {
    check(|log| log.entries[3].entry.prev = Hash::ZERO, 4, "does not follow");
}

#[test]
fn deleted_repeated_and_reordered_entries_are_found() {
    check(|log| drop(log.entries.remove(2)), 3, "missing; entry 4 stands");
    check(|log| drop(log.entries.remove(0)), 1, "missing");
    check(|log| log.entries.insert(3, log.entries[2].clone()), 3, "twice or out of order");
    check(|log| log.entries.swap(3, 4), 4, "missing; entry 5 stands");
    check(|log| log.entries[3].entry.seq = 40, 4, "missing; entry 40 stands");
    check(
        |log| {
            // Every later entry is numbered anew to close the gap.
            log.entries.remove(2);
            log.entries.iter_mut().skip(2).for_each(|e| e.entry.seq -= 1);
        },
        3,
        "does not follow",
    );
}

#[test]
fn a_truncated_tail_is_found_by_the_head() {
    check(|log| log.entries.truncate(6), 7, "head counts 8");
    check(|log| log.entries.clear(), 1, "head counts 8");
}

#[test]
fn a_rolled_back_database_is_found_by_the_head_outside() {
    check(
        |log| {
            log.entries.truncate(6);
            log.head = Some(head_at(log.at(6), &signer()));
        },
        7,
        "rolled back",
    );
    check(
        |log| {
            log.entries.clear();
            log.head = None;
        },
        1,
        "rolled back",
    );
}

#[test]
fn any_outside_head_shows_a_rewritten_log() {
    let old = Log::signed();
    let mut log = Log::signed();
    log.outside = vec![head_at(old.at(4), &signer())];
    expect(&log, 4, "rewritten");
    log.outside = vec![log.head.clone().unwrap(), head_at(log.at(4), &signer())];
    assert_eq!(log.verify(), Ok(8));
}

#[test]
fn a_head_that_does_not_fit_is_found() {
    check(|log| log.head = None, 8, "no head");
    check(|log| log.head = Some(head_at(log.at(6), &signer())), 7, "after the head");
    let other = Position { size: 8, hash: Hash::ZERO };
    check(|log| log.head = Some(head_at(other, &signer())), 8, "another hash");
    let stranger = Signer::from_seed([1; 32]);
    check(|log| log.head = Some(head_at(log.at(8), &stranger)), 8, "no valid signature");
    check(|log| log.outside = vec![head_at(log.at(8), &stranger)], 8, "no valid signature");
    check(|log| log.head.as_mut().unwrap().signature = None, 8, "no valid signature");
}

#[test]
fn a_detail_that_is_not_the_one_written_is_found() {
    check(|log| log.entries[3].detail = log.entries[4].detail.clone(), 4, "detail");
    check(|log| log.entries[3].detail = StoredDetail::Unreadable, 4, "cannot be read");
    check(
        |log| {
            let StoredDetail::Present(detail) = &mut log.entries[3].detail else { unreachable!() };
            detail.content.push(b'!');
        },
        4,
        "detail",
    );
}

#[test]
fn a_blanked_detail_needs_a_later_entry() {
    check(|log| log.entries[3].detail = StoredDetail::Blanked, 4, "no later entry");
    // The sixth entry accounts for earlier ones alone.
    check(|log| log.entries[6].detail = StoredDetail::Blanked, 7, "no later entry");
}

#[test]
fn an_entry_cannot_blank_itself_or_later_ones() {
    for (first, last, reason) in
        [(8, 8, "not before"), (3, 9, "not before"), (0, 2, "empty"), (4, 2, "empty")]
    {
        let mut log = Log::signed();
        log.entries.pop();
        let mut forged = Appender::new(end_of(&log.entries)).append(draft("x", vec![])).unwrap();
        forged.entry.blanks = vec![SeqRange { first, last }];
        forged.hash = Some(forged.entry.hash());
        log.entries.push(forged);
        log.head = Some(head_at(log.at(8), &signer()));
        log.outside.clear();
        expect(&log, 8, reason);
        let draft = draft("x", vec![SeqRange { first, last }]);
        assert!(Appender::new(end_of(&log.entries[..7])).append(draft).is_err());
    }
}

#[test]
fn a_purged_log_goes_on_from_its_anchor() {
    assert_eq!(Log::signed().purged(3).verify(), Ok(5));
    assert_eq!(Log::signed().purged(8).verify(), Ok(0));
    let mut older = Log::signed();
    older.outside.push(head_at(older.at(2), &signer()));
    assert_eq!(older.purged(3).verify(), Ok(5));
}

#[test]
fn an_anchor_from_before_the_tree_stands_for_what_was_purged() {
    let mut log = Log::old().purged(3);
    log.anchor = Some(Signed::new(
        Anchor { at: log.anchor.unwrap().statement.at, ts: noon(), tree: None },
        Some(&signer()),
    ));
    assert_eq!(log.verify(), Ok(5));
    let mut appender = Appender::new(LogEnd {
        hash: log.anchor.as_ref().unwrap().statement.at.hash,
        tree: log.anchor.as_ref().unwrap().statement.tree(),
    });
    log.entries.iter().for_each(|stored| appender.pass(stored.hash.unwrap()));
    log.entries.push(appender.append(draft("later", vec![])).unwrap());
    log.head = Some(signed_head(&appender, noon(), Some(&signer())));
    assert_eq!(log.verify(), Ok(6));
}

#[test]
fn an_anchor_that_does_not_fit_is_found() {
    let mut missing = Log::signed().purged(3);
    missing.anchor = None;
    expect(&missing, 1, "missing");

    let mut unsigned = Log::signed().purged(3);
    unsigned.anchor.as_mut().unwrap().signature = None;
    expect(&unsigned, 3, "no valid signature");

    let mut newer = Log::signed().purged(8);
    newer.head = Some(head_at(Log::signed().at(6), &signer()));
    newer.outside.clear();
    expect(&newer, 8, "newer than the head");

    let at = Position { size: 3, hash: Hash::ZERO };
    let mut elsewhere = Log::signed().purged(3);
    elsewhere.anchor = Some(Signed::new(Anchor { at, ts: noon(), tree: None }, Some(&signer())));
    expect(&elsewhere, 4, "does not follow");

    let mut more = Log::signed().purged(3);
    more.entries.remove(0);
    expect(&more, 4, "missing");

    let mut other_tree = Log::signed().purged(3);
    let anchor = Anchor { tree: None, ..other_tree.anchor.unwrap().statement };
    other_tree.anchor = Some(Signed::new(anchor, Some(&signer())));
    other_tree.outside.clear();
    expect(&other_tree, 8, "another root");

    let mut contradicted = Log::signed().purged(3);
    contradicted.outside.push(head_at(at, &signer()));
    expect(&contradicted, 3, "rewritten");
}

#[test]
fn entries_of_a_retired_key_stay_valid() {
    let (old, new) = (signer(), Signer::from_seed([2; 32]));
    let (mut entries, _) = old_chain(Some(&old));
    let mut appender = Appender::new(end_of(&entries));
    entries.push(appender.append(draft("after the rotation", vec![])).unwrap());
    let head = signed_head(&appender, noon(), Some(&new));
    let log = Log { entries, outside: vec![], head: Some(head), anchor: None };
    let ring = Keyring::new(new.public_key(), vec![old.public_key()]);
    assert_eq!(log.verify_by(Some(&ring), 4), Ok(9));
    let forgetful = Keyring::new(new.public_key(), vec![]);
    assert_eq!(log.verify_by(Some(&forgetful), 4).unwrap_err().seq, 1);
}

#[test]
fn one_false_signature_among_thousands_is_named_exactly() {
    let signer = signer();
    let mut entries = Vec::new();
    let mut prev = Hash::ZERO;
    for seq in 1..=2500 {
        let mut stored = Appender::new(LogEnd::genesis()).append(draft("x", vec![])).unwrap();
        let entry = Entry { seq, prev, changes: None, ..stored.entry };
        stored.signature = Some(signer.sign(&entry.encode()));
        (stored.hash, prev) = (Some(entry.hash()), entry.hash());
        stored.entry = entry;
        entries.push(stored);
    }
    for seq in [1, 1024, 1025, 1250, 1251, 2300, 2500] {
        let honest = entries[seq - 1].signature;
        entries[seq - 1].signature.as_mut().unwrap().bytes[0] ^= 1;
        let keys = keys();
        let mut verifier = ChainVerifier::new(Some(&keys), None, vec![]).unwrap();
        assert_eq!(verifier.push(&entries).unwrap_err().seq, seq as u64);
        entries[seq - 1].signature = honest;
    }
}
