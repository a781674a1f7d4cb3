//! The only crate that knows the wire: JSON-RPC, the shapes of MCP, and the two transports.

mod elicitation;
pub mod http;
mod mcp;
mod offered;
mod oidc;
mod progress;
mod request_id;
mod rpc;
mod sign_on;
mod stateless;
pub mod stdio;
mod tool_result;
mod tools_list;

/// The name and version under which the server introduces itself.
pub const NAME: &str = "svc";
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
