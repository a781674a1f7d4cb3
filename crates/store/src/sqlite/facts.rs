//! Facts: by id, by subject, by what changed; and writing what a plan decided.

use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::rows::facts::{SealedFact, SpaceChanges};
use crate::rows::spaces::SpaceVersion;
use domain::keys::{subject_keys, text_key};
use domain::{Fact, FactId, Space};
use reconcile::{HeldFacts, Needs, Write};
use rusqlite::Row;
use std::collections::{BTreeMap, BTreeSet};

const COLUMNS: &str = "id, space, status, body";

fn sealed_fact(row: &Row<'_>) -> rusqlite::Result<SealedFact> {
    Ok(SealedFact { id: row.get(0)?, space: row.get(1)?, status: row.get(2)?, body: row.get(3)? })
}

impl Db<'_> {
    pub fn fact_get(&self, tenant: &str, space: i64, id: FactId) -> Result<Option<Fact>, StoreError> {
        let row = self.one(
            &format!("SELECT {COLUMNS} FROM fact WHERE tenant = ?1 AND id = ?2 AND space = ?3"),
            (tenant, id, space),
            sealed_fact,
        )?;
        row.map(|row| self.secrets.fact_open(tenant, &row)).transpose()
    }

    /// Every row of the subject, oldest first.
    // Here and below, `+id` keeps SQLite from walking the whole tenant in the order of its ids, which it prefers to
    // finding the few rows by their index and sorting them.
    pub fn fact_history(&self, tenant: &str, space: i64, subject: &str) -> Result<Vec<Fact>, StoreError> {
        let [key, former] =
            subject_keys(subject).map(|key| self.secrets.index("subject", tenant, space, &key));
        let rows = self.all(
            &format!(
                "SELECT {COLUMNS} FROM fact
                 WHERE tenant = ?1 AND space = ?2 AND subject_ix IN (?3, ?4) ORDER BY +id"
            ),
            (tenant, space, key, former),
            sealed_fact,
        )?;
        self.secrets.facts_open(tenant, &rows)
    }

    /// What stands under the subject now: active and flagged rows, whatever its history.
    pub fn subject_standing(&self, tenant: &str, space: i64, subject: &str) -> Result<Vec<Fact>, StoreError> {
        let [key, former] = subject_keys(subject);
        let mut facts = self.facts_standing(tenant, space, &key)?;
        if former != key {
            facts.extend(self.facts_standing(tenant, space, &former)?);
        }
        Ok(facts)
    }

    /// What stands under the subject key now: active and flagged rows, whatever its history.
    fn facts_standing(&self, tenant: &str, space: i64, key: &str) -> Result<Vec<Fact>, StoreError> {
        let index = self.secrets.index("subject", tenant, space, key);
        let rows = self.all(
            &format!(
                "SELECT {COLUMNS} FROM fact
                 WHERE tenant = ?1 AND space = ?2 AND subject_ix = ?3 AND status IN (0, 3) ORDER BY +id"
            ),
            (tenant, space, index),
            sealed_fact,
        )?;
        self.secrets.facts_open(tenant, &rows)
    }

    /// The rows that were retired most recently, newest first.
    pub fn facts_retired(&self, tenant: &str, space: i64, most: usize) -> Result<Vec<Fact>, StoreError> {
        let rows = self.all(
            &format!(
                "SELECT {COLUMNS} FROM fact INDEXED BY fact_retired
                 WHERE tenant = ?1 AND space = ?2 AND status IN (1, 2) ORDER BY version DESC, id DESC LIMIT ?3"
            ),
            (tenant, space, most as i64),
            sealed_fact,
        )?;
        self.secrets.facts_open(tenant, &rows)
    }

    pub fn facts_of_space(&self, tenant: &str, space: i64) -> Result<Vec<Fact>, StoreError> {
        let rows = self.all(
            &format!("SELECT {COLUMNS} FROM fact WHERE tenant = ?1 AND space = ?2 ORDER BY id"),
            (tenant, space),
            sealed_fact,
        )?;
        self.secrets.facts_open(tenant, &rows)
    }

    /// The facts that keep these very words.
    pub fn facts_of_words(&self, tenant: &str, space: i64, text: &str) -> Result<Vec<Fact>, StoreError> {
        let index = self.secrets.index("text", tenant, space, &text_key(text));
        let rows = self.all(
            &format!(
                "SELECT {COLUMNS} FROM fact WHERE tenant = ?1 AND space = ?2 AND text_ix = ?3 ORDER BY +id"
            ),
            (tenant, space, index),
            sealed_fact,
        )?;
        self.secrets.facts_open(tenant, &rows)
    }

    pub fn space_changes(
        &self,
        tenant: &str,
        space: &Space,
        since: Option<SpaceVersion>,
    ) -> Result<SpaceChanges, StoreError> {
        let Some(row) = self.space_find(tenant, space)? else {
            return Ok(SpaceChanges::none());
        };
        let known = since.filter(|known| known.epoch == row.at.epoch && known.version <= row.at.version);
        let rows = match known {
            Some(known) if known.version == row.at.version => Vec::new(),
            Some(known) => self.all(
                &format!(
                    "SELECT {COLUMNS} FROM fact WHERE tenant = ?1 AND space = ?2 AND version > ?3 ORDER BY +id"
                ),
                (tenant, row.id, known.version),
                sealed_fact,
            )?,
            None => self.all(
                &format!("SELECT {COLUMNS} FROM fact WHERE tenant = ?1 AND space = ?2 AND status IN (0, 3)"),
                (tenant, row.id),
                sealed_fact,
            )?,
        };
        Ok(SpaceChanges {
            at: row.at,
            whole: known.is_none(),
            facts: self.secrets.facts_open(tenant, &rows)?,
        })
    }

    /// What a plan must see, found by key: the cost follows the statement, not the space.
    pub fn facts_needed(&self, tenant: &str, space: i64, needs: &Needs) -> Result<HeldFacts, StoreError> {
        let mut facts = BTreeMap::new();
        for key in &needs.subjects {
            facts.extend(self.facts_standing(tenant, space, key)?.into_iter().map(|fact| (fact.id, fact)));
        }
        for id in &needs.ids {
            if !facts.contains_key(id)
                && let Some(fact) = self.fact_get(tenant, space, *id)?
            {
                facts.insert(*id, fact);
            }
        }
        let mut retired = BTreeSet::new();
        for (subject, value) in &needs.retired {
            if self.value_was_held(tenant, space, subject, value)? {
                retired.insert((subject.clone(), value.clone()));
            }
        }
        Ok(HeldFacts { facts: facts.into_values().collect(), retired })
    }

    fn value_was_held(
        &self,
        tenant: &str,
        space: i64,
        subject: &str,
        value: &str,
    ) -> Result<bool, StoreError> {
        let found = self.one(
            "SELECT 1 FROM fact WHERE tenant = ?1 AND space = ?2 AND subject_ix = ?3 AND value_ix = ?4
             AND status IN (1, 2) LIMIT 1",
            (
                tenant,
                space,
                self.secrets.index("subject", tenant, space, subject),
                self.secrets.index("value", tenant, space, value),
            ),
            |_| Ok(()),
        )?;
        Ok(found.is_some())
    }
}

