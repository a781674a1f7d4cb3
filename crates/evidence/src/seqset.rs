//! A set of sequence numbers, kept as runs: a million neighbours take as much memory as one.

use crate::SeqRange;
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(crate) struct SeqSet {
    /// First number of each run to its last.
    runs: BTreeMap<u64, u64>,
}

impl SeqSet {
    /// Numbers come in ascending order.
    pub fn push(&mut self, seq: u64) {
        match self.runs.last_entry() {
            Some(mut run) if *run.get() + 1 == seq => *run.get_mut() = seq,
            _ => {
                self.runs.insert(seq, seq);
            }
        }
    }

    pub fn remove(&mut self, range: SeqRange) {
        // From the last overlapping run backwards, until a run ends before the range.
        while let Some((&first, &last)) = self.runs.range(..=range.last).next_back() {
            if last < range.first {
                break;
            }
            self.runs.remove(&first);
            if last > range.last {
                self.runs.insert(range.last + 1, last);
            }
            if first < range.first {
                self.runs.insert(first, range.first - 1);
            }
        }
    }

    pub fn first(&self) -> Option<u64> {
        self.runs.keys().next().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::SeqSet;
    use crate::SeqRange;
    use proptest::prelude::{any, proptest};
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_holds_what_a_plain_set_holds(
            pushed in proptest::collection::btree_set(1u64..60, 0..40),
            removed in proptest::collection::vec((1u64..60, any::<u8>()), 0..6),
        ) {
            let mut set = SeqSet::default();
            pushed.iter().for_each(|seq| set.push(*seq));
            let mut plain: BTreeSet<u64> = pushed;
            for (first, length) in removed {
                let last = first + u64::from(length % 20);
                set.remove(SeqRange { first, last });
                plain.retain(|seq| !(first..=last).contains(seq));
            }
            let held: BTreeSet<u64> = set.runs.iter().flat_map(|(a, b)| *a..=*b).collect();
            assert_eq!(held, plain);
            assert_eq!(set.first(), plain.first().copied());
        }
    }
}
