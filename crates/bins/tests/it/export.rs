//! A stranger with the export alone can check every signature in it.

use crate::support::{Deployment, Model, says};
use domain::FactId;
use evidence::{
    Canonical, Disclosure, Entry, Frontier, Hash, Head, Keyring, Place, PublicKey, Receipt, Salt, Signature,
    Snapshot,
};
use serde_json::{Value, json};

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().unwrap_or_else(|| panic!("no hexadecimal text: {value}"))).unwrap()
}

fn disclosure(value: &Value) -> Disclosure {
    Disclosure { salt: Salt(bytes(&value["salt"]).try_into().unwrap()), content: bytes(&value["content"]) }
}

/// The statement of a signed object, once its signature has been checked.
fn checked<T: Canonical>(object: &Value, keys: &Keyring) -> T {
    let body = bytes(&object["body"]);
    let signature = Signature::decode(&bytes(&object["signature"])).unwrap();
    assert!(keys.verify(&body, &signature, Place::default()), "{object}");
    let mut forged = body.clone();
    forged[20] ^= 1;
    assert!(!keys.verify(&forged, &signature, Place::default()));
    T::decode(&body).unwrap()
}

#[test]
fn every_signature_of_an_export_checks_out_offline() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    for n in 0..5 {
        process.remember(&says(&format!("subject {n}"), &format!("value {n}")));
    }
    process.call("attest", &json!({ "subject": "subject 1" }));
    process.call("record_decision", &json!({ "action_summary": "go on", "question": "what now?" }));
    process.call("delete", &json!({ "subject": "subject 2" }));
    let export: Value = serde_json::from_str(&process.call("export_memory", &json!({}))).unwrap();

    let public = process.call("export_public_key", &json!({}));
    let key = export["public_key"].as_str().unwrap();
    assert_eq!(public, format!("Ed25519 public key (hex):\n{key}"));
    let keys = Keyring::new(PublicKey::from_hex(key).unwrap(), Vec::new());
    assert_eq!(export["unreadable"], 0);
    assert_eq!(export["records"].as_array().unwrap().len(), 4);

    let audit = export["audit"].as_array().unwrap();
    assert_eq!(audit.len(), 8, "{audit:?}");
    let (mut before, mut tree) = (Hash::ZERO, Frontier::default());
    for object in audit {
        let entry = Entry::decode(&bytes(&object["body"])).unwrap();
        assert_eq!(object["signature"], Value::Null, "the head signs for all of them");
        assert_eq!(object["hash"], Hash::of(&bytes(&object["body"])).to_string());
        assert_eq!(disclosure(&object["detail_disclosure"]).commitment(), entry.detail);
        assert_eq!(object["detail"], disclosure(&object["detail_disclosure"]).text().unwrap());
        assert_eq!((entry.prev, entry.caller.as_str()), (before, "local"));
        before = entry.hash();
        tree.append(before);
    }
    let head: Head = checked(&export["audit_head"], &keys);
    assert_eq!((head.at.size, head.at.hash), (8, before));
    assert_eq!(head.tree.map(|tree| tree.root), Some(tree.root()));

    let [decision] = export["decisions"].as_array().unwrap().as_slice() else { panic!("{export}") };
    let snapshot: Snapshot = checked(decision, &keys);
    assert_eq!(disclosure(&decision["summary_disclosure"]).commitment(), snapshot.summary);
    let beliefs = decision["beliefs"].as_array().unwrap();
    assert_eq!(beliefs.len(), 5);
    for (object, (memory, commitment)) in beliefs.iter().zip(&snapshot.beliefs) {
        assert_eq!(object["memory_id"], memory.0);
        match &object["disclosure"] {
            Value::Null => assert_eq!(*memory, FactId(3), "only the erased one is withheld"),
            opened => assert_eq!(disclosure(opened).commitment(), *commitment),
        }
    }
    let receipts: Vec<Receipt> =
        export["receipts"].as_array().unwrap().iter().map(|object| checked(object, &keys)).collect();
    assert_eq!(
        receipts.iter().map(Receipt::kind_word).collect::<Vec<_>>(),
        ["knowledge_attestation", "erasure_receipt"]
    );
}
