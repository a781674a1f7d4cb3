//! Talking to the server.

use std::sync::LazyLock;
use std::sync::mpsc::channel;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls};

/// Waits for what has to do with the server, from any thread: also from one that is at work for another runtime.
pub fn wait<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap());
    let (sender, answer) = channel();
    RUNTIME.spawn(async move { sender.send(future.await) });
    answer.recv().expect("the server's answer")
}

/// The connection ends with the client.
pub async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// What the server has against a statement, with the code of the error.
pub fn told(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(refusal) => format!("{}: {}", refusal.code().code(), refusal.message()),
        None => error.to_string(),
    }
}

/// For names and passwords.
pub(super) fn random_word() -> String {
    format!("{:016x}", getrandom::u64().unwrap())
}
