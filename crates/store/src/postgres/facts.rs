//! Facts: by id, by subject, by what changed; and writing what a plan decided.

use super::db::{Db, Params, in_order, only};
use super::tx::Tx;
use crate::StoreError;
use crate::rows::facts::{SealedFact, SpaceChanges};
use crate::rows::spaces::{SpaceRow, SpaceVersion};
use domain::keys::{subject_keys, text_key};
use domain::{Fact, FactId};
use futures_util::FutureExt;
use futures_util::future::{try_join, try_join_all};
use reconcile::{HeldFacts, Needs, Write};
use std::collections::BTreeMap;
use tokio_postgres::{Row, Statement};

const COLUMNS: &str = "id, space, status, body";

fn sealed_fact(row: &Row) -> Result<SealedFact, tokio_postgres::Error> {
    Ok(SealedFact {
        id: row.try_get(0)?,
        space: row.try_get(1)?,
        status: row.try_get(2)?,
        body: row.try_get(3)?,
    })
}

impl Db<'_> {
    /// The facts of the tenant that meet the condition; the tenant is the first of the parameters.
    async fn facts_where(
        &self,
        tenant: &str,
        condition: &str,
        params: Params<'_>,
    ) -> Result<Vec<Fact>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND {condition}");
        self.secrets.facts_open(tenant, &self.all(&sql, params, sealed_fact).await?)
    }

    pub async fn fact_get(&self, tenant: &str, space: i64, id: FactId) -> Result<Option<Fact>, StoreError> {
        Ok(self.facts_get(tenant, space, &[id]).await?.pop())
    }

    /// Those of the facts that are there.
    pub async fn facts_get(&self, tenant: &str, space: i64, ids: &[FactId]) -> Result<Vec<Fact>, StoreError> {
        self.facts_where(tenant, "id = ANY($2) AND space = $3", &[&tenant, &ids, &space]).await
    }

    /// Every row of the subject, oldest first.
    pub async fn fact_history(
        &self,
        tenant: &str,
        space: i64,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        let index = |key: String| self.secrets.index("subject", tenant, space, &key).to_vec();
        let indexes = Vec::from(subject_keys(subject).map(index));
        self.facts_where(
            tenant,
            "space = $2 AND subject_ix = ANY($3) ORDER BY id",
            &[&tenant, &space, &indexes],
        )
        .await
    }

    /// What stands under the subject keys now: active and flagged rows, whatever their history.
    pub async fn facts_standing(
        &self,
        tenant: &str,
        space: i64,
        keys: &[String],
    ) -> Result<Vec<Fact>, StoreError> {
        let index = |key: &String| self.secrets.index("subject", tenant, space, key).to_vec();
        let indexes: Vec<Vec<u8>> = keys.iter().map(index).collect();
        self.facts_where(
            tenant,
            "space = $2 AND subject_ix = ANY($3) AND status IN (0, 3) ORDER BY id",
            &[&tenant, &space, &indexes],
        )
        .await
    }

    /// The rows that were retired most recently, newest first.
    pub async fn facts_retired(
        &self,
        tenant: &str,
        space: i64,
        most: usize,
    ) -> Result<Vec<Fact>, StoreError> {
        self.facts_where(
            tenant,
            "space = $2 AND status IN (1, 2) ORDER BY version DESC, id DESC LIMIT $3",
            &[&tenant, &space, &(most as i64)],
        )
        .await
    }

    pub async fn facts_of_space(&self, tenant: &str, space: i64) -> Result<Vec<Fact>, StoreError> {
        self.facts_where(tenant, "space = $2 ORDER BY id", &[&tenant, &space]).await
    }

    /// The facts that keep these very words.
    pub async fn facts_of_words(
        &self,
        tenant: &str,
        space: i64,
        text: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        let index = self.secrets.index("text", tenant, space, &text_key(text));
        self.facts_where(
            tenant,
            "space = $2 AND text_ix = $3 ORDER BY id",
            &[&tenant, &space, &index.as_slice()],
        )
        .await
    }

    pub async fn space_changes(
        &self,
        tenant: &str,
        row: SpaceRow,
        since: Option<SpaceVersion>,
    ) -> Result<SpaceChanges, StoreError> {
        let known = since.filter(|known| known.epoch == row.at.epoch && known.version <= row.at.version);
        let facts = match known {
            Some(known) if known.version == row.at.version => Vec::new(),
            Some(known) => {
                let changed = "space = $2 AND version > $3 ORDER BY id";
                self.facts_where(tenant, changed, &[&tenant, &row.id, &known.version]).await?
            }
            None => self.facts_where(tenant, "space = $2 AND status IN (0, 3)", &[&tenant, &row.id]).await?,
        };
        Ok(SpaceChanges { at: row.at, whole: known.is_none(), facts })
    }

    /// What a plan must see, found by key: the cost follows the statement, not the space.
    pub async fn facts_needed(
        &self,
        tenant: &str,
        space: i64,
        needs: &Needs,
    ) -> Result<HeldFacts, StoreError> {
        let subjects: Vec<String> = needs.subjects.iter().cloned().collect();
        let mut facts: BTreeMap<FactId, Fact> = BTreeMap::new();
        let standing = async {
            if subjects.is_empty() {
                Ok(Vec::new())
            } else {
                self.facts_standing(tenant, space, &subjects).await
            }
        };
        let retired = try_join_all(needs.retired.iter().map(|(subject, value)| async move {
            let held = self.value_was_held(tenant, space, subject, value).await?;
            Ok::<_, StoreError>(held.then(|| (subject.clone(), value.clone())))
        }));
        let (standing, retired) = try_join(standing, retired).await?;
        facts.extend(standing.into_iter().map(|fact| (fact.id, fact)));
        let ids: Vec<FactId> = needs.ids.iter().copied().filter(|id| !facts.contains_key(id)).collect();
        if !ids.is_empty() {
            let named = self.facts_get(tenant, space, &ids).await?;
            facts.extend(named.into_iter().map(|fact| (fact.id, fact)));
        }
        Ok(HeldFacts {
            facts: facts.into_values().collect(),
            retired: retired.into_iter().flatten().collect(),
        })
    }

    async fn value_was_held(
        &self,
        tenant: &str,
        space: i64,
        subject: &str,
        value: &str,
    ) -> Result<bool, StoreError> {
        let subject = self.secrets.index("subject", tenant, space, subject);
        let value = self.secrets.index("value", tenant, space, value);
        let found: Option<i32> = self
            .one(
                "SELECT 1 FROM fact WHERE tenant = $1 AND space = $2 AND subject_ix = $3 AND value_ix = $4
                 AND status IN (1, 2) LIMIT 1",
                &[&tenant, &space, &subject.as_slice(), &value.as_slice()],
                only,
            )
            .await?;
        Ok(found.is_some())
    }
}

