//! A call that needs a person's decision is answered with the question; the client makes it again with the answer.

use super::meta::{META_CAPABILITIES, completed};
use crate::elicitation::{self, Answer, MOST};
use crate::mcp::{self, Called};
use crate::rpc::{INVALID_PARAMS, RpcError, arguments};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::{Caller, FactId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use service::{Reply, Service};
use std::collections::BTreeMap;

/// What the client carries back to us unread. Whoever changes it gains nothing: the text goes back to them, and a change
/// is settled only if they may settle it.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// What the call said when it was made.
    text: String,
    /// Which change is meant by the key of each question.
    asked: BTreeMap<String, FactId>,
}

pub(super) async fn call(
    service: &Service,
    caller: Caller,
    mut params: Map<String, Value>,
) -> Result<String, RpcError> {
    if let Some(responses) = params.remove("inputResponses") {
        return answered(service, &caller, &responses, params).await;
    }
    let capabilities = params.get("_meta").and_then(|meta| meta.get(META_CAPABILITIES));
    let offered = elicitation::is_offered(capabilities);
    let account = caller.account();
    let Called { reply, .. } = mcp::call(service, caller, params).await?;
    let proposals = reply.proposals().iter().take(MOST);
    if !offered || proposals.len() == 0 {
        let write = |reply: &Reply| completed(&reply.text(), reply.is_error());
        return Ok(service.write_out(&account, reply, write).await);
    }
    let key = |id: FactId| format!("change-{id}");
    let requests: Map<String, Value> = proposals
        .clone()
        .map(|proposal| {
            let mut form = elicitation::question(proposal);
            if let Some(fields) = form.as_object_mut() {
                fields.insert("mode".to_owned(), "form".into());
            }
            (key(proposal.memory_id), json!({ "method": "elicitation/create", "params": form }))
        })
        .collect();
    let asked = proposals.map(|proposal| (key(proposal.memory_id), proposal.memory_id)).collect();
    let state = json!(State { text: reply.text(), asked }).to_string();
    Ok(json!({
        "resultType": "input_required",
        "inputRequests": requests,
        "requestState": STANDARD.encode(state),
    })
    .to_string())
}

/// The second round: the call itself was made in the first.
async fn answered(
    service: &Service,
    caller: &Caller,
    responses: &Value,
    mut params: Map<String, Value>,
) -> Result<String, RpcError> {
    let state = params
        .get("requestState")
        .and_then(Value::as_str)
        .and_then(|state| serde_json::from_slice::<State>(&STANDARD.decode(state).ok()?).ok());
    let Some(State { mut text, asked }) = state else {
        return Err(RpcError::new(
            INVALID_PARAMS,
            "'requestState' must be the one that came with the question",
        ));
    };
    let space = mcp::space(&arguments(&mut params)?);
    for (key, id) in asked.into_iter().take(MOST) {
        let answer = responses.get(&key).map_or(Answer::Open, elicitation::answer);
        if let Some(said) = elicitation::settle(service, caller, &space, id, answer).await {
            text = format!("{text}\n{said}");
        }
    }
    Ok(completed(&text, false))
}
