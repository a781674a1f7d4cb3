//! Where the keys of a database come from: files beside it, a passphrase, or Vault. What cannot be loaded is an
//! error; nothing here ever goes on without a key that should be there.

mod custody;
mod error;
mod file;
mod growing;
mod lines;
mod load;
mod lock;
mod moving;
mod passphrase;
mod ring;
mod secret;
mod settings;
mod sign_file;
mod strength;
mod user_tree;
mod user_trees;
mod vault;

pub use error::{KeyError, VaultError};
pub(crate) use file::{read_apart, replace_apart};
pub(crate) use growing::{NewMaster, newest_master};
pub use load::{Keys, load};
pub(crate) use load::{files, left_beside, ring, shareable};
pub use moving::{Kept, move_keys};
pub(crate) use ring::Ring;
pub use secret::SigningKeys;
pub use settings::{Database, KeySettings, KeySource, Switch, VaultSettings};
pub(crate) use sign_file::{new_secret, sealed_anew, sign_keys, sign_text};
pub(crate) use user_trees::UserTrees;
