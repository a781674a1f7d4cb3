//! `svc connect` puts one entry into a file that belongs to somebody else, and harms nothing that is there.

use clap::ValueEnum;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use svc::cli::connect::{
    Client, Existing, Folders, Format, Merged, NAME, PassedSettings, Scope, Server, merge, remove,
};
use tempfile::TempDir;

/// A home folder with nothing in it.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn folders(&self) -> Folders {
        let home = self.path().to_owned();
        Folders { config: home.join(".config"), project: home.clone(), home }
    }

    fn file(&self, client: Client) -> PathBuf {
        client.file(Scope::User, &self.folders()).unwrap()
    }

    fn connect(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc"));
        command.env_clear().env("HOME", self.path()).current_dir(self.path());
        command.arg("connect").args(arguments).output().unwrap()
    }

    fn write(&self, client: Client, more: &[&str]) -> Output {
        let id = client.id();
        let arguments: Vec<&str> = [id.as_str(), "--write"].into_iter().chain(more.iter().copied()).collect();
        self.connect(&arguments)
    }

    fn put(&self, client: Client, text: &str) -> PathBuf {
        let file = self.file(client);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    }

    /// Every file below the home folder.
    fn files(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.path().to_owned()];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let list = if entry.file_type().unwrap().is_dir() { &mut folders } else { &mut files };
                list.push(entry.path());
            }
        }
        files
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn succeeded(output: &Output) -> String {
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    stdout.into_owned()
}

fn refused(output: &Output) -> String {
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Our entry in what the file says.
fn entry(client: Client, text: &str) -> Option<Value> {
    let file = client.format().unwrap().read(text).unwrap();
    file.get(client.section())?.get(NAME).cloned()
}

/// The clients whose files are edited.
fn edited() -> impl Iterator<Item = &'static Client> {
    Client::value_variants().iter().filter(|client| client.format().is_some())
}

/// A file as somebody keeps it: other servers, other settings, comments, an order of its own.
fn lived_in(client: Client) -> String {
    match client.format().unwrap() {
        Format::Json => format!(
            "// mine, do not sort\n{{\n    \"zeta\": [1, 2.50, null], // last letter first\n    \"{}\": {{\n        /* the \
             files */\n        \"files\": {{ \"command\": \"npx\", \"args\": [\"-y\", \"files\"] }},\n    }},\n    \"alpha\": \
             \"\\u00e9\"\n}}\n",
            client.section()
        ),
        Format::Toml => "# mine\nmodel = \"o9\"   # the good one\n\n[mcp_servers.files]\ncommand = \"npx\"\nargs = [ \"-y\" ]\n\n\
                         # the end\n[tools]\nweb = true\n"
            .to_owned(),
    }
}

/// Where a person's own memory is, from the home folder.
const OWN: &str = if cfg!(target_os = "macos") {
    "Library/Application Support/svc/svc.db"
} else {
    ".local/share/svc/svc.db"
};

const COMMENTS: [&str; 6] = [
    "// mine, do not sort",
    "// last letter first",
    "/* the files */",
    "# mine",
    "# the good one",
    "# the end",
];

#[test]
fn every_client_gets_a_working_entry() {
    for client in edited() {
        let home = Home::new();
        let said = succeeded(&home.write(*client, &[]));
        let file = home.file(*client);
        assert!(said.contains(file.to_str().unwrap()), "{said}");
        let entry = entry(*client, &text(&file)).unwrap();
        let program = entry["command"].as_str().unwrap();
        assert_eq!(program, env!("CARGO_BIN_EXE_svc-mcp"), "{}", client.id());
        assert_eq!(entry["env"]["SVC_DB"], home.path().join(OWN).to_str().unwrap());
        assert_eq!(home.files(), [file], "no copy is kept of a file that was not there");
    }
}

