//! The end of the audit chain while a group of calls is appended to it. The log is locked for two round trips and one
//! commit, whatever the calls of the group had to do before.

use super::counters::TallyColumns;
use super::db::PostgresDb;
use crate::StoreError;
use crate::error::Trouble;
use crate::rows::audit::RawEntry;
use crate::rows::counters::Tally;
use crate::rows::deployment::{self, HEAD, PRINCIPALS};
use crate::rows::principals::version;
use crate::secrets::Secrets;
use domain::{PrincipalsVersion, Tenant, Timestamp};
use evidence::{Appender, Draft, Position, SignedHead};
use futures_util::future::try_join;
use tokio_postgres::types::ToSql;

/// How the end of a group went.
pub(super) enum Closed {
    Committed(Option<SignedHead>),
    Failed(StoreError),
    /// The connection was lost while the commit was under way. Whether it happened can be read from the log, which then
    /// passes through this head.
    Unknown(SignedHead),
}

/// Appends the entries to the log, which ends here, and commits.
pub(super) async fn close(
    db: PostgresDb<'_>,
    at: Position,
    entries: Vec<(Tenant, Draft)>,
    tally: &Tally,
) -> Closed {
    let (rows, head) = match appended(db.secrets, at, entries) {
        Ok(appended) => appended,
        Err(error) => return Closed::Failed(error),
    };
    match db.chain_write(&rows, &head, tally).await {
        Ok(()) => Closed::Committed(Some(head)),
        Err(StoreError::Postgres { trouble: Trouble::Lost, .. }) => Closed::Unknown(head),
        Err(error) => Closed::Failed(error),
    }
}

/// The rows of the entries from this position on, and the head after the last of them.
fn appended(
    secrets: &Secrets,
    at: Position,
    entries: Vec<(Tenant, Draft)>,
) -> Result<(Vec<RawEntry>, SignedHead), StoreError> {
    let mut appender = Appender::new(at, secrets.signer.as_ref());
    let mut rows = Vec::with_capacity(entries.len());
    let mut last = Timestamp::UNIX_EPOCH;
    for (tenant, draft) in entries {
        last = draft.ts;
        let stored = appender.append(draft).map_err(|e| StoreError::corrupt("the audit log", e))?;
        rows.push(secrets.entry_seal(tenant.as_str(), stored)?);
    }
    Ok((rows, secrets.head_sign(appender.position(), last)))
}

impl PostgresDb<'_> {
    /// Waits until the log is ours alone, until the transaction ends; returns where it ends, and the version of the
    /// principals. What opens the log to the transaction is sent along.
    pub async fn chain_lock(&self, opening: &str) -> Result<(Position, PrincipalsVersion), StoreError> {
        let lock =
            self.client.prepare_cached("SELECT 1 FROM deployment WHERE name = 'chain' FOR UPDATE").await?;
        let read = "SELECT name, value FROM deployment WHERE name IN ($1, $2)";
        let read = self.client.prepare_cached(read).await?;
        // Sent together, and carried out one after the other: the head is read when the lock is held.
        let (_, (_, rows)) = try_join(
            self.client.batch_execute(opening),
            try_join(self.client.query_one(&lock, &[]), self.client.query(&read, &[&HEAD, &PRINCIPALS])),
        )
        .await?;
        let (mut head, mut principals) = (None, None);
        for row in rows {
            let value: Vec<u8> = row.try_get(1)?;
            if row.try_get::<_, String>(0)? == HEAD { head = Some(value) } else { principals = Some(value) }
        }
        let at = self.secrets.head_position(deployment::signed(head.as_deref())?)?;
        Ok((at, version(principals.as_deref())))
    }

    /// Writes the entries, the head and the counts, and commits, in one round trip.
    async fn chain_write(
        &self,
        rows: &[RawEntry],
        head: &SignedHead,
        tally: &Tally,
    ) -> Result<(), StoreError> {
        let columns = Columns::of(rows);
        let append = self.client.prepare_cached(APPEND).await?;
        let (head, counts) = (head.encode(), TallyColumns::of(tally));
        let mut params: Vec<&(dyn ToSql + Sync)> = columns.params().to_vec();
        params.extend([&HEAD as &(dyn ToSql + Sync), &head]);
        params.extend(counts.params());
        try_join(self.client.execute(&append, &params), self.client.batch_execute("COMMIT")).await?;
        Ok(())
    }

    /// Waits until nobody else is appending to the log.
    pub async fn log_wait(&self) -> Result<(), StoreError> {
        self.execute("SELECT 1 FROM deployment WHERE name = 'chain' FOR UPDATE", &[]).await?;
        Ok(())
    }
}

