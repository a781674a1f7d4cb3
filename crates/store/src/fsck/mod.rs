//! Checking a whole database without changing it: every row opens, is found by what it holds, belongs to what it says it
//! belongs to, and is counted. The audit log itself is what `Store::audit_verify` checks.

mod counters;
mod finding;
mod log_tree;
mod memory;
mod proofs;
mod source;

pub use finding::{Finding, RowName};

use crate::StoreError;
use crate::backup::{KeptApart, secrets_of};
use crate::copy::{PostgresRows, STORAGE_USE, SqliteRows, Step, TABLES, Table, TableRow, Watcher};
use crate::postgres::Address;
use crate::rows::deployment::{self, ANCHOR, COPYING, ENCRYPTION, HEAD, PEAKS};
use crate::rows::schema::Schema;
use crate::secrets::Secrets;
use crate::sqlite::{connection, pages};
use crate::state::{Changes, Ledger, table_of};
use crate::store::StoreSettings;
use counters::Counters;
use domain::Tenant;
use evidence::{Anchor, Hash, Head};
use log_tree::LogTree;
use memory::{Memory, wrong};
use proofs::Proofs;
use source::Source;
use std::collections::BTreeMap;

/// In this order a row comes after what it belongs to.
const ORDER: [&str; 13] = [
    "space",
    "statement_text",
    "fact",
    "statement",
    "vector",
    "receipt",
    "belief",
    "decision",
    "erasure",
    "principal",
    "sequence",
    "audit_entry",
    "audit_subtree",
];

/// What a check came to.
#[derive(Debug, Default)]
pub struct Fsck {
    /// Rows that were looked at.
    pub rows: u64,
    pub findings: Vec<Finding>,
    /// Whether the audit log commits to the rows, and they were compared with it.
    pub is_covered: bool,
}

/// Looks at every row of the database, as it is at one moment. The service may be running.
pub async fn fsck(settings: &StoreSettings, watch: Watcher<'_>) -> Result<Fsck, StoreError> {
    if let Some((version, _)) = Schema::of(settings).await?.pending.first() {
        return Err(StoreError::Startup(format!(
            "the database has not been brought to version {version} of the schema; run svc-migrate up, then check it"
        )));
    }
    let mut connection;
    let mut damage = Vec::new();
    let source = match settings {
        StoreSettings::Sqlite(sqlite) => {
            connection = connection::open(&sqlite.path, None)?;
            connection.pragma_update(None, "query_only", true)?;
            damage = pages::faults(&connection)?;
            damage.iter_mut().for_each(|fault| fault.insert_str(0, "the file is damaged: "));
            Source::Sqlite(SqliteRows::of(&mut connection)?)
        }
        StoreSettings::Postgres(postgres) => {
            Source::Postgres(PostgresRows::of(Address::parse(&postgres.url)?.connect().await?).await?)
        }
    };
    let held = source.deployment().await?;
    if !held.contains_key(ENCRYPTION) || held.contains_key(COPYING) {
        return Err(StoreError::Startup("the database holds no whole deployment".to_owned()));
    }
    let mut secrets = secrets_of(&settings.keys(), &held).await?;
    secrets.users =
        KeptApart::from_rows(settings.keys().beside, held.clone()).users(&secrets.sealer, &held)?;
    let tenants = source.tenants().await?;
    let ledger = match &secrets.state {
        None => None,
        Some(_) => match ledger(&source).await {
            Err(error) if error.is_of_content() => {
                damage.push(format!("what the audit log says of the rows cannot be read: {error}"));
                None
            }
            told => told?,
        },
    };
    let mut check = Check::new(&secrets, &held, ledger)?;
    check.done.findings.extend(damage.into_iter().map(|what| Finding { row: None, what }));
    for table in ORDER.iter().filter_map(|name| TABLES.iter().find(|table| table.name == *name)) {
        check.table(&source, table, &tenants, watch).await?;
    }
    check.table(&source, &STORAGE_USE, &tenants, watch).await?;
    Ok(check.end())
}

