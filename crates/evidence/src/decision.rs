//! Decision snapshots: what was believed when an action was taken. The signed body holds a commitment to the summary
//! and to each belief: one belief can be erased, and the signature still proves the rest.

use crate::record::{Reader, Writer};
use crate::{
    Canonical, Commitment, Disclosure, Invalid, Keyring, Malformed, NoRandomness, Place, Signed, Signer,
    Statement,
};
use domain::{DecisionId, FactId, Space, Tenant, Timestamp};

const SNAPSHOT_TAG: &str = "svc/decision/1";
const BELIEF_TAG: &str = "svc/belief/1";

#[derive(Debug, Clone, PartialEq)]
pub struct Belief {
    pub memory_id: FactId,
    pub subject: String,
    pub value: String,
    pub confidence: f64,
    pub source: Option<String>,
    /// The status word of the fact.
    pub status: String,
    pub supersedes: Option<FactId>,
}

/// Whose decision it is, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub id: DecisionId,
    pub tenant: Tenant,
    pub space: Space,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub owner: Owner,
    pub ts: Timestamp,
    pub summary: Commitment,
    pub beliefs: Vec<(FactId, Commitment)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    pub snapshot: Signed<Snapshot>,
    pub summary: Disclosure,
    /// In the order of the snapshot's beliefs.
    pub beliefs: Vec<Disclosure>,
}

/// What is left of the disclosures; an erased one is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disclosed {
    pub summary: Option<Disclosure>,
    pub beliefs: Vec<Option<Disclosure>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    pub ts: Timestamp,
    pub summary: Option<String>,
    /// Each with its memory id; the belief is `None` where it was erased.
    pub beliefs: Vec<(FactId, Option<Belief>)>,
}

pub fn record(
    owner: Owner,
    ts: Timestamp,
    summary: &str,
    beliefs: &[Belief],
    signer: Option<&Signer>,
) -> Result<Recorded, NoRandomness> {
    let summary = Disclosure::salted(summary)?;
    let disclosures: Vec<Disclosure> =
        beliefs.iter().map(|b| Disclosure::salted(b.encode())).collect::<Result<_, _>>()?;
    let committed = beliefs.iter().zip(&disclosures).map(|(b, d)| (b.memory_id, d.commitment())).collect();
    let snapshot = Snapshot { owner, ts, summary: summary.commitment(), beliefs: committed };
    Ok(Recorded { snapshot: Signed::new(snapshot, signer), summary, beliefs: disclosures })
}

/// Opens a snapshot that was looked up as `id` of `user_id`. Without `keys` the deployment signs nothing, and all but
/// the signature is checked.
pub fn explain(
    signed: &Signed<Snapshot>,
    keys: Option<&Keyring>,
    disclosed: &Disclosed,
    (id, tenant, user_id): (DecisionId, &Tenant, &str),
) -> Result<Explained, Invalid> {
    let snapshot = &signed.statement;
    if keys.is_some_and(|keys| !signed.is_signed_by(keys)) {
        return Err(Invalid::new("the snapshot has no valid signature"));
    }
    let owner = &snapshot.owner;
    if (owner.id, &owner.tenant, owner.space.user_id.as_str()) != (id, tenant, user_id) {
        return Err(Invalid::new("the snapshot was recorded as another decision"));
    }
    if snapshot.beliefs.len() != disclosed.beliefs.len() {
        return Err(Invalid::new("the snapshot holds another number of beliefs than are stored with it"));
    }
    let summary = open(disclosed.summary.as_ref(), snapshot.summary)?
        .map(|d| d.text().map(str::to_owned))
        .transpose()
        .map_err(|e| Invalid::new(e.to_string()))?;
    let beliefs = snapshot
        .beliefs
        .iter()
        .zip(&disclosed.beliefs)
        .map(|((id, commitment), disclosure)| Ok((*id, open_belief(*id, *commitment, disclosure.as_ref())?)))
        .collect::<Result<_, Invalid>>()?;
    Ok(Explained { ts: snapshot.ts, summary, beliefs })
}

fn open(disclosure: Option<&Disclosure>, commitment: Commitment) -> Result<Option<&Disclosure>, Invalid> {
    match disclosure {
        Some(d) if d.commitment() != commitment => {
            Err(Invalid::new("a stored value is not the one that was recorded"))
        }
        other => Ok(other),
    }
}

fn open_belief(
    id: FactId,
    commitment: Commitment,
    disclosure: Option<&Disclosure>,
) -> Result<Option<Belief>, Invalid> {
    let Some(disclosure) = open(disclosure, commitment)? else { return Ok(None) };
    match Belief::decode(&disclosure.content) {
        Ok(belief) if belief.memory_id == id => Ok(Some(belief)),
        Ok(_) => Err(Invalid::new(format!("the belief recorded as #{id} is that of another memory"))),
        Err(e) => Err(Invalid::new(e.to_string())),
    }
}

impl Canonical for Snapshot {
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(SNAPSHOT_TAG);
        w.signed_number(self.owner.id.0);
        w.text(self.owner.tenant.as_str());
        w.space(&self.owner.space);
        w.time(self.ts);
        w.bytes(&self.summary.0.0);
        w.list(self.beliefs.iter(), |w, (id, commitment)| {
            w.signed_number(id.0);
            w.bytes(&commitment.0.0);
        });
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::open(bytes, SNAPSHOT_TAG)?;
        let owner =
            Owner { id: DecisionId(r.signed_number()?), tenant: Tenant::new(r.text()?), space: r.space()? };
        let snapshot = Self {
            owner,
            ts: r.time()?,
            summary: r.commitment()?,
            beliefs: r.list(|r| Ok((FactId(r.signed_number()?), r.commitment()?)))?,
        };
        r.end()?;
        Ok(snapshot)
    }
}

impl Statement for Snapshot {
    fn place(&self) -> Place {
        Place { entries: None, ts: Some(self.ts) }
    }
}

impl Canonical for Belief {
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(BELIEF_TAG);
        w.signed_number(self.memory_id.0);
        w.text(&self.subject);
        w.text(&self.value);
        w.fraction(self.confidence);
        w.option(self.source.as_deref(), Writer::text);
        w.text(&self.status);
        w.option(self.supersedes.map(|id| id.0), Writer::signed_number);
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::open(bytes, BELIEF_TAG)?;
        let belief = Self {
            memory_id: FactId(r.signed_number()?),
            subject: r.text()?,
            value: r.text()?,
            confidence: r.fraction()?,
            source: r.option(Reader::text)?,
            status: r.text()?,
            supersedes: r.option(Reader::signed_number)?.map(FactId),
        };
        r.end()?;
        Ok(belief)
    }
}
