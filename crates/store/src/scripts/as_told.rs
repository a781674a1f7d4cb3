//! Whether rows are as the audit log left them. What somebody puts back who can write the database and has no keys opens as
//! it did before; only the log knows that it is over. The facts of a space are compared when it is opened, and after that
//! each one that is read from the database again; with them the row of the space, which holds its policy.

use super::spaces::{self, SealedOfSpace, SpaceQuery};
use super::state;
use crate::StoreError;
use crate::copy::{Batch, Table};
use crate::rows::spaces::SpaceVersion;
use crate::script::{Db, Query, Reach, StoreResult};
use crate::sql::{numbers, params};
use crate::state::{Changes, LastWords, RowKey, RowMac, StateKey, Teller, covered};
use crate::store::Store;
use domain::{Caller, FactId, Space, SpaceId, SpaceKey};
use rusqlite::types::ValueRef;
use std::collections::{BTreeMap, BTreeSet};

/// Entries that are read at once.
const PAGE: i64 = 512;
/// A row that is written while it is compared is compared again.
const TRIES: usize = 5;

/// The rows of a space that are not what the entries of its user said of them last. Others may have written them since: the
/// whole log knows.
pub(super) struct Compared {
    space: SpaceId,
    suspects: Vec<Suspect>,
}

struct Suspect {
    /// `None` for the row of the space itself.
    fact: Option<FactId>,
    row: RowKey,
    /// As it was found. The row of a space may have others as well; a row that could not even be fetched has none.
    macs: Vec<RowMac>,
}

impl Suspect {
    fn is_what(&self, said: Option<&Option<RowMac>>) -> bool {
        said.and_then(Option::as_ref).is_some_and(|said| self.macs.contains(said))
    }
}

