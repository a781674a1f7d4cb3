//! Brings records of another memory: each told at the time at which it was said, or put down as it is.

mod record;

use crate::args::named;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Space};
use reconcile::Trust;
use record::RecordArgs;
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
        if args.records.len() > RECORDS_PER_CALL {
            let why = format!("Argument 'records' holds more than {RECORDS_PER_CALL} records. Split it.");
            return Err(Stop::refused(why));
        }
        let (mut records, mut unfit) = (Vec::new(), BTreeMap::new());
        for (place, record) in args.records.into_iter().enumerate() {
            match record.brought(&cx, &from).await {
                Ok(record) => records.push(record),
                // A record that cannot be taken keeps none of the others back.
                Err(Stop::Refused { text }) => drop(unfit.insert(place, Arrival::refused(text))),
                Err(stop) => return Err(stop),
            }
        }
        let slots = cx.service.options.slots.clone();
        let limits = cx.service.options.quotas.storage.limits(&cx.call.caller);
        let trust = if cx.service.options.four_eyes { Trust::AfterRemoval } else { Trust::Ordinary };
        let import = Import { from, records, slots, trust, limits };
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
        let known = self.arrivals.iter().filter(|arrival| matches!(arrival, Arrival::Known)).count();
        write!(f, "{} record(s), {known} of them unchanged", self.arrivals.len())
    }
}
