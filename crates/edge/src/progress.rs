//! Progress messages for a long call, for a client that asked for them.

use domain::Notice;
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::{Map, Value, json};
use std::future::Future;
use std::time::Duration;
use tokio::time::{Instant, Interval, interval_at};

/// Often enough for a person to see that something happens, and well within the patience of proxies.
pub(crate) const EVERY: Duration = Duration::from_secs(3);

/// The token under which the sender of this request wants to hear of its progress.
pub(crate) fn token(method: &str, params: &Map<String, Value>) -> Option<Value> {
    if method != "tools/call" {
        return None;
    }
    let token = params.get("_meta")?.get("progressToken")?;
    (token.is_string() || token.is_i64() || token.is_u64()).then(|| token.clone())
}

/// The messages of a call: its progress, if there is a token, and then its answer. Dropping the stream drops the call.
pub(crate) fn messages(
    token: Option<Value>,
    every: Duration,
    notice: Notice,
    call: impl Future<Output = String> + Send + 'static,
) -> BoxStream<'static, String> {
    let Some(token) = token else { return stream::once(call).boxed() };
    notice.watch();
    let ticks = Ticks { token, clock: interval_at(Instant::now() + every, every), told: 0, notice };
    stream::unfold(Some((Box::pin(call), ticks)), |running| async move {
        let (mut call, mut ticks) = running?;
        tokio::select! {
            biased;
            answer = &mut call => Some((answer, None)),
            word = ticks.next() => Some((word, Some((call, ticks)))),
        }
    })
    .boxed()
}

struct Ticks {
    token: Value,
    clock: Interval,
    told: u64,
    notice: Notice,
}

impl Ticks {
    async fn next(&mut self) -> String {
        self.clock.tick().await;
        self.told += 1;
        let message = self.notice.words().unwrap_or_else(|| "working".into());
        json!({
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": { "progressToken": self.token, "progress": self.told, "message": message },
        })
        .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{messages, token};
    use domain::Notice;
    use futures_util::StreamExt;
    use serde_json::{Value, json};
    use std::time::Duration;
    use tokio::sync::oneshot;

    const SOON: Duration = Duration::from_millis(1);

    fn asked(method: &str, params: &Value) -> Option<Value> {
        token(method, params.as_object().expect("an object"))
    }

    #[test]
    fn only_a_tool_call_with_a_valid_token_gets_progress() {
        assert_eq!(asked("tools/call", &json!({ "_meta": { "progressToken": "t" } })), Some(json!("t")));
        assert_eq!(asked("tools/call", &json!({ "_meta": { "progressToken": 0 } })), Some(json!(0)));
        assert_eq!(asked("tools/call", &json!({ "_meta": { "progressToken": [1] } })), None);
        assert_eq!(asked("tools/call", &json!({})), None);
        assert_eq!(asked("tools/list", &json!({ "_meta": { "progressToken": "t" } })), None);
    }

    #[tokio::test]
    async fn progress_grows_until_the_answer_ends_the_stream() {
        let (finish, finished) = oneshot::channel::<()>();
        let call = async move {
            let _ = finished.await;
            "answer".to_owned()
        };
        let notice = Notice::default();
        let mut said = messages(Some(json!("t")), SOON, notice.clone(), call);
        for expected in 1..=3 {
            let word: Value = serde_json::from_str(&said.next().await.expect("a word")).expect("JSON");
            assert_eq!(word["method"], "notifications/progress");
            assert_eq!(word["params"]["progressToken"], "t");
            assert_eq!(word["params"]["progress"], expected);
        }
        notice.say("trying again");
        let word: Value = serde_json::from_str(&said.next().await.expect("a word")).expect("JSON");
        assert_eq!(word["params"]["message"], "trying again");
        finish.send(()).expect("the call waits");
        assert_eq!(said.next().await.as_deref(), Some("answer"));
        assert_eq!(said.next().await, None);
    }

    #[tokio::test]
    async fn a_call_without_a_token_says_only_its_answer() {
        let said: Vec<String> =
            messages(None, SOON, Notice::default(), async { "answer".to_owned() }).collect().await;
        assert_eq!(said, ["answer"]);
    }
}