#[test]
fn the_rest_of_the_file_stays_and_a_copy_is_kept() {
    for client in edited() {
        let home = Home::new();
        let old = lived_in(*client);
        let file = home.put(*client, &old);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        succeeded(&home.write(*client, &[]));
        let new = text(&file);
        assert!(entry(*client, &new).is_some(), "{new}");
        for comment in COMMENTS.iter().filter(|comment| old.contains(**comment)) {
            assert!(new.contains(*comment), "{comment} is lost:\n{new}");
        }
        // Line by line, all that was there is still there in its order. A comma may have come behind a value.
        let mut lines = new.lines();
        for line in old.lines() {
            let is_it =
                |new: &str| new == line || new.replace("},", "}") == line || new == format!("{line},");
            assert!(lines.any(is_it), "{}: '{line}' is lost:\n{new}", client.id());
        }
        let copy = PathBuf::from(format!("{}.before-svc-1", file.display()));
        assert_eq!(text(&copy), old);
        for path in [&file, &copy] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o640);
        }
    }
}

#[test]
fn a_second_time_changes_nothing() {
    for client in edited() {
        let home = Home::new();
        let file = home.put(*client, &lived_in(*client));
        succeeded(&home.write(*client, &[]));
        let (once, files) = (text(&file), home.files());
        let said = succeeded(&home.write(*client, &[]));
        assert!(said.contains("already"), "{said}");
        assert_eq!((text(&file), home.files()), (once, files));
    }
}

#[test]
fn a_different_entry_is_replaced_only_by_force() {
    for client in edited() {
        let home = Home::new();
        let file = home.put(*client, &lived_in(*client));
        succeeded(&home.write(*client, &["--http", "https://old.example/mcp"]));
        let before = text(&file);
        let said = refused(&home.write(*client, &[]));
        assert!(said.contains("--force") && said.contains("https://old.example/mcp"), "{said}");
        assert!(said.contains(env!("CARGO_BIN_EXE_svc-mcp")), "both are shown: {said}");
        assert_eq!(text(&file), before);
        succeeded(&home.write(*client, &["--force"]));
        let after = text(&file);
        assert_eq!(entry(*client, &after).unwrap()["command"], env!("CARGO_BIN_EXE_svc-mcp"));
        assert!(!after.contains("old.example"), "{after}");
        for comment in COMMENTS.iter().filter(|comment| before.contains(**comment)) {
            assert!(after.contains(*comment), "{comment} is lost:\n{after}");
        }
    }
}

#[test]
fn a_file_that_does_not_parse_is_left_alone() {
    for client in edited() {
        let broken = match client.format().unwrap() {
            Format::Json => "{\n  \"a\": 1\n  \"b\": 2\n}\n",
            Format::Toml => "a = 1\nb = = 2\n",
        };
        let home = Home::new();
        let file = home.put(*client, broken);
        let said = refused(&home.write(*client, &[]));
        assert!(said.contains(file.to_str().unwrap()) && said.contains("line "), "{said}");
        assert_eq!((text(&file).as_str(), home.files()), (broken, vec![file]));
    }
}

#[test]
fn a_section_of_an_unknown_shape_is_left_alone() {
    for client in edited() {
        let odd = match client.format().unwrap() {
            Format::Json => format!("{{\"{}\": [1]}}", client.section()),
            Format::Toml => format!("{} = 3\n", client.section()),
        };
        let home = Home::new();
        let file = home.put(*client, &odd);
        assert!(refused(&home.write(*client, &[])).contains("Nothing was changed"));
        assert_eq!(text(&file), odd);
    }
}

#[test]
fn a_symbolic_link_stays_a_link() {
    let home = Home::new();
    let real = home.path().join("dotfiles.json");
    std::fs::write(&real, "{}").unwrap();
    let file = home.file(Client::ClaudeCode);
    std::os::unix::fs::symlink(&real, &file).unwrap();
    succeeded(&home.write(Client::ClaudeCode, &[]));
    assert!(std::fs::symlink_metadata(&file).unwrap().is_symlink());
    assert!(entry(Client::ClaudeCode, &text(&real)).is_some());
}

