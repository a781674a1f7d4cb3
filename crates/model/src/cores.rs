//! Where long computations are done, beside the asynchronous work: on as many cores as there are, and in pieces. Between
//! two pieces the place goes to whoever has had less so far.

use crate::built_in::Work;
use crate::error::ModelError;
use crate::request::Order;
use domain::{Capacity, Places};
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;

/// Clones share the cores.
#[derive(Debug, Clone)]
pub(crate) struct Cores(Places);

impl Cores {
    pub fn all() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Places::new(Capacity::of(cores)))
    }

    /// The work ends at its next piece when its time is over, or when this future is dropped because nobody waits.
    pub async fn run<T: Send + 'static>(
        &self,
        order: &Order,
        job: impl FnOnce(&Work) -> T + Send + 'static,
    ) -> Result<T, ModelError> {
        let deadline = order.deadline.into();
        let place =
            timeout_at(deadline, self.0.take(&order.account)).await.map_err(|_| ModelError::Timeout)?;
        let work = Work::at(place, order.deadline);
        let _waiting = work.guard();
        let done = spawn_blocking(move || {
            let result = job(&work);
            if work.is_over() { Err(ModelError::Timeout) } else { Ok(result) }
        });
        let done = timeout_at(deadline, done).await.map_err(|_| ModelError::Timeout)?;
        done.map_err(|_| ModelError::BadReply { detail: "the built-in model failed" })?
    }
}

#[cfg(test)]
mod tests {
    use super::Cores;
    use crate::error::ModelError;
    use crate::request::Order;
    use domain::{Account, Capacity, Places, Tenant};
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    fn order(tenant: &str) -> Order {
        let account = Account { tenant: Tenant::new(tenant), caller: String::new() };
        Order { account, deadline: Instant::now() + Duration::from_secs(60) }
    }

    #[tokio::test]
    async fn a_short_job_does_not_wait_for_the_end_of_a_long_one() {
        let cores = Cores(Places::new(Capacity::of(1)));
        let (begun, long_begun) = tokio::sync::oneshot::channel();
        let (go_on, gate) = mpsc::channel();
        let (many, long) = (cores.clone(), order("a"));
        let long = tokio::spawn(async move {
            let job = move |work: &crate::Work| {
                begun.send(()).unwrap();
                // It is at its first piece until the other one waits, and then has no end until that one is done.
                gate.recv().unwrap();
                while work.goes_on() && gate.try_recv().is_err() {}
            };
            many.run(&long, job).await
        });
        long_begun.await.unwrap();
        let modest = order("b");
        let short = cores.run(&modest, |_| "done");
        tokio::pin!(short);
        assert!(futures_now(short.as_mut()).await.is_none());
        go_on.send(()).unwrap();
        assert_eq!(short.await, Ok("done"));
        go_on.send(()).unwrap();
        assert_eq!(long.await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_stops_at_its_next_piece() {
        let cores = Cores(Places::new(Capacity::of(1)));
        let (stopped, has_stopped) = tokio::sync::oneshot::channel();
        let (mut one, late) = (order("a"), order("a"));
        one.deadline = Instant::now() + Duration::from_millis(1);
        let job = move |work: &crate::Work| {
            while work.goes_on() {}
            stopped.send(()).unwrap();
        };
        assert_eq!(cores.run(&one, job).await, Err(ModelError::Timeout));
        has_stopped.await.unwrap();
        assert_eq!(cores.run(&late, |_| 1).await, Ok(1));
    }

    /// What the future gives at once.
    async fn futures_now<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
        tokio::select! {
            biased;
            done = future => Some(done),
            () = std::future::ready(()) => None,
        }
    }
}
