//! The word of a witness that it knows a log up to a checkpoint, and that the log only ever grew: a C2SP cosignature.

use crate::vkey::WitnessKey;
use crate::{Canonical, Head, Invalid, Signer};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::Timestamp;

/// What is signed: when, and the text of the checkpoint.
fn message(time: u64, head: &Head) -> Vec<u8> {
    [format!("cosignature/v1\ntime {time}\n").into_bytes(), head.encode()].concat()
}

/// What cosigns: a witness's key.
#[derive(Debug)]
pub struct Cosigner {
    signer: Signer,
    key: WitnessKey,
}

impl Cosigner {
    pub fn new(signer: Signer) -> Self {
        let key = WitnessKey::named_by(signer.key_id(), signer.public_key());
        Self { signer, key }
    }

    pub const fn key(&self) -> &WitnessKey {
        &self.key
    }

    /// The line that goes below the checkpoint.
    pub fn cosign(&self, head: &Head, now: Timestamp) -> String {
        let time = u64::try_from(now.as_second()).unwrap_or(0);
        let signature = self.signer.sign(&message(time, head)).bytes;
        let signed = [self.key.id().as_slice(), &time.to_be_bytes(), &signature].concat();
        format!("— {} {}\n", self.key.name, BASE64_STANDARD.encode(signed))
    }
}

impl WitnessKey {
    /// Whether one of the lines is this witness's cosignature of the checkpoint. Lines of others are passed over.
    pub fn cosigned(&self, head: &Head, lines: &str) -> Result<(), Invalid> {
        for line in lines.lines() {
            let signed = line.strip_prefix(&format!("— {} ", self.name));
            let Some(bytes) = signed.and_then(|signed| BASE64_STANDARD.decode(signed).ok()) else { continue };
            let Some((id, rest)) = bytes.split_first_chunk::<4>() else { continue };
            let Some((time, rest)) = rest.split_first_chunk::<8>() else { continue };
            let Ok(signature) = <[u8; 64]>::try_from(rest) else { continue };
            if *id == self.id() && self.key.verifies(&message(u64::from_be_bytes(*time), head), &signature) {
                return Ok(());
            }
        }
        Err(Invalid::new("the answer has no valid cosignature of this witness"))
    }
}
