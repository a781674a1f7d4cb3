//! The gate that every call passes: may this caller do this, then the work, then the audit entry, then the reply.

use crate::args::Arguments;
use crate::catalogue::{self, Prepared, ToolInfo};
use crate::outcome::{Done, Stop};
use crate::reply::{Missing, Reply, ToolReply};
use crate::scope::reach;
use crate::service::Service;
use crate::tool::{Effect, Tool};
use crate::tools::brief::Brief;
use domain::{Caller, CallerId, Fault, Identity, Space};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};
use store::{Call, Record, Store};
use tokio::runtime::Handle;
use tokio::time::timeout;

/// How long an answer that does not depend on its audit entry waits for it.
const RECORD_TIME: Duration = Duration::from_millis(700);

impl Service {
    pub async fn call(&self, caller: Caller, tool: &str, arguments: Arguments) -> Reply {
        match catalogue::find(tool) {
            Some(info) => self.run(info, caller, arguments).await,
            None => unknown(tool),
        }
    }

    /// For a person, at the machine or in the console, who can also do what no client is offered.
    pub async fn operate(&self, caller: Caller, tool: &str, arguments: Arguments) -> Reply {
        match catalogue::find_for_people(tool) {
            Some(info) => self.run(info, caller, arguments).await,
            None => unknown(tool),
        }
    }

    /// The block that a client reads as a resource, or finds in a prompt.
    pub async fn brief(&self, caller: Caller, arguments: Arguments) -> Reply {
        self.operate(caller, Brief::NAME, arguments).await
    }

    async fn run(&self, info: &'static ToolInfo, caller: Caller, arguments: Arguments) -> Reply {
        let prepared = info.prepare(arguments);
        let space = prepared.as_ref().ok().and_then(|prepared| prepared.named().cloned());
        let call = Call::new(caller, info.name, space);
        let under_way = UnderWay { store: &self.store, call: Some(call.clone()) };
        let ran = AssertUnwindSafe(self.pass(info, &call, prepared)).catch_unwind().await;
        let ended = ran.unwrap_or_else(|_| Err(Stop::Fault(Fault::new("Panic", "the call panicked"))));
        let started = call.started;
        let reply = self.answer(call, ended).await;
        if info.effect != Effect::ReadOnly
            && let Some(projection) = &self.projection
        {
            projection.changed();
        }
        self.tool_times.observe(info.name, started.elapsed());
        under_way.ended();
        reply
    }

    async fn pass(
        &self,
        info: &ToolInfo,
        call: &Call,
        prepared: Result<Box<dyn Prepared>, Stop>,
    ) -> Result<Done<ToolReply>, Stop> {
        if call.caller.identity == Identity::Anonymous {
            return Err(Stop::denied(
                "authentication required. Provide a valid API key: connect over HTTP with \
                 Authorization: Bearer svc_sk_..., or turn SVC_AUTH_REQUIRED off for a local memory.",
            ));
        }
        let _ticket = self.meter.enter(&self.options.quotas, &call.caller, Instant::now())?;
        if !call.caller.can(info.capability) {
            let role = call.caller.role().map_or("", domain::Role::word);
            return Err(Stop::denied(format!(
                "'{}' requires the '{}' capability; your role(s) ['{role}'] do not grant it.",
                info.name, info.capability
            )));
        }
        let prepared = prepared?;
        if let Some(space) = prepared.single() {
            reach(call, &space.user_id)?;
            self.may_be_made(info, call, space).await?;
        }
        prepared.start(self, call).await
    }

    /// A user whose name reads like a caller's in the audit log gets no new space. One that is there is served.
    async fn may_be_made(&self, info: &ToolInfo, call: &Call, space: &Space) -> Result<(), Stop> {
        let user_id = &space.user_id;
        if info.effect != Effect::Write
            || CallerId::of(user_id).is_none()
            || self.store.space_exists(&call.caller, space).await?
        {
            return Ok(());
        }
        Err(Stop::refused(format!(
            "Argument 'user_id': '{user_id}' is how the audit log names a caller, so no memory can be kept under it. \
             Choose another user_id."
        )))
    }

    async fn answer(&self, call: Call, ended: Result<Done<ToolReply>, Stop>) -> Reply {
        let (reply, record) = match ended {
            Ok(Done::Committed(reply)) => return Reply::Done(reply),
            Ok(Done::Read { reply, record }) => (self.completed(&call, reply).await, record),
            Ok(Done::Alarm { reply, record }) => {
                return match self.record_in_time(&call, record).await {
                    Err(Stop::Fault(fault)) => {
                        report(&call, &fault);
                        Reply::Done(reply)
                    }
                    Err(stop) => self.stopped(&call, stop).await,
                    Ok(()) => Reply::Done(reply),
                };
            }
            Err(stop) => return self.stopped(&call, stop).await,
        };
        // An answer that cannot be audited is not given.
        match self.record(&call, record).await {
            Ok(()) => reply,
            Err(Stop::Fault(fault)) => failed(&call, &fault),
            Err(stop) => self.stopped(&call, stop).await,
        }
    }

