//! Shows at a terminal that it is waiting for an answer. Otherwise a slow model looks like a program that hangs.

use domain::Notice;
use std::future::Future;
use std::io::{IsTerminal, Write};
use std::time::Duration;
use tokio::sync::oneshot;

/// The work's result. While it takes long, standard error counts the seconds and says what is waited for, where somebody
/// is looking.
pub(super) async fn while_waiting<T>(notice: Notice, work: impl Future<Output = T>) -> T {
    if !std::io::stderr().is_terminal() {
        return work.await;
    }
    let (ends, ended) = oneshot::channel();
    // A task of its own: the built-in model computes without letting go of this one.
    let shown = tokio::spawn(show(notice, ended));
    let result = work.await;
    drop(ends);
    let _ = shown.await;
    result
}

async fn show(notice: Notice, mut ended: oneshot::Receiver<()>) {
    let (mut screen, mut seconds) = (std::io::stderr(), 0_u32);
    loop {
        tokio::select! {
            _ = &mut ended => break,
            () = tokio::time::sleep(Duration::from_secs(1)) => {
                seconds += 1;
                let why = notice.words().map(|words| format!(" ({words})")).unwrap_or_default();
                let _ = write!(screen, "\r\u{1b}[KWaiting for the answer, {seconds} s{why}; Ctrl-C gives up");
            }
        }
    }
    if seconds > 0 {
        let _ = write!(screen, "\r\u{1b}[K");
    }
}
