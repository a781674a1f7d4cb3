//! Receipts: what was known of a subject at a time, and what was erased.

use crate::record::{Reader, Writer};
use crate::{Canonical, Invalid, Keyring, Malformed, Place, Position, Signed, Statement};
use domain::{DecisionId, FactId, ReceiptId, Space, Tenant, Timestamp, counted};

const TAG: &str = "svc/receipt/1";
const ATTESTATION: &str = "knowledge_attestation";
const ERASURE: &str = "erasure_receipt";
/// Comes before what was erased, in the receipts of deployments that have an entity graph. All others are written as
/// they were before there was one.
const GRAPH_PENDING: &str = "graph_pending";
/// Comes before what was erased, with the decisions whose summary went. Receipts from before this was known lack it.
const SUMMARIES: &str = "summaries";

/// Comes before what was erased, in the receipts of erasures that destroyed the user's key.
const KEYS_DESTROYED: &str = "keys_destroyed";
/// Comes behind those keys, with the number of the user's spaces that were found sealed under them. Receipts from before
/// that was looked at lack it.
const KEYS_CHECKED: &str = "keys_checked";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub id: ReceiptId,
    pub tenant: Tenant,
    /// None for receipts from before they had an owner.
    pub space: Option<Space>,
    pub ts: Timestamp,
    pub kind: ReceiptKind,
    /// The audit log's head when the receipt was issued.
    pub audit: Position,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiptKind {
    Attestation(Attestation),
    Erasure(Erasure),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attestation {
    pub subject: String,
    /// The active values as the reply words them.
    pub value: String,
    pub memory_ids: Vec<FactId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasure {
    pub what: Erased,
    pub memory_ids: Vec<FactId>,
    pub decisions_redacted: u64,
    pub decisions_removed: u64,
    pub receipts_removed: u64,
    pub audit_blanked: u64,
    /// The decisions whose summary was erased because it repeated an erased value; `None` in receipts from before they
    /// were named.
    pub summaries: Option<Vec<DecisionId>>,
    /// Whether the facts are still to be removed from the entity graph. Another receipt follows when they are.
    pub graph_pending: bool,
    /// The numbers of the user's keys that were destroyed, so that no copy of what they sealed opens any more.
    pub keys_destroyed: Vec<u64>,
    /// How many spaces of the user were found to be sealed under these keys, and assigned to no other user, before they
    /// were destroyed; 0 in receipts from before that was looked at.
    pub keys_checked: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Erased {
    Subject(String),
    /// Everything in the receipt's space.
    Space,
    /// Everything in every space of the receipt's user.
    User,
    /// What was older than this many days in these spaces; with none named, in the receipt's space.
    OlderThanDays {
        days: u64,
        spaces: Vec<Space>,
    },
    /// From the entity graph, what this earlier receipt erased.
    FromGraph(ReceiptId),
}

impl Receipt {
    pub fn kind_word(&self) -> &'static str {
        match self.kind {
            ReceiptKind::Attestation(_) => ATTESTATION,
            ReceiptKind::Erasure(_) => ERASURE,
        }
    }

    /// One line that says what the receipt is proof of.
    pub fn summary(&self) -> String {
        match &self.kind {
            ReceiptKind::Attestation(a) => format!("'{}' = {}", a.subject, a.value),
            ReceiptKind::Erasure(e) => self.erasure_summary(e),
        }
    }

    fn erasure_summary(&self, erasure: &Erasure) -> String {
        let space = self.space.as_ref().map_or_else(|| "an unnamed space".to_owned(), Space::to_string);
        let user = self.space.as_ref().map_or("an unnamed user", |s| s.user_id.as_str());
        let what = match &erasure.what {
            Erased::Subject(subject) => format!("'{subject}' of {space}"),
            Erased::Space => format!("all of {space}"),
            Erased::User => format!("every space of {user}"),
            Erased::OlderThanDays { days, spaces } if spaces.is_empty() => {
                format!("what was older than {days} day(s) in {space}")
            }
            Erased::OlderThanDays { days, spaces } => {
                let spaces: Vec<String> = spaces.iter().map(Space::to_string).collect();
                format!("what was older than {days} day(s) in {}", spaces.join(", "))
            }
            Erased::FromGraph(receipt) => format!("from the graph what receipt #{receipt} erased"),
        };
        let mut text = format!("erased {what}: {} fact(s)", erasure.memory_ids.len());
        let entries = counted(erasure.audit_blanked, "audit entry", "audit entries");
        for (count, done) in [
            (erasure.decisions_redacted, format!("{} decision(s) redacted", erasure.decisions_redacted)),
            (erasure.decisions_removed, format!("{} decision(s) removed", erasure.decisions_removed)),
            (erasure.receipts_removed, format!("{} receipt(s) removed", erasure.receipts_removed)),
            (erasure.audit_blanked, format!("{entries} blanked")),
        ] {
            if count > 0 {
                text.push_str(&format!(", {done}"));
            }
        }
        if !erasure.keys_destroyed.is_empty() {
            text.push_str("; the user's key was destroyed");
            if erasure.keys_checked > 0 {
                text.push_str(&format!(
                    ", found to be that of {} space(s) of the user",
                    erasure.keys_checked
                ));
            }
        }
        if erasure.graph_pending {
            text.push_str("; the removal from the graph was still to come, with a receipt of its own");
        }
        text
    }
}

impl Erasure {
    /// Whether the erasure, proven by `receipt`, took the summary of this decision, which was recorded then and there.
    /// Receipts that do not name the summaries are taken to cover those of their user's earlier decisions.
    pub fn covers_summary(
        &self,
        receipt: &Receipt,
        decision: DecisionId,
        user_id: &str,
        at: Timestamp,
    ) -> bool {
        match &self.summaries {
            Some(summaries) => summaries.contains(&decision),
            None => {
                let of_user = receipt.space.as_ref().is_none_or(|space| space.user_id == user_id);
                of_user && self.decisions_redacted > 0 && at <= receipt.ts
            }
        }
    }
}

impl Signed<Receipt> {
    /// Checks a receipt that was looked up as `id` of `tenant`. One without a signature proves nothing, and is
    /// invalid also where signing is off.
    pub fn verify(&self, keys: Option<&Keyring>, id: ReceiptId, tenant: &Tenant) -> Result<(), Invalid> {
        if !keys.is_some_and(|keys| self.is_signed_by(keys)) {
            return Err(Invalid::new("the receipt has no valid signature"));
        }
        if (self.statement.id, &self.statement.tenant) != (id, tenant) {
            return Err(Invalid::new("the receipt was issued as another one"));
        }
        Ok(())
    }
}

impl Canonical for Receipt {
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(TAG);
        w.text(self.kind_word());
        w.signed_number(self.id.0);
        w.text(self.tenant.as_str());
        w.option(self.space.as_ref(), Writer::space);
        w.time(self.ts);
        self.audit.write(&mut w);
        match &self.kind {
            ReceiptKind::Attestation(a) => a.write(&mut w),
            ReceiptKind::Erasure(e) => e.write(&mut w),
        }
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::open(bytes, TAG)?;
        let kind = r.text()?;
        let (id, tenant) = (ReceiptId(r.signed_number()?), Tenant::new(r.text()?));
        let space = r.option(Reader::space)?;
        let (ts, audit) = (r.time()?, Position::read(&mut r)?);
        let kind = match kind.as_str() {
            ATTESTATION => ReceiptKind::Attestation(Attestation::read(&mut r)?),
            ERASURE => ReceiptKind::Erasure(Erasure::read(&mut r)?),
            _ => return Err(Malformed::new("the receipt is of an unknown kind")),
        };
        r.end()?;
        Ok(Self { id, tenant, space, ts, kind, audit })
    }
}

impl Statement for Receipt {
    fn place(&self) -> Place {
        Place { entries: Some(self.audit.size), ts: Some(self.ts) }
    }
}

impl Attestation {
    fn write(&self, w: &mut Writer) {
        w.text(&self.subject);
        w.text(&self.value);
        w.list(self.memory_ids.iter().map(|id| id.0), Writer::signed_number);
    }

    fn read(r: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            subject: r.text()?,
            value: r.text()?,
            memory_ids: r.list(|r| r.signed_number().map(FactId))?,
        })
    }
}

