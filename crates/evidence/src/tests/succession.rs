//! One key after the other: what each may sign, and whom a verifier may trust.

use super::{attestation, draft, keys, noon, signed_head, signer, time};
use crate::{
    Appender, Canonical, ChainVerifier, Handover, Head, KEY_ROTATED, KeyHistory, Keyring, LogEnd, Position,
    Receipt, Signed, SignedHead, Signer, StoredEntry,
};

fn second() -> Signer {
    Signer::from_seed([2; 32])
}

fn third() -> Signer {
    Signer::from_seed([3; 32])
}

fn at(size: u64) -> Position {
    Position { size, ..Position::GENESIS }
}

fn history() -> KeyHistory {
    let first = Handover::new(&signer(), &second(), at(50), noon());
    let then = Handover::new(&second(), &third(), at(60), noon());
    KeyHistory::of(vec![first, then]).unwrap()
}

fn head(size: u64, signer: &Signer) -> SignedHead {
    Signed::new(Head { at: at(size), ts: noon(), tree: None }, Some(signer))
}

#[test]
fn whoever_trusts_one_key_of_the_history_trusts_all_of_it() {
    for trusted in [signer(), second(), third()] {
        let ring = Keyring::new(trusted.public_key(), vec![]).following(&history());
        assert!(head(50, &signer()).is_signed_by(&ring));
        assert!(head(60, &second()).is_signed_by(&ring));
        assert!(head(70, &third()).is_signed_by(&ring));
        assert_eq!(ring.first().key_id(), signer().key_id());
        assert_eq!(ring.current().key_id(), third().key_id());
    }
    let stranger = Keyring::new(Signer::from_seed([9; 32]).public_key(), vec![]).following(&history());
    assert!(!head(50, &signer()).is_signed_by(&stranger));
    assert!(!head(70, &third()).is_signed_by(&stranger));
}

#[test]
fn a_retired_key_signs_nothing_later() {
    let ring = keys().following(&history());
    assert!(!head(51, &signer()).is_signed_by(&ring), "an entry too many");
    assert!(!head(61, &second()).is_signed_by(&ring));
    let late = Head { at: at(50), ts: time("2026-11-01T12:00:01Z"), tree: None };
    assert!(!Signed::new(late, Some(&signer())).is_signed_by(&ring), "a moment too late");
    let receipt = |size| Signed::new(Receipt { audit: at(size), ..attestation() }, Some(&signer()));
    assert!(receipt(50).is_signed_by(&ring));
    assert!(!receipt(51).is_signed_by(&ring));
}

#[test]
fn a_history_needs_both_signatures_and_no_gap() {
    let good = history();
    assert_eq!(KeyHistory::decode(&good.encode()).unwrap(), good);
    let [first, then] = good.handovers() else { panic!() };
    assert!(KeyHistory::of(vec![then.clone(), first.clone()]).is_err());
    for change in [
        |handover: &mut Handover| handover.by_retired = handover.by_successor,
        |handover: &mut Handover| handover.by_successor = handover.by_retired,
        |handover: &mut Handover| handover.statement.at.size += 1,
    ] {
        let mut forged = first.clone();
        change(&mut forged);
        assert!(KeyHistory::of(vec![forged]).is_err());
    }
    let earlier = Handover::new(&second(), &third(), at(49), noon());
    assert!(good.with(earlier).is_err());
}

#[test]
fn a_log_that_tells_of_a_rotation_needs_the_history() {
    let mut log = Appender::new(LogEnd::genesis());
    let mut entries: Vec<StoredEntry> = vec![log.append(draft("one", vec![])).unwrap()];
    let history = KeyHistory::of(vec![Handover::new(&signer(), &second(), log.end().at(), noon())]).unwrap();
    let rotated = crate::Draft { action: KEY_ROTATED.to_owned(), ..draft("two", vec![]) };
    entries.push(log.append(rotated).unwrap());
    let verify = |keys: &Keyring, signer: &Signer| {
        let mut verifier = ChainVerifier::new(Some(keys), None, vec![]).unwrap();
        verifier.push(&entries)?;
        verifier.finish(Some(&signed_head(&log, noon(), Some(signer))))
    };
    let ring = keys().following(&history);
    assert_eq!(verify(&ring, &second()), Ok(2));
    assert!(verify(&ring, &signer()).unwrap_err().reason.contains("no valid signature"));
    assert!(verify(&keys(), &signer()).unwrap_err().reason.contains("key history"));
}
