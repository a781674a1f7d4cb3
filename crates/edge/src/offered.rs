//! What a client is offered besides tools: the brief of a memory, as a resource that it reads and in prompts that a person
//! chooses.

use crate::rpc::{BUSY, INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError, arguments};
use domain::{Caller, Capability, DEFAULT_USER, Identity, Scopes};
use serde_json::{Map, Value, json};
use service::{OverQuota, Reply, Service};
use std::fmt::Write;

const MIME: &str = "text/markdown";
const BRIEF: &str = "What to know before a task begins: preferences, critical and current facts, and what waits for the \
    person's decision. The same memory gives the same bytes.";

/// A text that a person can have put before the agent.
struct Prompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// What the person says with it.
    says: &'static str,
    /// Which part of the brief it brings.
    part: &'static str,
    since: Since,
}

#[derive(PartialEq, Eq)]
enum Since {
    Never,
    MayBeGiven,
    Required,
}

const PROMPTS: [Prompt; 3] = [
    Prompt {
        name: "start-here",
        title: "Start here",
        description: "What the memory holds for the work ahead.",
        says: "Here is what the memory holds for the work ahead. Go by it. Where it and I disagree, I am right, and you \
            remember what I say.",
        part: "all",
        since: Since::MayBeGiven,
    },
    Prompt {
        name: "review-what-waits",
        title: "Review what waits",
        description: "Go through the changes that wait for a decision, one at a time.",
        says: "These changes wait for my decision. Take them one at a time: say what would change, who said it and in \
            which words, and ask me. Call confirm_change or reject_change with its number only when I have decided.",
        part: "waiting",
        since: Since::Never,
    },
    Prompt {
        name: "what-changed",
        title: "What has changed",
        description: "What has changed in the memory since a day.",
        says: "Tell me in a few sentences what has changed in the memory, and what took the place of what.",
        part: "changed",
        since: Since::Required,
    },
];

/// The arguments of every prompt.
const OF_ALL: [(&str, &str); 4] = [
    ("user_id", "Whose memory; left out, the default one."),
    ("agent_id", "Of which agent."),
    ("run_id", "Of which run."),
    ("tokens", "The most that it may take, from 200; left out, 1500."),
];

impl Prompt {
    fn listed(&self) -> Value {
        let argument =
            |(name, description): (&str, &str)| json!({ "name": name, "description": description });
        let mut arguments: Vec<Value> = OF_ALL.map(argument).to_vec();
        if self.since != Since::Never {
            arguments.insert(
                0,
                json!({
                    "name": "since",
                    "description": "What has changed since this day or time, such as 2026-11-17.",
                    "required": self.since == Since::Required,
                }),
            );
        }
        json!({ "name": self.name, "title": self.title, "description": self.description, "arguments": arguments })
    }
}

pub(crate) fn prompts() -> Value {
    json!({ "prompts": PROMPTS.iter().map(Prompt::listed).collect::<Vec<_>>() })
}

/// The brief of each user whom the caller's key names, or of the default one.
pub(crate) fn resources(caller: &Caller) -> Value {
    let users: Vec<&str> = match &caller.identity {
        _ if !caller.can(Capability::Read) => Vec::new(),
        Identity::Principal(principal) => match &principal.scopes {
            Scopes::Only(users) => users.iter().map(String::as_str).collect(),
            Scopes::All => vec![DEFAULT_USER],
        },
        Identity::Local | Identity::Anonymous | Identity::Service => vec![DEFAULT_USER],
    };
    let resource = |user: &str| {
        json!({
            "uri": uri(user),
            "name": format!("brief-{user}"),
            "title": format!("Brief of {user}"),
            "description": BRIEF,
            "mimeType": MIME,
        })
    };
    json!({ "resources": users.into_iter().map(resource).collect::<Vec<Value>>() })
}

pub(crate) fn templates() -> Value {
    json!({ "resourceTemplates": [{
        "uriTemplate": "svc://memory/{user}/brief",
        "name": "brief",
        "title": "Brief of a memory",
        "description": BRIEF,
        "mimeType": MIME,
    }] })
}

fn uri(user: &str) -> String {
    let mut encoded = String::new();
    for byte in user.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            other => {
                // Writing to a string does not fail.
                let _ = write!(encoded, "%{other:02X}");
            }
        }
    }
    format!("svc://memory/{encoded}/brief")
}

