//! How often a request is tried, and how long it may take in all.

use crate::http::Failed;
use crate::presence::Watched;
use backon::{ExponentialBuilder, Retryable};
use domain::Notice;
use serde_json::Value;
use std::time::{Duration, Instant};

/// For so long after an endpoint first failed it is tried again where the client sees that it is.
const SEEN_SPAN: Duration = Duration::from_secs(120);
/// The same where it sees nothing: most clients give up after a minute.
const UNSEEN_SPAN: Duration = Duration::from_secs(45);
/// A single attempt leaves it to others to find out whether the endpoint is there.
const ONCE_SPAN: Duration = Duration::from_secs(3);
/// The endpoint failed a little after the call began; the last attempt waits until it counts as away.
const LATE_FAILURE: Duration = Duration::from_millis(100);
/// A server may ask for a longer pause, but then trying again earlier is the better use of the two minutes.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
const BACKOFF: ExponentialBuilder = ExponentialBuilder::new()
    .with_jitter()
    .with_min_delay(Duration::from_millis(200))
    .with_max_delay(Duration::from_secs(15))
    .without_max_times();

pub(crate) struct RetryPolicy<'a> {
    /// The most that one attempt may take.
    attempt: Duration,
    /// After this moment nobody waits for the answer.
    deadline: Instant,
    began: Instant,
    /// For so long it is tried again, counted from when the endpoint first failed.
    span: Duration,
    /// There is no second attempt.
    is_only: bool,
    /// Where to say that it is tried again.
    notice: Option<&'a Notice>,
}

impl<'a> RetryPolicy<'a> {
    pub fn retrying(attempt: Duration, deadline: Instant) -> Self {
        Self { attempt, deadline, began: Instant::now(), span: UNSEEN_SPAN, is_only: false, notice: None }
    }

    pub fn saying_so(self, notice: Option<&'a Notice>) -> Self {
        let span = if notice.is_some_and(Notice::is_watched) { SEEN_SPAN } else { self.span };
        Self { notice, span, ..self }
    }

    /// One attempt, and no other.
    pub fn once(attempt: Duration, deadline: Instant) -> Self {
        Self { attempt, deadline, began: Instant::now(), span: ONCE_SPAN, is_only: true, notice: None }
    }

    /// Sends the request until it is answered, fails for good, the endpoint turns out to be away, or time is up.
    pub async fn run(&self, endpoint: &Watched, body: &Value) -> Result<Vec<u8>, Failed> {
        // Many clients that failed together must not come back together.
        let seed = getrandom::u64().unwrap_or_default();
        let (pauses, span) = (endpoint.clone(), self.span);
        let outcome = (|| endpoint.post(body, self.time_left(Instant::now()), self.span))
            .retry(BACKOFF.with_jitter_seed(seed))
            .sleep(move |time| pauses.pause(time, span))
            .when(|failed: &Failed| failed.error.is_transient())
            .adjust(|failed, backoff| self.pause(backoff?, failed.wait, Instant::now()))
            .notify(|failed, pause| {
                if let Some(notice) = self.notice {
                    notice.say(format!("the model did not answer ({}); trying again", failed.error.kind()));
                }
                tracing::debug!(
                    kind = failed.error.kind(),
                    pause_ms = pause.as_millis(),
                    "asking again after a pause"
                );
            })
            .await;
        if let Some(notice) = self.notice {
            notice.clear();
        }
        outcome
    }

    fn time_left(&self, now: Instant) -> Duration {
        self.attempt.min(self.deadline.saturating_duration_since(now))
    }

    /// The pause before the next attempt, or nothing when it would begin too late. The last one is made when the time is
    /// up: by then the endpoint counts as away, or answers.
    fn pause(&self, backoff: Duration, wished: Option<Duration>, now: Instant) -> Option<Duration> {
        let end = self.began + self.span + LATE_FAILURE;
        let left = end.saturating_duration_since(now);
        let pause = backoff.min(left).max(wished.unwrap_or_default().min(LONGEST_PAUSE));
        (!self.is_only && now < end && pause <= left && now + pause < self.deadline).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_PAUSE, RetryPolicy};
    use domain::Notice;
    use std::time::{Duration, Instant};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn attempts_go_on_longer_where_the_client_sees_them() {
        let (now, watched) = (Instant::now(), Notice::default());
        watched.watch();
        for (notice, span) in [(None, 45), (Some(&Notice::default()), 45), (Some(&watched), 120)] {
            let policy = RetryPolicy::retrying(SECOND, now + 3600 * SECOND).saying_so(notice);
            assert_eq!(policy.pause(SECOND, None, now + (span - 2) * SECOND), Some(SECOND));
            assert_eq!(policy.pause(SECOND, None, now + (span + 1) * SECOND), None);
        }
    }

    #[test]
    fn no_attempt_begins_or_lasts_past_the_deadline() {
        let now = Instant::now();
        let policy = RetryPolicy::retrying(10 * SECOND, now + 5 * SECOND);
        assert_eq!(policy.pause(6 * SECOND, None, now), None);
        assert_eq!(policy.time_left(now + 3 * SECOND), 2 * SECOND);
        assert_eq!(policy.time_left(now + 9 * SECOND), Duration::ZERO);
    }

    #[test]
    fn a_requested_pause_is_kept_up_to_a_minute() {
        let now = Instant::now();
        let watched = Notice::default();
        watched.watch();
        let policy = RetryPolicy::retrying(SECOND, now + 3600 * SECOND).saying_so(Some(&watched));
        assert_eq!(policy.pause(SECOND, Some(9 * SECOND), now), Some(9 * SECOND));
        assert_eq!(policy.pause(SECOND, Some(Duration::ZERO), now), Some(SECOND));
        assert_eq!(policy.pause(SECOND, Some(3600 * SECOND), now), Some(LONGEST_PAUSE));
    }

    #[test]
    fn a_single_attempt_is_never_followed_by_another() {
        let policy = RetryPolicy::once(SECOND, Instant::now() + 60 * SECOND);
        assert_eq!(policy.pause(Duration::ZERO, None, Instant::now()), None);
    }
}
