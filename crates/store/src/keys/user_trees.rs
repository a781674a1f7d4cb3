//! The trees of the users' keys, as they are written: sealed under the master key, in the file `<db>.users.key`, or in the
//! database where several hosts share it. The newest tree seals; the older ones open what they sealed.
//!
//! ```text
//! id, 8 bytes | then for each tree: number, 1 byte | nodes, 4 bytes | for each: depth, 1 byte | way, 8 bytes | secret, 32 bytes
//! ```

use super::KeyError;
use super::secret::{Secret, random};
use super::user_tree::{Node, UserTree};
use crate::seal::{SealError, Sealer, UserKeyId};
use zeroize::Zeroizing;

const AAD: &[u8] = b"svc users' keys v1";
const HEADING: &[u8] = b"svc-users-v1\n";
const FIRST: u8 = 1;

#[derive(Clone)]
pub(crate) struct UserTrees {
    /// Tells whose keys these are. The database names it too.
    pub id: [u8; 8],
    /// By their numbers, the newest last; at least one.
    trees: Vec<(u8, UserTree)>,
}

impl UserTrees {
    pub fn generate() -> Result<Self, KeyError> {
        Ok(Self { id: *random()?, trees: vec![(FIRST, UserTree::new(random()?))] })
    }

    /// The number of the tree that seals.
    pub fn newest(&self) -> u8 {
        self.trees.last().map_or(FIRST, |(number, _)| *number)
    }

    /// `None` once it was destroyed, and where there is no such tree.
    pub fn key(&self, tree: u8, id: UserKeyId) -> Option<Secret> {
        self.trees.iter().find(|(number, _)| *number == tree)?.1.key(id)
    }

    pub fn has_tree(&self, tree: u8) -> bool {
        self.trees.iter().any(|(number, _)| *number == tree)
    }

    /// Whether the key was destroyed. Those that came after have no way to tell.
    pub fn lacks(&self, id: UserKeyId) -> bool {
        self.trees.iter().any(|(_, tree)| tree.key(id).is_none())
    }

    /// Adds a tree, which seals from now on; returns its number.
    pub fn grow(&mut self) -> Result<u8, KeyError> {
        let number = self.newest().checked_add(1).ok_or(KeyError::ManyGenerations)?;
        self.trees.push((number, UserTree::new(random()?)));
        Ok(number)
    }

    pub fn destroy(&mut self, ids: &[UserKeyId]) {
        for (_, tree) in &mut self.trees {
            for id in ids {
                tree.destroy(*id);
            }
        }
    }

    pub fn seal(&self, sealer: &Sealer) -> Result<Vec<u8>, SealError> {
        let mut plain = Zeroizing::new(Vec::with_capacity(self.size()));
        plain.extend_from_slice(&self.id);
        for (number, tree) in &self.trees {
            plain.push(*number);
            plain.extend_from_slice(&(tree.nodes().len() as u32).to_be_bytes());
            for (node, secret) in tree.nodes() {
                plain.push(node.depth);
                plain.extend_from_slice(&node.way.to_be_bytes());
                plain.extend_from_slice(secret.as_slice());
            }
        }
        let mut written = HEADING.to_vec();
        written.extend(sealer.seal(AAD, &plain)?);
        Ok(written)
    }

    /// The whole room at once: a buffer that grows leaves copies of the secrets behind.
    fn size(&self) -> usize {
        8 + self.trees.iter().map(|(_, tree)| 5 + 41 * tree.nodes().len()).sum::<usize>()
    }

    /// An error says what is wrong, for a person.
    pub fn open(sealer: &Sealer, written: &[u8]) -> Result<Self, String> {
        let sealed = written.strip_prefix(HEADING).ok_or("it does not begin with svc-users-v1")?;
        let plain = sealer.open(AAD, sealed).map_err(|e| e.to_string())?;
        Self::read(&plain).filter(|trees| !trees.trees.is_empty()).ok_or_else(|| "it ends early".to_owned())
    }

    fn read(plain: &[u8]) -> Option<Self> {
        let (id, mut rest) = plain.split_first_chunk::<8>()?;
        let mut trees = Vec::new();
        while let Some((number, after)) = rest.split_first() {
            let (count, mut after) = after.split_first_chunk::<4>()?;
            let mut nodes = Vec::new();
            for _ in 0..u32::from_be_bytes(*count) {
                let (depth, node) = after.split_first()?;
                let (way, node) = node.split_first_chunk::<8>()?;
                let (secret, next) = node.split_first_chunk::<32>()?;
                nodes.push((Node { depth: *depth, way: u64::from_be_bytes(*way) }, Secret::new(*secret)));
                after = next;
            }
            trees.push((*number, UserTree::of_nodes(nodes)));
            rest = after;
        }
        Some(Self { id: *id, trees })
    }
}

#[cfg(test)]
mod tests {
    use super::UserTrees;
    use crate::seal::{KeyId, SealKey, Sealer, UserKeyId};

    fn sealer(n: u8) -> Sealer {
        Sealer::sealing(SealKey::new(KeyId([n; 4]), &[n; 32]), Vec::new())
    }

    #[test]
    fn what_is_written_reads_back_without_the_destroyed_keys() {
        let mut trees = UserTrees::generate().unwrap();
        let (kept, gone) = (UserKeyId(5), UserKeyId(6));
        trees.destroy(&[gone]);
        let written = trees.seal(&sealer(1)).unwrap();
        let read = UserTrees::open(&sealer(1), &written).unwrap();
        assert_eq!(read.id, trees.id);
        assert_eq!(read.key(read.newest(), kept), trees.key(trees.newest(), kept));
        assert!(read.key(read.newest(), kept).is_some());
        assert!(read.key(read.newest(), gone).is_none());
        assert!(UserTrees::open(&sealer(2), &written).is_err());
        assert!(UserTrees::open(&sealer(1), &written[..written.len() - 1]).is_err());
    }
}
