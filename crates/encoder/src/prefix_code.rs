//! How the weights are packed: a byte that is frequent in its block has a short code. `build.rs` packs, and `unpack`
//! reads. A block is its size and that of its codes, four bytes each; the length of every byte's code; and the codes.

/// Bits of the longest code. A table of this many bits knows a code at one look.
pub const LONGEST: u8 = 12;
/// Bytes of a block. Each tensor has its own frequencies, and most are larger than this.
pub const BLOCK: usize = 1 << 17;
/// How many bytes there are to code.
pub const BYTES: usize = 256;

#[derive(Clone, Copy, Default)]
pub struct Code {
    pub byte: u8,
    pub length: u8,
    /// The first bit is the lowest.
    pub bits: u64,
}

/// The codes of the bytes that occur, which follow from their lengths alone: shorter ones first, each the next number.
pub fn codes(lengths: &[u8]) -> impl Iterator<Item = Code> {
    let occurring = lengths.iter().zip(0..=u8::MAX).filter(|(length, _)| (1..=LONGEST).contains(*length));
    let mut by_length: Vec<(u8, u8)> = occurring.map(|(length, byte)| (*length, byte)).collect();
    by_length.sort_unstable();
    let (mut next, mut last) = (0_u64, 0);
    by_length.into_iter().map(move |(length, byte)| {
        let number = next << (length - last);
        (next, last) = (number.wrapping_add(1), length);
        Code { byte, length, bits: number.reverse_bits() >> (u64::BITS - u32::from(length)) }
    })
}