impl Erasure {
    fn write(&self, w: &mut Writer) {
        if self.graph_pending {
            w.text(GRAPH_PENDING);
        }
        if !self.keys_destroyed.is_empty() {
            w.text(KEYS_DESTROYED);
            w.list(self.keys_destroyed.iter().copied(), Writer::number);
            if self.keys_checked > 0 {
                w.text(KEYS_CHECKED);
                w.number(self.keys_checked);
            }
        }
        if let Some(summaries) = &self.summaries {
            w.text(SUMMARIES);
            w.list(summaries.iter().map(|id| id.0), Writer::signed_number);
        }
        match &self.what {
            Erased::Subject(subject) => {
                w.text("subject");
                w.text(subject);
            }
            Erased::Space => w.text("space"),
            Erased::User => w.text("user"),
            Erased::OlderThanDays { days, spaces } if spaces.is_empty() => {
                w.text("older_than_days");
                w.number(*days);
            }
            Erased::OlderThanDays { days, spaces } => {
                w.text("older_than_days_in");
                w.number(*days);
                w.list(spaces.iter(), Writer::space);
            }
            Erased::FromGraph(receipt) => {
                w.text("graph");
                w.signed_number(receipt.0);
            }
        }
        w.list(self.memory_ids.iter().map(|id| id.0), Writer::signed_number);
        w.number(self.decisions_redacted);
        w.number(self.decisions_removed);
        w.number(self.receipts_removed);
        w.number(self.audit_blanked);
    }

