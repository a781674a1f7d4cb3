//! Samples with fixed times and keys, for the tests in the files beside this one.

use crate::{
    Appender, Attestation, Belief, Canonical, Draft, Erased, Erasure, Frontier, Hash, Head, Keyring, LogEnd,
    Origin, Owner, Position, Receipt, ReceiptKind, SeqRange, Signed, SignedHead, Signer, StoredDetail,
    StoredEntry,
};
use domain::{DecisionId, FactId, ReceiptId, Space, Tenant, Timestamp};

mod decisions;
mod flips;
mod merkle;
mod note;
mod page;
mod restorations;
mod roundtrip;
mod succession;
mod tampering;
mod witness;

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn noon() -> Timestamp {
    time("2026-11-01T12:00:00.25Z")
}

fn signer() -> Signer {
    Signer::from_seed([7; 32])
}

fn keys() -> Keyring {
    Keyring::new(signer().public_key(), vec![])
}

fn draft(detail: &str, blanks: Vec<SeqRange>) -> Draft {
    Draft {
        ts: noon(),
        action: "remember".to_owned(),
        user: "ann".to_owned(),
        agent: "helper".to_owned(),
        run: "r1".to_owned(),
        caller: "prin_01".to_owned(),
        request_id: "req-1".to_owned(),
        detail: detail.to_owned(),
        blanks,
        changes: Vec::new(),
    }
}

fn owner() -> Owner {
    Owner { id: DecisionId(12), tenant: Tenant::default(), space: Space::new("ann", "helper", "") }
}

fn belief() -> Belief {
    Belief {
        memory_id: FactId(5),
        subject: "database".to_owned(),
        value: "Postgres 16".to_owned(),
        confidence: 0.95,
        source: Some("ops".to_owned()),
        status: "ACTIVE".to_owned(),
        supersedes: Some(FactId(3)),
    }
}

fn position() -> Position {
    Position { size: 41, hash: Hash([0xab; 32]) }
}

fn attestation() -> Receipt {
    Receipt {
        id: ReceiptId(3),
        tenant: Tenant::default(),
        space: Some(Space::new("ann", "helper", "")),
        ts: noon(),
        kind: ReceiptKind::Attestation(Attestation {
            subject: "database".to_owned(),
            value: "Postgres 16 · SQLite".to_owned(),
            memory_ids: vec![FactId(5), FactId(6)],
        }),
        audit: position(),
    }
}

fn erasure() -> Receipt {
    let what = Erasure {
        what: Erased::Subject("database".to_owned()),
        memory_ids: vec![FactId(3), FactId(5)],
        decisions_redacted: 1,
        decisions_removed: 0,
        receipts_removed: 0,
        audit_blanked: 4,
        summaries: None,
        graph_pending: false,
        keys_destroyed: Vec::new(),
        keys_checked: 0,
    };
    Receipt { id: ReceiptId(4), kind: ReceiptKind::Erasure(what), ..attestation() }
}

/// The same where there is an entity graph, and the receipt that follows it.
fn erasures_with_graph() -> [Receipt; 2] {
    let pending = erasure();
    let ReceiptKind::Erasure(erased) = &pending.kind else { panic!("no erasure") };
    let first = Erasure { graph_pending: true, summaries: Some(vec![DecisionId(12)]), ..erased.clone() };
    let second = Erasure {
        what: Erased::FromGraph(pending.id),
        decisions_redacted: 0,
        audit_blanked: 0,
        ..erased.clone()
    };
    let followed = Receipt { id: ReceiptId(5), kind: ReceiptKind::Erasure(second), ..attestation() };
    [Receipt { kind: ReceiptKind::Erasure(first), ..pending }, followed]
}

/// Of all that a user had, with the user's key.
fn erasure_of_user() -> Receipt {
    let erased = erasure();
    let ReceiptKind::Erasure(erasure) = erased.kind.clone() else { panic!("no erasure") };
    let whole = Erasure { what: Erased::User, keys_destroyed: vec![0x00ab_cdef_0123_4567], ..erasure };
    Receipt { id: ReceiptId(6), kind: ReceiptKind::Erasure(whole), ..erased }
}

/// Eight entries; the sixth blanks the second and third.
fn chain(signer: Option<&Signer>) -> (Vec<StoredEntry>, SignedHead) {
    let mut appender = Appender::new(LogEnd::genesis());
    let mut entries: Vec<StoredEntry> = (1..=8)
        .map(|seq| {
            let blanks = if seq == 6 { vec![SeqRange { first: 2, last: 3 }] } else { vec![] };
            appender.append(draft(&format!("ADD subject {seq}"), blanks)).unwrap()
        })
        .collect();
    entries[1].detail = StoredDetail::Blanked;
    entries[2].detail = StoredDetail::Blanked;
    (entries, signed_head(&appender, noon(), signer))
}

/// The same as the first version wrote it: each entry with its signature, and a head without a tree.
fn old_chain(signer: Option<&Signer>) -> (Vec<StoredEntry>, SignedHead) {
    let (mut entries, _) = chain(signer);
    let mut at = Position::GENESIS;
    for stored in &mut entries {
        stored.entry.prev = at.hash;
        stored.entry.changes = None;
        stored.signature = signer.map(|signer| signer.sign(&stored.entry.encode()));
        stored.hash = Some(stored.entry.hash());
        at = Position { size: stored.entry.seq, hash: stored.entry.hash() };
    }
    (entries, Signed::new(Head { at, ts: noon(), tree: None }, signer))
}

fn origin() -> Origin {
    Origin(signer().key_id())
}

fn signed_head(appender: &Appender, ts: Timestamp, signer: Option<&Signer>) -> SignedHead {
    Signed::new(appender.end().head(origin(), ts), signer)
}

/// The end of the log after these entries.
fn end_of(entries: &[StoredEntry]) -> LogEnd {
    let mut appender = Appender::new(LogEnd::genesis());
    entries.iter().for_each(|stored| appender.pass(stored.hash.unwrap()));
    appender.end().clone()
}

fn tree_of_41() -> Frontier {
    Frontier::repeated(41, Hash([0xcd; 32]))
}
