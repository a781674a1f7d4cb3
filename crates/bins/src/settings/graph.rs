//! Where the entity graph is.

use super::{Env, SettingsError};
use graph::GraphSettings;

const URI: &str = "bolt://localhost:7687";
const USER: &str = "neo4j";

/// `None` where the graph is off.
pub(super) fn read(env: &Env) -> Result<Option<GraphSettings>, SettingsError> {
    if !env.switch("SVC_GRAPH", false)? {
        return Ok(None);
    }
    let Some(password) = env.secret("NEO4J_PASSWORD") else {
        return Err(SettingsError::new(
            "SVC_GRAPH",
            "is on, and NEO4J_PASSWORD is not set; set it, or SVC_GRAPH=off",
        ));
    };
    let (uri, user) = (env.text_or("NEO4J_URI", URI), env.text_or("NEO4J_USER", USER));
    Ok(Some(GraphSettings { uri, user, password }))
}
