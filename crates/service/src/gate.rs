//! The gate that every call passes: may this caller do this, then the work, then the audit entry, then the reply.

use crate::args::{ALL_SPACES, Arguments, Takes};
use crate::outcome::{Done, Reply, Stop};
use crate::service::Service;
use crate::tool::{Context, Effect, ToolInfo};
use crate::tools;
use domain::{Caller, CallerId, Capability, Fault, Identity, Space};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use store::{Call, Record, Store};
use tokio::runtime::Handle;

impl Service {
    pub async fn call(&self, caller: Caller, tool: &str, arguments: Arguments) -> Reply {
        match tools::find(tool) {
            Some(info) => self.run(info, caller, arguments).await,
            None => unknown(tool),
        }
    }

    /// For the person at the machine, who can also do what no client is offered.
    pub async fn operate(&self, caller: Caller, tool: &str, arguments: Arguments) -> Reply {
        match tools::find_for_operator(tool) {
            Some(info) => self.run(info, caller, arguments).await,
            None => unknown(tool),
        }
    }

    async fn run(&self, info: &'static ToolInfo, caller: Caller, mut arguments: Arguments) -> Reply {
        let space = info.takes.take_space(&mut arguments);
        let call = Call::new(caller, info.name, space.as_ref().ok().cloned().flatten());
        let under_way = UnderWay { store: &self.store, call: Some(call.clone()) };
        let ran = AssertUnwindSafe(self.pass(info, &call, space, arguments)).catch_unwind().await;
        let ended = ran.unwrap_or_else(|_| Err(Stop::Fault(Fault::new("Panic", "the call panicked"))));
        let started = call.started;
        let reply = self.answer(call, ended).await;
        self.tool_times.observe(info.name, started.elapsed());
        under_way.ended();
        reply
    }

    async fn pass(
        &self,
        info: &ToolInfo,
        call: &Call,
        space: Result<Option<Space>, Stop>,
        arguments: Arguments,
    ) -> Result<Done, Stop> {
        if call.caller.identity == Identity::Anonymous {
            return Err(Stop::denied(
                "authentication required. Provide a valid API key: connect over HTTP with \
                 Authorization: Bearer svc_sk_..., or turn SVC_AUTH_REQUIRED off for a local memory.",
            ));
        }
        if !call.caller.can(info.capability) {
            let role = call.caller.role().map_or("", domain::Role::word);
            return Err(Stop::denied(format!(
                "'{}' requires the '{}' capability; your role(s) ['{role}'] do not grant it.",
                info.name, info.capability
            )));
        }
        let space = space?;
        // A tool that takes all spaces looks at each itself.
        let all = |space: &&Space| info.takes == Takes::SpaceOrAll && space.user_id == ALL_SPACES;
        if let Some(space) = space.as_ref().filter(|space| !all(space)) {
            reach(call, info.name, &space.user_id)?;
            self.may_be_made(info, call, space).await?;
        }
        let space = space.unwrap_or_else(|| Space::new("", "", ""));
        info.start(Context { service: self, call, space }, arguments).await
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

    async fn answer(&self, call: Call, ended: Result<Done, Stop>) -> Reply {
        let (answer, record) = match ended {
            Ok(Done::Committed { text }) => return Reply::done(text),
            Ok(Done::Read { text, record }) => (Reply::done(text), record),
            Ok(Done::Reconciled { text, outcomes, mut proposals, record }) => {
                // Under four eyes whoever proposed a change may not approve it.
                if !call.caller.can(Capability::Approve) || self.options.four_eyes {
                    proposals.clear();
                }
                let reply = Reply { outcomes, proposals, ..Reply::done(text) };
                let Some(record) = record else { return reply };
                (reply, record)
            }
            Ok(Done::Alarm { text, record }) => {
                if let Err(error) = self.store.call_record(call.clone(), record).await {
                    report(&call, &error.into());
                }
                return Reply::done(text);
            }
            Err(Stop::Denied { text }) => {
                let record = Record::denied(format!("{}: {text}", call.tool));
                (Reply::failed(format!("Access denied: {text}")), record)
            }
            Err(Stop::Config { text }) => {
                (Reply::failed(format!("Svc config error: {text}")), Record::failed("a setting is missing"))
            }
            Err(Stop::Refused { text }) => {
                (Reply::refused(text), Record::failed("refused: the arguments are not valid"))
            }
            Err(Stop::Fault(fault)) => {
                let (text, reference) = report(&call, &fault);
                (Reply::failed(text), Record::failed(format!("failed (ref {reference})")))
            }
        };
        // An answer that cannot be audited is not given.
        match self.store.call_record(call.clone(), record).await {
            Ok(()) => answer,
            Err(error) => Reply::failed(report(&call, &error.into()).0),
        }
    }
}

fn unknown(tool: &str) -> Reply {
    let name: String = tool.chars().filter(|c| !c.is_control()).take(80).collect();
    Reply::refused(format!("Unknown tool: '{name}'. tools/list names the tools."))
}

/// A call that has not answered yet. When its caller goes away or cancels it, it is dropped where it stands; that it
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

/// The memory space of `user_id` must be within the caller's scope.
pub(crate) fn reach(call: &Call, tool: &str, user_id: &str) -> Result<(), Stop> {
    if call.caller.reaches(user_id) {
        return Ok(());
    }
    Err(out_of_scope(tool))
}

/// The id is not echoed: whether such a space exists is not the caller's to learn.
pub(crate) fn out_of_scope(tool: &str) -> Stop {
    Stop::denied(format!("'{tool}' targets a memory space outside your assigned scope."))
}

/// Logs the fault and gives the caller the number under which it stands there.
fn report(call: &Call, fault: &Fault) -> (String, String) {
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
    let text = format!(
        "Svc couldn't complete that (ref {reference}). The server's log says why under that ref; \
         nothing was changed, so the call can be tried again."
    );
    (text, reference)
}
