//! The keys of all users from one secret, of which single keys can be destroyed.
//!
//! A binary tree: every node yields the two below it, and the leaf with the number of a user's key is that key. Only the
//! fewest nodes are kept that yield all keys which are left: at first the root alone. To destroy a key, the node above it
//! is replaced by the nodes beside the way down to it, and nothing that is kept yields that key any more. So a copy of
//! the tree from any earlier time opens what users stored later as well, and whoever keeps no copy cannot get a destroyed
//! key back.

use super::secret::Secret;
use crate::seal::UserKeyId;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::collections::BTreeMap;

/// As many levels as the number of a key has bits.
const DEPTH: u8 = UserKeyId::BITS;

/// A node: how far below the root, and the way there, one bit a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Node {
    pub depth: u8,
    pub way: u64,
}

impl Node {
    /// The node that is passed at this depth on the way to a key.
    const fn towards(id: UserKeyId, depth: u8) -> Self {
        Self { depth, way: id.0 >> (DEPTH - depth) }
    }

    const fn beside(self) -> Self {
        Self { depth: self.depth, way: self.way ^ 1 }
    }
}

#[derive(Clone)]
pub(crate) struct UserTree(BTreeMap<Node, Secret>);

impl UserTree {
    pub fn new(root: Secret) -> Self {
        Self(BTreeMap::from([(Node { depth: 0, way: 0 }, root)]))
    }

    pub fn of_nodes(nodes: impl IntoIterator<Item = (Node, Secret)>) -> Self {
        Self(nodes.into_iter().collect())
    }

    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (&Node, &Secret)> {
        self.0.iter()
    }

    fn above(&self, id: UserKeyId) -> Option<Node> {
        (0..=DEPTH).map(|depth| Node::towards(id, depth)).find(|node| self.0.contains_key(node))
    }

    /// The key of that number; `None` once it was destroyed.
    pub fn key(&self, id: UserKeyId) -> Option<Secret> {
        let above = self.above(id)?;
        let mut secret = self.0.get(&above)?.clone();
        for depth in above.depth + 1..=DEPTH {
            secret = below(&secret, Node::towards(id, depth))?;
        }
        Some(secret)
    }

    /// Whether the key was still there.
    pub fn destroy(&mut self, id: UserKeyId) -> bool {
        let Some((above, mut secret)) =
            self.above(id).and_then(|above| Some((above, self.0.remove(&above)?)))
        else {
            return false;
        };
        for depth in above.depth + 1..=DEPTH {
            let next = Node::towards(id, depth);
            let (kept, passed) = (below(&secret, next.beside()), below(&secret, next));
            let (Some(kept), Some(passed)) = (kept, passed) else { return true };
            self.0.insert(next.beside(), kept);
            secret = passed;
        }
        true
    }
}

/// The secret of a node that is directly below the one with this secret.
fn below(secret: &Secret, node: Node) -> Option<Secret> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_slice()).ok()?;
    mac.update(b"svc user tree v1");
    mac.update(&[u8::from(node.way & 1 == 1)]);
    Some(Secret::new(mac.finalize().into_bytes().into()))
}

#[cfg(test)]
mod tests {
    use super::{DEPTH, UserTree};
    use crate::keys::secret::Secret;
    use crate::seal::UserKeyId;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    fn tree() -> UserTree {
        UserTree::new(Secret::new([7; 32]))
    }

    fn id(number: u64) -> UserKeyId {
        UserKeyId(number & ((1 << DEPTH) - 1))
    }

    proptest! {
        #[test]
        fn a_destroyed_key_is_gone_and_all_others_stay(
            destroyed in proptest::collection::vec(proptest::num::u64::ANY, 1..12),
            others in proptest::collection::vec(proptest::num::u64::ANY, 1..12),
        ) {
            let (whole, mut punched) = (tree(), tree());
            for number in &destroyed {
                punched.destroy(id(*number));
            }
            for number in destroyed.iter().copied() {
                prop_assert!(punched.key(id(number)).is_none());
                prop_assert!(!punched.destroy(id(number)), "it is gone already");
            }
            // Those right beside a destroyed key too.
            for number in others.into_iter().chain(destroyed.iter().map(|number| number ^ 1)) {
                if !destroyed.iter().any(|gone| id(*gone) == id(number)) {
                    prop_assert_eq!(punched.key(id(number)), whole.key(id(number)));
                    prop_assert!(whole.key(id(number)).is_some());
                }
            }
        }
    }

    #[test]
    fn no_node_that_is_left_is_on_the_way_to_a_destroyed_key() {
        let mut tree = tree();
        assert!(tree.destroy(id(0x00ab_cdef_0123_4567)));
        assert_eq!(tree.nodes().len(), usize::from(DEPTH));
        let way = |depth: u8| id(0x00ab_cdef_0123_4567).0 >> (DEPTH - depth);
        assert!(tree.nodes().all(|(node, _)| node.way != way(node.depth)));
    }

    #[test]
    fn every_user_has_another_key() {
        let keys: std::collections::BTreeSet<[u8; 32]> =
            (0..100).map(|number| *tree().key(id(number)).unwrap()).collect();
        assert_eq!(keys.len(), 100);
    }

    #[test]
    fn keys_of_one_run_that_are_all_destroyed_leave_little_behind() {
        let mut tree = tree();
        let ids: Vec<UserKeyId> = (0..4096).map(|_| UserKeyId::fresh().unwrap()).collect();
        for id in &ids {
            tree.destroy(*id);
        }
        // Other tests draw numbers of the same runs meanwhile.
        assert!(tree.nodes().len() < 300, "{}", tree.nodes().len());
        assert!(ids.iter().all(|id| tree.key(*id).is_none()));
    }
}
