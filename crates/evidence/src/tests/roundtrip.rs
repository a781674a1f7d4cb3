//! Whatever is written is read back the same, and whatever is read was written so.

use crate::{
    Anchor, Attestation, Belief, Canonical, Commitment, Disclosure, Entry, Erased, Erasure, Frontier, Hash,
    Head, KeyHistory, KeyId, Origin, Owner, Position, Receipt, ReceiptKind, Restoration, SeqRange, Signature,
    Signed, Snapshot, Succession, TreeHead,
};
use domain::{DecisionId, FactId, ReceiptId, Space, Tenant, Timestamp};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use std::fmt::Debug;

#[track_caller]
fn check<T: Canonical + PartialEq + Debug>(value: &T) {
    assert_eq!(T::decode(&value.encode()).as_ref(), Ok(value));
}

/// Strict: whatever is accepted is the canonical form of what it says.
#[track_caller]
fn check_strict<T: Canonical>(bytes: &[u8]) {
    if let Ok(value) = T::decode(bytes) {
        assert_eq!(value.encode(), bytes);
    }
}

fn check_all_strict(bytes: &[u8]) {
    check_strict::<Entry>(bytes);
    check_strict::<Head>(bytes);
    check_strict::<Anchor>(bytes);
    check_strict::<Restoration>(bytes);
    check_strict::<Belief>(bytes);
    check_strict::<Snapshot>(bytes);
    check_strict::<Receipt>(bytes);
    check_strict::<Succession>(bytes);
    check_strict::<KeyHistory>(bytes);
    if let Ok(signed) = Signed::<Receipt>::decode(bytes) {
        assert_eq!(signed.encode(), bytes);
    }
}

fn times() -> impl Strategy<Value = Timestamp> {
    (-300_000_000_000i64..250_000_000_000, 0i32..1_000_000_000).prop_map(|(seconds, nanos)| {
        Timestamp::new(seconds, if seconds < 0 { -nanos } else { nanos }).unwrap()
    })
}

fn hashes() -> impl Strategy<Value = Hash> {
    any::<[u8; 32]>().prop_map(Hash)
}

fn positions() -> impl Strategy<Value = Position> {
    (any::<u64>(), hashes()).prop_map(|(size, hash)| Position { size, hash })
}

fn spaces() -> impl Strategy<Value = Space> {
    any::<(String, String, String)>().prop_map(|(user, agent, run)| Space::new(user, agent, run))
}

fn entries() -> impl Strategy<Value = Entry> {
    let blanks = vec((any::<u64>(), any::<u64>()).prop_map(|(first, last)| SeqRange { first, last }), 0..4);
    let fields =
        (any::<u64>(), times(), any::<[String; 6]>(), hashes(), blanks, hashes(), option::of(hashes()));
    fields.prop_map(
        |(seq, ts, [action, user, agent, run, caller, request_id], detail, blanks, prev, changes)| Entry {
            seq,
            ts,
            action,
            user,
            agent,
            run,
            caller,
            request_id,
            detail: Commitment(detail),
            blanks,
            prev,
            changes,
        },
    )
}

fn beliefs() -> impl Strategy<Value = Belief> {
    let fields =
        (any::<i64>(), any::<[String; 3]>(), any::<f64>(), any::<Option<String>>(), any::<Option<i64>>());
    fields.prop_map(|(memory_id, [subject, value, status], confidence, source, supersedes)| Belief {
        memory_id: FactId(memory_id),
        subject,
        value,
        confidence,
        source,
        status,
        supersedes: supersedes.map(FactId),
    })
}

fn snapshots() -> impl Strategy<Value = Snapshot> {
    let committed = vec((any::<i64>().prop_map(FactId), hashes().prop_map(Commitment)), 0..5);
    (any::<i64>(), any::<String>(), spaces(), times(), hashes(), committed).prop_map(
        |(id, tenant, space, ts, summary, beliefs)| Snapshot {
            owner: Owner { id: DecisionId(id), tenant: Tenant::new(tenant), space },
            ts,
            summary: Commitment(summary),
            beliefs,
        },
    )
}

fn fact_ids() -> impl Strategy<Value = Vec<FactId>> {
    vec(any::<i64>().prop_map(FactId), 0..20)
}

fn decision_ids() -> impl Strategy<Value = Vec<DecisionId>> {
    vec(any::<i64>().prop_map(DecisionId), 0..20)
}

