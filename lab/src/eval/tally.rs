//! Counting grades, with the interval that a share of so few can be trusted within.

use super::score::Grade;
use serde_json::{Value, json};
use std::fmt;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub correct: usize,
    pub safe: usize,
    pub silently_wrong: usize,
}

impl Tally {
    pub fn count(&mut self, grade: Grade) {
        match grade {
            Grade::Correct => self.correct += 1,
            Grade::Safe => self.safe += 1,
            Grade::SilentlyWrong => self.silently_wrong += 1,
        }
    }

    pub fn of(grades: impl IntoIterator<Item = Grade>) -> Self {
        let mut tally = Self::default();
        grades.into_iter().for_each(|grade| tally.count(grade));
        tally
    }

    pub const fn total(&self) -> usize {
        self.correct + self.safe + self.silently_wrong
    }

    pub const fn get(&self, grade: Grade) -> usize {
        match grade {
            Grade::Correct => self.correct,
            Grade::Safe => self.safe,
            Grade::SilentlyWrong => self.silently_wrong,
        }
    }

    pub fn share(&self, grade: Grade) -> Share {
        Share::of(self.get(grade), self.total())
    }
}

/// A share of a whole and its 95 % interval by Wilson, which unlike the usual one stays honest near 0 and 1. All in
/// percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    pub percent: f64,
    pub low: f64,
    pub high: f64,
}

impl Share {
    pub fn of(part: usize, whole: usize) -> Self {
        /// The 97.5 % quantile of the normal distribution.
        const Z: f64 = 1.959_964;
        if whole == 0 {
            return Self { percent: 0.0, low: 0.0, high: 100.0 };
        }
        let (n, p) = (whole as f64, part as f64 / whole as f64);
        let middle = p + Z * Z / (2.0 * n);
        let reach = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 100.0 / (1.0 + Z * Z / n);
        Self {
            percent: 100.0 * p,
            low: ((middle - reach) * scale).max(0.0),
            high: ((middle + reach) * scale).min(100.0),
        }
    }
}

/// So many of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ratio {
    pub part: usize,
    pub whole: usize,
}

impl Ratio {
    pub fn of(hits: impl IntoIterator<Item = bool>) -> Self {
        let mut ratio = Self::default();
        for hit in hits {
            ratio.part += usize::from(hit);
            ratio.whole += 1;
        }
        ratio
    }

    pub fn percent(self) -> f64 {
        Share::of(self.part, self.whole).percent
    }

    pub fn json(self) -> Value {
        let share = Share::of(self.part, self.whole);
        json!({ "count": self.part, "n": self.whole, "percent": share.percent, "low": share.low,
            "high": share.high })
    }
}

impl std::ops::AddAssign for Ratio {
    fn add_assign(&mut self, other: Self) {
        self.part += other.part;
        self.whole += other.whole;
    }
}

/// `12 of 340    3.5 % [2.0, 6.1]`, in columns.
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = Share::of(self.part, self.whole);
        write!(f, "{:>5} of {:<5} {:>5.1} %", self.part, self.whole, share.percent)?;
        write!(f, "  [{:.1}, {:.1}]", share.low, share.high)
    }
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn the_interval_is_wilsons() {
        for (part, whole, low, high) in
            [(8, 10, 49.0, 94.3), (0, 20, 0.0, 16.1), (20, 20, 83.9, 100.0), (81, 162, 42.4, 57.6)]
        {
            let share = Share::of(part, whole);
            assert!(
                (share.low - low).abs() < 0.1 && (share.high - high).abs() < 0.1,
                "{part}/{whole}: {share:?}"
            );
        }
    }
}
