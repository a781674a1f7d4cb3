//! Whose memory a command looks at.

use clap::Args;
use domain::{DEFAULT_USER, Space};
use serde_json::Value;

#[derive(Debug, Args)]
pub struct Whose {
    /// Whose memory.
    #[arg(long, value_name = "ID", default_value = DEFAULT_USER)]
    user: String,
    /// Of which agent.
    #[arg(long, value_name = "ID", default_value = "")]
    agent: String,
    /// Of which run.
    #[arg(long, value_name = "ID", default_value = "")]
    run: String,
}

impl Whose {
    pub fn space(&self) -> Space {
        Space::new(&self.user, &self.agent, &self.run)
    }

    /// The arguments of a call, with the space that it is about.
    pub fn name_space(self, arguments: &mut Value) {
        let names = [("user_id", self.user), ("agent_id", self.agent), ("run_id", self.run)];
        if let Some(fields) = arguments.as_object_mut() {
            fields.extend(names.map(|(name, id)| (name.to_owned(), id.into())));
        }
    }
}
