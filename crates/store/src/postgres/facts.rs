//! Facts: by id, by subject, by what changed; and writing what a plan decided.

use super::db::{Db, Params, only};
use super::tx::Tx;
use crate::StoreError;
use crate::rows::facts::{SealedFact, SpaceChanges};
use crate::rows::spaces::SpaceVersion;
use domain::keys::{subject_key, text_key};
use domain::{Fact, FactId, Space};
use reconcile::{Held, Needs, Write};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

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
        let index = self.secrets.index("subject", tenant, space, &subject_key(subject));
        self.facts_where(
            tenant,
            "space = $2 AND subject_ix = $3 ORDER BY id",
            &[&tenant, &space, &index.as_slice()],
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
        space: &Space,
        since: Option<SpaceVersion>,
    ) -> Result<SpaceChanges, StoreError> {
        let Some(row) = self.space_find(tenant, space).await? else { return Ok(SpaceChanges::none()) };
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
    pub async fn facts_needed(&self, tenant: &str, space: i64, needs: &Needs) -> Result<Held, StoreError> {
        let subjects: Vec<String> = needs.subjects.iter().cloned().collect();
        let mut facts: BTreeMap<FactId, Fact> = BTreeMap::new();
        if !subjects.is_empty() {
            let standing = self.facts_standing(tenant, space, &subjects).await?;
            facts.extend(standing.into_iter().map(|fact| (fact.id, fact)));
        }
        let ids: Vec<FactId> = needs.ids.iter().copied().filter(|id| !facts.contains_key(id)).collect();
        if !ids.is_empty() {
            let named = self.facts_get(tenant, space, &ids).await?;
            facts.extend(named.into_iter().map(|fact| (fact.id, fact)));
        }
        let mut retired = BTreeSet::new();
        for (subject, value) in &needs.retired {
            if self.value_was_held(tenant, space, subject, value).await? {
                retired.insert((subject.clone(), value.clone()));
            }
        }
        Ok(Held { facts: facts.into_values().collect(), retired })
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

impl Tx {
    pub async fn facts_write(&self, tenant: &str, space: i64, writes: &[Write]) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        let version = self.space_advance(tenant, space).await?;
        // In the order of the plan: rows leave a place before another takes it, so that the unique index holds at
        // every step.
        for write in writes {
            match write {
                Write::Insert(fact) => self.fact_insert(tenant, space, version, fact).await?,
                Write::Update(fact) => self.fact_update(tenant, space, version, fact).await?,
            }
        }
        Ok(())
    }

    async fn fact_insert(
        &self,
        tenant: &str,
        space: i64,
        version: i64,
        fact: &Fact,
    ) -> Result<(), StoreError> {
        let columns = self.secrets().fact_columns(tenant, space, fact)?;
        self.db()
            .run(
                "INSERT INTO fact
                 (tenant, id, space, version, status, subject_ix, value_ix, text_ix, slot_ix, body, created)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                &[
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
                ],
            )
            .await?;
        Ok(())
    }

    pub async fn fact_update(
        &self,
        tenant: &str,
        space: i64,
        version: i64,
        fact: &Fact,
    ) -> Result<(), StoreError> {
        let columns = self.secrets().fact_columns(tenant, space, fact)?;
        let rows = self
            .db()
            .run(
                "UPDATE fact SET version = $4, status = $5, subject_ix = $6, value_ix = $7, text_ix = $8,
                 slot_ix = $9, body = $10 WHERE tenant = $1 AND id = $2 AND space = $3",
                &[
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
                ],
            )
            .await?;
        // A vector is of the words that the fact had; a refined one is embedded anew.
        self.db().run("DELETE FROM vector WHERE tenant = $1 AND fact = $2", &[&tenant, &fact.id]).await?;
        if rows == 1 {
            Ok(())
        } else {
            Err(StoreError::corrupt("a fact", format!("row {} is gone", fact.id)))
        }
    }
}
