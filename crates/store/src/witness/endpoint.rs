//! A witness over HTTP, by the C2SP witness protocol: what is sent, and what an answer means.

use evidence::{AddCheckpoint, Head, WitnessKey, is_plain};
use reqwest::{Client, Response, Url};
use std::time::Duration;

/// A witness answers in milliseconds. Whoever checks the log waits no longer than this for one that is away.
const TIMEOUT: Duration = Duration::from_secs(5);
/// An answer is a number or a few signatures.
const ANSWER_BYTES: usize = 64 * 1024;

pub(crate) struct Endpoint {
    http: Client,
    add_checkpoint: Url,
    key: WitnessKey,
}

pub(crate) enum Answer {
    /// It has seen the log up to this checkpoint, and signed that.
    Cosigned,
    /// It has cosigned so many entries before.
    Has(u64),
    /// The log does not continue the one that it has cosigned before.
    NotConsistent,
    Unbelieved(String),
    Away(String),
}

impl Endpoint {
    pub fn new(mut address: Url, key: WitnessKey) -> Result<Self, reqwest::Error> {
        let http = tls::http_client().timeout(TIMEOUT).build()?;
        let path = format!("{}/add-checkpoint", address.path().trim_end_matches('/'));
        address.set_path(&path);
        Ok(Self { http, add_checkpoint: address, key })
    }

    pub async fn ask(&self, request: &AddCheckpoint, head: &Head) -> Answer {
        let sent = self.http.post(self.add_checkpoint.clone()).body(request.encode()).send().await;
        let answered = match sent {
            Ok(response) => (response.status().as_u16(), text(response).await),
            Err(error) => return Answer::Away(cause(&error)),
        };
        let (status, text) = match answered {
            (status, Ok(text)) => (status, text),
            (_, Err(why)) => return Answer::Away(why),
        };
        match status {
            200 => match self.key.cosigned(head, &text) {
                Ok(()) => Answer::Cosigned,
                Err(invalid) => Answer::Unbelieved(invalid.to_string()),
            },
            409 => match text.strip_suffix('\n').filter(|text| is_plain(text)).map(str::parse) {
                Some(Ok(size)) => Answer::Has(size),
                _ => Answer::Unbelieved("it says that it has another size of the log, but not which".to_owned()),
            },
            422 => Answer::NotConsistent,
            404 => Answer::Away(
                "it does not know this log; give it the key that svc head --key shows".to_owned(),
            ),
            403 => Answer::Away(
                "it does not know the key that this log is signed with; give it the keys that svc head --key shows"
                    .to_owned(),
            ),
            other => Answer::Away(format!("it answered with status {other}")),
        }
    }
}

async fn text(mut response: Response) -> Result<String, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| cause(&error))? {
        if bytes.len() + chunk.len() > ANSWER_BYTES {
            return Err("its answer is too long".to_owned());
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| "its answer is no text".to_owned())
}

/// The innermost cause is the one that a person can act on, such as a refused connection.
fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} seconds", TIMEOUT.as_secs());
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