fn table(name: &'static str) -> StoreResult<&'static Table> {
    let found = covered().find(|table| table.name == name);
    found.ok_or_else(|| StoreError::corrupt("the list of tables", format!("it lacks {name}")))
}

fn number(batch: &Batch, at: usize) -> i64 {
    match batch.value(1, at) {
        ValueRef::Integer(number) => number,
        _ => 0,
    }
}

/// What a column of the first row says, where it is text.
fn text(batch: &Batch, column: &str) -> Option<String> {
    let at = batch.table.columns.iter().position(|(name, _)| *name == column)?;
    match batch.value(at, 0) {
        ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
        _ => None,
    }
}

/// The facts of these numbers; one at a time where a column of one holds what no version of ours writes. That one is
/// nobody's that we know.
async fn facts_found<D: Db>(
    db: &mut D,
    state: &StateKey,
    space: SpaceKey<'_>,
    ids: &[FactId],
) -> StoreResult<Vec<Suspect>> {
    let fact = table("fact")?;
    let row = |batch: &Batch, at: usize| Suspect {
        fact: Some(FactId(number(batch, at))),
        row: state.key_of(batch, at),
        macs: vec![state.mac_of(batch, at)],
    };
    match db.table_rows(fact, space.tenant, &numbers(ids)).await {
        Ok(batch) => return Ok((0..batch.rows).map(|at| row(&batch, at)).collect()),
        Err(error) if error.is_of_content() => {}
        Err(error) => return Err(error),
    }
    let mut found = Vec::new();
    for id in ids {
        match db.table_rows(fact, space.tenant, &[id.0]).await {
            Ok(batch) => found.extend((0..batch.rows).map(|at| row(&batch, at))),
            Err(error) if error.is_of_content() => {
                found.push(Suspect { fact: Some(*id), row: RowKey::default(), macs: Vec::new() });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Compares the row of the space, and these of its facts, with what the entries of its user say.
pub(super) async fn compare<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    facts: &[FactId],
) -> StoreResult<Compared> {
    let none = Compared { space: space.id, suspects: Vec::new() };
    let Some(state) = db.secrets().state.clone() else { return Ok(none) };
    let own = db.table_rows(table("space")?, space.tenant, &[space.id.0]).await?;
    let Some(user_id) = text(&own, "user_id") else { return Ok(none) };
    let teller: Teller = (space.tenant.clone(), user_id);
    let mut rows = if facts.is_empty() { Vec::new() } else { facts_found(db, &state, space, facts).await? };
    rows.push(Suspect { fact: None, row: state.key_of(&own, 0), macs: vec![state.mac_of(&own, 0)] });
    go_on(db, &teller).await?;
    let keys: Vec<RowKey> = rows.iter().map(|row| row.row).filter(|row| *row != RowKey::default()).collect();
    look_back(db, &teller, &keys).await?;
    let told = &db.secrets().told;
    rows.retain(|row| !row.is_what(told.get(&teller, &row.row).as_ref()));
    if let Some(space_row) = rows.iter_mut().find(|row| row.fact.is_none()) {
        match spaces::sealed_of(db, space).await? {
            SealedOfSpace::Opens(assigned) => space_row.macs.extend(beside_columns(&state, &own, assigned)),
            SealedOfSpace::Damaged => rows.retain(|row| row.fact.is_some()),
        }
        let told = &db.secrets().told;
        rows.retain(|row| !row.is_what(told.get(&teller, &row.row).as_ref()));
    }
    Ok(Compared { space: space.id, suspects: rows })
}

/// The macs that the row of a space would have with the key that was assigned to its user, and with no mark of an erasure.
/// Neither column is believed, so neither is held against the rest of the row.
fn beside_columns(state: &StateKey, own: &Batch, assigned: Option<i64>) -> Vec<RowMac> {
    let mac = |without_mark: bool, with_key: bool| {
        let value = |at: usize, name: &str| match (name, assigned) {
            ("erasing", _) if without_mark => ValueRef::Null,
            ("user_key", Some(number)) if with_key => ValueRef::Integer(number),
            _ => own.value(at, 0),
        };
        let columns = own.table.columns.iter().enumerate();
        state.row_mac(own.table, columns.map(|(at, (name, _))| (*name, value(at, name))))
    };
    vec![mac(true, false), mac(false, true), mac(true, true)]
}

/// Takes in what the user's entries have said since they were last read.
async fn go_on<D: Db>(db: &mut D, teller: &Teller) -> StoreResult<()> {
    let sql = "SELECT seq FROM audit_entry WHERE tenant = $1 ORDER BY seq DESC LIMIT 1";
    let newest: Option<(i64,)> = db.one(sql, &params![&teller.0]).await?;
    let newest = newest.map_or(0, |(seq,)| seq);
    let upto = match db.secrets().told.read(teller) {
        Some((_, upto)) if upto <= newest => upto,
        // The log is another one than was read before.
        _ => {
            db.secrets().told.begin(teller, newest);
            newest
        }
    };
    if upto < newest {
        let sql =
            "SELECT changes FROM audit_entry WHERE tenant = $1 AND user_id = $2 AND seq > $3 AND seq <= $4
            AND changes IS NOT NULL ORDER BY seq";
        let found: Vec<(Vec<u8>,)> = db.all(sql, &params![&teller.0, &teller.1, upto, newest]).await?;
        let mut changes = Vec::new();
        for (list,) in found {
            changes.extend(Changes::decode(&list)?.own);
        }
        db.secrets().told.go_on(teller, upto, newest, &changes);
    }
    Ok(())
}

/// Reads the user's entries back until each of the rows is named, or there are no more.
async fn look_back<D: Db>(db: &mut D, teller: &Teller, rows: &[RowKey]) -> StoreResult<()> {
    let sql = "SELECT seq, changes FROM audit_entry WHERE tenant = $1 AND user_id = $2 AND seq < $3
        AND changes IS NOT NULL ORDER BY seq DESC LIMIT $4";
    loop {
        let told = &db.secrets().told;
        let Some((down_to, _)) = told.read(teller) else { return Ok(()) };
        if down_to == 0 || rows.iter().all(|row| told.get(teller, row).is_some()) {
            return Ok(());
        }
        let page: Vec<(i64, Vec<u8>)> = db.all(sql, &params![&teller.0, &teller.1, down_to, PAGE]).await?;
        let mut changes = Vec::new();
        for (_, list) in &page {
            changes.extend(Changes::decode(list)?.own.into_iter().rev());
        }
        let reached = page.last().map_or(0, |(seq, _)| *seq);
        db.secrets().told.look_back(teller, down_to, reached, &changes);
    }
}

/// The last word of the whole log on each of the rows.
async fn last_words<D: Db>(
    db: &mut D,
    rows: BTreeSet<RowKey>,
) -> StoreResult<BTreeMap<RowKey, Option<RowMac>>> {
    let sql = "SELECT seq, changes FROM audit_entry WHERE seq < $1 AND changes IS NOT NULL ORDER BY seq DESC LIMIT $2";
    let (mut words, mut below) = (LastWords::on(rows), i64::MAX);
    while !words.is_done() {
        let page: Vec<(i64, Vec<u8>)> = db.all(sql, &params![below, PAGE]).await?;
        for (seq, list) in &page {
            words.look_at(*seq, list)?;
            below = *seq;
        }
        if page.is_empty() {
            break;
        }
    }
    Ok(words.said())
}

/// What the whole log says of some rows; `None` where it does not tell of every row.
struct WholeLog(BTreeSet<RowKey>);

impl Query for WholeLog {
    type Output = Option<BTreeMap<RowKey, Option<RowMac>>>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    fn is_large(&self) -> bool {
        true
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        if !state::told(db).await? {
            return Ok(None);
        }
        last_words(db, self.0.clone()).await.map(Some)
    }
}

struct Compare(Vec<FactId>);

impl SpaceQuery for Compare {
    type Output = Compared;

    async fn run<D: Db>(&self, db: &mut D, space: SpaceKey<'_>, _: SpaceVersion) -> StoreResult<Compared> {
        compare(db, space, &self.0).await
    }
}

impl Store {
    /// Compares the row of the space, and notes whether it is as the audit log left it.
    pub(super) async fn space_compare(&self, caller: &Caller, space: &Space) -> StoreResult<()> {
        if let Some(compared) = self.read_in(caller, space, Compare(Vec::new())).await? {
            self.replaced(caller, space, compared).await?;
        }
        Ok(())
    }

    /// Those of the facts that were compared which the whole log does not account for. They are left out from now on, and
    /// whoever reads is told.
    pub(super) async fn replaced(
        &self,
        caller: &Caller,
        space: &Space,
        mut compared: Compared,
    ) -> StoreResult<BTreeSet<FactId>> {
        let teller = (caller.tenant.clone(), space.user_id.clone());
        for left in (0..TRIES).rev() {
            if compared.suspects.is_empty() {
                break;
            }
            let rows = compared.suspects.iter().map(|suspect| suspect.row).collect();
            let Some(said) = self.read_now(WholeLog(rows)).await? else { return Ok(BTreeSet::new()) };
            compared.suspects.retain(|suspect| {
                let is_told = suspect.is_what(said.get(&suspect.row));
                if let Some(Some(mac)) = said.get(&suspect.row).filter(|_| is_told) {
                    self.secrets().told.set(&teller, suspect.row, *mac);
                }
                !is_told
            });
            if compared.suspects.is_empty() || left == 0 {
                break;
            }
            let facts = compared.suspects.iter().filter_map(|suspect| suspect.fact).collect();
            let Some(again) = self.read_in(caller, space, Compare(facts)).await? else { break };
            compared = again;
        }
        Ok(self.note_replaced(SpaceKey { tenant: &caller.tenant, id: compared.space }, &compared.suspects))
    }

    fn note_replaced(&self, space: SpaceKey<'_>, suspects: &[Suspect]) -> BTreeSet<FactId> {
        let (tenant, id, noted) = (space.tenant, space.id.0, &self.secrets().unreadable);
        let is_space = suspects.iter().any(|suspect| suspect.fact.is_none());
        if noted.set_space_replaced(space, is_space) && is_space {
            tracing::error!(%tenant, space = id, "the row of a space is not as the audit log left it: somebody else wrote it");
        }
        let facts: BTreeSet<FactId> = suspects.iter().filter_map(|suspect| suspect.fact).collect();
        for fact in &facts {
            if noted.set_replaced(space, *fact, true) {
                tracing::error!(%tenant, space = id, fact = fact.0, "a fact is not as the audit log left it, and is left out");
            }
        }
        facts
    }

    /// Compares again what was found to be somebody else's.
    pub(super) async fn replaced_again(&self, caller: &Caller, space: &Space) -> StoreResult<()> {
        let Some(id) = self.space_id(caller, space).await? else { return Ok(()) };
        let place = SpaceKey { tenant: &caller.tenant, id };
        let facts = self.secrets().unreadable.replaced_in(place);
        let Some(compared) = self.read_in(caller, space, Compare(facts.clone())).await? else {
            return Ok(());
        };
        let replaced = self.replaced(caller, space, compared).await?;
        for mended in facts.into_iter().filter(|fact| !replaced.contains(fact)) {
            self.secrets().unreadable.set_replaced(place, mended, false);
        }
        Ok(())
    }
}
