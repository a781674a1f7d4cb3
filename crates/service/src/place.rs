//! Where a call works: the arguments that select a space, and which of them a tool takes.

use crate::args::{Arguments, named, wrong_type};
use crate::outcome::Stop;
use domain::{DEFAULT_USER, Space};
use serde_json::{Map, Value, json};

const USER: &str = "user_id";
const AGENT: &str = "agent_id";
const RUN: &str = "run_id";

/// In the place of a `user_id`: every space that the caller reaches.
const ALL_SPACES: &str = "*";

/// What a tool takes to know where it works. A tool without a space has nothing to ask for one.
pub(crate) trait Place: Send + Sync + Sized + 'static {
    const ARGUMENTS: &'static [&'static str];

    /// Takes the place out of the arguments, so that a tool sees only its own.
    fn take(arguments: &mut Arguments) -> Result<Self, Stop>;

    /// As the audit log names it.
    fn named(&self) -> Option<&Space>;

    /// The space that must be within the caller's scope, where there is only one.
    fn single(&self) -> Option<&Space> {
        self.named()
    }
}

/// `user_id`, `agent_id` and `run_id`.
impl Place for Space {
    const ARGUMENTS: &'static [&'static str] = &[USER, AGENT, RUN];

    fn take(arguments: &mut Arguments) -> Result<Self, Stop> {
        Ok(Self {
            user_id: user_id(arguments)?,
            agent_id: text(arguments, AGENT)?,
            run_id: text(arguments, RUN)?,
        })
    }

    fn named(&self) -> Option<&Space> {
        Some(self)
    }
}

/// One space, or every space that the caller reaches.
pub(crate) enum OneOrAll {
    One(Space),
    /// As it was named.
    All(Space),
}

impl Place for OneOrAll {
    const ARGUMENTS: &'static [&'static str] = Space::ARGUMENTS;

    fn take(arguments: &mut Arguments) -> Result<Self, Stop> {
        let space = Space::take(arguments)?;
        Ok(if space.user_id == ALL_SPACES { Self::All(space) } else { Self::One(space) })
    }

    fn named(&self) -> Option<&Space> {
        let (Self::One(space) | Self::All(space)) = self;
        Some(space)
    }

    /// A tool that works on all spaces looks at each itself.
    fn single(&self) -> Option<&Space> {
        match self {
            Self::One(space) => Some(space),
            Self::All(_) => None,
        }
    }
}

/// All that one user has; `user_id` alone.
pub(crate) struct User(Space);

impl User {
    pub fn id(&self) -> &str {
        &self.0.user_id
    }
}

impl Place for User {
    const ARGUMENTS: &'static [&'static str] = &[USER];

    fn take(arguments: &mut Arguments) -> Result<Self, Stop> {
        Ok(Self(Space::new(user_id(arguments)?, "", "")))
    }

    fn named(&self) -> Option<&Space> {
        Some(&self.0)
    }
}

/// For a tool that works on no space.
pub(crate) struct NoSpace;

impl Place for NoSpace {
    const ARGUMENTS: &'static [&'static str] = &[];

    fn take(_: &mut Arguments) -> Result<Self, Stop> {
        Ok(Self)
    }

    fn named(&self) -> Option<&Space> {
        None
    }
}

fn user_id(arguments: &mut Arguments) -> Result<String, Stop> {
    let user_id = text(arguments, USER)?;
    Ok(if user_id.is_empty() { DEFAULT_USER.to_owned() } else { user_id })
}

fn text(arguments: &mut Arguments, name: &str) -> Result<String, Stop> {
    match arguments.shift_remove(name) {
        None => Ok(String::new()),
        Some(Value::String(text)) => named(name, text),
        Some(other) => Err(wrong_type(name, "a string", &other)),
    }
}

/// Adds the arguments of the place to the schema of a tool's own.
pub(crate) fn describe<P: Place>(schema: &mut Map<String, Value>) {
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else { return };
    // The instructions of the server say what they are for; here they would be said thirty times.
    for name in P::ARGUMENTS {
        let default = if *name == USER { DEFAULT_USER } else { "" };
        properties.insert((*name).to_owned(), json!({ "type": "string", "default": default }));
    }
}
