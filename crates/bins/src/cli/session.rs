//! The service in this process, for the person at the machine. Their calls pass the same gate and go into the same audit
//! log as those of a client.

use crate::settings::Settings;
use crate::startup::{self, StartupError};
use domain::{Caller, DEFAULT_USER, Identity, Notice, Scopes, Space, Timestamp};
use serde_json::{Map, Value};
use service::{Reply, Service};
use std::collections::BTreeSet;
use std::time::Instant;
use store::{Scratch, StoreError, StoreSettings, TypedLines};

/// Cheap to clone; clones share everything.
#[derive(Debug, Clone)]
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

    /// The same service on a copy of the deployment, which is there as long as it is kept.
    pub async fn on_copy(&self, storage: &StoreSettings) -> Result<(Scratch, Self), StartupError> {
        let copy = Scratch::of(self.service.store(), storage, Timestamp::now()).await?;
        let service = self.service.on(copy.store.clone());
        Ok((copy, Self { service }))
    }

    /// To be called before the program ends.
    pub async fn end(&self) {
        self.service.end().await;
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.call_as(Identity::Local, tool, arguments).await
    }

    pub async fn call_as(&self, identity: Identity, tool: &str, arguments: Value) -> Reply {
        self.run(self.caller(identity), tool, arguments).await
    }

    /// A call, and what it is waiting for while it runs.
    pub fn begin(&self, tool: &str, arguments: Value) -> (Notice, impl Future<Output = Reply>) {
        let caller = self.caller(Identity::Local);
        (caller.notice.clone(), self.run(caller, tool, arguments))
    }

    /// How many other tenants have a memory here.
    pub async fn other_tenants(&self) -> Result<usize, StoreError> {
        let own = self.caller(Identity::Local).tenant;
        Ok(self.service.store().tenants().await?.iter().filter(|tenant| **tenant != own).count())
    }

    /// Every space of the tenant, in the order in which they were made.
    pub async fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        const ALL: usize = i32::MAX as usize;
        let caller = self.caller(Identity::Local);
        let mut spaces = self.service.store().space_list(&caller, Scopes::All, ALL).await?;
        spaces.reverse();
        Ok(spaces)
    }

    async fn run(&self, caller: Caller, tool: &str, arguments: Value) -> Reply {
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        self.service.operate(caller, tool, arguments).await
    }

    /// The subjects in the person's own space.
    pub async fn subjects(&self) -> Result<BTreeSet<String>, StoreError> {
        self.service.subjects(&self.caller(Identity::Local), &own_space()).await
    }

    pub fn typed_lines(&self) -> Option<TypedLines> {
        self.service.store().typed_lines()
    }

    fn caller(&self, identity: Identity) -> Caller {
        let deadline = Instant::now() + self.service.call_time();
        Caller::new(identity, "svc".to_owned(), Timestamp::now(), deadline)
    }
}

/// What the tools take where no space is named.
fn own_space() -> Space {
    Space::new(DEFAULT_USER, "", "")
}