impl Tx<'_> {
    pub fn facts_write(&mut self, tenant: &str, space: i64, writes: &[Write]) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        let version = self.space_advance(tenant, space)?;
        // In the order of the plan: rows leave a place before another takes it, so that the unique index holds at
        // every step.
        for write in writes {
            match write {
                Write::Insert(fact) => {
                    self.fact_insert(tenant, space, version, fact)?;
                    self.sequence_set(tenant, "fact", fact.id + 1)?;
                }
                Write::Update(fact) => self.fact_update(tenant, space, version, fact)?,
            }
        }
        Ok(())
    }

    fn fact_insert(&mut self, tenant: &str, space: i64, version: i64, fact: &Fact) -> Result<(), StoreError> {
        let columns = self.secrets.fact_columns(tenant, space, fact)?;
        self.db().run(
            "INSERT INTO fact
             (tenant, id, space, version, status, subject_ix, value_ix, text_ix, slot_ix, body, created)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            (
                tenant,
                fact.id,
                space,
                version,
                columns.status,
                columns.subject,
                columns.value,
                columns.text,
                columns.slot,
                columns.body,
                fact.created.as_microsecond(),
            ),
        )?;
        Ok(())
    }

    pub fn fact_update(
        &mut self,
        tenant: &str,
        space: i64,
        version: i64,
        fact: &Fact,
    ) -> Result<(), StoreError> {
        let columns = self.secrets.fact_columns(tenant, space, fact)?;
        let rows = self.db().run(
            "UPDATE fact SET version = ?4, status = ?5, subject_ix = ?6, value_ix = ?7, text_ix = ?8, slot_ix = ?9,
             body = ?10 WHERE tenant = ?1 AND id = ?2 AND space = ?3",
            (
                tenant,
                fact.id,
                space,
                version,
                columns.status,
                columns.subject,
                columns.value,
                columns.text,
                columns.slot,
                columns.body,
            ),
        )?;
        // A vector is of the words that the fact had; a refined one is embedded anew.
        self.db().run("DELETE FROM vector WHERE tenant = ?1 AND fact = ?2", (tenant, fact.id))?;
        if rows == 1 {
            Ok(())
        } else {
            Err(StoreError::corrupt("a fact", format!("row {} is gone", fact.id)))
        }
    }
}
