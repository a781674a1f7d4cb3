//! Keys in files and keys from a passphrase.

use std::fs;
use std::path::{Path, PathBuf};

use store::keys::{Database, KeySettings, KeySource, Keys, Switch, load};
use tempfile::TempDir;

fn settings(folder: &TempDir, source: KeySource) -> KeySettings {
    KeySettings { beside: database(folder), source, encrypt: Switch::On, sign: Switch::On }
}

const WORDS: &str = "correct horse battery staple";

fn passphrase(words: &str) -> KeySource {
    KeySource::Passphrase(words.to_owned().into())
}

fn database(folder: &TempDir) -> PathBuf {
    folder.path().join("svc.db")
}

fn beside(folder: &TempDir, suffix: &str) -> PathBuf {
    folder.path().join(format!("svc.db{suffix}"))
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn seed(keys: &Keys) -> [u8; 32] {
    **keys.signing.as_ref().expect("signing is on").secrets.first().expect("a secret")
}

async fn refusal(settings: &KeySettings, database: Database) -> String {
    load(settings, database).await.expect_err("the keys must not load").to_string()
}

/// Whether what `a` sealed and looked up, `b` opens and finds.
fn same(a: &Keys, b: &Keys) -> bool {
    let sealed = a.sealer.seal(b"row", b"x").unwrap();
    b.sealer.open(b"row", &sealed).is_ok()
        && a.blind.blind("subject", &["acme"]) == b.blind.blind("subject", &["acme"])
        && seed(a) == seed(b)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[tokio::test]
async fn a_new_database_gets_keys_and_the_next_start_finds_them() {
    let folder = TempDir::new().unwrap();
    let settings = settings(&folder, KeySource::File);
    let made = load(&settings, Database::New).await.unwrap();
    assert_eq!(names(&folder), ["svc.db.key", "svc.db.sign.key"]);
    assert!(same(&made, &load(&settings, Database::Existing).await.unwrap()));
    assert!(same(&made, &load(&settings, Database::New).await.unwrap()), "existing keys are never replaced");
}

#[tokio::test]
async fn two_databases_never_share_a_key() {
    let (one, two) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let a = load(&settings(&one, KeySource::File), Database::New).await.unwrap();
    let b = load(&settings(&two, KeySource::File), Database::New).await.unwrap();
    assert_ne!(a.sealer.key_ids(), b.sealer.key_ids());
    assert_ne!(a.blind.blind("subject", &["acme"]), b.blind.blind("subject", &["acme"]));
    assert_ne!(seed(&a), seed(&b));
}

#[cfg(unix)]
#[tokio::test]
async fn key_files_are_private_and_refused_when_they_are_not() {
    for (suffix, source) in
        [(".key", KeySource::File), (".sign.key", KeySource::File), (".salt", passphrase(WORDS))]
    {
        let folder = TempDir::new().unwrap();
        load(&settings(&folder, source.clone()), Database::New).await.unwrap();
        let path = beside(&folder, suffix);
        assert_eq!(mode(&path), 0o600, "{suffix}");
        for open in [0o640, 0o604, 0o620, 0o666] {
            set_mode(&path, open);
            let message = refusal(&settings(&folder, source.clone()), Database::Existing).await;
            assert!(message.contains(&format!("chmod 600 '{}'", path.display())), "{message}");
        }
        set_mode(&path, 0o400);
        load(&settings(&folder, source), Database::Existing).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_start_at_once_agree_on_one_key() {
    for source in [KeySource::File, passphrase(WORDS)] {
        let folder = TempDir::new().unwrap();
        let settings = settings(&folder, source);
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let settings = settings.clone();
                tokio::spawn(async move { load(&settings, Database::New).await.unwrap() })
            })
            .collect();
        let mut keys = Vec::new();
        for task in tasks {
            keys.push(task.await.unwrap());
        }
        assert!(keys.iter().all(|k| same(k, &keys[0])));
        assert!(names(&folder).iter().all(|name| !name.ends_with(".tmp")), "{:?}", names(&folder));
    }
}

#[tokio::test]
async fn a_lost_key_of_an_existing_database_is_an_error_and_never_replaced() {
    for (source, lost) in
        [(KeySource::File, ".key"), (KeySource::File, ".sign.key"), (passphrase(WORDS), ".salt")]
    {
        let folder = TempDir::new().unwrap();
        let settings = settings(&folder, source);
        load(&settings, Database::New).await.unwrap();
        fs::remove_file(beside(&folder, lost)).unwrap();
        let before = names(&folder);
        let message = refusal(&settings, Database::Existing).await;
        assert!(message.contains("restore the file from the backup"), "{message}");
        assert!(message.contains(&beside(&folder, lost).display().to_string()), "{message}");
        assert_eq!(names(&folder), before);
    }
}

#[tokio::test]
async fn a_damaged_file_is_named_without_showing_its_secret() {
    let folder = TempDir::new().unwrap();
    let settings = settings(&folder, KeySource::File);
    load(&settings, Database::New).await.unwrap();
    for suffix in [".key", ".sign.key"] {
        let path = beside(&folder, suffix);
        let good = fs::read_to_string(&path).unwrap();
        let secret = good.trim_end().rsplit(' ').next().unwrap();
        let other_digit = if secret.starts_with('0') { "1" } else { "0" };
        let mut damages = vec![
            String::new(),
            "\n".to_owned(),
            format!("{good}junk\n"),
            good.replace("-v1", "-v9"),
            good.replace(secret, &secret[2..]),
            good.replace(secret, &format!("{secret}00")),
            good.replace(secret, &format!("zz{}", &secret[2..])),
            format!("{good}{good}"),
        ];
        if suffix == ".key" {
            damages.push(good.replace(secret, &format!("{other_digit}{}", &secret[1..])));
        }
        for damage in damages {
            fs::write(&path, &damage).unwrap();
            let message = refusal(&settings, Database::Existing).await;
            assert!(message.contains(&format!("{} is damaged", path.display())), "{message}");
            assert!(!message.contains(&secret[2..20]), "{message}");
        }
        fs::write(&path, &good).unwrap();
    }
    load(&settings, Database::Existing).await.unwrap();
}

#[tokio::test]
async fn retired_keys_are_read_beside_the_current_ones() {
    let folder = TempDir::new().unwrap();
    let settings = settings(&folder, KeySource::File);
    let old = load(&settings, Database::New).await.unwrap();
    let other = TempDir::new().unwrap();
    load(&self::settings(&other, KeySource::File), Database::New).await.unwrap();
    let line = fs::read_to_string(beside(&folder, ".key")).unwrap();
    let newer = fs::read_to_string(beside(&other, ".key")).unwrap();
    fs::write(beside(&folder, ".key"), format!("{line}{newer}")).unwrap();

    let rotated = load(&settings, Database::Existing).await.unwrap();
    let sealed = old.sealer.seal(b"row", b"x").unwrap();
    assert_eq!(rotated.sealer.open(b"row", &sealed).unwrap().as_slice(), b"x");
    assert_eq!(rotated.sealer.key_ids().len(), 2);
    assert_ne!(rotated.sealer.key_ids()[0], old.sealer.key_ids()[0], "the newest key seals");
    assert_eq!(rotated.blind.blind("subject", &["acme"]), old.blind.blind("subject", &["acme"]));
}

#[tokio::test]
async fn a_passphrase_gives_the_same_keys_again_and_stores_only_its_salt() {
    let folder = TempDir::new().unwrap();
    let settings = settings(&folder, passphrase(WORDS));
    let made = load(&settings, Database::New).await.unwrap();
    assert_eq!(names(&folder), ["svc.db.salt"]);
    assert!(same(&made, &load(&settings, Database::Existing).await.unwrap()));

    let other = KeySettings { source: passphrase("correct horse battery staple "), ..settings.clone() };
    let other = load(&other, Database::Existing).await.unwrap();
    assert_ne!(other.sealer.key_ids(), made.sealer.key_ids());
    assert_ne!(seed(&other), seed(&made));

    let elsewhere = TempDir::new().unwrap();
    let elsewhere = load(&self::settings(&elsewhere, passphrase(WORDS)), Database::New).await.unwrap();
    assert_ne!(seed(&elsewhere), seed(&made), "another salt, other keys");
}

#[tokio::test]
async fn a_passphrase_gives_the_keys_that_it_always_gave() {
    let folder = TempDir::new().unwrap();
    let path = beside(&folder, ".salt");
    fs::write(&path, format!("svc-salt-v1 {}\n", "07".repeat(16))).unwrap();
    #[cfg(unix)]
    set_mode(&path, 0o600);
    let keys = load(&settings(&folder, passphrase("correct horse")), Database::Existing).await.unwrap();
    assert_eq!(keys.sealer.key_ids()[0].to_string(), "08e04236");
    assert_eq!(hex::encode(seed(&keys)), "a119d09b89ea55b196bb2fd3a5bcb1bc2eb7c31ebecca8feafe1feb5add0d968");
}

#[tokio::test]
async fn what_is_switched_off_needs_no_key() {
    for source in [KeySource::File, passphrase(WORDS)] {
        let folder = TempDir::new().unwrap();
        let off =
            KeySettings { encrypt: Switch::Off, sign: Switch::Off, ..settings(&folder, source.clone()) };
        let keys = load(&off, Database::Existing).await.unwrap();
        assert!(!keys.sealer.is_on() && keys.signing.is_none());
        assert!(names(&folder).is_empty());
    }
    let folder = TempDir::new().unwrap();
    let signing_only = KeySettings { encrypt: Switch::Off, ..settings(&folder, KeySource::File) };
    let keys = load(&signing_only, Database::New).await.unwrap();
    assert!(!keys.sealer.is_on() && keys.signing.is_some());
    assert_eq!(names(&folder), ["svc.db.sign.key"]);
}

#[tokio::test]
async fn debug_output_holds_no_secret() {
    let folder = TempDir::new().unwrap();
    let settings = settings(&folder, passphrase(WORDS));
    let keys = load(&settings, Database::New).await.unwrap();
    let shown = format!("{settings:?} {keys:?}");
    let first_bytes = format!("{:?}", &seed(&keys)[..4]);
    assert!(!shown.contains("correct horse"), "{shown}");
    assert!(!shown.contains(first_bytes.trim_matches(['[', ']'])), "{shown}");
}

/// A database from before weak passphrases were refused.
#[tokio::test]
async fn an_existing_database_opens_with_a_weak_passphrase() {
    let folder = TempDir::new().unwrap();
    let settings = settings(&folder, passphrase("horse"));
    let message = refusal(&settings, Database::New).await;
    assert!(message.contains("SVC_KEY is too easy to guess"), "{message}");
    assert!(names(&folder).is_empty(), "nothing is made for a passphrase that is refused");

    load(&self::settings(&folder, passphrase(WORDS)), Database::New).await.unwrap();
    assert!(load(&settings, Database::Existing).await.is_ok());
}
