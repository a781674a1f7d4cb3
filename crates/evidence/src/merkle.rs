//! The log as a Merkle tree, hashed as RFC 6962 says. Its leaves are the hashes of the entries, in their order. With a
//! few hashes it shows that an entry is in the log, and that one log continues another.

use crate::{Hash, Malformed};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ops::Range;

/// The heights at which a database keeps the hash of each complete subtree, the largest first. A proof then needs to
/// read a few hundred hashes, however long the log is.
pub const KEPT_LEVELS: [u8; 3] = [24, 16, 8];

/// A complete subtree: the leaves from `place << level` on, `1 << level` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    pub level: u8,
    pub place: u64,
}

impl Node {
    const fn parent(self) -> Self {
        Self { level: self.level + 1, place: self.place >> 1 }
    }

    /// The subtrees of a lower level that it consists of.
    pub const fn places_at(self, level: u8) -> Range<u64> {
        let width = self.level - level;
        self.place << width..(self.place + 1) << width
    }
}

/// The tree over some leaves, as far as it is needed to append to it: the complete subtrees that it consists of, the
/// largest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontier {
    size: u64,
    peaks: Vec<Hash>,
}

impl Frontier {
    pub const fn size(&self) -> u64 {
        self.size
    }

    pub fn peaks(&self) -> &[Hash] {
        &self.peaks
    }

    /// There is one peak for each binary digit of the size that is 1.
    pub fn of(size: u64, peaks: Vec<Hash>) -> Result<Self, Malformed> {
        if peaks.len() as u64 == u64::from(size.count_ones()) {
            return Ok(Self { size, peaks });
        }
        Err(Malformed::new(format!("a tree of {size} leaves does not have {} peaks", peaks.len())))
    }

    /// A tree whose leaves are all the same.
    pub fn repeated(size: u64, leaf: Hash) -> Self {
        let mut peaks = Vec::new();
        let mut hash = leaf_hash(leaf);
        for level in 0..u64::BITS - size.leading_zeros() {
            if size >> level & 1 == 1 {
                peaks.push(hash);
            }
            hash = join(hash, hash);
        }
        peaks.reverse();
        Self { size, peaks }
    }

    /// Adds a leaf; returns the subtrees of the kept levels that it completes.
    pub fn append(&mut self, leaf: Hash) -> Vec<(Node, Hash)> {
        let mut completed = Vec::new();
        let mut node = Node { level: 0, place: self.size };
        let mut hash = leaf_hash(leaf);
        while node.place & 1 == 1
            && let Some(left) = self.peaks.pop()
        {
            hash = join(left, hash);
            node = node.parent();
            if KEPT_LEVELS.contains(&node.level) {
                completed.push((node, hash));
            }
        }
        self.peaks.push(hash);
        self.size += 1;
        completed
    }

    pub fn root(&self) -> Hash {
        self.peaks.iter().rev().copied().reduce(|right, left| join(left, right)).unwrap_or_else(empty)
    }

    /// The peaks one after the other.
    pub fn encode(&self) -> Vec<u8> {
        self.peaks.iter().flat_map(|peak| peak.0).collect()
    }

    pub fn decode(size: u64, bytes: &[u8]) -> Result<Self, Malformed> {
        match bytes.as_chunks::<32>() {
            (peaks, []) => Self::of(size, peaks.iter().copied().map(Hash).collect()),
            _ => Err(Malformed::new("the peaks of a tree are not whole hashes")),
        }
    }
}

/// The subtrees whose hashes are the peaks of a tree of this size.
pub fn peaks_of(size: u64) -> Vec<Node> {
    nodes_of(&(0..size))
}

/// What is known of a tree: the hashes of some of its subtrees.
#[derive(Debug, Default)]
pub struct Subtrees(BTreeMap<Node, Hash>);

impl Subtrees {
    pub fn add(&mut self, node: Node, hash: Hash) {
        self.0.insert(node, hash);
    }

    pub fn add_leaf(&mut self, index: u64, leaf: Hash) {
        self.add(Node { level: 0, place: index }, leaf_hash(leaf));
    }

    pub fn add_peaks(&mut self, tree: &Frontier) {
        self.0.extend(peaks_of(tree.size).into_iter().zip(tree.peaks.iter().copied()));
    }

    /// The hash of the subtree, where it is known or those below it are.
    pub fn hash(&self, node: Node) -> Option<Hash> {
        if let Some(hash) = self.0.get(&node) {
            return Some(*hash);
        }
        let level = node.level.checked_sub(1)?;
        let left = self.hash(Node { level, place: node.place << 1 })?;
        Some(join(left, self.hash(Node { level, place: (node.place << 1) + 1 })?))
    }

    /// The tree over the first leaves.
    pub fn frontier(&self, size: u64) -> Option<Frontier> {
        let peaks = peaks_of(size).into_iter().map(|node| self.hash(node)).collect::<Option<_>>()?;
        Some(Frontier { size, peaks })
    }

