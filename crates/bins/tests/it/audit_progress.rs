//! A check of the whole audit log tells those who wait for it how far it has come.

use crate::support::{InProcess, Model, PATIENCE, caller};
use domain::{Identity, Notice};
use futures_util::future::join_all;
use reconcile::SlotSchema;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use store::{AuditReport, Call, Record, Store};

/// More than a check takes at a time, several times over.
const ENTRIES: u64 = 7000;

async fn fill(store: &Store, entries: u64) {
    let record =
        |_| store.call_record(Call::new(caller(Identity::Local), "health", None), Record::done("well"));
    for recorded in join_all((0..entries).map(record)).await {
        recorded.unwrap();
    }
}

/// What the notice told while the check ran, each time that it told something else.
async fn watched(store: &Store, notice: &Notice) -> (u64, Vec<(u64, u64)>) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut told = Vec::new();
            while !done.load(Ordering::Relaxed) {
                told.extend(notice.share().filter(|share| told.last() != Some(share)));
                std::thread::yield_now();
            }
            told
        });
        let check = store.audit_verify(Instant::now() + PATIENCE, notice);
        let report = tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(check));
        done.store(true, Ordering::Relaxed);
        let AuditReport::Intact { entries, .. } = report.unwrap() else { panic!("the log is intact") };
        (entries, watcher.join().unwrap())
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn it_rises_to_all_entries_and_never_over() {
    let model = Model::start();
    let deployment = InProcess::start(&model, SlotSchema::none(), &[]).await;
    let store = deployment.service.store();
    fill(store, ENTRIES).await;
    let notice = Notice::default();
    let (entries, told) = watched(store, &notice).await;
    assert_eq!(entries, ENTRIES);
    assert_eq!(notice.share(), Some((ENTRIES, ENTRIES)));
    assert_eq!(notice.words().as_deref(), Some("7,000 of 7,000 entries"));
    assert!(
        told.is_sorted() && told.iter().all(|(done, total)| done <= total && *total == ENTRIES),
        "{told:?}"
    );
    assert!(told.iter().any(|(done, _)| *done < ENTRIES), "it tells before the end too: {told:?}");

    // Of a check that walks only what is new, that is all there is.
    fill(store, 3).await;
    let (entries, _) = watched(store, &notice).await;
    assert_eq!(entries, ENTRIES + 3);
    let (done, total) = notice.share().unwrap();
    assert!(done == total && (total == 3 || total == entries), "{done} of {total}");
}
