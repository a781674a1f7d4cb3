//! The principals that were revoked, as they are remembered outside the database: a restored database must not bring one
//! back.

use crate::record::{Reader, Writer};
use crate::{Canonical, Hash, Malformed, Place, Signed, Statement};
use domain::{PrincipalId, Timestamp};

const TAG: &str = "svc/revocations/1";
/// Of lists that name keys, too.
const TAG_WITH_KEYS: &str = "svc/revocations/2";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revocations {
    pub principals: Vec<(PrincipalId, Timestamp)>,
    /// The hashes of keys that were replaced, and when each of them ends.
    pub keys: Vec<(Hash, Timestamp)>,
}

pub type SignedRevocations = Signed<Revocations>;

impl Revocations {
    pub fn add(&mut self, id: &PrincipalId, ts: Timestamp) {
        if !self.principals.iter().any(|(known, _)| known == id) {
            self.principals.push((id.clone(), ts));
        }
    }

    /// A key that ends at this time.
    pub fn add_key(&mut self, hash: Hash, ends: Timestamp) {
        self.keys.retain(|(known, _)| *known != hash);
        self.keys.push((hash, ends));
    }
}

impl Canonical for Revocations {
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(if self.keys.is_empty() { TAG } else { TAG_WITH_KEYS });
        w.list(self.principals.iter(), |w, (id, ts)| {
            w.text(id.as_str());
            w.time(*ts);
        });
        if !self.keys.is_empty() {
            w.list(self.keys.iter(), |w, (hash, ends)| {
                w.bytes(&hash.0);
                w.time(*ends);
            });
        }
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (mut r, with_keys) = match Reader::open(bytes, TAG) {
            Ok(reader) => (reader, false),
            Err(_) => (Reader::open(bytes, TAG_WITH_KEYS)?, true),
        };
        let principals = r.list(|r| Ok((PrincipalId(r.text()?), r.time()?)))?;
        let keys = if with_keys { r.list(|r| Ok((r.hash()?, r.time()?)))? } else { Vec::new() };
        r.end()?;
        if with_keys && keys.is_empty() {
            return Err(Malformed::new("a list of keys is empty where it must not be"));
        }
        Ok(Self { principals, keys })
    }
}

/// The list is signed anew as a whole at each change.
impl Statement for Revocations {
    fn place(&self) -> Place {
        Place::default()
    }
}

#[cfg(test)]
mod tests {
    use super::Revocations;
    use crate::{Canonical, Hash};
    use domain::{PrincipalId, Timestamp};

    #[test]
    fn what_is_written_reads_back_and_nobody_is_in_it_twice() {
        let mut revoked = Revocations::default();
        for id in ["prin_a", "prin_b", "prin_a"] {
            revoked.add(&PrincipalId(id.to_owned()), Timestamp::UNIX_EPOCH);
        }
        assert_eq!(revoked.principals.len(), 2);
        assert_eq!(Revocations::decode(&revoked.encode()).unwrap(), revoked);
        for key in [1, 2, 1] {
            revoked.add_key(Hash([key; 32]), Timestamp::UNIX_EPOCH);
        }
        assert_eq!(revoked.keys.len(), 2);
        assert_eq!(Revocations::decode(&revoked.encode()).unwrap(), revoked);
    }
}
