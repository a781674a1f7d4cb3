//! Checkpoints and proofs as texts.

use super::{chain, keys, signer};
use crate::{EntryProof, Keyring, Plan, Signer, Subtrees};

fn proof(index: usize) -> EntryProof {
    let (entries, head) = chain(Some(&signer()));
    let mut known = Subtrees::default();
    entries.iter().zip(0..).for_each(|(stored, n)| known.add_leaf(n, stored.hash.unwrap()));
    let hashes = Plan::inclusion(index as u64, 8).proof(&known).unwrap();
    EntryProof { entry: entries[index].entry.clone(), hashes, head }
}

fn stranger() -> Keyring {
    Keyring::new(Signer::from_seed([1; 32]).public_key(), vec![])
}

#[test]
fn a_checkpoint_is_read_as_it_was_written() {
    let head = proof(0).head;
    let note = head.note(&keys()).unwrap();
    assert_eq!(crate::SignedHead::from_note(&note, &keys()).unwrap(), head);
    let cosigned = format!("{note}— witness.example/1 AAAA\n");
    assert_eq!(crate::SignedHead::from_note(&cosigned, &keys()).unwrap(), head);
    assert!(crate::SignedHead::from_note(&note, &stranger()).is_err());
    assert!(head.note(&stranger()).is_none());
    for at in 0..note.len() {
        let mut forged = note.clone().into_bytes();
        forged[at] ^= 1;
        let Ok(forged) = String::from_utf8(forged) else { continue };
        assert!(crate::SignedHead::from_note(&forged, &keys()).is_err(), "byte {at}");
    }
}

#[test]
fn one_entry_is_proven_without_the_rest() {
    for index in 0..8 {
        let proof = proof(index);
        let text = proof.encode(&keys()).unwrap();
        assert_eq!(EntryProof::check(&text, &keys()), Ok(proof));
        assert!(EntryProof::check(&text, &stranger()).is_err());
    }
    let text = proof(4).encode(&keys()).unwrap();
    for at in 0..text.len() {
        let mut forged = text.clone().into_bytes();
        forged[at] ^= 1;
        let Ok(forged) = String::from_utf8(forged) else { continue };
        assert!(EntryProof::check(&forged, &keys()).is_err(), "byte {at}");
    }
}
