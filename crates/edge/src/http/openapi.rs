//! The OpenAPI description of what this server serves. The tools' schemas are those of the tools themselves.

use crate::VERSION;
use crate::mcp::REVISIONS;
use crate::stateless;
use serde_json::{Value, json};
use std::sync::OnceLock;

/// The description as it is served: it never changes while we run.
pub(super) fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| document().to_string())
}

pub(super) fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "svc",
            "version": VERSION,
            "summary": "A memory for AI agents, reached through the Model Context Protocol.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "bearer": [] }],
        "paths": {
            "/mcp": { "post": mcp() },
            "/openapi.json": { "get": guarded_page(
                "This description",
                "application/json",
                &json!({ "type": "object" }),
            ) },
            "/healthz": { "get": open_page("Whether the process serves requests", &[("200", "ok")]) },
            "/readyz": { "get": open_page(
                "Whether the database answers and takes writes",
                &[("200", "ready"), ("503", "not-ready")],
            ) },
            "/metrics": { "get": metrics() },
        },
        "components": {
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key svc_sk_…, or an OIDC ID token where single sign-on is set up.",
                },
                "metrics": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of SVC_METRICS_TOKEN, where one is set.",
                },
            },
            "headers": {
                "RequestId": {
                    "description": "The id of the request in the log.",
                    "required": true,
                    "schema": { "type": "string", "pattern": "^[A-Za-z0-9._:-]{1,64}$" },
                },
            },
            "schemas": schemas(),
        },
    })
}

fn mcp() -> Value {
    let mut responses = refusals();
    let own = json!({
        "200": {
            "description": "The answer to a request, as an event stream: zero or more progress notifications, then \
                the JSON-RPC response.",
            "headers": headers(),
            "content": { "text/event-stream": {} },
        },
        "202": { "description": "A notification was taken.", "headers": headers() },
        "400": rpc_error("Not JSON, not JSON-RPC 2.0, or headers that do not fit."),
        "404": rpc_error("A method that revision 2026-07-28 does not have, in a request of that revision."),
        "406": rpc_error("Accept must name both application/json and text/event-stream."),
    });
    merge(&mut responses, own);
    json!({
        "operationId": "mcp",
        "summary": "One JSON-RPC message of the Model Context Protocol",
        "description": format!(
            "A request of revision {} also has the headers MCP-Protocol-Version, Mcp-Method and Mcp-Name, each of which \
             must say what its body says.",
            stateless::REVISION
        ),
        "parameters": [
            {
                "name": "Accept",
                "in": "header",
                "required": true,
                "schema": { "type": "string", "const": "application/json, text/event-stream" },
            },
            {
                "name": "MCP-Protocol-Version",
                "in": "header",
                "required": false,
                "schema": { "type": "string", "enum": REVISIONS },
            },
        ],
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Message" } } },
        },
        "responses": responses,
    })
}

fn guarded_page(summary: &str, content_type: &str, schema: &Value) -> Value {
    let mut responses = refusals();
    merge(
        &mut responses,
        json!({
            "200": {
                "description": summary,
                "headers": headers(),
                "content": { content_type: { "schema": schema } },
            },
        }),
    );
    json!({ "operationId": "openapi", "summary": summary, "responses": responses })
}

/// A probe: no credential, and one word of status.
fn open_page(summary: &str, answers: &[(&str, &str)]) -> Value {
    let mut responses = serde_json::Map::new();
    for (status, word) in answers {
        let status_word = json!({ "type": "string", "const": word });
        let schema = json!({
            "type": "object",
            "properties": { "status": status_word },
            "required": ["status"],
            "additionalProperties": false,
        });
        responses.insert(
            (*status).to_owned(),
            json!({
                "description": word,
                "headers": headers(),
                "content": { "application/json": { "schema": schema } },
            }),
        );
    }
    responses.insert("408".to_owned(), error("The request took too long to arrive."));
    responses.insert("413".to_owned(), error("The body is larger than SVC_MAX_BODY."));
    json!({ "summary": summary, "security": [], "responses": responses })
}

