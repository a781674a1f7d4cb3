//! The principals that were revoked, as they are remembered outside the database: a restored database must not bring one
//! back.

use crate::record::{Reader, Writer};
use crate::{Canonical, Malformed, Signed};
use domain::{PrincipalId, Timestamp};

const TAG: &str = "svc/revocations/1";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revocations(pub Vec<(PrincipalId, Timestamp)>);

pub type SignedRevocations = Signed<Revocations>;

impl Revocations {
    pub fn add(&mut self, id: &PrincipalId, ts: Timestamp) {
        if !self.0.iter().any(|(known, _)| known == id) {
            self.0.push((id.clone(), ts));
        }
    }
}

impl Canonical for Revocations {
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(TAG);
        w.list(self.0.iter(), |w, (id, ts)| {
            w.text(id.as_str());
            w.time(*ts);
        });
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::open(bytes, TAG)?;
        let revoked = Self(r.list(|r| Ok((PrincipalId(r.text()?), r.time()?)))?);
        r.end()?;
        Ok(revoked)
    }
}

#[cfg(test)]
mod tests {
    use super::Revocations;
    use crate::Canonical;
    use domain::{PrincipalId, Timestamp};

    #[test]
    fn what_is_written_reads_back_and_nobody_is_in_it_twice() {
        let mut revoked = Revocations::default();
        for id in ["prin_a", "prin_b", "prin_a"] {
            revoked.add(&PrincipalId(id.to_owned()), Timestamp::UNIX_EPOCH);
        }
        assert_eq!(revoked.0.len(), 2);
        assert_eq!(Revocations::decode(&revoked.encode()).unwrap(), revoked);
    }
}
