//! The service in this process, for the person at the machine. What is done here passes the same gate, and stands in the
//! same audit log, as what a client does.

use crate::settings::Settings;
use crate::startup::{self, StartupError};
use domain::{Caller, Identity, Timestamp};
use serde_json::{Map, Value};
use service::{Reply, Service};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Session {
    service: Service,
}

impl Session {
    /// Must be called within a Tokio runtime.
    pub async fn open(settings: Settings) -> Result<Self, StartupError> {
        Ok(Self { service: startup::service(settings).await? })
    }

    /// For commands that ask no model, whichever is configured.
    pub async fn without_model(settings: Settings) -> Result<Self, StartupError> {
        Ok(Self { service: startup::service_without_model(settings).await? })
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.call_as(Identity::Local, tool, arguments).await
    }

    pub async fn call_as(&self, identity: Identity, tool: &str, arguments: Value) -> Reply {
        /// As long as a client waits: the two minutes of the model's retries, and time to finish.
        const TIME: Duration = Duration::from_secs(150);
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        let caller = Caller::new(identity, "svc".to_owned(), Timestamp::now(), Instant::now() + TIME);
        self.service.operate(caller, tool, arguments).await
    }
}
