//! What a log and a witness send each other, and what the witness makes of it.

use super::{noon, signer};
use crate::{
    AddCheckpoint, Cosigner, Hash, Head, Keyring, LogEnd, LogKey, NotCosigned, Origin, Plan, Signed,
    SignedHead, Signer, Subtrees, WitnessKey,
};

/// A log of so many entries, of the history with this name.
fn log(entries: u64, history: u8) -> SignedHead {
    let mut end = LogEnd::genesis();
    (0..entries).for_each(|n| {
        end.pass(leaf(n, history));
    });
    Signed::new(end.head(Origin(signer().key_id()), noon()), Some(&signer()))
}

/// Histories are the same up to entry 3.
fn leaf(n: u64, history: u8) -> Hash {
    Hash([if n < 3 { 0 } else { history }; 32])
}

fn request(old: u64, head: &SignedHead, history: u8) -> AddCheckpoint {
    let size = head.statement.at.size;
    let mut known = Subtrees::default();
    (0..size).for_each(|n| known.add_leaf(n, leaf(n, history)));
    let proof = Plan::consistency(old, size).proof(&known).unwrap();
    let note = head.note(&Keyring::new(signer().public_key(), Vec::new())).unwrap();
    AddCheckpoint { old, proof, note }
}

fn follows(old: u64, size: u64, history: u8, last: Option<&Head>) -> Result<(), NotCosigned> {
    let head = log(size, history);
    let request = request(old, &head, history);
    let sent = AddCheckpoint::parse(&request.encode()).unwrap();
    assert_eq!(sent, request);
    let known = LogKey { origin: Origin(signer().key_id()), key: signer().public_key() };
    assert_eq!(sent.head(&[known]).unwrap(), head);
    sent.follows(&head.statement, last)
}

#[test]
fn a_witness_follows_a_log_that_grows_and_no_other() {
    assert_eq!(follows(0, 5, 1, None), Ok(()));
    let five = log(5, 1).statement;
    assert_eq!(follows(5, 9, 1, Some(&five)), Ok(()));
    assert_eq!(follows(5, 5, 1, Some(&five)), Ok(()));
    assert_eq!(follows(0, 9, 1, Some(&five)), Err(NotCosigned::Conflict(5)));
    assert_eq!(follows(3, 4, 1, Some(&five)), Err(NotCosigned::Conflict(5)));
    assert_eq!(follows(5, 5, 2, Some(&five)), Err(NotCosigned::Conflict(5)));
    assert_eq!(follows(5, 9, 2, Some(&five)), Err(NotCosigned::NotConsistent));
    assert!(matches!(follows(5, 4, 1, Some(&five)), Err(NotCosigned::Malformed(_))));
}

#[test]
fn a_checkpoint_of_another_log_or_key_is_refused() {
    let request = request(0, &log(5, 1), 1);
    let stranger = Signer::from_seed([1; 32]).public_key();
    let other_log = LogKey { origin: Origin(stranger.key_id()), key: stranger };
    assert_eq!(request.head(&[other_log]), Err(NotCosigned::UnknownLog));
    let other_key = LogKey { origin: Origin(signer().key_id()), key: stranger };
    assert_eq!(request.head(&[other_key]), Err(NotCosigned::NotSigned));
    assert!(request.head(&[other_key, LogKey { key: signer().public_key(), ..other_key }]).is_ok());
}

#[test]
fn a_cosignature_holds_for_its_checkpoint_and_witness_alone() {
    let cosigner = Cosigner::new(Signer::from_seed([3; 32]));
    let head = log(5, 1).statement;
    let line = cosigner.cosign(&head, noon());
    let key = WitnessKey::parse(&cosigner.key().to_string()).unwrap();
    assert_eq!(&key, cosigner.key());
    key.cosigned(&head, &format!("— somebody.example/1 AAAA\n{line}")).unwrap();
    assert!(key.cosigned(&log(6, 1).statement, &line).is_err());
    assert!(key.cosigned(&head, "").is_err());
    let other = Cosigner::new(Signer::from_seed([4; 32]));
    assert!(other.key().cosigned(&head, &line).is_err());
    for at in 0..line.len() {
        let mut forged = line.clone().into_bytes();
        forged[at] ^= 1;
        let Ok(forged) = String::from_utf8(forged) else { continue };
        assert!(forged.trim_end() == line.trim_end() || key.cosigned(&head, &forged).is_err(), "byte {at}");
    }
}

#[test]
fn keys_are_read_as_they_are_written() {
    let key = signer().public_key();
    let log = LogKey { origin: Origin(key.key_id()), key };
    assert_eq!(LogKey::parse(&log.to_string()).unwrap(), log);
    assert_eq!(LogKey::parse(&key.to_hex()).unwrap(), log);
    let witness = Cosigner::new(signer()).key().to_string();
    // A key of one kind is none of the other, and every letter counts.
    assert!(LogKey::parse(&witness).is_err() && WitnessKey::parse(&log.to_string()).is_err());
    for at in 0..witness.len() {
        let mut changed = witness.clone().into_bytes();
        changed[at] ^= 1;
        assert!(WitnessKey::parse(std::str::from_utf8(&changed).unwrap()).is_err(), "byte {at}");
    }
}
