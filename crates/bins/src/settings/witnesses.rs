//! Who remembers the head of the audit log elsewhere.

use super::{Env, SettingsError};
use store::Witness;

const NAME: &str = "SVC_WITNESS";
const TAKES: &str = "takes files and addresses of witnesses, separated by commas, such as \
    file:/mnt/other/svc.head,https://witness.example.com#name+id+key";

pub(super) fn read(env: &Env) -> Result<Vec<Witness>, SettingsError> {
    let named = env.list(NAME).unwrap_or_default();
    let witness = |text: &String| {
        Witness::parse(text).map_err(|why| SettingsError::new(NAME, format!("{TAKES}; {why}")))
    };
    named.iter().map(witness).collect()
}
