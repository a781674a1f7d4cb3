//! Packs the weights, which are a large part of the program.

#![allow(clippy::print_stdout, reason = "cargo reads it")]

#[path = "src/prefix_code.rs"]
mod prefix_code;

use prefix_code::{BLOCK, BYTES, Code, LONGEST, codes};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::path::Path;

const FILE: &str = "weights.safetensors";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={FILE}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/prefix_code.rs");
    let mut packed = Vec::new();
    for block in std::fs::read(FILE)?.chunks(BLOCK) {
        pack(block, &mut packed)?;
    }
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    std::fs::write(Path::new(&folder).join("weights.packed"), packed)?;
    Ok(())
}

fn pack(block: &[u8], packed: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
    let lengths = lengths(block);
    let mut by_byte = [Code::default(); BYTES];
    for code in codes(&lengths) {
        if let Some(place) = by_byte.get_mut(usize::from(code.byte)) {
            *place = code;
        }
    }
    let mut coded = Vec::with_capacity(block.len());
    let (mut bits, mut held) = (0_u64, 0);
    for byte in block {
        let code = by_byte.get(usize::from(*byte)).copied().unwrap_or_default();
        bits |= code.bits << held;
        held += code.length;
        while held >= 8 {
            coded.push(bits as u8);
            bits >>= 8;
            held -= 8;
        }
    }
    coded.push(bits as u8);
    // It is read eight bytes at a time.
    coded.extend([0; 8]);
    packed.extend(u32::try_from(block.len())?.to_le_bytes());
    packed.extend(u32::try_from(coded.len())?.to_le_bytes());
    packed.extend(lengths);
    packed.extend(coded);
    Ok(())
}

/// Huffman's lengths. While one is too long, the rare bytes are taken to be less rare than they are.
fn lengths(block: &[u8]) -> [u8; BYTES] {
    let mut counts = [0_usize; BYTES];
    for byte in block {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    loop {
        let lengths = huffman(&counts);
        if lengths.iter().all(|length| *length <= LONGEST) {
            return lengths;
        }
        counts.iter_mut().filter(|count| **count > 0).for_each(|count| *count = *count / 2 + 1);
    }
}

fn huffman(counts: &[usize; BYTES]) -> [u8; BYTES] {
    let occurring = counts.iter().zip(0..BYTES).filter(|(count, _)| **count > 0);
    // A group of bytes is as frequent as all of them, and one bit longer with every merge.
    let mut groups: BinaryHeap<Reverse<(usize, Vec<usize>)>> =
        occurring.map(|(count, byte)| Reverse((*count, vec![byte]))).collect();
    // One byte alone needs a bit as well.
    let mut lengths = [u8::from(groups.len() == 1); BYTES];
    while groups.len() > 1
        && let (Some(Reverse((first, mut group))), Some(Reverse((second, other)))) =
            (groups.pop(), groups.pop())
    {
        group.extend(other);
        for byte in &group {
            if let Some(length) = lengths.get_mut(*byte) {
                *length += 1;
            }
        }
        groups.push(Reverse((first + second, group)));
    }
    lengths
}
