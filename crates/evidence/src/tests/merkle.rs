//! The tree against its plain definition in RFC 6962.

use crate::{Frontier, Hash, KEPT_LEVELS, Node, Plan, Subtrees, is_consistent, is_included};
use proptest::prelude::{ProptestConfig, any, proptest};

fn leaf(n: u64) -> Hash {
    Hash::of(&n.to_be_bytes())
}

fn leaves(size: u64) -> Vec<Hash> {
    (0..size).map(leaf).collect()
}

/// MTH, word for word.
fn root_of(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Hash::of(&[]),
        [leaf] => Hash::of(&[&[0], leaf.0.as_slice()].concat()),
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            Hash::of(&[&[1], root_of(left).0.as_slice(), &root_of(right).0].concat())
        }
    }
}

fn tree(size: u64) -> Frontier {
    let mut tree = Frontier::default();
    leaves(size).into_iter().for_each(|leaf| drop(tree.append(leaf)));
    tree
}

fn all_known(size: u64) -> Subtrees {
    let mut known = Subtrees::default();
    leaves(size).into_iter().zip(0..).for_each(|(leaf, index)| known.add_leaf(index, leaf));
    known
}

/// The tree of the first seven leaves of RFC 6962's own example is hashed as its text says.
#[test]
fn the_root_is_that_of_the_definition() {
    for size in 0..300 {
        assert_eq!(tree(size).root(), root_of(&leaves(size)), "{size} leaves");
        assert_eq!(all_known(size).frontier(size), Some(tree(size)));
    }
}

#[test]
fn a_tree_of_equal_leaves_needs_no_leaves() {
    for size in [0, 1, 2, 3, 255, 256, 257, 600] {
        let mut tree = Frontier::default();
        (0..size).for_each(|_| drop(tree.append(leaf(7))));
        assert_eq!(Frontier::repeated(size, leaf(7)), tree);
    }
}

#[test]
fn peaks_are_read_as_they_are_written() {
    let tree = tree(219);
    assert_eq!(Frontier::decode(219, &tree.encode()), Ok(tree.clone()));
    assert!(Frontier::decode(220, &tree.encode()).is_err());
    assert!(Frontier::decode(219, &tree.encode()[1..]).is_err());
}

#[test]
fn completed_subtrees_stand_in_for_their_leaves() {
    let size = 70_000;
    let (mut tree, mut kept) = (Frontier::default(), Subtrees::default());
    for index in 0..size {
        for (node, hash) in tree.append(leaf(index)) {
            assert!(KEPT_LEVELS.contains(&node.level));
            kept.add(node, hash);
        }
    }
    assert_eq!(
        kept.hash(Node { level: 16, place: 0 }),
        all_known(1 << 16).hash(Node { level: 16, place: 0 })
    );
    // The proof of the last leaf needs only the leaves after the last complete block.
    (size / 256 * 256..size).for_each(|index| kept.add_leaf(index, leaf(index)));
    let proof = Plan::inclusion(size - 1, size).proof(&kept).unwrap();
    assert!(is_included(leaf(size - 1), size - 1, size, &proof, tree.root()));
    assert!(Plan::inclusion(3, size).proof(&kept).is_none());
}

#[test]
fn a_log_that_was_cut_at_the_front_proves_what_is_left() {
    for cut in 1..80 {
        let mut known = Subtrees::default();
        known.add_peaks(&tree(cut));
        (cut..100).for_each(|index| known.add_leaf(index, leaf(index)));
        for index in cut..100 {
            let proof = Plan::inclusion(index, 100).proof(&known).unwrap();
            assert!(is_included(leaf(index), index, 100, &proof, tree(100).root()));
        }
        let proof = Plan::consistency(cut, 100).proof(&known).unwrap();
        assert!(is_consistent((cut, tree(cut).root()), (100, tree(100).root()), &proof));
    }
}

#[test]
fn every_leaf_and_every_earlier_tree_is_proven() {
    for size in 1..70 {
        let (known, root) = (all_known(size), tree(size).root());
        for index in 0..size {
            let proof = Plan::inclusion(index, size).proof(&known).unwrap();
            assert!(is_included(leaf(index), index, size, &proof, root), "{index} of {size}");
            let proof = Plan::consistency(index + 1, size).proof(&known).unwrap();
            assert!(is_consistent((index + 1, tree(index + 1).root()), (size, root), &proof));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_changed_proof_proves_nothing(
        size in 2u64..400,
        at in any::<u64>(),
        other in any::<u64>(),
        bit in 0usize..256,
        place in any::<usize>(),
    ) {
        let (known, root) = (all_known(size), tree(size).root());
        let index = at % size;
        let proof = Plan::inclusion(index, size).proof(&known).unwrap();
        assert!(is_included(leaf(index), index, size, &proof, root));
        let elsewhere = other % size;
        assert_eq!(is_included(leaf(index), elsewhere, size, &proof, root), elsewhere == index);
        assert!(!is_included(leaf(index + size), index, size, &proof, root));
        assert!(!is_included(leaf(index), index, size, &proof[1..], root));
        let mut changed = proof.clone();
        changed[place % proof.len()].0[bit / 8] ^= 1 << (bit % 8);
        assert!(!is_included(leaf(index), index, size, &changed, root));

        let (old, new) = (1 + index % (size - 1), (size, root));
        let (before, proof) = (tree(old).root(), Plan::consistency(old, size).proof(&known).unwrap());
        assert!(is_consistent((old, before), new, &proof));
        assert!(!is_consistent((old, Hash::ZERO), new, &proof));
        assert!(!is_consistent((old, before), (size, Hash::ZERO), &proof));
        let mut changed = proof.clone();
        changed[place % proof.len()].0[bit / 8] ^= 1 << (bit % 8);
        assert!(!is_consistent((old, before), new, &changed));
    }
}
