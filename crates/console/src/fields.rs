//! The fields of an address or of a form, and making addresses.

use domain::Space;
use serde_json::{Map, Value};
use url::form_urlencoded;

/// The fields that select a space.
const SPACE: [&str; 3] = ["user_id", "agent_id", "run_id"];

#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    pub fn read(encoded: &[u8]) -> Self {
        Self(
            form_urlencoded::parse(encoded)
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
        )
    }

    /// The first of that name; empty where there is none.
    pub fn get(&self, name: &str) -> &str {
        self.first(name).unwrap_or_default()
    }

    pub fn has(&self, name: &str) -> bool {
        self.first(name).is_some()
    }

    fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The space that is meant; where no user is named, one of this user.
    pub fn space(&self, otherwise: &str) -> Space {
        let user_id = match self.given("user_id") {
            "" => otherwise,
            named => named,
        };
        Space::new(user_id, self.given("agent_id"), self.given("run_id"))
    }

    /// What somebody typed, without outer spaces. But `bob` and `bob ` are two users: whom a space belongs to is taken to
    /// the letter.
    fn given(&self, name: &str) -> &str {
        let typed = self.get(name);
        if SPACE.contains(&name) { typed } else { typed.trim() }
    }

    /// These fields as the arguments of a tool, those that are empty left out.
    pub fn arguments(&self, names: &[&str]) -> Map<String, Value> {
        let given = names.iter().map(|name| (*name, self.given(name))).filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| (name.to_owned(), value.into())).collect()
    }
}

/// The three arguments that select a space.
pub(crate) fn space_arguments(space: &Space) -> Map<String, Value> {
    let parts = [&space.user_id, &space.agent_id, &space.run_id];
    SPACE.into_iter().zip(parts).map(|(name, value)| (name.to_owned(), value.as_str().into())).collect()
}

/// A path with these fields, those that are empty left out.
pub(crate) fn address(path: &str, fields: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    match query.finish() {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

/// A path with a space and these further fields.
pub(crate) fn address_in(path: &str, space: &Space, fields: &[(&str, &str)]) -> String {
    let [user, agent, run] = SPACE;
    let place = [(user, space.user_id.as_str()), (agent, &space.agent_id), (run, &space.run_id)];
    address(path, &[&place, fields].concat())
}
