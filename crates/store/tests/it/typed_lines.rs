//! What is kept of what was typed at the prompt.

use domain::Timestamp;
use std::path::{Path, PathBuf};
use store::keys::{KeySource, Switch};
use store::{Added, SqliteSettings, Store, StoreSettings, TypedLines};
use tempfile::TempDir;

async fn lines(folder: &Path) -> TypedLines {
    let settings = SqliteSettings {
        path: folder.join("svc.db"),
        keys: KeySource::File,
        encrypt: Switch::On,
        sign: Switch::On,
        meter: None,
    };
    let store = Store::open(StoreSettings::Sqlite(settings), Timestamp::now()).await.unwrap();
    store.typed_lines().unwrap()
}

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("svc.db.history")
}

#[tokio::test]
async fn the_last_thousand_lines_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let typed = lines(folder.path()).await;
    assert!(typed.read().unwrap().is_empty());
    for n in 0..1003 {
        assert_eq!(typed.add(&format!("line {n}\nits second half")).unwrap(), Added::BesideOthers);
    }
    let kept = typed.read().unwrap();
    assert_eq!(kept.len(), 1000);
    assert_eq!(kept.first().unwrap(), "line 3\nits second half");
    assert_eq!(kept, typed.read().unwrap());
    assert_eq!(std::fs::read_to_string(file(&folder)).unwrap().lines().count(), 1000);
}

#[tokio::test]
async fn a_line_after_an_erasure_stands_alone() {
    let folder = tempfile::tempdir().unwrap();
    let typed = lines(folder.path()).await;
    typed.read().unwrap();
    typed.add("before").unwrap();
    std::fs::remove_file(file(&folder)).unwrap();
    assert_eq!(typed.add("after").unwrap(), Added::Alone);
    assert_eq!(typed.add("later").unwrap(), Added::BesideOthers);
    assert_eq!(typed.read().unwrap(), ["after", "later"]);
}

#[tokio::test]
async fn lines_that_do_not_open_are_left_out() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let typed = lines(folder.path()).await;
    typed.read().unwrap();
    typed.add("ours").unwrap();
    let stranger = lines(other.path()).await;
    stranger.read().unwrap();
    stranger.add("theirs").unwrap();
    let both = [&file(&other), &file(&folder)].map(|file| std::fs::read_to_string(file).unwrap()).concat();
    std::fs::write(file(&folder), both + "no line at all\n").unwrap();
    assert_eq!(typed.read().unwrap(), ["ours"]);
}
