//! The client of the `rmcp` crate: `interop-rmcp stdio|http legacy|REVISION`.

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::Value;
use std::env;
use std::error::Error;
use tokio::process::Command;

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [transport, revision] = arguments.as_slice() else {
        return Err("say the transport and the revision".into());
    };
    let lifecycle = match revision.as_str() {
        "legacy" => ClientLifecycleMode::Initialize,
        _ => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
    };
    let client = match transport.as_str() {
        "stdio" => {
            let mut command = Command::new(env::var("INTEROP_MCP")?);
            command.env("SVC_DB", env::var("INTEROP_DB")?);
            ().serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle).await?
        }
        _ => {
            let config = StreamableHttpClientTransportConfig::with_uri(env::var("INTEROP_URL")?)
                .auth_header(env::var("INTEROP_KEY")?);
            ().serve_with_lifecycle(StreamableHttpClientTransport::from_config(config), lifecycle).await?
        }
    };
    talk(&client).await?;
    client.cancel().await?;
    Ok(())
}

async fn talk(client: &RunningService<RoleClient, ()>) -> Outcome<()> {
    let exchange: Value = serde_json::from_str(include_str!("../../exchange.json"))?;
    let tools = client.list_all_tools().await?;
    if exchange["tools"] != tools.len() {
        return Err(format!("mismatch: {} tools are listed, not {}", tools.len(), exchange["tools"]).into());
    }
    for call in exchange["calls"].as_array().into_iter().flatten() {
        let tool = call["tool"].as_str().unwrap_or_default().to_owned();
        let mut params = CallToolRequestParams::new(tool.clone());
        params.arguments = call["arguments"].as_object().cloned();
        let result = client.call_tool(params).await?;
        let text =
            result.content.first().and_then(|block| block.as_text()).map_or("", |block| block.text.as_str());
        let begins = call["begins"].as_str().unwrap_or_default();
        let holds = call["holds"].as_str().unwrap_or_default();
        if call["error"] != result.is_error.unwrap_or(false)
            || !text.starts_with(begins)
            || !text.contains(holds)
        {
            return Err(format!("mismatch: {tool} should answer {call}, not {text:?}").into());
        }
    }
    Ok(())
}
