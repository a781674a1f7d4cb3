//! Licences: claims that the vendor signed, in one line of text that fits an environment variable.

use crate::{PublicKey, Signer};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::time::Duration;

const PREFIX: &str = "svc_lic_";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    pub customer: String,
    pub edition: String,
    pub seats: u32,
    #[serde(default)]
    pub features: Vec<String>,
    /// `None` for a licence without a start.
    #[serde(default, deserialize_with = "beginning", skip_serializing_if = "Option::is_none")]
    pub issued: Option<Timestamp>,
    /// The first moment at which it no longer holds.
    #[serde(deserialize_with = "end")]
    pub expires: Timestamp,
}

impl Claims {
    /// When it holds, as a person reads it.
    pub fn term(&self) -> String {
        match self.issued {
            Some(issued) => format!("{issued} to {}", self.expires),
            None => format!("until {}", self.expires),
        }
    }
}

/// A time as a vendor's tool may write it: RFC 3339, a date alone (a day in UTC), or seconds since 1970.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Seconds(i64),
}

const DAY: Duration = Duration::from_secs(24 * 3600);

impl Written {
    /// The moment or, for a day, its first moment and its length.
    fn read<E: serde::de::Error>(self) -> Result<(Timestamp, Duration), E> {
        let read = match self {
            Self::Seconds(seconds) => Timestamp::from_second(seconds).ok().map(|at| (at, Duration::ZERO)),
            Self::Text(text) => match text.parse() {
                Ok(at) => Some((at, Duration::ZERO)),
                Err(_) => format!("{text}T00:00:00Z").parse().ok().map(|at| (at, DAY)),
            },
        };
        read.ok_or_else(|| E::custom("a time is neither RFC 3339, nor a date, nor seconds since 1970"))
    }
}

fn beginning<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let written = Option::<Written>::deserialize(deserializer)?;
    Ok(written.map(Written::read).transpose()?.map(|(first, _)| first))
}

/// A date holds to the end of that day.
fn end<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let (first, length) = Written::deserialize(deserializer)?.read()?;
    first.checked_add(length).map_err(D::Error::custom)
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

/// `svc_lic_<base64url of the claims>.<signature in hex>`; the signature is over the JSON bytes of the claims.
pub fn mint_licence(claims: &Claims, vendor: &Signer) -> Result<String, LicenceError> {
    let json = serde_json::to_vec(claims).map_err(|_| LicenceError::Malformed("the claims are no JSON"))?;
    let signature = hex::encode(vendor.sign(&json).bytes);
    Ok(format!("{PREFIX}{}.{signature}", BASE64_URL_SAFE_NO_PAD.encode(json)))
}

/// The claims, once the signature and the time hold. Nothing of them is read before the signature is checked. It may also
/// be over the base64url text, as some vendors' tools sign.
pub fn read_licence(text: &str, vendor: &PublicKey, now: Timestamp) -> Result<Claims, LicenceError> {
    let malformed = LicenceError::Malformed;
    let (body, signature) = text
        .trim()
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.split_once('.'))
        .ok_or(malformed("it has the form svc_lic_<claims>.<signature>"))?;
    let mut bytes = [0; 64];
    hex::decode_to_slice(signature, &mut bytes)
        .map_err(|_| malformed("its signature is 128 hexadecimal digits"))?;
    let json = BASE64_URL_SAFE_NO_PAD
        .decode(body.trim_end_matches('='))
        .map_err(|_| malformed("its claims are base64url"))?;
    if !vendor.verifies(&json, &bytes) && !vendor.verifies(body.as_bytes(), &bytes) {
        return Err(LicenceError::Forged);
    }
    let claims: Claims = serde_json::from_slice(&json).map_err(|_| {
        malformed("its claims are customer, edition, seats and expires, and where wanted features and issued")
    })?;
    match claims.issued {
        Some(issued) if now < issued => Err(LicenceError::NotYetIssued(issued)),
        _ if now >= claims.expires => Err(LicenceError::Expired(claims.expires)),
        _ => Ok(claims),
    }
}

#[cfg(test)]
mod tests {
    use super::{Claims, LicenceError, mint_licence, read_licence};
    use crate::{Signer, tests::time};
    use base64::Engine as _;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;

    fn claims() -> Claims {
        Claims {
            customer: "Acme".to_owned(),
            edition: "enterprise".to_owned(),
            seats: 50,
            features: vec!["sso".to_owned()],
            issued: Some(time("2026-01-01T00:00:00Z")),
            expires: time("2027-01-01T00:00:00Z"),
        }
    }

    fn vendor() -> Signer {
        Signer::from_seed([9; 32])
    }

