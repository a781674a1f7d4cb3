//! The tools as the protocol describes them to a caller.

use domain::Caller;
use serde_json::{Value, json};
use service::{Effect, Service, ToolInfo, ToolsShown, World, catalogue};
use std::borrow::Cow;
use std::sync::LazyLock;

/// No tool changes while we run, so each is serialized once.
static EACH: LazyLock<Vec<String>> =
    LazyLock::new(|| catalogue().iter().map(|info| tool(info).to_string()).collect());
static ALL: LazyLock<String> = LazyLock::new(|| list(EACH.iter()));

/// What a caller is shown of them. Which ones a caller may call is not decided here.
pub(crate) fn tools_list(service: &Service, caller: &Caller) -> Cow<'static, str> {
    if service.tools_shown() == ToolsShown::All {
        return ALL.as_str().into();
    }
    let shown = |info: &ToolInfo| service.shows(caller, info);
    let each = catalogue().iter().zip(EACH.iter());
    list(each.filter(|(info, _)| shown(info)).map(|(_, tool)| tool)).into()
}

fn list<'a>(tools: impl Iterator<Item = &'a String>) -> String {
    let tools: Vec<&str> = tools.map(String::as_str).collect();
    format!(r#"{{"tools":[{}]}}"#, tools.join(","))
}

fn tool(info: &ToolInfo) -> Value {
    let mut annotations = json!({
        "readOnlyHint": info.effect == Effect::ReadOnly,
        "openWorldHint": info.world == World::Open,
    });
    // Both hints have a meaning only for tools that write.
    if let (Some(hints), true) = (annotations.as_object_mut(), info.effect != Effect::ReadOnly) {
        let destructive = info.effect == Effect::Destructive;
        hints.insert("destructiveHint".to_owned(), destructive.into());
        hints.insert("idempotentHint".to_owned(), destructive.into());
    }
    json!({
        "name": info.name,
        "title": info.title,
        "description": info.description,
        "inputSchema": info.input_schema(),
        "outputSchema": {
            "type": "object",
            "properties": { "result": { "type": "string" } },
            "required": ["result"],
            "x-fastmcp-wrap-result": true,
        },
        "annotations": annotations,
    })
}
