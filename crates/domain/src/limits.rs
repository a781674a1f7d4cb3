//! A limit on everything that comes from outside, each with the reason for its size.

/// A statement or question: several pages of text, and well below what a model reads at once.
pub const TEXT_BYTES: usize = 64 * 1024;
/// From this size on the words of a statement are kept once for all of its facts. Shorter ones go with each fact: a row
/// of their own would take more room than it saves.
pub const SHARED_TEXT_BYTES: usize = 256;
/// A subject names one attribute of one thing; a longer one is a model that rambles.
pub const SUBJECT_BYTES: usize = 256;
/// A value is a phrase or a short paragraph; a document belongs elsewhere.
pub const VALUE_BYTES: usize = 8 * 1024;
/// A file of another memory: more than any that was seen, and less than what a machine has in memory.
pub const IMPORT_FILE_BYTES: u64 = 256 * 1024 * 1024;
/// How many objects and lists deep a record may be in a file of another memory: each of them is read once more for it.
pub const IMPORT_NESTING: usize = 12;
/// A scope is a word or two, such as `mobile` or `staging`.
pub const SCOPE_BYTES: usize = 128;
/// Ids of users, agents and runs, names of sources, principals and tenants.
pub const NAME_BYTES: usize = 256;
/// Metadata is stored with every fact of the call, so it is kept small.
pub const METADATA_BYTES: usize = 16 * 1024;
/// Facts that one statement may yield; a model that lists more has lost the thread.
pub const FACTS_PER_STATEMENT: usize = 64;
/// `user_id`s that one key may name.
pub const SCOPES_PER_KEY: usize = 256;
/// The most that a principal's own quota may be: a petabyte, more than any key stores. A larger number is a slip.
pub const OWN_QUOTA: u64 = 1_000_000_000_000_000;
/// Sources that one space's policy may rank.
pub const RANKED_SOURCES: usize = 256;
/// Below this confidence a change is flagged, not made.
pub const SURE: f64 = 0.7;
/// The confidence of a fact for which the model gave none that can be used.
pub const UNSTATED_CONFIDENCE: f64 = 0.5;
/// The confidence of a fact that a caller brings without one: callers mean the facts they bring.
pub const CALLER_CONFIDENCE: f64 = 0.9;
/// Retired rows that `list_memories` shows.
pub const RETIRED_SHOWN: usize = 20;
/// The most entries that one `audit_log` call shows: a page that still fits an agent's context.
pub const AUDIT_LOG_ENTRIES: usize = 1000;
