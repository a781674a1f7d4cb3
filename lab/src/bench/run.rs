//! One run of the load generator, from an empty database to the figures.

use super::growth::{Step, measure_growth};
use super::load::{Measured, Memory, Tool, fill, measure};
use super::servers::{Database, Servers};
use super::stand_in::StandIn;
use super::yardstick;
use crate::error::LabError;
use std::time::Duration;

/// What is measured.
#[derive(Debug, Clone)]
pub struct Plan {
    pub database: Database,
    pub processes: usize,
    pub readers: usize,
    pub writers: usize,
    pub memory: Memory,
    pub lasting: Duration,
    pub model_latency: Duration,
    /// The sizes of the growth table; none for no table.
    pub growth: Vec<usize>,
}

/// Clients that called at the same time.
#[derive(Debug)]
pub struct Phase {
    pub name: &'static str,
    pub measured: Vec<Measured>,
}

#[derive(Debug)]
pub struct Run {
    pub machine: String,
    pub database: &'static str,
    pub processes: usize,
    pub memory: Memory,
    pub model_ms: u128,
    pub phases: Vec<Phase>,
    /// How often the model was asked, and the bytes of all prompts.
    pub asked: (u64, u64),
    pub bytes_a_fact: Option<u64>,
    pub commits_a_second: f64,
    pub echoes_a_second: f64,
    pub growth: Vec<Step>,
}

impl Plan {
    /// `told` hears what is being done.
    pub fn run(&self, mut told: impl FnMut(&str)) -> Result<Run, LabError> {
        told("yardsticks");
        let commits_a_second = yardstick::commits(self.lasting)?;
        let echoes_a_second = yardstick::echoes(self.readers.max(1), self.lasting)?;
        told("filling the memory");
        let model = StandIn::start(self.model_latency)?;
        let servers = Servers::start(&self.database, self.processes, &model.base_url())?;
        let empty = servers.stored_bytes();
        fill(&servers, self.memory, 0)?;
        let facts = (self.memory.facts * self.memory.spaces).max(1) as u64;
        let stored = servers.stored_bytes().saturating_sub(empty);
        let (readers, writers) = ((Tool::GetMemory, self.readers), (Tool::Remember, self.writers));
        let mut phases = Vec::new();
        for (name, clients) in
            [("reading", vec![readers]), ("writing", vec![writers]), ("both", vec![readers, writers])]
        {
            told(name);
            phases.push(Phase { name, measured: measure(&servers, self.memory, &clients, self.lasting) });
        }
        let asked = model.asked();
        drop(servers);
        let growth = match self.growth.as_slice() {
            [] => Vec::new(),
            steps => {
                told("growing");
                measure_growth(&self.database, steps, &model, self.lasting)?
            }
        };
        Ok(Run {
            machine: machine(),
            database: self.database.name(),
            processes: self.processes,
            memory: self.memory,
            model_ms: self.model_latency.as_millis(),
            phases,
            asked,
            bytes_a_fact: (stored > 0).then(|| stored / facts),
            commits_a_second,
            echoes_a_second,
            growth,
        })
    }
}

/// The processor and how many of its cores there are.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| line.split_once(": ")).map_or("an unknown processor", |(_, name)| name);
    format!("{cores} core(s) of {model}")
}
