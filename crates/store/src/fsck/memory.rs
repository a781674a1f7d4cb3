//! Checking spaces, facts and their words: that they open, that they are found by what they hold, and that they belong
//! together.

use crate::StoreError;
use crate::copy::TableRow;
use crate::rows::facts::{COLUMNS, SealedFact};
use crate::rows::spaces::{ASSIGNMENT, SealedAssignment};
use crate::rows::statement_texts::{SealedText, StatementTexts, TextIndex};
use crate::secrets::Secrets;
use domain::keys::{subject_keys, text_key, value_key};
use domain::{Fact, FactId, Space, SpaceId, SpaceKey, Tenant};
use std::collections::{BTreeMap, BTreeSet};

/// What has been seen of the memory so far.
pub(super) struct Memory<'s> {
    secrets: &'s Secrets,
    pub spaces: BTreeMap<(Tenant, SpaceId), Space>,
    /// The words that are kept apart, each with the index by which facts of them are found.
    words: BTreeMap<(Tenant, TextIndex), [u8; 16]>,
    facts: BTreeSet<(Tenant, FactId)>,
    slots: BTreeSet<(Tenant, SpaceId, Vec<u8>)>,
}

pub(super) fn wrong(what: &'static str, why: impl std::fmt::Display) -> StoreError {
    StoreError::corrupt(what, why)
}

impl<'s> Memory<'s> {
    pub fn new(secrets: &'s Secrets) -> Self {
        let (spaces, words) = (BTreeMap::new(), BTreeMap::new());
        Self { secrets, spaces, words, facts: BTreeSet::new(), slots: BTreeSet::new() }
    }

    pub fn space(&mut self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        let id = SpaceId(row.get("id")?);
        let space = Space {
            user_id: row.get("user_id")?,
            agent_id: row.get("agent_id")?,
            run_id: row.get("run_id")?,
        };
        self.spaces.insert((tenant.clone(), id), space);
        let place = SpaceKey { tenant, id };
        self.secrets.policy_open(place, vec![(row.get("policy")?,)])?;
        let sealed: SealedAssignment = row.read(ASSIGNMENT)?;
        self.secrets.refuse_anothers(place, &sealed)?;
        match self.secrets.assigned(place, &sealed) {
            Some(key) if sealed.column != Some(key) => {
                Err(wrong("a space", "its key is not the one that was assigned to its user"))
            }
            _ => Ok(()),
        }
    }

    /// An error where there is no such space.
    pub fn within<'t>(
        &self,
        tenant: &'t Tenant,
        what: &'static str,
        space: SpaceId,
    ) -> Result<SpaceKey<'t>, StoreError> {
        if self.spaces.contains_key(&(tenant.clone(), space)) {
            return Ok(SpaceKey { tenant, id: space });
        }
        Err(wrong(what, format!("its space {space} does not exist")))
    }

    pub fn statement_text(&mut self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        let sealed: SealedText = row.read("ix, space, body")?;
        let space = self.within(tenant, "a statement", sealed.space)?;
        let text = self.secrets.statement_text_open(tenant, &sealed)?;
        if self.secrets.statement_index(space, &text) != Some(sealed.index) {
            return Err(wrong("a statement", "it is not found by its words"));
        }
        let index = self.secrets.index("text", space, &text_key(&text));
        self.words.insert((tenant.clone(), sealed.index), index);
        Ok(())
    }

    pub fn fact(&mut self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        let sealed: SealedFact = row.read(COLUMNS)?;
        self.facts.insert((tenant.clone(), sealed.id));
        let space = self.within(tenant, "a fact", sealed.space)?;
        let words = sealed.statement.and_then(|index| self.words.get(&(tenant.clone(), index)).copied());
        let mut texts = StatementTexts::new();
        if let Some(index) = sealed.statement.filter(|_| words.is_some()) {
            texts.insert(index, "".into());
        }
        let fact = self.secrets.fact_open(tenant, &sealed, &texts)?;
        let text = words.unwrap_or_else(|| self.secrets.index("text", space, &text_key(&fact.text)));
        self.found_by(space, row, &fact, text)?;
        let slot: Option<Vec<u8>> = row.get("slot_ix")?;
        if let Some(slot) = slot
            && !self.slots.insert((tenant.clone(), space.id, slot))
        {
            return Err(wrong("a fact", "another active fact has its slot"));
        }
        Ok(())
    }

    /// An error where an index of the row is not that of what the fact says.
    fn found_by(
        &self,
        space: SpaceKey<'_>,
        row: TableRow<'_>,
        fact: &Fact,
        text: [u8; 16],
    ) -> Result<(), StoreError> {
        let index = |purpose: &str, key: &str| self.secrets.index(purpose, space, key).to_vec();
        let subjects = subject_keys(&fact.subject).map(|key| index("subject", &key));
        let slot = reconcile::slot_key(fact).map(|key| index("slot", &key));
        let (subject_ix, value_ix, text_ix, slot_ix): (Vec<u8>, Vec<u8>, Vec<u8>, Option<Vec<u8>>) =
            (row.get("subject_ix")?, row.get("value_ix")?, row.get("text_ix")?, row.get("slot_ix")?);
        // A row with the key that its subject had in earlier versions may have that of its slot, too.
        let is_former = subjects.first() != Some(&subject_ix);
        let checks = [
            (subjects.contains(&subject_ix), "its subject"),
            (value_ix == index("value", &value_key(&fact.value)), "its value"),
            (text_ix == text, "its words"),
            (slot_ix == slot || (is_former && slot_ix.is_some() == slot.is_some()), "its slot"),
            (row.get::<i64>("created")? == fact.created.as_microsecond(), "its time"),
        ];
        match checks.into_iter().find(|(holds, _)| !holds) {
            None => Ok(()),
            Some((_, by)) => Err(wrong("a fact", format!("it is not found by {by}"))),
        }
    }

    pub fn statement(&self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        self.within(tenant, "a statement", SpaceId(row.get("space")?)).map(|_| ())
    }

    pub fn vector(&self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        let fact = FactId(row.get("fact")?);
        if !self.facts.contains(&(tenant.clone(), fact)) {
            return Err(wrong("a vector", "its fact does not exist"));
        }
        self.secrets.vector_open(tenant, fact, &row.get::<Vec<u8>>("body")?).map(|_| ())
    }
}
