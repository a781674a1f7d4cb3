//! No byte of anything signed can change without the proof failing.

use super::{
    attestation, belief, erasure, erasure_of_user, erasures_with_graph, keys, noon, origin, owner, position,
    signer, tree_of_41,
};
use crate::{Anchor, Hash, Head, Place, Restoration, Signature, Signed, Statement, TreeHead, record};

/// Changes each byte of the stored form, of the body under the original signature, and of the signature.
fn check<T: Statement>(statement: T) {
    let signed = Signed::new(statement, Some(&signer()));
    assert!(signed.is_signed_by(&keys()));
    let stored = signed.encode();
    for (at, bit) in bits(&stored) {
        let mut bytes = stored.clone();
        bytes[at] ^= bit;
        let valid = Signed::<T>::decode(&bytes).is_ok_and(|s| s.is_signed_by(&keys()));
        assert!(!valid, "byte {at} of the stored form, bit {bit}");
    }
    let (body, signature) = (signed.body(), signed.signature.unwrap());
    for (at, bit) in bits(&body) {
        let mut bytes = body.clone();
        bytes[at] ^= bit;
        assert!(!keys().verify(&bytes, &signature, Place::default()), "byte {at} of the body, bit {bit}");
    }
    for (at, bit) in bits(&signature.encode()) {
        let mut bytes = signature.encode();
        bytes[at] ^= bit;
        assert!(
            !keys().verify(&body, &Signature::decode(&bytes).unwrap(), Place::default()),
            "byte {at} of the signature"
        );
    }
}

/// One bit of each byte, a different one from byte to byte.
fn bits(bytes: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    (0..bytes.len()).map(|at| (at, 1 << (at % 8)))
}

#[test]
fn of_an_attestation() {
    check(attestation());
}

#[test]
fn of_an_erasure_receipt() {
    check(erasure());
    erasures_with_graph().into_iter().chain([erasure_of_user()]).for_each(check);
}

#[test]
fn of_a_snapshot() {
    check(record(owner(), noon(), "ship it", &[belief()], None).unwrap().snapshot.statement);
}

#[test]
fn of_a_head() {
    check(Head { at: position(), ts: noon(), tree: None });
    check(Head {
        at: position(),
        ts: noon(),
        tree: Some(TreeHead { origin: origin(), root: Hash([0xcd; 32]) }),
    });
}

#[test]
fn of_an_anchor() {
    check(Anchor { at: position(), ts: noon(), tree: None });
    check(Anchor { at: position(), ts: noon(), tree: Some(tree_of_41()) });
}

#[test]
fn of_a_restoration() {
    check(Restoration {
        kept: position(),
        lost: position(),
        ts: noon(),
        reason: "the disk failed".to_owned(),
    });
}

#[test]
fn a_statement_cannot_pass_as_another_kind() {
    let head = Signed::new(Head { at: position(), ts: noon(), tree: None }, Some(&signer()));
    assert!(Signed::<Anchor>::decode(&head.encode()).is_err());
    let anchor =
        Signed { statement: Anchor { at: position(), ts: noon(), tree: None }, signature: head.signature };
    assert!(!anchor.is_signed_by(&keys()));
}
