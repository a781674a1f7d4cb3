//! Snapshots and receipts, whole and after erasure.

use super::{attestation, belief, erasure, erasures_with_graph, keys, noon, owner, signer};
use crate::{Belief, Canonical, Disclosed, Erased, Invalid, ReceiptKind, Recorded, Signed, explain, record};
use domain::{DecisionId, FactId, ReceiptId, Tenant};

fn beliefs() -> [Belief; 2] {
    [
        belief(),
        Belief { memory_id: FactId(6), subject: "ssn".to_owned(), value: "123".to_owned(), ..belief() },
    ]
}

fn recorded() -> (Recorded, Disclosed) {
    let recorded = record(owner(), noon(), "ship it", &beliefs(), Some(&signer())).unwrap();
    let disclosed = Disclosed {
        summary: Some(recorded.summary.clone()),
        beliefs: recorded.beliefs.iter().cloned().map(Some).collect(),
    };
    (recorded, disclosed)
}

#[track_caller]
fn check_invalid(
    recorded: &Recorded,
    disclosed: &Disclosed,
    (id, tenant, user): (i64, &str, &str),
    why: &str,
) {
    let result =
        explain(&recorded.snapshot, Some(&keys()), disclosed, (DecisionId(id), &Tenant::new(tenant), user));
    let Err(invalid) = result else { panic!("it was explained: {result:?}") };
    assert!(invalid.to_string().contains(why), "{invalid}");
}

#[test]
fn a_snapshot_explains_what_was_believed() {
    let (recorded, disclosed) = recorded();
    let explained =
        explain(&recorded.snapshot, Some(&keys()), &disclosed, (DecisionId(12), &Tenant::default(), "ann"))
            .unwrap();
    assert_eq!(explained.summary.as_deref(), Some("ship it"));
    let [first, second] = beliefs();
    assert_eq!(explained.beliefs, vec![(FactId(5), Some(first)), (FactId(6), Some(second))]);
}

#[test]
fn an_erased_belief_leaves_the_rest_proved() {
    let (recorded, mut disclosed) = recorded();
    disclosed.beliefs[1] = None;
    disclosed.summary = None;
    let explained =
        explain(&recorded.snapshot, Some(&keys()), &disclosed, (DecisionId(12), &Tenant::default(), "ann"))
            .unwrap();
    assert_eq!(explained.summary, None);
    assert_eq!(explained.beliefs, vec![(FactId(5), Some(belief())), (FactId(6), None)]);
}

#[test]
fn an_altered_snapshot_is_invalid() {
    let here = (12, "default", "ann");
    let (mut recorded, disclosed) = recorded();
    let mut edited = disclosed.clone();
    edited.beliefs[0].as_mut().unwrap().content = Belief { confidence: 1.0, ..belief() }.encode();
    check_invalid(&recorded, &edited, here, "not the one that was recorded");
    let mut swapped = disclosed.clone();
    swapped.beliefs.swap(0, 1);
    check_invalid(&recorded, &swapped, here, "not the one that was recorded");
    let mut resummed = disclosed.clone();
    resummed.summary.as_mut().unwrap().content = b"do not ship".to_vec();
    check_invalid(&recorded, &resummed, here, "not the one that was recorded");
    let mut fewer = disclosed.clone();
    fewer.beliefs.pop();
    check_invalid(&recorded, &fewer, here, "another number");
    check_invalid(&recorded, &disclosed, (13, "default", "ann"), "another decision");
    check_invalid(&recorded, &disclosed, (12, "acme", "ann"), "another decision");
    check_invalid(&recorded, &disclosed, (12, "default", "bob"), "another decision");
    recorded.snapshot.signature = None;
    check_invalid(&recorded, &disclosed, here, "signature");
}

#[test]
fn the_same_belief_is_committed_to_differently_each_time() {
    assert_ne!(recorded().0.snapshot.statement.beliefs, recorded().0.snapshot.statement.beliefs);
}

#[test]
fn a_receipt_is_valid_as_issued_and_as_nothing_else() {
    let receipt = Signed::new(attestation(), Some(&signer()));
    assert_eq!(receipt.verify(Some(&keys()), ReceiptId(3), &Tenant::default()), Ok(()));
    assert!(receipt.verify(Some(&keys()), ReceiptId(4), &Tenant::default()).is_err());
    assert!(receipt.verify(Some(&keys()), ReceiptId(3), &Tenant::new("acme")).is_err());
    assert!(receipt.verify(None, ReceiptId(3), &Tenant::default()).is_err());
    let unsigned: Result<(), Invalid> =
        Signed::new(attestation(), None).verify(Some(&keys()), ReceiptId(3), &Tenant::default());
    assert!(unsigned.is_err());
}

#[test]
fn a_receipt_says_in_a_line_what_it_proves() {
    assert_eq!(attestation().kind_word(), "knowledge_attestation");
    assert_eq!(attestation().summary(), "'database' = Postgres 16 · SQLite");
    let mut receipt = erasure();
    assert_eq!(receipt.kind_word(), "erasure_receipt");
    assert_eq!(
        receipt.summary(),
        "erased 'database' of ann/helper/: 2 fact(s), 1 decision(s) redacted, 4 audit entries blanked"
    );
    let ReceiptKind::Erasure(erasure) = &mut receipt.kind else { unreachable!() };
    erasure.what = Erased::User;
    assert!(receipt.summary().starts_with("erased every space of ann: 2 fact(s)"), "{}", receipt.summary());
    let [pending, followed] = erasures_with_graph();
    assert_eq!(
        pending.summary(),
        "erased 'database' of ann/helper/: 2 fact(s), 1 decision(s) redacted, 4 audit entries blanked; \
         the removal from the graph was still to come, with a receipt of its own"
    );
    assert_eq!(followed.summary(), "erased from the graph what receipt #4 erased: 2 fact(s)");
}