const INSERT: &str = "INSERT INTO fact
    (tenant, id, space, version, status, subject_ix, value_ix, text_ix, slot_ix, body, created)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
const UPDATE: &str =
    "UPDATE fact SET version = $4, status = $5, subject_ix = $6, value_ix = $7, text_ix = $8,
    slot_ix = $9, body = $10 WHERE tenant = $1 AND id = $2 AND space = $3";
/// A vector is of the words that the fact had; a refined one is embedded anew.
const UNEMBED: &str = "DELETE FROM vector WHERE tenant = $1 AND fact = $2";

/// Where a fact is written, and as part of which change of its space.
#[derive(Clone, Copy)]
struct Place<'a> {
    tenant: &'a str,
    space: i64,
    version: i64,
}

/// The statements that write facts, ready to be sent without a wait in between.
struct Writing {
    advance: Statement,
    insert: Statement,
    update: Statement,
    unembed: Statement,
}

impl Tx {
    /// Writes to a space that the transaction has locked.
    pub async fn facts_write(&self, tenant: &str, row: SpaceRow, writes: &[Write]) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        let place = Place { tenant, space: row.id, version: row.at.version + 1 };
        let writing = self.writing().await?;
        // In the order of the plan: rows leave a place before another takes it, so that the unique index holds at
        // every step.
        let mut steps = vec![self.space_move_on(&writing, place).boxed()];
        steps.extend(writes.iter().map(|write| match write {
            Write::Insert(fact) => self.fact_insert(&writing, place, fact).boxed(),
            Write::Update(fact) => self.fact_write(&writing, place, fact).boxed(),
        }));
        in_order(steps).await
    }

    async fn writing(&self) -> Result<Writing, StoreError> {
        let client = self.db().client;
        Ok(Writing {
            advance: client
                .prepare_cached("UPDATE space SET version = $3 WHERE tenant = $1 AND id = $2")
                .await?,
            insert: client.prepare_cached(INSERT).await?,
            update: client.prepare_cached(UPDATE).await?,
            unembed: client.prepare_cached(UNEMBED).await?,
        })
    }

    async fn space_move_on(&self, writing: &Writing, place: Place<'_>) -> Result<(), StoreError> {
        let Place { tenant, space, version } = place;
        self.db().client.execute(&writing.advance, &[&tenant, &space, &version]).await?;
        Ok(())
    }

    async fn fact_insert(&self, writing: &Writing, place: Place<'_>, fact: &Fact) -> Result<(), StoreError> {
        let Place { tenant, space, version } = place;
        let columns = self.secrets().fact_columns(tenant, space, fact)?;
        let params: Params<'_> = &[
            &tenant,
            &fact.id,
            &space,
            &version,
            &columns.status,
            &columns.subject.as_slice(),
            &columns.value.as_slice(),
            &columns.text.as_slice(),
            &columns.slot.as_ref().map(<[u8; 16]>::as_slice),
            &columns.body,
            &fact.created.as_microsecond(),
        ];
        self.db().client.execute(&writing.insert, params).await?;
        Ok(())
    }

    async fn fact_write(&self, writing: &Writing, place: Place<'_>, fact: &Fact) -> Result<(), StoreError> {
        let Place { tenant, space, version } = place;
        let columns = self.secrets().fact_columns(tenant, space, fact)?;
        let params: Params<'_> = &[
            &tenant,
            &fact.id,
            &space,
            &version,
            &columns.status,
            &columns.subject.as_slice(),
            &columns.value.as_slice(),
            &columns.text.as_slice(),
            &columns.slot.as_ref().map(<[u8; 16]>::as_slice),
            &columns.body,
        ];
        let client = self.db().client;
        let unembed: Params<'_> = &[&tenant, &fact.id];
        let (rows, _) =
            try_join(client.execute(&writing.update, params), client.execute(&writing.unembed, unembed))
                .await?;
        if rows == 1 {
            Ok(())
        } else {
            Err(StoreError::corrupt("a fact", format!("row {} is gone", fact.id)))
        }
    }

    pub async fn fact_update(
        &self,
        tenant: &str,
        space: i64,
        version: i64,
        fact: &Fact,
    ) -> Result<(), StoreError> {
        self.fact_write(&self.writing().await?, Place { tenant, space, version }, fact).await
    }
}
