//! What was measured, as text and as JSON.

use super::growth::Step;
use super::load::Measured;
use super::run::Run;
use serde_json::{Value, json};
use std::fmt;

const MB: f64 = 1_000_000.0;

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.machine)?;
        writeln!(
            f,
            "{}: {} facts in each of {} space(s), {} server process(es), a model of {} ms",
            self.database, self.memory.facts, self.memory.spaces, self.processes, self.model_ms
        )?;
        writeln!(f)?;
        writeln!(
            f,
            "{:<24}{:>8}{:>10}{:>9}{:>9}{:>9}{:>7}{:>8}{:>8}",
            "", "clients", "calls/s", "p50 ms", "p95 ms", "p99 ms", "cores", "RSS MB", "failed"
        )?;
        for phase in &self.phases {
            for measured in &phase.measured {
                line(f, phase.name, measured)?;
            }
        }
        writeln!(f)?;
        let (calls, bytes) = self.asked;
        writeln!(f, "the model was asked {calls} times, {} bytes a prompt", bytes / calls.max(1))?;
        if let Some(bytes) = self.bytes_a_fact {
            writeln!(f, "a fact takes {bytes} bytes on disk, its share of the audit log included")?;
        }
        writeln!(
            f,
            "yardsticks: {:.0} rows a second in bare grouped commits, {:.0} bare HTTP echoes a second",
            self.commits_a_second, self.echoes_a_second
        )?;
        if !self.growth.is_empty() {
            writeln!(f)?;
            writeln!(
                f,
                "{:>8}{:>16}{:>12}{:>14}{:>9}{:>14}",
                "facts", "get_memory p50", "recall p50", "remember p50", "RSS MB", "bytes a fact"
            )?;
        }
        for step in &self.growth {
            let Step { facts, get_memory, recall, remember, resident_bytes, bytes_a_fact } = step;
            let resident = *resident_bytes as f64 / MB;
            let bytes = bytes_a_fact.map_or_else(|| "-".to_owned(), |bytes| bytes.to_string());
            writeln!(
                f,
                "{facts:>8}{get_memory:>16.2}{recall:>12.2}{remember:>14.2}{resident:>9.0}{bytes:>14}"
            )?;
        }
        Ok(())
    }
}

fn line(f: &mut fmt::Formatter<'_>, phase: &str, measured: &Measured) -> fmt::Result {
    let name = format!("{phase}: {}", measured.tool.name());
    let [p50, p95, p99] = [0.5, 0.95, 0.99].map(|share| measured.within(share));
    let resident = measured.resident_bytes as f64 / MB;
    writeln!(
        f,
        "{name:<24}{:>8}{:>10.0}{p50:>9.2}{p95:>9.2}{p99:>9.2}{:>7.2}{resident:>8.0}{:>8}",
        measured.clients,
        measured.a_second(),
        measured.cores,
        measured.failed,
    )
}

impl Run {
    pub fn json(&self) -> Value {
        let phases = self.phases.iter().flat_map(|phase| phase.measured.iter().map(move |m| (phase.name, m)));
        let phases = phases.map(|(phase, measured)| {
            json!({
                "phase": phase,
                "tool": measured.tool.name(),
                "clients": measured.clients,
                "calls": measured.calls,
                "failed": measured.failed,
                "calls_a_second": measured.a_second(),
                "p50_ms": measured.within(0.5),
                "p95_ms": measured.within(0.95),
                "p99_ms": measured.within(0.99),
                "cores": measured.cores,
                "resident_bytes": measured.resident_bytes,
            })
        });
        let growth = self.growth.iter().map(|step| {
            json!({
                "facts": step.facts,
                "get_memory_p50_ms": step.get_memory,
                "recall_p50_ms": step.recall,
                "remember_p50_ms": step.remember,
                "resident_bytes": step.resident_bytes,
                "bytes_a_fact": step.bytes_a_fact,
            })
        });
        json!({
            "machine": self.machine,
            "database": self.database,
            "facts": self.memory.facts,
            "spaces": self.memory.spaces,
            "processes": self.processes,
            "model_ms": self.model_ms,
            "phases": phases.collect::<Vec<_>>(),
            "model_calls": self.asked.0,
            "model_prompt_bytes": self.asked.1,
            "bytes_a_fact": self.bytes_a_fact,
            "bare_commits_a_second": self.commits_a_second,
            "bare_echoes_a_second": self.echoes_a_second,
            "growth": growth.collect::<Vec<_>>(),
        })
    }
}