#[test]
fn over_http_the_key_is_named_and_never_written() {
    for client in edited() {
        let home = Home::new();
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc"));
        command.env_clear().env("HOME", home.path()).env("TEAM_KEY", "svc_sk_very_secret");
        let id = client.id();
        let address = "http://127.0.0.1:8080/mcp";
        command.args(["connect", &id, "--http", address, "--key-env", "TEAM_KEY", "--write"]);
        let said = succeeded(&command.output().unwrap());
        let new = text(&home.file(*client));
        assert!(new.contains(address), "{new}");
        assert!(
            new.contains("TEAM_KEY") == client.reads_variables() || *client == Client::ClaudeDesktop,
            "{new}"
        );
        assert!(!new.contains("very_secret") && !said.contains("very_secret"), "{new}{said}");
        assert!(said.contains("key"), "{said}");
    }
    let home = Home::new();
    let said =
        refused(&home.connect(&["cursor", "--http", "https://a.example/mcp", "--key-env", "svc_sk_abc"]));
    assert!(said.contains("--key-env") && !said.contains("svc_sk_abc"), "{said}");
    assert!(refused(&home.connect(&["cursor", "--http", "a.example"])).contains("--http"));
}

#[test]
fn without_write_nothing_is_written() {
    for client in edited() {
        let home = Home::new();
        let shown = succeeded(&home.connect(&[&client.id()]));
        assert!(home.files().is_empty());
        succeeded(&home.write(*client, &[]));
        let written = text(&home.file(*client));
        assert!(shown.contains(written.trim()), "{shown}\n{written}");
    }
    let home = Home::new();
    let list = succeeded(&home.connect(&[]));
    for client in Client::value_variants() {
        assert!(
            list.contains(client.name()) && list.contains(home.file(*client).to_str().unwrap()),
            "{list}"
        );
    }
}

#[test]
fn a_project_can_have_its_own_file() {
    for client in edited() {
        let home = Home::new();
        let output = home.write(*client, &["--scope", "project"]);
        match client.project_file() {
            Some(file) => {
                succeeded(&output);
                assert_eq!(home.files(), [home.path().join(file)]);
            }
            None => assert!(refused(&output).contains("--scope project")),
        }
    }
}

/// What is set in a shell that works on a shared memory.
const SHELL: [(&str, &str); 8] = [
    ("SVC_DATABASE_URL", "postgresql://svc:hunter2@db.example/svc"),
    ("SVC_KEY", "correct horse"),
    ("SVC_ENCRYPT", "off"),
    ("LLM_PROVIDER", "openai"),
    ("OPENAI_BASE_URL", "https://models.example/v1"),
    ("OPENAI_MODEL", "gpt-9"),
    ("OPENAI_API_KEY", "sk-secret"),
    ("SVC_PORT", "9999"),
];

#[test]
fn settings_are_carried_over_and_secrets_only_named() {
    for client in edited() {
        let home = Home::new();
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc"));
        command.env_clear().env("HOME", home.path()).current_dir(home.path()).envs(SHELL);
        let said = succeeded(&command.args(["connect", &client.id(), "--write"]).output().unwrap());
        let new = text(&home.file(*client));
        for secret in ["hunter2", "correct horse", "sk-secret"] {
            assert!(!new.contains(secret) && !said.contains(secret), "{new}{said}");
        }
        let entry = entry(*client, &new).unwrap();
        for (name, value) in &SHELL[2..6] {
            assert_eq!(entry["env"][*name], *value, "{}", client.id());
        }
        for name in ["SVC_DATABASE_URL", "SVC_KEY", "OPENAI_API_KEY"] {
            assert!(said.contains(name), "{}: {said}", client.id());
            let written = entry.to_string();
            assert_eq!(written.contains(name), client.reads_variables(), "{}: {written}", client.id());
            assert!(entry["env"][name].as_str().is_none_or(|value| value.contains('$')), "{written}");
        }
        assert!(!new.contains("SVC_PORT"), "{new}");
        let why =
            if client.reads_variables() { "Secrets are named and not written" } else { "Left out, because" };
        assert!(said.lines().any(|line| line.starts_with(why)), "{said}");
    }
}