/// What the log says of every row; `None` where it does not say it of all of them.
async fn ledger(source: &Source<'_>) -> Result<Option<Ledger>, StoreError> {
    let (mut all, mut first) = (None, None);
    entries(source, |seq, list| {
        first = first.or(Some((seq, list.is_some())));
        if let Some(listed) = list.map(Changes::decode).transpose()?.and_then(|changes| changes.all) {
            all = Some(listed);
        }
        Ok(())
    })
    .await?;
    if all.is_none() && !matches!(first, None | Some((1, true))) {
        return Ok(None);
    }
    let mut ledger = Ledger::new(all);
    entries(source, |seq, list| {
        ledger.take(seq, &Changes::decode(list.unwrap_or_default())?.own);
        Ok(())
    })
    .await?;
    Ok(Some(ledger))
}

/// Hands over the number of each entry and its list of changes.
async fn entries(
    source: &Source<'_>,
    mut each: impl FnMut(u64, Option<&[u8]>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let Some(table) = TABLES.iter().find(|table| table.name == "audit_entry") else { return Ok(()) };
    let mut after = None;
    loop {
        let batch = source.page(table, None, after.as_ref()).await?;
        if batch.rows == 0 {
            return Ok(());
        }
        for at in 0..batch.rows {
            let row = TableRow { batch: &batch, at };
            let list: Option<Vec<u8>> = row.get("changes")?;
            each(u64::try_from(row.get::<i64>("seq")?).unwrap_or_default(), list.as_deref())?;
        }
        after = batch.last();
    }
}

struct Check<'s> {
    memory: Memory<'s>,
    proofs: Proofs<'s>,
    counters: Counters,
    /// Up to where the log was purged.
    purged: u64,
    log_tree: LogTree,
    head: Option<Head>,
    peaks: Option<Vec<u8>>,
    /// The receipts that are anchored to each entry, and the hash that they give for it.
    anchored: BTreeMap<u64, Vec<(RowName, Hash)>>,
    secrets: &'s Secrets,
    /// What the log says of the rows.
    ledger: Option<Ledger>,
    done: Fsck,
}

impl<'s> Check<'s> {
    fn new(
        secrets: &'s Secrets,
        held: &BTreeMap<String, Vec<u8>>,
        ledger: Option<Ledger>,
    ) -> Result<Self, StoreError> {
        let anchor = deployment::signed::<Anchor>(held.get(ANCHOR).map(Vec::as_slice))?;
        Ok(Self {
            memory: Memory::new(secrets),
            proofs: Proofs::new(secrets),
            counters: Counters::default(),
            purged: anchor.as_ref().map_or(0, |anchor| anchor.statement.at.size),
            log_tree: LogTree::after(anchor.map(|anchor| anchor.statement)),
            // A head that is none is for the check of the log to say.
            head: deployment::signed(held.get(HEAD).map(Vec::as_slice))
                .ok()
                .flatten()
                .map(|head| head.statement),
            peaks: held.get(PEAKS).cloned(),
            anchored: BTreeMap::new(),
            secrets,
            done: Fsck { is_covered: ledger.is_some(), ..Fsck::default() },
            ledger,
        })
    }

    /// Looks at every row of the table. One that cannot even be fetched ends it for its part of the table.
    async fn table(
        &mut self,
        source: &Source<'_>,
        table: &'static Table,
        tenants: &[String],
        watch: Watcher<'_>,
    ) -> Result<(), StoreError> {
        let total = source.count(table, tenants).await?;
        let mut done = 0;
        watch(Step::Copied { table: table.name, done, total });
        for part in table.parts(tenants) {
            let tenant = Tenant::new(part.unwrap_or_default());
            let mut after = None;
            loop {
                let batch = match source.page(table, part, after.as_ref()).await {
                    Ok(batch) => batch,
                    Err(error) => {
                        let what = format!("{} of {tenant} cannot be read to its end: {error}", table.name);
                        self.done.findings.push(Finding { row: None, what });
                        break;
                    }
                };
                if batch.rows == 0 {
                    break;
                }
                for at in 0..batch.rows {
                    self.row(&tenant, TableRow { batch: &batch, at });
                }
                done += batch.rows as u64;
                after = batch.last();
                watch(Step::Copied { table: table.name, done, total });
            }
        }
        Ok(())
    }