    fn range(&self, range: &Range<u64>) -> Option<Hash> {
        let mut hash = None;
        for node in nodes_of(range).into_iter().rev() {
            let left = self.hash(node)?;
            hash = Some(hash.map_or(left, |right| join(left, right)));
        }
        hash
    }
}

/// Which parts of a tree a proof consists of, in its order.
#[derive(Debug)]
pub struct Plan(Vec<Range<u64>>);

impl Plan {
    /// That the leaf at `index` is in the tree of `size` leaves.
    pub fn inclusion(index: u64, size: u64) -> Self {
        let mut parts = Vec::new();
        if index < size {
            inclusion(index, 0..size, &mut parts);
        }
        Self(parts)
    }

    /// That the tree of `size` leaves begins with that of `old` leaves.
    pub fn consistency(old: u64, size: u64) -> Self {
        let mut parts = Vec::new();
        if 0 < old && old < size {
            consistency(old, 0..size, true, &mut parts);
        }
        Self(parts)
    }

    /// The subtrees whose hashes are needed.
    pub fn nodes(&self) -> Vec<Node> {
        self.0.iter().flat_map(nodes_of).collect()
    }

    /// `None` where one of the hashes is not known.
    pub fn proof(&self, known: &Subtrees) -> Option<Vec<Hash>> {
        self.0.iter().map(|part| known.range(part)).collect()
    }
}

/// Whether the proof shows that the leaf is at `index` in the tree of `size` leaves with this root.
pub fn is_included(leaf: Hash, index: u64, size: u64, proof: &[Hash], root: Hash) -> bool {
    if index >= size {
        return false;
    }
    let (mut at, mut last) = (index, size - 1);
    let mut hash = leaf_hash(leaf);
    for part in proof {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            hash = join(*part, hash);
            // Up to where there is something to the left.
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            hash = join(hash, *part);
        }
        at >>= 1;
        last >>= 1;
    }
    last == 0 && hash == root
}

/// Whether the proof shows that the tree of `size` leaves begins with the tree of `old` leaves.
pub fn is_consistent(old: (u64, Hash), new: (u64, Hash), proof: &[Hash]) -> bool {
    let ((old, old_root), (size, root)) = (old, new);
    if old == 0 || old >= size {
        return proof.is_empty() && (old == 0 || old == size && old_root == root);
    }
    let (mut at, mut last) = (old - 1, size - 1);
    while at & 1 == 1 {
        at >>= 1;
        last >>= 1;
    }
    // A complete old tree is itself the first part.
    let (first, rest) = match proof.split_first() {
        _ if old.is_power_of_two() => (old_root, proof),
        Some((first, rest)) => (*first, rest),
        None => return false,
    };
    let (mut before, mut now) = (first, first);
    for part in rest {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            before = join(*part, before);
            now = join(*part, now);
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            now = join(now, *part);
        }
        at >>= 1;
        last >>= 1;
    }
    last == 0 && before == old_root && now == root
}

/// PATH of RFC 6962, over the leaves of `range`.
fn inclusion(index: u64, range: Range<u64>, parts: &mut Vec<Range<u64>>) {
    let Some(middle) = middle_of(&range) else { return };
    if index < middle {
        inclusion(index, range.start..middle, parts);
        parts.push(middle..range.end);
    } else {
        inclusion(index, middle..range.end, parts);
        parts.push(range.start..middle);
    }
}

/// SUBPROOF of RFC 6962. `is_known`: whether the verifier has the hash of the old leaves in `range`.
fn consistency(old: u64, range: Range<u64>, is_known: bool, parts: &mut Vec<Range<u64>>) {
    if old == range.end {
        if !is_known {
            parts.push(range);
        }
        return;
    }
    let Some(middle) = middle_of(&range) else { return };
    if old <= middle {
        consistency(old, range.start..middle, is_known, parts);
        parts.push(middle..range.end);
    } else {
        consistency(old, middle..range.end, false, parts);
        parts.push(range.start..middle);
    }
}

/// Where the tree over these leaves is divided; `None` for a single leaf.
fn middle_of(range: &Range<u64>) -> Option<u64> {
    let last = (range.end - range.start).checked_sub(2)? + 1;
    Some(range.start + (1 << last.ilog2()))
}

/// The complete subtrees of a range that begins where a subtree of its size may begin, the largest first.
fn nodes_of(range: &Range<u64>) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let level = (range.end - start).ilog2();
        nodes.push(Node { level: level as u8, place: start >> level });
        start += 1 << level;
    }
    nodes
}

fn empty() -> Hash {
    Hash::of(&[])
}

fn leaf_hash(leaf: Hash) -> Hash {
    Hash(Sha256::new().chain_update([0]).chain_update(leaf.0).finalize().into())
}

fn join(left: Hash, right: Hash) -> Hash {
    Hash(Sha256::new().chain_update([1]).chain_update(left.0).chain_update(right.0).finalize().into())
}