    /// A read says so where facts of its space, or the file, are damaged. An export does in a field of its own.
    async fn completed(&self, call: &Call, reply: ToolReply) -> Reply {
        if matches!(reply, ToolReply::ExportMemory(_)) {
            return Reply::Done(reply);
        }
        if self.store.file_damage().is_some() {
            return Reply::Incomplete { reply, missing: Missing::File };
        }
        let Some(space) = &call.space else { return Reply::Done(reply) };
        match self.store.facts_unreadable(&call.caller, space).await {
            Ok(facts) if !facts.is_empty() => Reply::Incomplete { reply, missing: Missing::Facts(facts) },
            _ => Reply::Done(reply),
        }
    }

    async fn stopped(&self, call: &Call, stop: Stop) -> Reply {
        let (reply, record) = match stop {
            Stop::Denied { text } => {
                let record = Record::denied(format!("{}: {text}", call.tool));
                (Reply::Denied { why: text }, record)
            }
            // The log is no place to fill by asking too often.
            Stop::OverQuota(over) if !self.over_quota.is_due(call.caller.id().to_owned(), Instant::now()) => {
                return Reply::OverQuota(over);
            }
            Stop::OverQuota(over) => {
                let record = Record::failed(format!("refused: {}", over.why));
                (Reply::OverQuota(over), record)
            }
            Stop::Config { text } => {
                (Reply::Misconfigured { why: text }, Record::failed("a setting is missing"))
            }
            Stop::Refused { text } => {
                (Reply::Refused { why: text }, Record::failed("refused: the arguments are not valid"))
            }
            Stop::Fault(fault) => {
                let reference = report(call, &fault);
                let record = Record::failed(format!("failed (ref {reference})"));
                (Reply::Failed { reference, advice: fault.advice }, record)
            }
        };
        match (self.store.call_record(call.clone(), record).await, &reply) {
            (Ok(()), _) => reply,
            // What the caller must know is how the call itself failed.
            (Err(error), Reply::Failed { .. }) => {
                report(call, &error.into());
                reply
            }
            (Err(error), _) => failed(call, &error.into()),
        }
    }

    /// The entry of what is told at once, whatever becomes of the entry. One that takes long is still written once it can
    /// be.
    async fn record_in_time(&self, call: &Call, record: Record) -> Result<(), Stop> {
        let (store, own) = (self.store.clone(), call.clone());
        let recorded = tokio::spawn(async move { store.call_record(own, record).await });
        match timeout(RECORD_TIME, recorded).await {
            Ok(Ok(recorded)) => Ok(recorded?),
            Ok(Err(error)) => Err(Stop::Fault(Fault::new("Panic", error.to_string()))),
            Err(_) => Err(Stop::Fault(Fault::new("Timeout", "the audit log has not taken the entry yet"))),
        }
    }

    async fn record(&self, call: &Call, record: Record) -> Result<(), Stop> {
        Ok(self.store.call_record(call.clone(), record).await?)
    }
}

fn unknown(tool: &str) -> Reply {
    let name: String = tool.chars().filter(|c| !c.is_control()).take(80).collect();
    Reply::Refused { why: format!("Unknown tool: '{name}'. tools/list names the tools.") }
}

/// A call that has not answered yet. When its caller goes away or cancels it, it is dropped where it is; that it
/// was made, and given up, is recorded all the same.
struct UnderWay<'a> {
    store: &'a Store,
    call: Option<Call>,
}

impl UnderWay<'_> {
    fn ended(mut self) {
        self.call = None;
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let (Some(call), Ok(runtime)) = (self.call.take(), Handle::try_current()) else { return };
        let store = self.store.clone();
        runtime.spawn(async move {
            if let Err(error) =
                store.call_abandoned(call, Record::failed("given up before it answered")).await
            {
                tracing::error!(%error, "a call that was given up could not be recorded");
            }
        });
    }
}

fn failed(call: &Call, fault: &Fault) -> Reply {
    Reply::Failed { reference: report(call, fault), advice: fault.advice.clone() }
}

/// Logs the fault; returns the reference under which the log has it.
fn report(call: &Call, fault: &Fault) -> String {
    let mut bytes = [0_u8; 6];
    // Without randomness the time still tells one failure from another.
    if getrandom::fill(&mut bytes).is_err() {
        let [_, _, rest @ ..] = call.caller.now.as_microsecond().to_be_bytes();
        bytes = rest;
    }
    let reference = hex::encode(bytes);
    tracing::error!(
        r#ref = %reference,
        request_id = %call.caller.request_id,
        tool = call.tool,
        kind = fault.kind,
        detail = %fault.detail,
        "a call failed"
    );
    reference
}
