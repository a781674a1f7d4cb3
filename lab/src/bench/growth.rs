//! What calls cost as the memory grows.

use super::load::{Measured, Memory, Tool, fill, measure};
use super::servers::{Database, Servers};
use super::stand_in::StandIn;
use crate::error::LabError;
use std::time::Duration;

/// Times are the middle ones of one client alone, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub facts: usize,
    pub get_memory: f64,
    pub recall: f64,
    pub remember: f64,
    pub resident_bytes: u64,
    /// `None` where the database is not in files of ours.
    pub bytes_a_fact: Option<u64>,
}

/// Fills one space step by step, and measures at each.
pub fn measure_growth(
    database: &Database,
    steps: &[usize],
    model: &StandIn,
    lasting: Duration,
) -> Result<Vec<Step>, LabError> {
    let servers = Servers::start(database, 1, &model.base_url())?;
    let mut held = 0;
    let mut measured = Vec::new();
    for facts in steps.iter().copied() {
        let memory = Memory { spaces: 1, facts };
        fill(&servers, memory, held)?;
        held = facts;
        let stored = servers.stored_bytes();
        let median = |tool: Tool| {
            let found = measure(&servers, memory, &[(tool, 1)], lasting);
            found.first().map_or(0.0, |measured: &Measured| measured.within(0.5))
        };
        let [get_memory, recall, remember] = [Tool::GetMemory, Tool::Recall, Tool::Remember].map(median);
        let resident_bytes = servers.usage().resident_bytes;
        let bytes_a_fact = (stored > 0).then(|| stored / facts.max(1) as u64);
        measured.push(Step { facts, get_memory, recall, remember, resident_bytes, bytes_a_fact });
    }
    Ok(measured)
}