    fn read(r: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut word = r.text()?;
        let graph_pending = word == GRAPH_PENDING;
        if graph_pending {
            word = r.text()?;
        }
        let (mut keys_destroyed, mut keys_checked) = (Vec::new(), 0);
        if word == KEYS_DESTROYED {
            keys_destroyed = r.list(Reader::number)?;
            if keys_destroyed.is_empty() {
                return Err(Malformed::new("the receipt names no key where it must"));
            }
            word = r.text()?;
            if word == KEYS_CHECKED {
                keys_checked = r.number()?;
                if keys_checked == 0 {
                    return Err(Malformed::new("the receipt counts no space where it must"));
                }
                word = r.text()?;
            }
        }
        let mut summaries = None;
        if word == SUMMARIES {
            summaries = Some(r.list(|r| r.signed_number().map(DecisionId))?);
            word = r.text()?;
        }
        let what = match word.as_str() {
            "subject" => Erased::Subject(r.text()?),
            "space" => Erased::Space,
            "user" => Erased::User,
            "older_than_days" => Erased::OlderThanDays { days: r.number()?, spaces: Vec::new() },
            "older_than_days_in" => {
                let (days, spaces) = (r.number()?, r.list(Reader::space)?);
                if spaces.is_empty() {
                    return Err(Malformed::new("the receipt names no space where it must"));
                }
                Erased::OlderThanDays { days, spaces }
            }
            "graph" => Erased::FromGraph(ReceiptId(r.signed_number()?)),
            _ => return Err(Malformed::new("the receipt erases an unknown kind of thing")),
        };
        Ok(Self {
            what,
            memory_ids: r.list(|r| r.signed_number().map(FactId))?,
            decisions_redacted: r.number()?,
            decisions_removed: r.number()?,
            receipts_removed: r.number()?,
            audit_blanked: r.number()?,
            summaries,
            graph_pending,
            keys_destroyed,
            keys_checked,
        })
    }
}
