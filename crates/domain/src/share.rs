//! How much of a long piece of work is done, for those who wait for it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whoever does the work counts, and any number of others read, at no cost to the work.
#[derive(Debug)]
pub struct Share {
    /// What is counted, such as entries.
    what: &'static str,
    total: OnceLock<u64>,
    done: AtomicU64,
}

impl Share {
    pub const fn of(what: &'static str) -> Self {
        Self { what, total: OnceLock::new(), done: AtomicU64::new(0) }
    }

    /// The work begins, and there is so much of it.
    pub fn begin(&self, total: u64) {
        let _ = self.total.set(total);
    }

    pub fn reach(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
    }

    /// How much is done, of how much. `None` where the work has not begun.
    pub fn read(&self) -> Option<(u64, u64)> {
        let total = *self.total.get()?;
        Some((self.done.load(Ordering::Relaxed).min(total), total))
    }

    /// `43,000 of 100,000 entries`.
    pub(crate) fn words(&self) -> String {
        match self.read() {
            Some((done, total)) => format!("{} of {} {}", grouped(done), grouped(total), self.what),
            None => "waiting for its turn".to_owned(),
        }
    }
}

/// A number with a comma before every three digits.
fn grouped(number: u64) -> String {
    let (mut rest, mut groups) = (number, Vec::new());
    while rest >= 1000 {
        groups.push(format!(",{:03}", rest % 1000));
        rest /= 1000;
    }
    let mut text = rest.to_string();
    text.extend(groups.into_iter().rev());
    text
}

#[cfg(test)]
mod tests {
    use super::{Share, grouped};

    #[test]
    fn a_share_rises_to_its_total_and_not_over_it() {
        let share = Share::of("entries");
        assert_eq!((share.read(), share.words().as_str()), (None, "waiting for its turn"));
        share.begin(100_000);
        assert_eq!(share.words(), "0 of 100,000 entries");
        share.reach(43_000);
        assert_eq!(share.words(), "43,000 of 100,000 entries");
        share.reach(100_001);
        assert_eq!(share.read(), Some((100_000, 100_000)));
    }

    #[test]
    fn numbers_are_read_in_threes() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_002_003, "1,002,003")] {
            assert_eq!(grouped(number), text);
        }
    }
}
