//! Blocks of tool calls: sent to a real `svc-mcp`.

use super::{Exchange, Page, Part};
use crate::support::{Deployment, Mcp};
use samples::neo4j;
use serde_json::Value;

pub fn run(page: &Page) -> Vec<Vec<Exchange>> {
    let mut memory: Option<(Deployment, Mcp)> = None;
    let mut principal = String::new();
    let mut answered = Vec::new();
    for part in &page.parts {
        let Part::Mcp { settings, exchanges, .. } = part else { continue };
        if memory.is_none() || !settings.is_empty() {
            let mut deployment = Deployment::bare();
            settings.iter().for_each(|(name, value)| deployment.set(name, value));
            if has_graph(settings) {
                let Some(server) = neo4j::shared() else {
                    // It has said that it is not run.
                    answered.push(exchanges.clone());
                    continue;
                };
                deployment.set("NEO4J_URI", &server.uri);
                deployment.set("NEO4J_USER", &server.user);
                deployment.set("NEO4J_PASSWORD", &server.password);
            }
            let process = deployment.start();
            memory = Some((deployment, process));
        }
        let Some((deployment, process)) = &memory else { continue };
        let answer = |exchange: &Exchange| {
            // A server that has just started takes its time over the first facts.
            if has_graph(settings) && exchange.asked.starts_with("> recall_related") {
                deployment.run(env!("CARGO_BIN_EXE_svc"), &["graph", "check"]);
            }
            let reply = call(process, &exchange.asked, &principal);
            if let Some(id) = reply.split_whitespace().find(|word| word.starts_with("prin_")) {
                id.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).clone_into(&mut principal);
            }
            Exchange { asked: exchange.asked.clone(), expected: reply.lines().map(str::to_owned).collect() }
        };
        answered.push(exchanges.iter().map(answer).collect());
    }
    answered
}

fn has_graph(settings: &[(String, String)]) -> bool {
    settings.iter().any(|(name, _)| name == "SVC_GRAPH")
}

/// `> tool {"argument": …}`. `prin_…` means the last principal that a reply named.
fn call(process: &Mcp, asked: &str, principal: &str) -> String {
    let asked = asked.strip_prefix("> ").unwrap_or_default();
    let (tool, arguments) = asked.split_once(' ').unwrap_or((asked, "{}"));
    let arguments = arguments.replace("prin_…", principal);
    let arguments: Value = serde_json::from_str(&arguments).unwrap_or_else(|e| panic!("{asked}: {e}"));
    process.reply(tool, &arguments).text
}
