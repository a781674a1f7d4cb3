//! Calling the service in the name of the person who is signed in.

use domain::{Caller, Capability, DEFAULT_USER, Identity, Principal, Role, Scopes, Timestamp};
use hyper::StatusCode;
use serde_json::{Map, Value};
use service::{Reply, Service, ToolReply};
use std::time::Instant;

/// One person's calls during one request.
#[derive(Debug)]
pub(crate) struct Desk {
    service: Service,
    identity: Identity,
    request_id: String,
    /// What the forms of this session must show.
    pub form_token: String,
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
    pub fn new(service: Service, identity: Identity, request_id: String, form_token: String) -> Self {
        Self { service, identity, request_id, form_token }
    }

    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<Answer, Trouble> {
        answer(self.service.operate(self.caller(), tool, arguments).await)
    }

    /// A call that goes on without this request.
    pub fn begin(
        &self,
        tool: &'static str,
        arguments: Map<String, Value>,
    ) -> impl Future<Output = Result<Answer, Trouble>> + Send + 'static {
        let (service, caller) = (self.service.clone(), self.caller());
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
        let first = match &self.identity {
            Identity::Principal(Principal { role, scopes: Scopes::Only(users), .. })
                if *role != Role::Admin =>
            {
                users.first()
            }
            _ => None,
        };
        first.map_or(DEFAULT_USER, String::as_str)
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
