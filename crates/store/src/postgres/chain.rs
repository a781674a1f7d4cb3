//! The end of the audit chain while a group of calls is appended to it. The log is locked for two round trips and one
//! commit, whatever the calls of the group had to do before.

use super::counters::TallyColumns;
use super::db::PostgresDb;
use crate::StoreError;
use crate::error::Trouble;
use crate::rows::audit::RawEntry;
use crate::rows::counters::Tally;
use crate::rows::deployment::{HEAD, KEYS_AT, PEAKS, PRINCIPALS};
use crate::rows::log_end::{LastEnd, NewEnd};
use crate::rows::principals::version;
use crate::scripts::log::refuse_headless;
use crate::scripts::{tree, user_keys};
use crate::secrets::Secrets;
use domain::{PrincipalsVersion, Tenant, Timestamp};
use evidence::{Appender, Draft};
use futures_util::future::try_join;
use tokio_postgres::types::ToSql;

/// How the end of a group went.
pub(super) enum Closed {
    /// With the new end of the log, where something was appended to it.
    Committed(Option<NewEnd>),
    Failed(StoreError),
    /// The connection was lost while the commit was under way. Whether it happened can be read from the log, which then
    /// passes through this end.
    Unknown(NewEnd),
}

/// Appends the entries to the log and commits.
pub(super) async fn close(
    db: PostgresDb<'_>,
    mut log: Appender,
    entries: Vec<(Tenant, Draft)>,
    tally: &Tally,
) -> Closed {
    let (rows, end) = match appended(db.secrets, &mut log, entries) {
        Ok(appended) => appended,
        Err(error) => return Closed::Failed(error),
    };
    match db.chain_write(&rows, &end, &log, tally).await {
        Ok(()) => Closed::Committed(Some(end)),
        Err(StoreError::Postgres { trouble: Trouble::Lost, .. }) => Closed::Unknown(end),
        Err(error) => Closed::Failed(error),
    }
}

/// The rows of the entries, and the end of the log after the last of them.
fn appended(
    secrets: &Secrets,
    log: &mut Appender,
    entries: Vec<(Tenant, Draft)>,
) -> Result<(Vec<RawEntry>, NewEnd), StoreError> {
    let mut rows = Vec::with_capacity(entries.len());
    let mut last = Timestamp::UNIX_EPOCH;
    for (tenant, draft) in entries {
        last = draft.ts;
        let stored = log.append(draft).map_err(|e| StoreError::corrupt("the audit log", e))?;
        rows.push(secrets.entry_seal(tenant.as_str(), stored)?);
    }
    Ok((rows, secrets.end_sign(log.end(), last)))
}

impl PostgresDb<'_> {
    /// Waits until the log is ours alone, until the transaction ends; returns what goes on from its end, and the version
    /// of the principals. What opens the log to the transaction is sent along.
    pub async fn chain_lock(
        &mut self,
        opening: &str,
        last: &LastEnd,
    ) -> Result<(Appender, PrincipalsVersion), StoreError> {
        let lock =
            self.client.prepare_cached("SELECT 1 FROM deployment WHERE name = 'chain' FOR UPDATE").await?;
        let read = "SELECT name, value FROM deployment WHERE name IN ($1, $2, $3, $4)";
        let read = self.client.prepare_cached(read).await?;
        // Sent together, and carried out one after the other: the head is read when the lock is held.
        let (_, (_, rows)) = try_join(
            self.client.batch_execute(opening),
            try_join(
                self.client.query_one(&lock, &[]),
                self.client.query(&read, &[&HEAD, &PEAKS, &PRINCIPALS, &KEYS_AT]),
            ),
        )
        .await?;
        let (mut head, mut peaks, mut principals, mut keys_at) = (None, None, None, Vec::new());
        for row in rows {
            let value: Vec<u8> = row.try_get(1)?;
            match row.try_get::<_, &str>(0)? {
                HEAD => head = Some(value),
                PEAKS => peaks = Some(value),
                KEYS_AT => keys_at = value,
                _ => principals = Some(value),
            }
        }
        // The head may be signed by a key that came since this process last looked.
        user_keys::follow_to(self, keys_at).await?;
        if head.is_none() {
            refuse_headless(self).await?;
        }
        let read = self.secrets.end_read(head.as_deref(), peaks.as_deref(), last.get().as_ref())?;
        Ok((tree::appender(self, read).await?, version(principals.as_deref())))
    }

    /// Writes the entries, the end of the log and the counts, and commits, in one round trip.
    async fn chain_write(
        &self,
        rows: &[RawEntry],
        end: &NewEnd,
        log: &Appender,
        tally: &Tally,
    ) -> Result<(), StoreError> {
        let columns = Columns::of(rows);
        let append = self.client.prepare_cached(APPEND).await?;
        let (names, values) = ([HEAD, PEAKS].to_vec(), vec![end.head.encode(), end.peaks.clone()]);
        let subtrees = log.completed();
        let levels: Vec<i64> = subtrees.iter().map(|(node, _)| i64::from(node.level)).collect();
        let places: Vec<i64> =
            subtrees.iter().map(|(node, _)| i64::try_from(node.place).unwrap_or(i64::MAX)).collect();
        let hashes: Vec<&[u8]> = subtrees.iter().map(|(_, hash)| hash.0.as_slice()).collect();
        let counts = TallyColumns::of(tally);
        let mut params: Vec<&(dyn ToSql + Sync)> = columns.params().to_vec();
        params.extend([&names as &(dyn ToSql + Sync), &values, &levels, &places, &hashes]);
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

/// The entries, the end of the log and the counts in one statement. Every group writes the rows of the counts while it holds the
/// log, so that no two of them wait for each other there.
const APPEND: &str = "WITH entries AS (
    INSERT INTO audit_entry (seq, tenant, ts, action, user_id, agent_id, run_id, caller, request,
    committed, detail, blanks, prev, hash, signature, changes)
    SELECT * FROM unnest($1::BIGINT[], $2::TEXT[], $3::BIGINT[], $4::TEXT[], $5::TEXT[], $6::TEXT[], $7::TEXT[],
    $8::TEXT[], $9::TEXT[], $10::BYTEA[], $11::BYTEA[], $12::BYTEA[], $13::BYTEA[], $14::BYTEA[], $15::BYTEA[],
    $16::BYTEA[])
    ), ends AS (
    INSERT INTO deployment (name, value) SELECT * FROM unnest($17::TEXT[], $18::BYTEA[])
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    ), subtrees AS (
    INSERT INTO audit_subtree (level, place, hash) SELECT * FROM unnest($19::BIGINT[], $20::BIGINT[], $21::BYTEA[])
    ON CONFLICT (level, place) DO UPDATE SET hash = excluded.hash
    ), tools AS (
    INSERT INTO tool_counter AS held (tool, calls, errors, micros)
    SELECT * FROM unnest($22::TEXT[], $23::BIGINT[], $24::BIGINT[], $25::BIGINT[])
    ON CONFLICT (tool) DO UPDATE SET calls = held.calls + excluded.calls,
    errors = held.errors + excluded.errors, micros = held.micros + excluded.micros
    )
    INSERT INTO action_counter AS held (action, total)
    SELECT * FROM unnest($26::TEXT[], $27::BIGINT[])
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
    changes: Vec<Option<&'a [u8]>>,
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
            changes: rows.iter().map(|row| row.changes.as_deref()).collect(),
        }
    }

    fn params(&self) -> [&(dyn ToSql + Sync); 16] {
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
            &self.changes,
        ]
    }
}