#[test]
fn an_address_is_secret_only_with_credentials_in_it() {
    for (name, address, secret) in [
        ("SVC_DATABASE_URL", "postgresql://svc@db.example:5432/svc?sslmode=require", false),
        ("SVC_DATABASE_URL", "postgresql://db.example/svc", false),
        ("SVC_DATABASE_URL", "postgresql://svc:hunter2@db.example/svc", true),
        ("SVC_DATABASE_URL", "postgresql://svc:hun/ter@2@db.example/svc", true),
        ("SVC_DATABASE_URL", "postgresql://db.example/svc?user=svc&password=hunter2", true),
        ("SVC_DATABASE_URL", "host=db.example password=hunter2", true),
        ("OPENAI_BASE_URL", "https://models.example:8443/v1", false),
        ("OPENAI_BASE_URL", "https://models.example/v1?key=hunter2", true),
    ] {
        let home = Home::new();
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc"));
        command.env_clear().env("HOME", home.path()).current_dir(home.path()).env(name, address);
        let said = succeeded(&command.args(["connect", "zed", "--write"]).output().unwrap());
        let entry = entry(Client::Zed, &text(&home.file(Client::Zed))).unwrap();
        let written = (!secret).then_some(address);
        assert_eq!(entry["env"][name].as_str(), written, "{address}");
        assert_eq!(said.contains(name), secret, "{said}");
    }
}

#[test]
fn remove_takes_out_our_entry_alone() {
    for client in edited() {
        let home = Home::new();
        let old = lived_in(*client);
        let file = home.put(*client, &old);
        succeeded(&home.write(*client, &[]));
        let connected = text(&file);
        let said = succeeded(&home.connect(&[&client.id(), "--remove"]));
        assert!(said.contains("Removed 'svc'") && said.contains(env!("CARGO_BIN_EXE_svc-mcp")), "{said}");
        let new = text(&file);
        assert_eq!(
            client.format().unwrap().read(&new).unwrap(),
            client.format().unwrap().read(&old).unwrap()
        );
        for comment in COMMENTS.iter().filter(|comment| old.contains(**comment)) {
            assert!(new.contains(*comment), "{comment} is lost:\n{new}");
        }
        assert_eq!(text(&PathBuf::from(format!("{}.before-svc-2", file.display()))), connected);
        let again = succeeded(&home.connect(&[&client.id(), "--remove"]));
        assert!(again.contains("nothing was changed"), "{again}");
        assert_eq!(text(&file), new);
    }
}

#[test]
fn removing_the_only_entry_leaves_no_server() {
    for client in edited() {
        let home = Home::new();
        succeeded(&home.write(*client, &[]));
        succeeded(&home.connect(&[&client.id(), "--remove"]));
        let left = client.format().unwrap().read(&text(&home.file(*client))).unwrap();
        assert!(left.get(client.section()).is_none(), "{left}");
        succeeded(&home.write(*client, &[]));
        assert!(entry(*client, &text(&home.file(*client))).is_some(), "{}", client.id());
    }
    let home = Home::new();
    assert!(succeeded(&home.connect(&["cursor", "--remove"])).contains("nothing was changed"));
    assert!(home.files().is_empty());
}

