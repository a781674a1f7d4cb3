//! Numbers that look random and are the same every time (splitmix64).

pub struct Seed(u64);

impl Seed {
    pub fn new(number: u64) -> Self {
        Self(number.wrapping_mul(0xD129_0C3E_5B8F_4A77))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to below `end`; 0 where there is no room.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap()
    }

    /// True once in so many times.
    pub fn chance(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub fn pick_mut<'a, T>(&mut self, from: &'a mut [T]) -> &'a mut T {
        let at = self.below(from.len());
        &mut from[at]
    }

    pub fn byte(&mut self) -> u8 {
        (self.next() & 0xFF) as u8
    }

    /// Up to so many bytes.
    pub fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.byte()).collect()
    }
}
