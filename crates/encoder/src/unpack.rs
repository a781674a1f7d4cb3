//! Unpacks the weights. What is damaged gives other bytes, which their sum then shows.

use crate::prefix_code::{BLOCK, BYTES, LONGEST, codes};

/// For all that the next bits can be, the byte that they begin with, and the length of its code.
type Table = [(u8, u8); 1 << LONGEST];

pub(crate) fn unpack(mut packed: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some((size, coded, rest)) = header(packed) {
        let (lengths, rest) = rest.split_at_checked(BYTES).unwrap_or_default();
        let (coded, rest) = rest.split_at_checked(coded).unwrap_or_default();
        let start = whole.len();
        whole.resize(start + size.min(BLOCK), 0);
        let (_, block) = whole.split_at_mut(start);
        read(coded, &table(lengths), block);
        packed = rest;
    }
    whole
}

fn header(packed: &[u8]) -> Option<(usize, usize, &[u8])> {
    let (size, rest) = packed.split_first_chunk()?;
    let (coded, rest) = rest.split_first_chunk()?;
    Some((u32::from_le_bytes(*size) as usize, u32::from_le_bytes(*coded) as usize, rest))
}

fn table(lengths: &[u8]) -> Table {
    let mut table = [(0, 0); 1 << LONGEST];
    for code in codes(lengths) {
        let first = usize::try_from(code.bits).unwrap_or(usize::MAX);
        table
            .iter_mut()
            .skip(first)
            .step_by(1 << code.length)
            .for_each(|entry| *entry = (code.byte, code.length));
    }
    table
}

fn read(coded: &[u8], table: &Table, block: &mut [u8]) {
    let mut at = 0;
    // Eight bytes hold four codes, wherever in the first byte they begin.
    for four in block.chunks_mut(4) {
        let bytes = coded.get(at / 8..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        let mut word = u64::from_le_bytes(bytes) >> (at % 8);
        for byte in four {
            let (coded, length) = table.get(word as usize % table.len()).copied().unwrap_or_default();
            *byte = coded;
            word >>= length;
            at += usize::from(length);
        }
    }
}