    /// The claims as another tool may write them, signed over what `signed` makes of their bytes and their text.
    fn signed_by_hand(json: &str, signed: fn(&str, &str) -> String) -> String {
        let body = BASE64_URL_SAFE_NO_PAD.encode(json);
        let signature = vendor().sign(signed(json, &body).as_bytes());
        format!("svc_lic_{body}.{}", hex::encode(signature.bytes))
    }

    fn written(times: &str) -> String {
        format!(r#"{{ "edition":"team", "customer":"A", "seats":1, {times} }}"#)
    }

    #[test]
    fn the_signature_covers_the_json_or_its_base64url() {
        let json = written(r#""expires":"2027-01-01T00:00:00Z""#);
        let read = |text: &str| read_licence(text, &vendor().public_key(), time("2026-06-01T00:00:00Z"));
        let over_json = read(&signed_by_hand(&json, |json, _| json.to_owned()));
        assert_eq!(over_json.as_ref().map(|claims| claims.seats), Ok(1));
        assert_eq!(read(&signed_by_hand(&json, |_, body| body.to_owned())), over_json);
        let neither = signed_by_hand(&json, |json, _| json.to_uppercase());
        assert_eq!(read(&neither), Err(LicenceError::Forged));
    }

    #[test]
    fn a_time_may_be_a_date_or_a_number_of_seconds() {
        for (issued, expires, end) in [
            ("\"2026-01-01\"", "\"2026-01-01\"", "2026-01-02T00:00:00Z"),
            ("1767225600", "1767225600", "2026-01-01T00:00:00Z"),
            ("\"2026-01-01T00:00:00Z\"", "\"2026-01-01T00:00:00Z\"", "2026-01-01T00:00:00Z"),
        ] {
            let json = written(&format!(r#""issued":{issued},"expires":{expires}"#));
            let claims: Claims = serde_json::from_str(&json).unwrap();
            assert_eq!(claims.issued, Some(time("2026-01-01T00:00:00Z")));
            assert_eq!(claims.expires, time(end), "{expires}");
        }
    }

    #[test]
    fn a_licence_holds_to_the_end_of_its_last_day() {
        let json = written(r#""expires":"2026-12-31""#);
        let text = signed_by_hand(&json, |json, _| json.to_owned());
        let read = |now: &str| read_licence(&text, &vendor().public_key(), time(now));
        assert!(read("2026-12-31T23:59:59.999999Z").is_ok());
        let end = time("2027-01-01T00:00:00Z");
        assert_eq!(read("2027-01-01T00:00:00Z"), Err(LicenceError::Expired(end)));
    }

    #[test]
    fn a_licence_without_a_beginning_holds_until_its_end() {
        let json = written(r#""expires":"2027-01-01T00:00:00Z""#);
        let text = signed_by_hand(&json, |json, _| json.to_owned());
        let claims = read_licence(&text, &vendor().public_key(), time("1999-01-01T00:00:00Z")).unwrap();
        assert_eq!(claims.issued, None);
    }

    #[test]
    fn a_licence_is_read_back_while_it_holds() {
        let text = mint_licence(&claims(), &vendor()).unwrap();
        assert!(text.starts_with("svc_lic_"));
        let key = vendor().public_key();
        assert_eq!(read_licence(&text, &key, time("2026-01-01T00:00:00Z")), Ok(claims()));
        assert_eq!(
            read_licence(&text, &key, time("2025-12-31T23:59:59Z")),
            Err(LicenceError::NotYetIssued(time("2026-01-01T00:00:00Z")))
        );
        assert_eq!(
            read_licence(&text, &key, time("2027-01-01T00:00:00Z")),
            Err(LicenceError::Expired(claims().expires))
        );
    }

    #[test]
    fn a_licence_of_another_vendor_is_forged() {
        let text = mint_licence(&claims(), &Signer::from_seed([8; 32])).unwrap();
        let now = time("2026-06-01T00:00:00Z");
        assert_eq!(read_licence(&text, &vendor().public_key(), now), Err(LicenceError::Forged));
    }

    #[test]
    fn no_changed_character_passes() {
        let text = mint_licence(&claims(), &vendor()).unwrap();
        let now = time("2026-06-01T00:00:00Z");
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = String::from_utf8(bytes).unwrap();
            assert!(read_licence(&changed, &vendor().public_key(), now).is_err(), "character {at}");
        }
    }

    #[test]
    fn a_bad_licence_line_is_explained() {
        for text in ["", "svc_lic_", "svc_lic_abc", "svc_lic_abc.12", "lic_abc.00"] {
            let read = read_licence(text, &vendor().public_key(), time("2026-06-01T00:00:00Z"));
            assert!(matches!(read, Err(LicenceError::Malformed(_))), "{text:?} gave {read:?}");
        }
    }
}
