//! An object that is found in JSON, and whether a reader wants it.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What a reader wants of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum See {
    /// It is a record, or what a record needs.
    Take,
    /// There is nothing in it for a memory.
    Pass,
    /// Look at what is inside.
    Enter,
}

#[derive(Debug)]
pub struct Object {
    pub line: usize,
    /// The name under which it, or the list that it is in, is found; empty at the top.
    pub key: String,
    pub fields: Map<String, Value>,
}

#[derive(Debug, Default)]
pub struct Objects {
    pub taken: Vec<Object>,
    /// What is wrong, by line and place.
    pub damaged: BTreeMap<(usize, usize), String>,
}