fn kinds() -> impl Strategy<Value = ReceiptKind> {
    let attestations =
        (any::<String>(), any::<String>(), fact_ids()).prop_map(|(subject, value, memory_ids)| {
            ReceiptKind::Attestation(Attestation { subject, value, memory_ids })
        });
    let what = prop_oneof![
        any::<String>().prop_map(Erased::Subject),
        Just(Erased::Space),
        Just(Erased::User),
        (any::<u64>(), vec(spaces(), 0..3)).prop_map(|(days, spaces)| Erased::OlderThanDays { days, spaces }),
        any::<i64>().prop_map(|receipt| Erased::FromGraph(ReceiptId(receipt))),
    ];
    let keys = vec(any::<u64>(), 0..3);
    let fields = (what, fact_ids(), any::<[u64; 4]>(), option::of(decision_ids()), any::<bool>(), keys);
    let erasures = fields.prop_map(|(what, memory_ids, counts, summaries, graph_pending, keys_destroyed)| {
        let [decisions_redacted, decisions_removed, receipts_removed, audit_blanked] = counts;
        ReceiptKind::Erasure(Erasure {
            what,
            memory_ids,
            decisions_redacted,
            decisions_removed,
            receipts_removed,
            audit_blanked,
            summaries,
            graph_pending,
            keys_checked: keys_destroyed.len() as u64 / 2,
            keys_destroyed,
        })
    });
    prop_oneof![attestations, erasures]
}

fn receipts() -> impl Strategy<Value = Receipt> {
    (any::<i64>(), any::<String>(), option::of(spaces()), times(), kinds(), positions()).prop_map(
        |(id, tenant, space, ts, kind, audit)| Receipt {
            id: ReceiptId(id),
            tenant: Tenant::new(tenant),
            space,
            ts,
            kind,
            audit,
        },
    )
}

proptest! {
    #[test]
    fn of_an_entry(entry in entries()) {
        check(&entry);
    }

    #[test]
    fn of_a_head_and_an_anchor(at in positions(), ts in times(), root in hashes(), id in any::<[u8; 8]>()) {
        check(&Head { at, ts, tree: None });
        check(&Head { at, ts, tree: Some(TreeHead { origin: Origin(KeyId(id)), root }) });
        check(&Anchor { at, ts, tree: None });
        check(&Anchor { at, ts, tree: Some(Frontier::repeated(at.size, root)) });
    }

    #[test]
    fn of_a_restoration(kept in positions(), lost in positions(), ts in times(), reason: String) {
        check(&Restoration { kept, lost, ts, reason });
    }

    #[test]
    fn of_a_belief(belief in beliefs()) {
        check(&belief);
    }

    #[test]
    fn of_a_snapshot(snapshot in snapshots()) {
        check(&snapshot);
    }

    #[test]
    fn of_a_signed_receipt(receipt in receipts(), key_id in any::<[u8; 8]>(), signature in option::of(any::<[u8; 32]>())) {
        check(&receipt);
        let signature = signature.map(|half| {
            let bytes = std::array::from_fn(|i| half[i % 32]);
            Signature { key_id: KeyId(key_id), bytes }
        });
        let signed = Signed { statement: receipt, signature };
        assert_eq!(Signed::decode(&signed.encode()), Ok(signed));
    }

    #[test]
    fn of_a_disclosure(salt in any::<[u8; 16]>(), content in any::<Vec<u8>>()) {
        let disclosure = Disclosure { salt: crate::Salt(salt), content };
        assert_eq!(Disclosure::decode(&disclosure.encode()), Ok(disclosure));
    }

    #[test]
    fn arbitrary_bytes_are_refused_without_a_panic(bytes in any::<Vec<u8>>()) {
        check_all_strict(&bytes);
        let _ = Disclosure::decode(&bytes);
        let _ = Signature::decode(&bytes);
    }

    #[test]
    fn cut_grown_and_edited_records_are_refused_or_canonical(
        receipt in receipts(),
        at in any::<proptest::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let bytes = receipt.encode();
        assert!(Receipt::decode(&bytes[..at.index(bytes.len())]).is_err());
        let grown = [bytes.as_slice(), &[byte]].concat();
        assert!(Receipt::decode(&grown).is_err());
        let mut edited = bytes;
        let index = at.index(edited.len());
        edited[index] = byte;
        check_all_strict(&edited);
    }
}

#[test]
fn a_list_that_claims_more_than_it_holds_is_refused() {
    let mut w = crate::record::Writer::new("svc/test/1");
    w.number(u64::MAX);
    let bytes = w.finish();
    let mut r = crate::record::Reader::open(&bytes, "svc/test/1").unwrap();
    assert!(r.list(crate::record::Reader::text).is_err());
}

#[test]
fn a_time_in_another_spelling_is_refused() {
    for text in ["2026-11-01T12:00:00.250Z", "2026-11-01T13:00:00+01:00", "2026-11-01t12:00:00z"] {
        let mut w = crate::record::Writer::new("svc/test/1");
        w.text(text);
        let bytes = w.finish();
        assert!(crate::record::Reader::open(&bytes, "svc/test/1").unwrap().time().is_err(), "{text}");
    }
}
