//! What a call costs: time of the processor, over all threads of this process, and time by the clock on the wall.

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Clock {
    cpu: Duration,
    wall: Instant,
}

#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub cpu: Duration,
    pub wall: Duration,
}

impl Clock {
    pub fn start() -> Self {
        Self { cpu: cpu(), wall: Instant::now() }
    }

    pub fn stop(&self) -> Cost {
        Cost { cpu: cpu().saturating_sub(self.cpu), wall: self.wall.elapsed() }
    }
}

fn cpu() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}

/// Waits until nothing is computed in the background any more, as facts are embedded there.
pub async fn rest() {
    const LOOK: Duration = Duration::from_millis(50);
    const QUIET: Duration = Duration::from_millis(2);
    const PATIENCE: Duration = Duration::from_secs(60);
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let clock = Clock::start();
        tokio::time::sleep(LOOK).await;
        if clock.stop().cpu < QUIET {
            return;
        }
    }
}

/// Half of the calls cost no more than the first figure, 95 % no more than the second; in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Spread {
    pub p50: f64,
    pub p95: f64,
}

impl Spread {
    pub fn of(times: impl Iterator<Item = Duration>) -> Self {
        let mut sorted: Vec<Duration> = times.collect();
        sorted.sort_unstable();
        let at = |percent: usize| {
            let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
            sorted.get(place).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
        };
        Self { p50: at(50), p95: at(95) }
    }

    pub fn json(self) -> Value {
        json!({ "p50": self.p50, "p95": self.p95 })
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;
    use std::time::Duration;

    #[test]
    fn the_figures_are_median_and_95th_percentile() {
        let spread = Spread::of((1..=100).rev().map(Duration::from_millis));
        assert!((spread.p50 - 50.0).abs() < 1e-6 && (spread.p95 - 95.0).abs() < 1e-6, "{spread:?}");
        assert!(Spread::of(std::iter::empty()).p95.abs() < 1e-6);
    }
}
