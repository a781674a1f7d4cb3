//! Brings records of another memory: each told at the time at which it was true, or put down as it is.

mod brought_fact;
mod record;
mod rehearsal;

use crate::args::named;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, FactId, Space};
use reconcile::Outcome;
use record::{Held, RecordArgs, brought, fit};
use rehearsal::Rehearsal;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use store::{Arrival, Import};

pub(crate) struct ImportRecords;

/// So many records go into one transaction: enough to make it cheap, and not so many that others wait for it.
pub const RECORDS_PER_CALL: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The memory that the records are from.
    from: String,
    records: Vec<RecordArgs>,
    /// The numbers of facts that were brought before, by the ids that these records name.
    #[serde(default)]
    known: BTreeMap<String, i64>,
    /// Say what would become of each, and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for ImportRecords {
    const NAME: &'static str = "import_records";
    const TITLE: &'static str = "Import records";
    const DESCRIPTION: &'static str = "Bring records of another memory, each at its own time.";
    // Who brings records says when they were true.
    const CAPABILITY: Capability = Capability::Admin;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = Args;
    type Reply = Imported;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Imported>, Stop> {
        let from = named("from", args.from)?;
        let known: BTreeMap<String, FactId> =
            args.known.into_iter().map(|(id, number)| (id, FactId(number))).collect();
        if args.dry_run {
            let mut rehearsal = Rehearsal::open(&cx, &args.records, known).await?;
            let mut arrivals = Vec::new();
            for record in args.records {
                arrivals.push(rehearsal.bring(&cx, &from, record).await?);
            }
            let detail = format!("dry run: {} record(s) of {from}", arrivals.len());
            return Ok(Done::read(Imported { arrivals }, detail));
        }
        if args.records.len() > RECORDS_PER_CALL {
            let why = format!("Argument 'records' holds more than {RECORDS_PER_CALL} records. Split it.");
            return Err(Stop::refused(why));
        }
        let (mut records, mut unfit) = (Vec::new(), BTreeMap::new());
        for (place, record) in args.records.into_iter().enumerate() {
            match fit(brought(&cx, &from, record, &Held::Now).await)? {
                Ok(record) => records.push(record),
                Err(why) => drop(unfit.insert(place, why)),
            }
        }
        let slots = cx.service.options.slots.clone();
        let import = Import {
            from,
            records,
            known,
            slots,
            limits: cx.service.options.quotas.storage.limits(&cx.call.caller),
        };
        let mut arrivals = cx.service.store.import_commit(cx.call.clone(), cx.space.clone(), import).await?;
        for (place, why) in unfit {
            arrivals.insert(place, why);
        }
        cx.service.embed_soon(&cx.call.caller, &cx.space).await;
        Ok(Done::Committed(Imported { arrivals }))
    }
}

/// What came of each record, in their order.
#[derive(Debug)]
pub struct Imported {
    pub arrivals: Vec<Arrival>,
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for arrival in &self.arrivals {
            match arrival {
                Arrival::Known(_) => writeln!(f, "unchanged")?,
                Arrival::New(plan) => {
                    let told = |o: &Outcome| format!("[{}] {} = {}", o.action, o.subject, o.value);
                    let told: Vec<String> = plan.outcomes.iter().map(told).collect();
                    writeln!(f, "{}", told.join("; "))?;
                }
            }
        }
        Ok(())
    }
}
