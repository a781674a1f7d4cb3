//! Functions that the compiler can turn into vector instructions, unlike the library's.

/// e to the power of a number that is not above zero, to six digits: two to the power of the whole part, times a series
/// for the rest.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.max(-80.0) * std::f32::consts::LOG2_E;
    // Numbers of this size have no digits after the point, so adding it rounds.
    const ROUNDING: f32 = 12_582_912.0;
    let whole = (x + ROUNDING) - ROUNDING;
    let rest = (x - whole) * std::f32::consts::LN_2;
    let series = 1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0));
    let series = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * series)));
    series * f32::from_bits((((whole as i32) + 127) << 23).cast_unsigned())
}

/// The approximation by a hyperbolic tangent, which is made of an exponential.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
    let small = exp(-2.0 * inner.abs());
    let tanh = ((1.0 - small) / (1.0 + small)).copysign(inner);
    0.5 * x * (1.0 + tanh)
}

/// Turns scores into shares of one, in place.
#[inline(always)]
pub(crate) fn softmax(scores: &mut [f32]) {
    let max = scores.iter().copied().fold(f32::MIN, f32::max);
    scores.iter_mut().for_each(|score| *score = exp(*score - max));
    let total: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= total);
}
