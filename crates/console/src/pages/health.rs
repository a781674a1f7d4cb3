//! Whether the parts answer, and how much the service is used.

use crate::desk::{Desk, Trouble, reply_of};
use crate::foreign::foreign;
use crate::plot::{Point, plot};
use crate::shown::Shown;
use maud::{Markup, html};
use serde_json::Map;
use service::{Usage, UsageSample};

pub(super) async fn show(desk: &Desk) -> Result<Shown, Trouble> {
    let report = reply_of!(desk.call("health", Map::new()).await?, Health);
    let (usage, samples) = used(desk).await?;
    let main = html! {
        h1 { "Health" }
        table {
            caption.hidden { "Parts" }
            thead { tr { th scope="col" { "Part" } th scope="col" { "State" } } }
            tbody {
                @for (part, state) in report.to_string().lines().filter_map(|line| line.split_once(": ")) {
                    tr {
                        th scope="row" data-label="Part" { (part) }
                        td data-label="State" {
                            @if state.starts_with("FAIL") { strong.bad { "⚠ " (foreign(state)) } } @else { (foreign(state)) }
                        }
                    }
                }
            }
        }
        @if let Some(samples) = &samples { (plots(samples)) }
        @if let Some(usage) = &usage { (tools(usage)) }
    };
    Ok(Shown::page("Health", main))
}

/// What is counted is counted for the whole deployment, so other tenants than the default one do not see it.
async fn used(desk: &Desk) -> Result<(Option<Usage>, Option<Vec<UsageSample>>), Trouble> {
    if !desk.is_of_default_tenant() {
        return Ok((None, None));
    }
    let usage = reply_of!(desk.call("stats", Map::new()).await?, Stats);
    let samples = reply_of!(desk.call("usage_over_time", Map::new()).await?, UsageOverTime);
    Ok((Some(usage), Some(samples.0)))
}

fn plots(samples: &[UsageSample]) -> Markup {
    let held = |of: fn(&UsageSample) -> i64| -> Vec<Point> {
        samples.iter().map(|sample| Point { at: sample.at, value: of(sample) as f64 }).collect()
    };
    // What happened between each two of them.
    let steps: Vec<Step<'_>> =
        samples.iter().zip(samples.iter().skip(1)).map(|(before, after)| Step { before, after }).collect();
    let calls: Vec<Point> = steps.iter().map(Step::calls_a_minute).collect();
    let latency: Vec<Point> = steps.iter().map(Step::milliseconds_a_call).collect();
    html! {
        section aria-labelledby="time" {
            h2 id="time" { "Over time" }
            p { "Noted every minute while this process runs, for a day." }
            (plot("Calls a minute", &calls))
            (plot("Milliseconds a call", &latency))
            (plot("Facts held", &held(|sample| sample.facts)))
            (plot("Bytes held", &held(|sample| sample.bytes)))
        }
    }
}

struct Step<'a> {
    before: &'a UsageSample,
    after: &'a UsageSample,
}

impl Step<'_> {
    fn calls(&self) -> f64 {
        (self.after.calls - self.before.calls) as f64
    }

    fn calls_a_minute(&self) -> Point {
        let took = (self.after.at.as_millisecond() - self.before.at.as_millisecond()).max(1) as f64;
        Point { at: self.after.at, value: self.calls() / took * 60_000.0 }
    }

    fn milliseconds_a_call(&self) -> Point {
        let micros = (self.after.micros - self.before.micros) as f64;
        Point { at: self.after.at, value: micros / self.calls().max(1.0) / 1000.0 }
    }
}

fn tools(usage: &Usage) -> Markup {
    html! {
        section aria-labelledby="tools" {
            h2 id="tools" { "Calls since the beginning" }
            table {
                caption.hidden { "Calls of each tool" }
                thead { tr {
                    th scope="col" { "Tool" } th scope="col" { "Calls" } th scope="col" { "Failed" } th scope="col" { "Milliseconds on average" }
                } }
                tbody {
                    @for tool in &usage.0.tools {
                        tr {
                            th scope="row" data-label="Tool" { (tool.tool) }
                            td data-label="Calls" { (tool.calls) }
                            td data-label="Failed" { (tool.errors) }
                            td data-label="Milliseconds on average" { (format!("{:.1}", tool.average_ms())) }
                        }
                    }
                }
            }
            p { (usage.0.active_principals) " principals have a key that works." }
        }
    }
}