    fn row(&mut self, tenant: &Tenant, row: TableRow<'_>) {
        self.done.rows += 1;
        let checked = self.content(tenant, row);
        if let Err(error) = self.counters.count(tenant, row).and(checked) {
            self.done.findings.push(Finding { row: Some(name(row)), what: error.to_string() });
        }
        if let Some(what) = self.told(row) {
            self.done.findings.push(Finding { row: Some(name(row)), what });
        }
    }

    /// Where the row is not what the log says.
    fn told(&mut self, row: TableRow<'_>) -> Option<String> {
        table_of(row.batch.table.name)?;
        let (ledger, state) = (self.ledger.as_mut()?, self.secrets.state.as_ref()?);
        match ledger.meet(&state.key_of(row.batch, row.at)) {
            None => Some("it was added by somebody else: the audit log knows of no such row".to_owned()),
            Some(written) if written.mac != state.mac_of(row.batch, row.at) => Some(format!(
                "it is not as entry {} of the audit log left it: somebody else changed it, or put back what it was before",
                written.entry
            )),
            Some(_) => None,
        }
    }

    fn content(&mut self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        match row.batch.table.name {
            "space" => self.memory.space(tenant, row),
            "statement_text" => self.memory.statement_text(tenant, row),
            "fact" => self.memory.fact(tenant, row),
            "statement" => self.memory.statement(tenant, row),
            "vector" => self.memory.vector(tenant, row),
            "receipt" => {
                let at = self.proofs.receipt(&self.memory, tenant, row)?;
                if at.size > self.purged {
                    self.anchored.entry(at.size).or_default().push((name(row), at.hash));
                }
                Ok(())
            }
            "belief" => self.proofs.belief(tenant, row),
            "decision" => self.proofs.decision(&self.memory, tenant, row),
            "erasure" => self.proofs.erasure(tenant, row),
            "principal" => self.proofs.principal(row),
            "sequence" => self.counters.sequence(tenant, row),
            "storage_use" => self.counters.storage_use(tenant, row),
            "audit_entry" => self.entry(row),
            "audit_subtree" => self.log_tree.subtree(row),
            _ => Ok(()),
        }
    }

    /// Receipts that are anchored here must have this very hash.
    fn entry(&mut self, row: TableRow<'_>) -> Result<(), StoreError> {
        let (seq, hash): (i64, Option<Vec<u8>>) = (row.get("seq")?, row.get("hash")?);
        self.log_tree.entry(hash.as_deref());
        let anchored = u64::try_from(seq).ok().and_then(|seq| self.anchored.remove(&seq));
        for (receipt, expected) in anchored.into_iter().flatten() {
            if hash.as_deref() != Some(expected.0.as_slice()) {
                let what =
                    format!("it is anchored to entry {seq} of the audit log, which is another one now");
                self.done.findings.push(Finding { row: Some(receipt), what });
            }
        }
        Ok(())
    }

    fn end(mut self) -> Fsck {
        for (seq, receipts) in self.anchored {
            let what = format!("it is anchored to entry {seq} of the audit log, which is not there");
            let findings =
                receipts.into_iter().map(|(row, _)| Finding { row: Some(row), what: what.clone() });
            self.done.findings.extend(findings);
        }
        for (tenant, decision) in self.proofs.lost_decisions() {
            let row = RowName(format!("decision/{tenant}/{decision}"));
            let what = wrong("a decision", "it is missing, and beliefs of it are there").to_string();
            self.done.findings.push(Finding { row: Some(row), what });
        }
        for (table, row, entry) in self.ledger.iter().flat_map(Ledger::missing) {
            let what = format!(
                "a row of {table} that entry {entry} of the audit log wrote was removed by somebody else"
            );
            let row = RowName(format!("missing/{table}/{}", hex::encode(row)));
            self.done.findings.push(Finding { row: Some(row), what });
        }
        let tree = self.log_tree.end(self.head.as_ref(), self.peaks.as_deref());
        self.done.findings.extend(tree.map(|what| Finding { row: None, what }));
        self.done.findings.extend(self.counters.uncounted().map(|what| Finding { row: None, what }));
        self.done
    }
}

fn name(row: TableRow<'_>) -> RowName {
    RowName::new(row.batch.table, &row.key())
}
