//! The test vectors of the format's page, made anew from a fixed seed.

use super::{attestation, belief, erasure, erasure_of_user, erasures_with_graph, keys, noon, owner, signer};
use crate::{
    Anchor, Appender, Canonical, Disclosure, Entry, Handover, Hash, Head, KeyHistory, LogEnd, Origin,
    Position, Restoration, Salt, SeqRange, Signed, Signer, Snapshot,
};
use domain::FactId;

const PAGE: &str = include_str!("../../../../docs/evidence-format.md");

fn salted(salt: u8, content: impl Into<Vec<u8>>) -> Disclosure {
    Disclosure { salt: Salt([salt; 16]), content: content.into() }
}

fn entry(detail: &Disclosure) -> Entry {
    Entry {
        seq: 2,
        ts: noon(),
        action: "remember".to_owned(),
        user: "ann".to_owned(),
        agent: "helper".to_owned(),
        run: String::new(),
        caller: "local".to_owned(),
        request_id: "req-1".to_owned(),
        detail: detail.commitment(),
        blanks: vec![SeqRange { first: 1, last: 1 }],
        prev: Hash([0xab; 32]),
        changes: Some(Hash([0xef; 32])),
    }
}

/// The log of an entry with the hash that ours follows, and ours.
fn end(entry: &Entry) -> LogEnd {
    let mut appender = Appender::new(LogEnd::genesis());
    appender.pass(entry.prev);
    appender.pass(entry.hash());
    appender.end().clone()
}

fn snapshot(summary: &Disclosure, belief: &Disclosure) -> Snapshot {
    Snapshot {
        owner: owner(),
        ts: noon(),
        summary: summary.commitment(),
        beliefs: vec![(FactId(5), belief.commitment())],
    }
}

fn restoration(kept: Position) -> Restoration {
    let lost = Position { size: 5, hash: Hash([0xcd; 32]) };
    Restoration { kept, lost, ts: noon(), reason: "the disk failed".to_owned() }
}

fn vectors() -> String {
    let signer = signer();
    let key = signer.public_key();
    let detail = salted(0x11, "ADD database");
    let (summary, held) = (salted(0x22, "ship it"), salted(0x33, belief().encode()));
    let entry = entry(&detail);
    let old_entry = Signed::new(Entry { changes: None, ..entry.clone() }, Some(&signer));
    let end = end(&entry);
    let (at, old_at) = (end.at(), Position { size: 2, hash: old_entry.digest() });
    let head = Signed::new(end.head(Origin(key.key_id()), noon()), Some(&signer));
    let anchor = Anchor { at, ts: noon(), tree: Some(end.tree.clone()) };
    let old_anchor = Anchor { at: old_at, ts: noon(), tree: None };
    let snapshot = Signed::new(snapshot(&summary, &held), Some(&signer));
    let attestation = Signed::new(attestation(), Some(&signer));
    let handover = Handover::new(&signer, &Signer::from_seed([8; 32]), at, noon());
    let [pending, followed] = erasures_with_graph().map(|receipt| Signed::new(receipt, Some(&signer)));
    assert!(
        old_entry.is_signed_by(&keys())
            && snapshot.is_signed_by(&keys())
            && attestation.is_signed_by(&keys())
    );
    [
        ("seed", vec![7; 32]),
        ("public key", hex::decode(key.to_hex()).unwrap()),
        ("key id", key.key_id().0.to_vec()),
        ("detail disclosure", detail.encode()),
        ("detail commitment", detail.commitment().0.0.to_vec()),
        ("entry bytes", entry.encode()),
        ("entry hash", entry.hash().0.to_vec()),
        ("tree root", end.tree.root().0.to_vec()),
        ("head", head.encode()),
        ("anchor", Signed::new(anchor, Some(&signer)).encode()),
        ("entry/1 bytes", old_entry.body()),
        ("entry/1 hash", old_entry.digest().0.to_vec()),
        ("entry/1 signature", old_entry.signature.unwrap().encode().to_vec()),
        ("head/1", Signed::new(Head { at: old_at, ts: noon(), tree: None }, Some(&signer)).encode()),
        ("anchor/1", Signed::new(old_anchor, Some(&signer)).encode()),
        ("summary disclosure", summary.encode()),
        ("belief disclosure", held.encode()),
        ("decision", snapshot.encode()),
        ("decision digest", snapshot.digest().0.to_vec()),
        ("attestation", attestation.encode()),
        ("erasure receipt", Signed::new(erasure(), Some(&signer)).encode()),
        ("erasure receipt, graph pending", pending.encode()),
        ("erasure receipt of the graph", followed.encode()),
        ("erasure receipt of a user", Signed::new(erasure_of_user(), Some(&signer)).encode()),
        ("restoration", Signed::new(restoration(at), Some(&signer)).encode()),
        ("key history", KeyHistory::of(vec![handover]).unwrap().encode()),
    ]
    .map(|(name, bytes)| format!("{name}: {}\n", hex::encode(bytes)))
    .concat()
}

#[test]
fn the_page_shows_the_vectors_that_the_code_makes() {
    let vectors = vectors();
    let (_, rest) = PAGE.split_once("```vectors\n").expect("the page has a block of vectors");
    let (shown, _) = rest.split_once("```").expect("the block of vectors ends");
    assert!(shown == vectors, "docs/evidence-format.md must show:\n{vectors}");
}
