//! The tests of `it`, with the memory in PostgreSQL, and a few that only PostgreSQL needs.
//!
//! Not here are the tests that have nothing to do with where the memory is (`dependencies`,
//! `http_slow_clients`) and the one that counts the steps of SQLite's own machine (`cost`).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../it/agent.rs"]
mod agent;
#[path = "../it/arguments.rs"]
mod arguments;
#[path = "../it/as_of.rs"]
mod as_of;
#[path = "../it/audit_log.rs"]
mod audit_log;
#[path = "../it/audit_progress.rs"]
mod audit_progress;
#[path = "../it/audit_tampering.rs"]
mod audit_tampering;
#[path = "../it/backup.rs"]
mod backup;
#[path = "../it/caller_means.rs"]
mod caller_means;
#[path = "../it/concurrency.rs"]
mod concurrency;
#[path = "../it/console.rs"]
mod console;
#[path = "../it/console_pages.rs"]
mod console_pages;
#[path = "../it/console_waiting.rs"]
mod console_waiting;
#[path = "../it/damaged_rows.rs"]
mod damaged_rows;
#[path = "../it/erasure.rs"]
mod erasure;
#[path = "../it/evidence_flips.rs"]
mod evidence_flips;
#[path = "../it/export.rs"]
mod export;
#[path = "../it/fairness.rs"]
mod fairness;
#[path = "../it/foreign_schema.rs"]
mod foreign_schema;
#[path = "../it/four_eyes.rs"]
mod four_eyes;
#[path = "../it/fsck.rs"]
mod fsck;
#[path = "../it/gate.rs"]
mod gate;
#[path = "../it/graph.rs"]
mod graph;
#[path = "../it/graph_outbox.rs"]
mod graph_outbox;
#[path = "../it/hanging_model.rs"]
mod hanging_model;
#[path = "../it/head.rs"]
mod head;
#[path = "../it/head_lock.rs"]
mod head_lock;
#[path = "../it/http_disconnect.rs"]
mod http_disconnect;
#[path = "../it/http_drain.rs"]
mod http_drain;
#[path = "../it/http_front_door.rs"]
mod http_front_door;
#[path = "../it/http_metrics.rs"]
mod http_metrics;
#[path = "../it/http_revocation.rs"]
mod http_revocation;
#[path = "../it/http_rotation.rs"]
mod http_rotation;
#[path = "../it/import.rs"]
mod import;
#[path = "../it/import_again.rs"]
mod import_again;
#[path = "../it/import_changes.rs"]
mod import_changes;
#[path = "../it/import_periods.rs"]
mod import_periods;
#[path = "../it/key_ends_midway.rs"]
mod key_ends_midway;
#[path = "../it/key_rotation.rs"]
mod key_rotation;
#[path = "../it/keys.rs"]
mod keys;
#[path = "../it/large_erasure.rs"]
mod large_erasure;
#[path = "../it/master_rotation.rs"]
mod master_rotation;
#[path = "../it/model_garbage.rs"]
mod model_garbage;
mod pg_cluster;
mod pg_faults;
mod pg_graph;
mod pg_many_servers;
mod pg_master_key;
mod pg_moving;
mod pg_readiness;
mod pg_restoration;
mod pg_schema;
mod pg_walls;
#[path = "../it/principal_changes.rs"]
mod principal_changes;
#[path = "../it/principals.rs"]
mod principals;
#[path = "../it/progress.rs"]
mod progress;
#[path = "../it/quotas.rs"]
mod quotas;
#[path = "../it/restoration.rs"]
mod restoration;
#[path = "../it/row_replay.rs"]
mod row_replay;
#[path = "../it/settings.rs"]
mod settings;
#[path = "../it/signed_entries.rs"]
mod signed_entries;
#[path = "../it/statement_texts.rs"]
mod statement_texts;
#[path = "../it/support/mod.rs"]
mod support;
#[path = "../it/twin_tenants.rs"]
mod twin_tenants;
#[path = "../it/upgrade.rs"]
mod upgrade;
#[path = "../it/user_keys.rs"]
mod user_keys;
#[path = "../it/users_rotation.rs"]
mod users_rotation;
#[path = "../it/vault.rs"]
mod vault;
#[path = "../it/witnesses.rs"]
mod witnesses;

const ENGINE: support::Engine = support::Engine::Postgres;
