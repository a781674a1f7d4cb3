//! The real programs, driven over their real channels, with a language model of our own on loopback. The memory is in
//! SQLite here; `it_postgres` runs the same tests on PostgreSQL.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod arguments;
mod audit_log;
mod audit_tampering;
mod backup;
mod built_in;
mod circles;
mod concurrency;
mod connect;
mod cost;
mod demo;
mod dependencies;
mod documents;
mod elicitation;
mod erasure;
mod eval;
mod eval_forms;
mod eval_lived_in;
mod eval_long;
mod evidence_flips;
mod export;
mod facts;
mod fairness;
mod four_eyes;
mod gate;
mod graph;
mod graph_outbox;
mod hanging_model;
mod history;
mod http_crowds;
mod http_defaults;
mod http_disconnect;
mod http_drain;
mod http_front_door;
mod http_metrics;
mod http_resource;
mod http_revocation;
mod http_rotation;
mod http_slow_clients;
mod http_sso;
mod keys;
mod licence;
mod map;
mod model_away;
mod model_garbage;
mod packaging;
mod place;
mod principals;
mod progress;
mod prompt;
mod protocol;
mod quotas;
mod restoration;
mod safety;
mod settings;
mod statement_texts;
mod support;
mod tell;
mod terminal;
mod twin_tenants;
mod vault;

const ENGINE: support::Engine = support::Engine::Sqlite;
