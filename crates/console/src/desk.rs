//! Calling the service in the name of the person who is signed in.

use crate::names::Names;
use crate::sessions::{KeptSpaces, Session};
use domain::{
    Caller, Capability, DEFAULT_USER, Identity, Notice, Principal, PrincipalId, PrincipalOrigin, Role,
    Scopes, Space, Timestamp,
};
use hyper::StatusCode;
use serde_json::{Map, Value};
use service::{Reply, Service, ToolReply};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

const KEEP_SPACES: Duration = Duration::from_secs(60);

/// One person's calls during one request.
#[derive(Debug)]
pub(crate) struct Desk {
    service: Service,
    identity: Identity,
    request_id: String,
    pub session: Arc<Session>,
}

/// A reply that is no answer, in the words that every client reads.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub status: StatusCode,
    pub text: String,
}

/// What a call came to.
pub(crate) struct Answer {
    pub reply: ToolReply,
    /// What is missing from it.
    pub missing: Option<String>,
}

impl Desk {
    pub fn new(service: Service, identity: Identity, request_id: String, session: Arc<Session>) -> Self {
        Self { service, identity, request_id, session }
    }

    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<Answer, Trouble> {
        self.call_as(self.caller(), tool, arguments).await
    }

    /// A decision by somebody who was shown as current what this fingerprint stands for.
    pub async fn decide(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        shown: &str,
    ) -> Result<Answer, Trouble> {
        self.call_as(Caller { shown: Some(shown.to_owned()), ..self.caller() }, tool, arguments).await
    }

    async fn call_as(
        &self,
        caller: Caller,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Answer, Trouble> {
        let user_id = arguments.get("user_id").and_then(Value::as_str).map(str::to_owned);
        let reply = self.service.operate(caller, tool, arguments).await;
        let is_denied = matches!(reply, Reply::Denied { .. });
        answer(reply).map_err(|trouble| match self.denial(tool, user_id.as_deref()).filter(|_| is_denied) {
            Some(text) => Trouble { text, ..trouble },
            None => trouble,
        })
    }

    /// Why the gate denies the tool, for a person who does not know tools. `None`: for a reason of the tool's own.
    fn denial(&self, tool: &str, user_id: Option<&str>) -> Option<String> {
        let caller = self.caller();
        let info = service::catalogue()
            .iter()
            .chain(service::tools_for_people())
            .find(|known| known.name == tool)?;
        if !caller.can(info.capability) {
            let role = caller.role().map_or("", Role::word);
            return Some(format!(
                "Your role, {role}, does not allow this: it takes the right '{}'. An admin can give you another role.",
                info.capability
            ));
        }
        let is_out_of_scope = user_id.is_some_and(|user_id| !caller.reaches(user_id));
        is_out_of_scope.then(|| "This memory is outside the scope of your key.".to_owned())
    }

    /// What these callers are called. Where that cannot be found out, their ids are shown.
    pub async fn names(&self, callers: impl Iterator<Item = &str>) -> Names {
        let is_known = |id: &&str| PrincipalOrigin::of(id) == Some(PrincipalOrigin::ApiKey);
        let ids: BTreeSet<&str> = callers.filter(is_known).collect();
        let ids = ids.into_iter().map(|id| PrincipalId(id.to_owned())).collect();
        let names = self.service.principal_names(&self.caller(), ids).await;
        Names(names.unwrap_or_else(|error| {
            tracing::warn!(%error, "the names of principals could not be read");
            HashMap::new()
        }))
    }

    /// The spaces to choose from; none for somebody who may not see them, and types a name. They are kept for a while:
    /// each listing is an entry in the audit log, and no page needs the newest space at once. What is in scope holds at once.
    pub async fn spaces(&self) -> Vec<Space> {
        let kept = self.session.spaces.lock().clone();
        let users = self.users_in_scope().map(<[String]>::to_vec);
        if let Some(kept) = kept.filter(|kept| kept.at.elapsed() < KEEP_SPACES && kept.users == users) {
            return kept.spaces;
        }
        if !self.can(Capability::Read) {
            return Vec::new();
        }
        let spaces = match self.call("list_spaces", Map::new()).await {
            Ok(Answer { reply: ToolReply::ListSpaces(list), .. }) => list.spaces,
            _ => return Vec::new(),
        };
        let kept = KeptSpaces { spaces: spaces.clone(), at: Instant::now(), users };
        *self.session.spaces.lock() = Some(kept);
        spaces
    }

    /// A call that goes on without this request, and tells by the notice what it waits for.
    pub fn begin(
        &self,
        tool: &'static str,
        arguments: Map<String, Value>,
        notice: Notice,
    ) -> impl Future<Output = Result<Answer, Trouble>> + Send + 'static {
        let (service, caller) = (self.service.clone(), Caller { notice, ..self.caller() });
        async move { answer(service.operate(caller, tool, arguments).await) }
    }

    pub fn can(&self, capability: Capability) -> bool {
        self.caller().can(capability)
    }

    pub fn is_operator(&self) -> bool {
        self.caller().is_operator()
    }

    pub fn is_of_default_tenant(&self) -> bool {
        self.caller().tenant.is_default()
    }

    /// Whose memory is meant where nobody is named: the first user in scope, or that of the calls that name none.
    pub fn own_user(&self) -> &str {
        self.users_in_scope().and_then(<[String]>::first).map_or(DEFAULT_USER, String::as_str)
    }

    /// `None`: all.
    pub fn users_in_scope(&self) -> Option<&[String]> {
        match &self.identity {
            Identity::Principal(Principal { role, scopes: Scopes::Only(users), .. })
                if *role != Role::Admin =>
            {
                Some(users)
            }
            _ => None,
        }
    }

    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Who is signed in, as the pages show it.
    pub fn name(&self) -> String {
        match &self.identity {
            Identity::Principal(principal) => format!("{} ({})", principal.name, principal.role),
            Identity::Local => "you, at this machine".to_owned(),
            Identity::Anonymous | Identity::Service => "nobody".to_owned(),
        }
    }

    fn caller(&self) -> Caller {
        let deadline = Instant::now() + self.service.call_time();
        Caller::new(self.identity.clone(), self.request_id.clone(), Timestamp::now(), deadline)
    }
}

fn answer(reply: Reply) -> Result<Answer, Trouble> {
    let text = reply.text();
    let status = match reply {
        Reply::Done(reply) => return Ok(Answer { reply, missing: None }),
        Reply::Incomplete { reply, missing } => {
            return Ok(Answer { reply, missing: Some(missing.to_string()) });
        }
        Reply::Denied { .. } => StatusCode::FORBIDDEN,
        Reply::Refused { .. } => StatusCode::BAD_REQUEST,
        Reply::OverQuota(_) => StatusCode::TOO_MANY_REQUESTS,
        Reply::Misconfigured { .. } | Reply::Failed { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Err(Trouble { status, text })
}

/// A tool that answered in the form of another one.
pub(crate) fn unexpected() -> Trouble {
    Trouble {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        text: "The service gave an answer of another kind.".to_owned(),
    }
}

/// Takes the reply of one tool out of an answer.
macro_rules! reply_of {
    ($answer:expr, $tool:ident) => {
        match $answer.reply {
            service::ToolReply::$tool(reply) => reply,
            _ => return Err($crate::desk::unexpected()),
        }
    };
}
pub(crate) use reply_of;
