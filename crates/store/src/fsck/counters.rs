//! Checking what is counted: how much is held of whom, and which numbers were given out.

use super::memory::wrong;
use crate::StoreError;
use crate::copy::TableRow;
use crate::script::Series;
use domain::Tenant;
use std::collections::BTreeMap;

/// What the rows come to.
#[derive(Default)]
pub(super) struct Counters {
    /// The facts and bytes by tenant, writer and space.
    held: BTreeMap<(Tenant, String, i64), (i64, i64)>,
    /// The highest number of each series.
    highest: BTreeMap<(Tenant, &'static str), i64>,
}

impl Counters {
    /// Counts a row of whichever table.
    pub fn count(&mut self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        let series = match row.batch.table.name {
            "fact" => Some(Series::Fact),
            "decision" => Some(Series::Decision),
            "receipt" => Some(Series::Receipt),
            "space" => Some(Series::Space),
            _ => None,
        };
        if let Some(series) = series {
            let highest = self.highest.entry((tenant.clone(), series.name())).or_default();
            *highest = (*highest).max(row.get("id")?);
        }
        let facts = match row.batch.table.name {
            "fact" => 1,
            "statement_text" => 0,
            _ => return Ok(()),
        };
        let body: Vec<u8> = row.get("body")?;
        let key = (tenant.clone(), row.get("writer")?, row.get("space")?);
        let held = self.held.entry(key).or_default();
        *held = (held.0 + facts, held.1 + body.len() as i64);
        Ok(())
    }

    pub fn sequence(&mut self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        let (name, next): (String, i64) = (row.get("name")?, row.get("next")?);
        let highest = self.highest.keys().find(|(of, series)| of == tenant && *series == name).cloned();
        match highest.and_then(|key| self.highest.remove(&key)) {
            Some(highest) if highest >= next => {
                Err(wrong("a sequence", format!("its next number is {next}, but {highest} was given out")))
            }
            _ => Ok(()),
        }
    }

    pub fn storage_use(&mut self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        let key = (tenant.clone(), row.get("writer")?, row.get("space")?);
        let noted: (i64, i64) = (row.get("facts")?, row.get("bytes")?);
        let held = self.held.remove(&key).unwrap_or_default();
        if noted == held {
            return Ok(());
        }
        Err(wrong("a count", format!("it says {noted:?} facts and bytes, but there are {held:?}")))
    }

    /// What has no row that counts it.
    pub fn uncounted(&self) -> impl Iterator<Item = String> {
        let numbers = self.highest.keys().map(|(tenant, series)| {
            format!("sequence/{tenant}/{series} is missing: the next number of its kind is not known")
        });
        let held = self.held.keys().map(|(tenant, writer, space)| {
            format!("storage_use/{tenant}/{writer}/{space} is missing: what is held there is not counted")
        });
        numbers.chain(held)
    }
}
