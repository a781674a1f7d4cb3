//! Logs on standard error, as text or as JSON. No line holds memory content, a prompt or a key.

use crate::settings::{LogFormat, LogLevel, LogSettings};
use std::io;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// Our own crates; libraries speak up only when something is wrong.
const OURS: [&str; 8] = ["svc", "svc_mcp", "svc_server", "edge", "service", "store", "model", "graph"];

pub fn start(settings: LogSettings) {
    let level = match settings.level {
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Warning => LevelFilter::WARN,
        LogLevel::Error | LogLevel::Critical => LevelFilter::ERROR,
    };
    let filter = Targets::new()
        .with_default(level.min(LevelFilter::WARN))
        .with_targets(OURS.map(|target| (target, level)));
    let lines = match settings.format {
        LogFormat::Text => fmt::layer().with_ansi(false).with_writer(io::stderr).boxed(),
        LogFormat::Json => fmt::layer().json().flatten_event(true).with_writer(io::stderr).boxed(),
    };
    // A second call, which only tests make, keeps the first subscriber.
    let _ = tracing_subscriber::registry().with(lines.with_filter(filter)).try_init();
}
