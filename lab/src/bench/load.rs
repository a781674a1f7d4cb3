//! Clients that call as fast as they are answered, and how long each call took.

use super::servers::{Servers, Usage};
use super::stand_in::IS;
use super::wire::{Connection, request};
use crate::error::LabError;
use domain::limits::FACTS_PER_STATEMENT;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// What a client calls again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    GetMemory,
    Recall,
    Remember,
}

impl Tool {
    pub const fn name(self) -> &'static str {
        match self {
            Self::GetMemory => "get_memory",
            Self::Recall => "recall",
            Self::Remember => "remember",
        }
    }

    /// The arguments of the nth call of a client.
    fn arguments(self, memory: &Memory, client: usize, nth: usize) -> Value {
        let space = client % memory.spaces;
        let fact = (client * 7919 + nth) % memory.facts.max(1);
        let user = user(space);
        match self {
            Self::GetMemory => json!({ "user_id": user, "memory_id": space * memory.facts + fact + 1 }),
            Self::Recall => json!({ "user_id": user, "question": format!("Which colour has door {fact}?") }),
            Self::Remember => {
                json!({ "user_id": user, "text": format!("light {client}{IS}colour {nth}") })
            }
        }
    }
}

/// What the servers are filled with before they are measured: so many facts in each of so many spaces.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    pub spaces: usize,
    pub facts: usize,
}

fn user(space: usize) -> String {
    format!("user-{space}")
}

/// One client with its key.
struct Client<'a> {
    address: SocketAddr,
    key: &'a str,
    connection: Option<Connection>,
}

impl Client<'_> {
    /// Whether the call was answered as it should be.
    fn call(&mut self, tool: &str, arguments: &Value) -> bool {
        let params = json!({ "name": tool, "arguments": arguments });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
        let kept = self.connection.take().map_or_else(|| Connection::open(self.address), Ok);
        let answered = kept.and_then(|mut connection| {
            connection.send(&request(self.key, &body))?;
            let answer = connection.receive()?;
            self.connection = Some(connection);
            Ok(answer)
        });
        answered.is_ok_and(|answer| {
            answer.start.contains(" 200 ")
                && !String::from_utf8_lossy(&answer.body).contains(r#""isError":true"#)
        })
    }
}

/// Tells the facts from `held` on, as many at once as a statement may give. No model is asked.
pub fn fill(servers: &Servers, memory: Memory, held: usize) -> Result<(), LabError> {
    let Some(address) = servers.addresses.first().copied() else { return Ok(()) };
    let mut client = Client { address, key: &servers.key, connection: None };
    for space in 0..memory.spaces {
        let numbers: Vec<usize> = (held..memory.facts).collect();
        for chunk in numbers.chunks(FACTS_PER_STATEMENT) {
            let fact = |n: &usize| json!({ "subject": format!("door {n}"), "value": format!("colour {n}") });
            let facts: Vec<Value> = chunk.iter().map(fact).collect();
            let text = format!("The doors from {} on", chunk.first().copied().unwrap_or_default());
            let told = json!({ "user_id": user(space), "text": text, "facts": facts });
            if !client.call("remember", &told) {
                return Err(LabError::Refused(format!("{} facts could not be told", chunk.len())));
            }
        }
    }
    Ok(())
}

/// How a phase went.
#[derive(Debug, Clone)]
pub struct Measured {
    pub tool: Tool,
    pub clients: usize,
    pub calls: usize,
    pub failed: usize,
    pub seconds: f64,
    /// In milliseconds, sorted.
    times: Vec<f64>,
    /// Cores that the servers kept busy.
    pub cores: f64,
    pub resident_bytes: u64,
}

impl Measured {
    pub fn a_second(&self) -> f64 {
        self.calls as f64 / self.seconds
    }

    /// The time in milliseconds that this share of the calls stayed within.
    pub fn within(&self, share: f64) -> f64 {
        let last = self.times.len().saturating_sub(1);
        self.times.get((last as f64 * share).round() as usize).copied().unwrap_or_default()
    }
}

/// Has clients of these tools call at the same time.
pub fn measure(
    servers: &Servers,
    memory: Memory,
    clients: &[(Tool, usize)],
    lasting: Duration,
) -> Vec<Measured> {
    let (began, before) = (Instant::now(), servers.usage());
    let until = began + lasting;
    let mut results: Vec<Measured> = std::thread::scope(|scope| {
        let running: Vec<_> = clients
            .iter()
            .map(|(tool, count)| {
                let one =
                    |client: usize| scope.spawn(move || call_until(servers, memory, *tool, client, until));
                (*tool, (0..*count).map(one).collect::<Vec<_>>())
            })
            .collect();
        running
            .into_iter()
            .map(|(tool, threads)| {
                let clients = threads.len();
                let parts = threads.into_iter().filter_map(|thread| thread.join().ok());
                gathered(tool, clients, parts)
            })
            .collect()
    });
    let (seconds, Usage { cpu, resident_bytes }) = (began.elapsed().as_secs_f64(), servers.usage());
    for result in &mut results {
        result.seconds = seconds;
        result.cores = (cpu - before.cpu) / seconds;
        result.resident_bytes = resident_bytes;
    }
    results
}

/// The times of the calls in milliseconds, and how many failed.
fn call_until(
    servers: &Servers,
    memory: Memory,
    tool: Tool,
    client: usize,
    until: Instant,
) -> (Vec<f64>, usize) {
    let address = servers.addresses.iter().cycle().nth(client).copied();
    let Some(address) = address else { return (Vec::new(), 0) };
    let mut caller = Client { address, key: &servers.key, connection: None };
    let (mut times, mut failed) = (Vec::new(), 0);
    while Instant::now() < until {
        let arguments = tool.arguments(&memory, client, times.len());
        let began = Instant::now();
        failed += usize::from(!caller.call(tool.name(), &arguments));
        times.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    (times, failed)
}

fn gathered(tool: Tool, clients: usize, parts: impl Iterator<Item = (Vec<f64>, usize)>) -> Measured {
    let (mut times, mut failed) = (Vec::new(), 0);
    for (of_client, not_answered) in parts {
        times.extend(of_client);
        failed += not_answered;
    }
    times.sort_by(f64::total_cmp);
    Measured { tool, clients, calls: times.len(), failed, seconds: 1.0, times, cores: 0.0, resident_bytes: 0 }
}

#[cfg(test)]
mod tests {
    use super::{Tool, gathered};

    #[test]
    fn percentiles_are_of_all_clients_together() {
        let halves = [(0..50).map(f64::from).collect(), (50..=100).map(f64::from).collect()];
        let measured = gathered(Tool::GetMemory, 2, halves.into_iter().map(|times| (times, 1)));
        assert_eq!([0.5, 0.95, 0.99, 1.0].map(|share| measured.within(share)), [50.0, 95.0, 99.0, 100.0]);
        assert_eq!((measured.calls, measured.failed), (101, 2));
    }
}