/// The user whose brief the address names.
fn user(uri: &str) -> Option<String> {
    let encoded = uri.strip_prefix("svc://memory/")?.strip_suffix("/brief")?;
    let is_segment = !encoded.is_empty() && !encoded.contains(['/', '?', '#']);
    decoded(encoded.as_bytes()).filter(|_| is_segment)
}

fn decoded(mut text: &[u8]) -> Option<String> {
    let mut bytes = Vec::new();
    while let Some((first, rest)) = text.split_first() {
        text = rest;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, rest) = rest.split_at_checked(2)?;
        text = rest;
        bytes.extend(hex::decode(digits).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// What a resource holds.
pub(crate) async fn read(
    service: &Service,
    caller: Caller,
    params: &Map<String, Value>,
) -> Result<Value, RpcError> {
    let Some(uri) = params.get("uri").and_then(Value::as_str) else {
        return Err(RpcError::new(INVALID_PARAMS, "'uri' must be a string"));
    };
    let Some(user) = user(uri) else {
        let error = RpcError::new(RESOURCE_NOT_FOUND, "There is no such resource");
        return Err(error.with_data(json!({ "uri": uri })));
    };
    let text = brief(service, caller, Map::from_iter([("user_id".to_owned(), user.into())])).await?;
    Ok(json!({ "contents": [{ "uri": uri, "mimeType": MIME, "text": text }] }))
}

/// The messages of a prompt.
pub(crate) async fn prompt(
    service: &Service,
    caller: Caller,
    mut params: Map<String, Value>,
) -> Result<Value, RpcError> {
    let Some(Value::String(name)) = params.remove("name") else {
        return Err(RpcError::new(INVALID_PARAMS, "'name' must be the name of a prompt"));
    };
    let Some(prompt) = PROMPTS.iter().find(|prompt| prompt.name == name) else {
        let error = RpcError::new(INVALID_PARAMS, "There is no such prompt; prompts/list names them");
        return Err(error.with_data(json!({ "name": name })));
    };
    let mut asked = arguments(&mut params)?;
    let listed = |name: &str| match name {
        "since" => prompt.since != Since::Never,
        name => OF_ALL.iter().any(|(known, _)| *known == name),
    };
    if let Some(unknown) = asked.keys().find(|name| !listed(name)) {
        return Err(RpcError::new(INVALID_PARAMS, format!("This prompt has no argument '{unknown}'")));
    }
    // A client that shows a form sends what was left empty in it.
    asked.retain(|_, value| value.as_str() != Some(""));
    asked.insert("part".to_owned(), prompt.part.into());
    let text = format!("{}\n\n{}", prompt.says, brief(service, caller, asked).await?);
    Ok(json!({
        "description": prompt.description,
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
    }))
}

async fn brief(service: &Service, caller: Caller, asked: Map<String, Value>) -> Result<String, RpcError> {
    let has_status = matches!(caller.identity, Identity::Principal(_));
    let account = caller.account();
    let reply = service.brief(caller, asked).await;
    let code = match reply {
        Reply::Done(_) | Reply::Incomplete { .. } => {
            return Ok(service.write_out(&account, reply, Reply::text).await);
        }
        Reply::OverQuota(OverQuota { why, retry_after: Some(wait) }) if has_status => {
            return Err(RpcError::busy(why, wait));
        }
        Reply::OverQuota(_) => BUSY,
        Reply::Refused { .. } | Reply::Denied { .. } => INVALID_PARAMS,
        Reply::Misconfigured { .. } | Reply::Failed { .. } => INTERNAL_ERROR,
    };
    Err(RpcError::new(code, reply.text()))
}

#[cfg(test)]
mod tests {
    use super::{uri, user};

    #[test]
    fn a_user_is_named_by_the_address_of_their_brief() {
        for name in ["default", "max mustermann", "a/b?c#d%", "日本", "..", "."] {
            let uri = uri(name);
            assert_eq!(user(&uri).as_deref(), Some(name), "{uri}");
        }
    }

    #[test]
    fn other_addresses_name_nobody() {
        for uri in [
            "svc://memory//brief",
            "svc://memory/a/b/brief",
            "svc://memory/a/brief/",
            "svc://memory/a/brief?tokens=9",
            "svc://memory/a",
            "svc://memory/%zz/brief",
            "svc://memory/%c3/brief",
            "svc://memory/%e/brief",
            "http://memory/a/brief",
            "",
        ] {
            assert_eq!(user(uri), None, "{uri}");
        }
    }
}