fn metrics() -> Value {
    let text = |description: &str| {
        json!({
            "description": description,
            "headers": headers(),
            "content": { "text/plain": { "schema": { "type": "string" } } },
        })
    };
    json!({
        "summary": "Counters in the Prometheus text format",
        "security": [{ "metrics": [] }, {}],
        "responses": {
            "200": text("The counters of every process on the database"),
            "401": text("The metrics token is missing or wrong."),
            "408": error("The request took too long to arrive."),
            "413": error("The body is larger than SVC_MAX_BODY."),
            "429": error("More than SVC_RATE_PER_MIN requests within 60 seconds from one address."),
            "500": error("The counters could not be read."),
        },
    })
}

/// What every guarded path may answer before it looks at the request.
fn refusals() -> Value {
    json!({
        "401": error("No credential, or one that is invalid, revoked or unknown."),
        "403": error("The Origin is not one of SVC_ALLOWED_ORIGINS."),
        "408": error("The request took too long to arrive."),
        "413": error("The body is larger than SVC_MAX_BODY."),
        "421": error("The Host is not one of SVC_ALLOWED_HOSTS."),
        "429": error("More than SVC_RATE_PER_MIN requests within 60 seconds from one address."),
        "500": error("A fault of the server; the log has it under the request's id."),
    })
}

fn error(description: &str) -> Value {
    json!({
        "description": description,
        "headers": headers(),
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    })
}

fn rpc_error(description: &str) -> Value {
    json!({
        "description": description,
        "headers": headers(),
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/RpcError" } } },
    })
}

fn headers() -> Value {
    json!({ "X-Request-ID": { "$ref": "#/components/headers/RequestId" } })
}

fn schemas() -> Value {
    let calls: Vec<Value> = service::catalogue()
        .iter()
        .map(|tool| {
            json!({
                "title": tool.title,
                "type": "object",
                "properties": { "name": { "const": tool.name }, "arguments": tool.input_schema() },
                "required": ["name"],
            })
        })
        .collect();
    json!({
        "Message": {
            "description": "A request, or without an id a notification. For the method tools/call the params are one \
                of ToolCall.",
            "type": "object",
            "properties": {
                "jsonrpc": { "const": "2.0" },
                "id": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
                "method": { "type": "string" },
                "params": { "type": "object" },
            },
            "required": ["jsonrpc", "method"],
        },
        "ToolCall": { "anyOf": calls },
        "Error": {
            "type": "object",
            "properties": { "error": { "type": "string" } },
            "required": ["error"],
        },
        "RpcError": {
            "type": "object",
            "properties": {
                "jsonrpc": { "const": "2.0" },
                "id": { "type": ["string", "integer"] },
                "error": {
                    "type": "object",
                    "properties": { "code": { "type": "integer" }, "message": { "type": "string" } },
                    "required": ["code", "message"],
                },
            },
            "required": ["jsonrpc", "id", "error"],
        },
    })
}

fn merge(responses: &mut Value, own: Value) {
    if let (Some(responses), Value::Object(own)) = (responses.as_object_mut(), own) {
        responses.extend(own);
    }
}

#[cfg(test)]
mod tests {
    use super::document;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");

    /// To accept a change: UPDATE_OPENAPI=1 cargo test -p svc-edge.
    #[test]
    fn the_description_in_the_repository_is_served() {
        let served = format!("{:#}\n", document());
        if std::env::var_os("UPDATE_OPENAPI").is_some() {
            std::fs::write(FILE, &served).unwrap();
        }
        let kept = std::fs::read_to_string(FILE).unwrap_or_default();
        assert!(
            served == kept,
            "docs/openapi.json is not what is served; see how to accept the change above"
        );
    }
}
