//! Fences around data in a prompt.

use crate::error::ModelError;

/// Random for each request: no stored text can hold the line that closes it.
pub(super) struct Fence {
    pub marker: String,
}

impl Fence {
    pub fn new() -> Result<Self, ModelError> {
        let random = getrandom::u64().map_err(|_| ModelError::NoRandomness)?;
        Ok(Self { marker: format!("{random:016x}") })
    }

    pub fn around(&self, name: &str, data: &str) -> String {
        format!("<<<BEGIN {name} {marker}>>>\n{data}\n<<<END {name} {marker}>>>", marker = self.marker)
    }
}