#[test]
fn a_yaml_file_is_shown_and_never_edited() {
    let home = Home::new();
    let file = home.put(Client::Continue, "name: mine\n");
    let shown = succeeded(&home.connect(&["continue"]));
    assert!(shown.contains(file.to_str().unwrap()) && shown.contains("\n  - name: svc\n"), "{shown}");
    assert!(shown.contains(&format!("SVC_DB: \"{}\"", home.path().join(OWN).display())), "{shown}");
    let remote = succeeded(&home.connect(&["continue", "--http", "http://127.0.0.1:8080/mcp"]));
    assert!(
        remote.contains("${{ secrets.SVC_API_KEY }}") && remote.contains("read from SVC_API_KEY"),
        "{remote}"
    );
    assert!(refused(&home.write(Client::Continue, &[])).contains("leave out --write"));
    let removal = succeeded(&home.connect(&["continue", "--remove"]));
    assert!(removal.contains("Remove the item") && removal.contains(file.to_str().unwrap()), "{removal}");
    assert_eq!((text(&file).as_str(), home.files()), ("name: mine\n", vec![file]));
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~é\n\"\\\\#/*]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z ]{1,6}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Settings with servers among them, and where the servers are.
fn files() -> impl Strategy<Value = Map<String, Value>> {
    let settings = prop::collection::vec(("[a-z]{1,8}", values()), 0..5);
    let servers = prop::collection::vec(("[a-z]{1,6}", values()), 0..4);
    (settings, prop::option::of(servers), any::<prop::sample::Index>()).prop_map(
        |(settings, servers, place)| {
            let mut settings: Vec<(String, Value)> = settings;
            if let Some(servers) = servers {
                let servers: Map<String, Value> =
                    servers.into_iter().filter(|(name, _)| name != NAME).collect();
                let place = place.index(settings.len() + 1);
                settings.insert(place, ("mcpServers".to_owned(), Value::Object(servers)));
            }
            settings.into_iter().collect()
        },
    )
}

fn without_ours(mut file: Value) -> Value {
    if let Some(servers) = file.get_mut("mcpServers").and_then(Value::as_object_mut) {
        servers.remove(NAME);
    }
    file
}

proptest! {
    #[test]
    fn any_json_keeps_its_meaning(file in files(), indent in 0_usize..3, notes in any::<u64>()) {
        let mut text = match indent {
            0 => serde_json::to_string(&file).unwrap(),
            _ => serde_json::to_string_pretty(&file).unwrap(),
        };
        if indent == 2 {
            // A comment at the end of about half of the lines.
            let line = |(n, line): (usize, &str)| match notes >> (n % 64) & 1 {
                1 => format!("{line} // note {n}\n"),
                _ => format!("{line}\n"),
            };
            text = text.lines().enumerate().map(line).collect();
        }
        let server = Server::Local { command: "/bin/svc-mcp".to_owned(), env: PassedSettings::default() };
        let ours = Client::Cursor.entry(&server);
        let merged = merge(Format::Json, "mcpServers", &text, &ours, Existing::Keep).unwrap();
        let Merged::Changed { text: new, replaced: None } = merged else { panic!("{merged:?}") };
        let before = Value::Object(file);
        let after = Format::Json.read(&new).unwrap();
        prop_assert_eq!(&after["mcpServers"][NAME], &ours);
        let mut expected = before;
        expected.as_object_mut().unwrap().entry("mcpServers").or_insert_with(|| json!({}));
        prop_assert_eq!(without_ours(after), expected.clone());
        let notes = |text: &str| -> Vec<String> {
            text.split("// note ").skip(1).map(|rest| rest.split('\n').next().unwrap().to_owned()).collect()
        };
        prop_assert_eq!(notes(&new), notes(&text));
        let again = merge(Format::Json, "mcpServers", &new, &ours, Existing::Keep).unwrap();
        prop_assert_eq!(again, Merged::Same);
        let (undone, _) = remove(Format::Json, "mcpServers", &new).unwrap().unwrap();
        let mut undone = Format::Json.read(&undone).unwrap();
        undone.as_object_mut().unwrap().entry("mcpServers").or_insert_with(|| json!({}));
        prop_assert_eq!(undone, expected);
        prop_assert!(remove(Format::Json, "mcpServers", &text).unwrap().is_none());
    }

    #[test]
    fn no_text_makes_it_panic_or_write_garbage(text in "[ -~\n]{0,60}", format in 0_usize..2) {
        let format = [Format::Json, Format::Toml][format];
        let ours = json!({ "name": NAME, "command": "a" });
        if let Ok(Merged::Changed { text: new, .. }) = merge(format, "mcpServers", &text, &ours, Existing::Replace) {
            let again = merge(format, "mcpServers", &new, &ours, Existing::Keep);
            prop_assert_eq!(again, Ok(Merged::Same));
        }
    }
}