/// The entries, the head and the counts in one statement. Every group writes the rows of the counts while it holds the
/// log, so that no two of them wait for each other there.
const APPEND: &str = "WITH entries AS (
    INSERT INTO audit_entry (seq, tenant, ts, action, user_id, agent_id, run_id, caller, request,
    committed, detail, blanks, prev, hash, signature)
    SELECT * FROM unnest($1::BIGINT[], $2::TEXT[], $3::BIGINT[], $4::TEXT[], $5::TEXT[], $6::TEXT[], $7::TEXT[],
    $8::TEXT[], $9::TEXT[], $10::BYTEA[], $11::BYTEA[], $12::BYTEA[], $13::BYTEA[], $14::BYTEA[], $15::BYTEA[])
    ), head AS (
    INSERT INTO deployment (name, value) VALUES ($16, $17)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    ), tools AS (
    INSERT INTO tool_counter AS held (tool, calls, errors, micros)
    SELECT * FROM unnest($18::TEXT[], $19::BIGINT[], $20::BIGINT[], $21::BIGINT[])
    ON CONFLICT (tool) DO UPDATE SET calls = held.calls + excluded.calls,
    errors = held.errors + excluded.errors, micros = held.micros + excluded.micros
    )
    INSERT INTO action_counter AS held (action, total)
    SELECT * FROM unnest($22::TEXT[], $23::BIGINT[])
    ON CONFLICT (action) DO UPDATE SET total = held.total + excluded.total";

/// Rows turned into columns, as one statement takes them.
struct Columns<'a> {
    seq: Vec<i64>,
    tenant: Vec<&'a str>,
    ts: Vec<i64>,
    texts: [Vec<&'a str>; 6],
    committed: Vec<&'a [u8]>,
    detail: Vec<Option<&'a [u8]>>,
    blanks: Vec<Option<&'a [u8]>>,
    prev: Vec<&'a [u8]>,
    hash: Vec<Option<&'a [u8]>>,
    signature: Vec<Option<&'a [u8]>>,
}

impl<'a> Columns<'a> {
    fn of(rows: &'a [RawEntry]) -> Self {
        let text = |place: usize| rows.iter().filter_map(move |row| row.texts.get(place)).map(String::as_str);
        Self {
            seq: rows.iter().map(|row| row.seq.0).collect(),
            tenant: rows.iter().map(|row| row.tenant.as_str()).collect(),
            ts: rows.iter().map(|row| row.ts).collect(),
            texts: [0, 1, 2, 3, 4, 5].map(|place| text(place).collect()),
            committed: rows.iter().map(|row| row.committed.as_slice()).collect(),
            detail: rows.iter().map(|row| row.detail.as_deref()).collect(),
            blanks: rows.iter().map(|row| row.blanks.as_deref()).collect(),
            prev: rows.iter().map(|row| row.prev.as_slice()).collect(),
            hash: rows.iter().map(|row| row.hash.as_deref()).collect(),
            signature: rows.iter().map(|row| row.signature.as_deref()).collect(),
        }
    }

    fn params(&self) -> [&(dyn ToSql + Sync); 15] {
        let [action, user, agent, run, caller, request] = &self.texts;
        [
            &self.seq,
            &self.tenant,
            &self.ts,
            action,
            user,
            agent,
            run,
            caller,
            request,
            &self.committed,
            &self.detail,
            &self.blanks,
            &self.prev,
            &self.hash,
            &self.signature,
        ]
    }
}
