//! The only crate that knows the wire: JSON-RPC, the shapes of MCP, and the two transports.

mod asking;
pub mod http;
mod mcp;
mod modern;
mod oidc;
mod progress;
mod request_id;
mod rpc;
pub mod stdio;
mod tools_list;

/// The name and version under which the server introduces itself.
pub const NAME: &str = "svc";
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
