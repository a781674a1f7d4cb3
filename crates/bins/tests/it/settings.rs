//! Every setting takes what it should and names itself when it gets something else.

use crate::support::documents::root;
use crate::support::{Deployment, Model};
use svc::settings::{NAMES, Settings, SettingsError};

fn read(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    Settings::from_variables(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
}

const KEY: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

const WITNESS: &str = "https://witness.example.com/#witness.example.com/w1+7e6f4aaa+BNdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea";

/// Variables that can be wrong: each with values that are taken, and values that are not.
const CHECKED: &[(&str, &[&str], &[&str])] = &[
    ("SVC_KMS", &["file", "FILE"], &["aws", "vault"]),
    ("SVC_ENCRYPT", &["on", "off", "TRUE", "false", "Yes", "no", "1", "0"], &["maybe", "2", "enabled"]),
    ("SVC_SIGN", &["on", "off"], &["maybe"]),
    ("SVC_AUTH_REQUIRED", &["on", "off"], &["sometimes"]),
    ("SVC_FOUR_EYES", &["on", "off"], &["two"]),
    ("SVC_BOUND_SOURCES", &["on", "off"], &["some"]),
    ("SVC_GRAPH", &["off", "0"], &["maybe", "on"]),
    ("SVC_VENDOR_PUBKEY", &[KEY], &["abc", "00"]),
    ("SVC_OIDC_ROLE_MAP", &["{}", r#"{"staff":"member"}"#], &["[]", "staff", r#"{"staff":"king"}"#]),
    (
        "SVC_ALLOWED_HOSTS",
        &["memory.example.com", "localhost:8080, [::1]:*", "127.0.0.1", "*", "*:8080", "*.example.com"],
        &["localhost:abc", "https://example.com", "a b", "a.*.com", "*example.com", "**", "*."],
    ),
    (
        "SVC_ALLOWED_ORIGINS",
        &[
            "https://app.example.com",
            "http://localhost:3000",
            "https://*.example.com",
            "vscode-webview://0k2n3m4",
            "chrome-extension://*",
            "tauri://localhost",
        ],
        &["app.example.com", "*", "://example.com", "1a://example.com", "https://a b", "https://"],
    ),
    ("SVC_OIDC_DEFAULT_ROLE", &["viewer", "auditor"], &["king"]),
    ("LLM_PROVIDER", &["anthropic", "openai", "groq"], &["acme"]),
    ("LLM_TIMEOUT", &["60", "0.5", "3600"], &["0", "-1", "soon", "1e9", "NaN"]),
    ("SVC_EXTRACT_RETRIES", &["0", "5"], &["-1", "two", "1.5"]),
    ("SVC_RECONCILE_CONTEXT", &["0", "10000"], &["-3", "forty", "70000"]),
    ("SVC_RECALL_CONTEXT", &["0", "10000"], &["-1", "4.5", "10001"]),
    ("SVC_CRITICAL_BUDGET", &["0", "200"], &["-1", "all"]),
    ("SVC_SLOT_SCHEMA", &["preset:clinical", "preset: coding"], &["preset:nothing", "/no/such/file.json"]),
    (
        "SVC_LOG_LEVEL",
        &["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"],
        &["LOUD", "WARN", "info", "Warning"],
    ),
    ("SVC_TOOLS", &["all", "role", "Core"], &["some", "all,core"]),
    ("SVC_LOG_FORMAT", &["text", "json"], &["xml"]),
    ("SVC_PORT", &["0", "65535"], &["65536", "-1", "http", "80.5"]),
    ("SVC_CONSOLE_PORT", &["0", "8081"], &["65536", "-1", "on"]),
    (
        "SVC_CONSOLE_URL",
        &["https://memory.example.com", "http://localhost:8081/", "https://m.example:8443"],
        &[
            "memory.example.com",
            "https://",
            "https://m.example/console",
            "https://*.example.com",
            "ftp://m.example",
        ],
    ),
    ("SVC_MAX_BODY", &["1", "1048576"], &["-1", "1MiB"]),
    ("SVC_RATE_PER_MIN", &["0", "120"], &["-1", "many"]),
    ("SVC_QUOTA_KEY_CALLS", &["1", "600"], &["0", "-1", "many"]),
    ("SVC_QUOTA_KEY_CONCURRENT", &["1"], &["0", "few"]),
    ("SVC_QUOTA_TENANT_CALLS", &["1"], &["0", "many"]),
    ("SVC_QUOTA_TENANT_CONCURRENT", &["1"], &["0", "few"]),
    ("SVC_QUOTA_KEY_FACTS", &["1"], &["0", "all"]),
    ("SVC_QUOTA_KEY_BYTES", &["1048576"], &["0", "1MB"]),
    ("SVC_QUOTA_TENANT_FACTS", &["1"], &["0", "all"]),
    ("SVC_QUOTA_TENANT_BYTES", &["1048576"], &["0", "1MB"]),
    ("SVC_CONNECTIONS_PER_ADDRESS", &["0", "256"], &["-1", "few"]),
    (
        "SVC_WITNESS",
        &["file:/mnt/svc.head", "/mnt/svc.head, /mnt/other.head", WITNESS],
        &[
            "svc.head",
            "file:other/svc.head",
            "https://witness.example.com",
            "ftp://witness.example.com#svc/witness/1+00000000+AAAA",
            "https://witness.example.com#svc/witness/1+00000000+AAAA",
            "https://ann:secret@witness.example.com#svc/witness/1+00000000+AAAA",
        ],
    ),
    ("SVC_TRUSTED_PROXY_HOPS", &["0", "3"], &["-1", "256", "one"]),
];

/// Variables that take any text.
const FREE: [&str; 27] = [
    "SVC_DB",
    "SVC_KEY",
    "SVC_LICENSE",
    "SVC_VAULT_TRANSIT_MOUNT",
    "SVC_VAULT_TRANSIT_KEY",
    "VAULT_ADDR",
    "VAULT_TOKEN",
    "SVC_OIDC_ROLE_CLAIM",
    "SVC_OIDC_SCOPE_CLAIM",
    "SVC_OIDC_CLIENT_ID",
    "SVC_OIDC_CLIENT_SECRET",
    "OPENAI_API_KEY",
    "OPENAI_MODEL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_MODEL",
    "GROQ_API_KEY",
    "GROQ_MODEL",
    "EMBED_API_KEY",
    "EMBED_MODEL",
    "SVC_READ_MODEL",
    "SVC_TRUSTED_SOURCES",
    "SVC_CRITICAL_CATEGORIES",
    "SVC_HOST",
    "SVC_METRICS_TOKEN",
    "NEO4J_URI",
    "NEO4J_USER",
    "NEO4J_PASSWORD",
];

#[test]
fn a_bad_value_names_its_setting() {
    for (name, good, bad) in CHECKED {
        for value in *good {
            assert!(read(&[(name, value)]).is_ok(), "{name}={value}: {:?}", read(&[(name, value)]).err());
        }
        for value in *bad {
            let error = read(&[(name, value)]).expect_err(&format!("{name}={value} was taken"));
            assert_eq!(error.variable, *name, "{error}");
            assert!(error.to_string().len() > name.len() + 10, "it does not say what it takes: {error}");
        }
    }
}

#[test]
fn a_misspelled_setting_stops_startup_before_any_file_is_made() {
    for (typed, meant) in [
        ("SVC_SLOT_SCHMEA", "SVC_SLOT_SCHEMA"),
        ("SVC_SLOT_SCHEM", "SVC_SLOT_SCHEMA"),
        ("SVC_FOUREYE", "SVC_FOUR_EYES"),
        ("SVC_BOUND_SUORCES", "SVC_BOUND_SOURCES"),
        ("SVC_ENCRPYT", "SVC_ENCRYPT"),
        ("SVC_BD", "SVC_DB"),
        ("SVC_KYE", "SVC_KEY"),
        ("SVC_RATE_PER_MINUT", "SVC_RATE_PER_MIN"),
        ("SVC_Slot_Schema", "SVC_SLOT_SCHEMA"),
        ("svc_four_eyes", "SVC_FOUR_EYES"),
    ] {
        let error = read(&[(typed, "on")]).expect_err(&format!("{typed} was taken"));
        assert_eq!(error.variable, typed, "{error}");
        assert!(error.to_string().contains(meant), "{error}");
    }
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_SLOT_SCHMEA", "preset:clinical");
    let refusal = deployment.refusal();
    assert!(refusal.contains("SVC_SLOT_SCHMEA") && refusal.contains("SVC_SLOT_SCHEMA"), "{refusal}");
    assert!(deployment.files().is_empty(), "{:?}", deployment.files());
}

#[test]
fn another_unknown_setting_is_named_in_a_warning() {
    for name in ["SVC_HOME", "SVC_PORT_8080_TCP", "SVC_DIR", "SVC_SERVICE_HOST", "OPENAI_MODLE"] {
        assert!(read(&[(name, "x")]).is_ok(), "{name}");
    }
    let model = Model::start();
    let server = Deployment::new(&model).with("SVC_HOME", "a-value-not-to-be-logged").serve();
    let line = server.wait_for_log("SVC_HOME");
    assert!(line.contains("WARN"), "{line}");
    assert!(!server.log().iter().any(|line| line.contains("a-value-not-to-be-logged")));
}

/// The quoted names in a text that begin with `SVC_`, between marks of this kind.
fn names_between(mark: char, text: &str) -> Vec<String> {
    text.split(mark)
        .skip(1)
        .step_by(2)
        .filter(|name| name.starts_with("SVC_") && name.len() > 4)
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_setting_is_known_by_its_name() {
    let page = std::fs::read_to_string(root().join("docs/settings.md")).unwrap();
    let mut known: Vec<String> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .flat_map(|line| names_between('`', line.split(" | ").next().unwrap()))
        .chain(["SVC_API_KEY".to_owned()])
        .collect();
    known.sort();
    assert_eq!(known, NAMES);
    for file in std::fs::read_dir(root().join("crates/bins/src/settings")).unwrap() {
        let source = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for name in source.lines().flat_map(|line| names_between('"', line)) {
            assert!(NAMES.contains(&name.as_str()), "{name}");
        }
    }
}

#[test]
fn free_text_settings_take_any_text() {
    for name in FREE {
        assert!(read(&[(name, "some text")]).is_ok(), "{name}");
    }
}

#[test]
fn an_empty_variable_is_an_unset_one() {
    for (name, _, _) in CHECKED {
        assert!(read(&[(name, "")]).is_ok(), "{name}");
        assert!(read(&[(name, "  ")]).is_ok(), "{name}");
    }
    assert!(read(&[("SVC_DATABASE_URL", ""), ("SVC_KMS", "")]).is_ok());
}

#[test]
fn settings_that_need_each_other_say_so() {
    for (variables, word) in [
        (&[("SVC_KMS", "vault"), ("VAULT_ADDR", "http://localhost")][..], "VAULT_TOKEN"),
        (&[("SVC_KMS", "vault"), ("VAULT_TOKEN", "t")], "VAULT_ADDR"),
        (&[("SVC_KMS", "vault"), ("VAULT_TOKEN", "t"), ("VAULT_ADDR", "a"), ("SVC_KEY", "k")], "SVC_KEY"),
        (&[("SVC_GRAPH", "on")], "NEO4J_PASSWORD"),
        (&[("SVC_OIDC_RESOURCE_URL", "https://memory.example/mcp")], "SVC_OIDC_ISSUER"),
        (&[("SVC_OIDC_RESOURCE_URL", "memory.example")], "https://memory.example.com/mcp"),
        (&[("SVC_OIDC_RESOURCE_URL", "https://memory.example/mcp?a=\"b\"")], "SVC_OIDC_RESOURCE_URL"),
        (&[("SVC_OIDC_ISSUER", "https://id.example")], "SVC_OIDC_AUDIENCE"),
        (&[("SVC_OIDC_ISSUER", "https://id.example"), ("SVC_OIDC_AUDIENCE", "svc")], "SVC_OIDC_JWKS_URL"),
    ] {
        let error = read(variables).expect_err(word).to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn a_bad_setting_stops_startup_before_any_file_is_made() {
    let model = Model::start();
    for (name, value) in [
        ("SVC_RECALL_CONTEXT", "many"),
        ("SVC_SLOT_SCHEMA", "preset:nothing"),
        ("OPENAI_BASE_URL", "not an address"),
        ("LLM_PROVIDER", "acme"),
    ] {
        let deployment = Deployment::new(&model).with(name, value);
        assert!(deployment.refusal().contains(name), "{name}");
        assert!(deployment.files().is_empty(), "{name}: {:?}", deployment.files());
    }
}

#[test]
fn help_and_version_touch_no_file() {
    let model = Model::start();
    for program in [
        env!("CARGO_BIN_EXE_svc-mcp"),
        env!("CARGO_BIN_EXE_svc-server"),
        env!("CARGO_BIN_EXE_svc-migrate"),
        env!("CARGO_BIN_EXE_svc"),
    ] {
        let deployment = Deployment::new(&model);
        let help = deployment.run(program, &["--help"]);
        assert!(help.status.success() && help.stdout.len() > 100, "{program}");
        let version = deployment.run(program, &["--version"]);
        assert!(version.status.success());
        assert!(String::from_utf8(version.stdout).unwrap().ends_with(" 0.7.0\n"), "{program}");
        assert!(deployment.files().is_empty(), "{program}: {:?}", deployment.files());
    }
}

#[test]
fn migrations_are_shown_without_being_applied() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let migrate = |command: &str| {
        let output = deployment.run(env!("CARGO_BIN_EXE_svc-migrate"), &[command]);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let status = migrate("status");
    assert!(
        status.starts_with("schema: v0 (this svc-migrate: v") && status.contains("PENDING v1"),
        "{status}"
    );
    assert!(deployment.files().is_empty());
    assert!(migrate("up").contains("applied v1"));
    assert!(!migrate("status").contains("PENDING"));
    assert_eq!(deployment.start().list(), "(no memories yet)");
}

#[test]
fn svc_principal_does_not_mention_models() {
    for (name, value) in [("SVC_LOG_LEVEL", "DEBUG"), ("OPENAI_BASE_URL", "not an address")] {
        let deployment = Deployment::bare().with(name, value);
        for arguments in [&["principal", "create", "ana", "--role", "admin"][..], &["principal", "list"]] {
            let output = deployment.run(env!("CARGO_BIN_EXE_svc"), arguments);
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8(said).unwrap();
            assert!(output.status.success(), "{said}");
            assert!(!said.to_lowercase().contains("model"), "{said}");
        }
    }
}
