//! Licences: claims that the vendor signed, in one line of text that fits an environment variable.

use crate::{PublicKey, Signer};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

const PREFIX: &str = "svc_lic_";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    pub customer: String,
    pub edition: String,
    pub seats: u32,
    #[serde(default)]
    pub features: Vec<String>,
    #[serde(deserialize_with = "moment")]
    pub issued: Timestamp,
    #[serde(deserialize_with = "moment")]
    pub expires: Timestamp,
}

/// A time as a vendor's tool may write it: RFC 3339, a date alone (its first moment, in UTC), or seconds since 1970.
fn moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Seconds(i64),
    }
    let read = match Written::deserialize(deserializer)? {
        Written::Text(text) => text.parse().or_else(|_| format!("{text}T00:00:00Z").parse()).ok(),
        Written::Seconds(seconds) => Timestamp::from_second(seconds).ok(),
    };
    read.ok_or_else(|| D::Error::custom("a time is neither RFC 3339, nor a date, nor seconds since 1970"))
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LicenceError {
    #[error("the licence is malformed: {0}")]
    Malformed(&'static str),
    #[error("the licence was not signed by the vendor's key")]
    Forged,
    #[error("the licence is valid only from {0}")]
    NotYetIssued(Timestamp),
    #[error("the licence expired at {0}")]
    Expired(Timestamp),
}

/// `svc_lic_<base64url of the claims>.<signature in hex>`; the signature is over the base64url text as written.
pub fn mint(claims: &Claims, vendor: &Signer) -> Result<String, LicenceError> {
    let json = serde_json::to_vec(claims).map_err(|_| LicenceError::Malformed("the claims are no JSON"))?;
    let body = BASE64_URL_SAFE_NO_PAD.encode(json);
    let signature = hex::encode(vendor.sign(body.as_bytes()).bytes);
    Ok(format!("{PREFIX}{body}.{signature}"))
}

/// The claims, once the signature and the time hold. Nothing of a licence is read before its signature is checked.
pub fn read(text: &str, vendor: &PublicKey, now: Timestamp) -> Result<Claims, LicenceError> {
    let malformed = LicenceError::Malformed;
    let (body, signature) = text
        .trim()
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.split_once('.'))
        .ok_or(malformed("it has the form svc_lic_<claims>.<signature>"))?;
    let mut bytes = [0; 64];
    hex::decode_to_slice(signature, &mut bytes)
        .map_err(|_| malformed("its signature is 128 hexadecimal digits"))?;
    if !vendor.verifies(body.as_bytes(), &bytes) {
        return Err(LicenceError::Forged);
    }
    let json = BASE64_URL_SAFE_NO_PAD
        .decode(body.trim_end_matches('='))
        .map_err(|_| malformed("its claims are base64url"))?;
    let claims: Claims = serde_json::from_slice(&json)
        .map_err(|_| malformed("its claims are customer, edition, seats, features, issued and expires"))?;
    if now < claims.issued {
        Err(LicenceError::NotYetIssued(claims.issued))
    } else if now >= claims.expires {
        Err(LicenceError::Expired(claims.expires))
    } else {
        Ok(claims)
    }
}

#[cfg(test)]
mod tests {
    use super::{Claims, LicenceError, mint, read};
    use crate::{Signer, tests::time};

    fn claims() -> Claims {
        Claims {
            customer: "Acme".to_owned(),
            edition: "enterprise".to_owned(),
            seats: 50,
            features: vec!["sso".to_owned()],
            issued: time("2026-01-01T00:00:00Z"),
            expires: time("2027-01-01T00:00:00Z"),
        }
    }

    fn vendor() -> Signer {
        Signer::from_seed([9; 32])
    }

    #[test]
    fn a_time_may_be_a_date_or_a_number_of_seconds() {
        for written in ["\"2026-01-01\"", "1767225600", "\"2026-01-01T00:00:00Z\""] {
            let json = format!(
                r#"{{"customer":"A","edition":"team","seats":1,"features":[],"issued":{written},"expires":{written}}}"#
            );
            let claims: Claims = serde_json::from_str(&json).unwrap();
            assert_eq!(claims.issued, time("2026-01-01T00:00:00Z"));
        }
    }

    #[test]
    fn a_licence_is_read_back_while_it_holds() {
        let text = mint(&claims(), &vendor()).unwrap();
        assert!(text.starts_with("svc_lic_"));
        let key = vendor().public_key();
        assert_eq!(read(&text, &key, time("2026-01-01T00:00:00Z")), Ok(claims()));
        assert_eq!(
            read(&text, &key, time("2025-12-31T23:59:59Z")),
            Err(LicenceError::NotYetIssued(claims().issued))
        );
        assert_eq!(
            read(&text, &key, time("2027-01-01T00:00:00Z")),
            Err(LicenceError::Expired(claims().expires))
        );
    }

    #[test]
    fn a_licence_of_another_vendor_is_forged() {
        let text = mint(&claims(), &Signer::from_seed([8; 32])).unwrap();
        let now = time("2026-06-01T00:00:00Z");
        assert_eq!(read(&text, &vendor().public_key(), now), Err(LicenceError::Forged));
    }

    #[test]
    fn no_changed_character_passes() {
        let text = mint(&claims(), &vendor()).unwrap();
        let now = time("2026-06-01T00:00:00Z");
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = String::from_utf8(bytes).unwrap();
            assert!(read(&changed, &vendor().public_key(), now).is_err(), "character {at}");
        }
    }

    #[test]
    fn a_line_that_is_no_licence_says_what_one_looks_like() {
        for text in ["", "svc_lic_", "svc_lic_abc", "svc_lic_abc.12", "lic_abc.00"] {
            let read = read(text, &vendor().public_key(), time("2026-06-01T00:00:00Z"));
            assert!(matches!(read, Err(LicenceError::Malformed(_))), "{text:?} gave {read:?}");
        }
    }
}
