//! The id under which one request stands in the log and in the audit trail.

/// 16 random hexadecimal digits.
pub(crate) fn random() -> String {
    let mut bytes = [0_u8; 8];
    // Without randomness requests share an id; that is no reason to turn them away.
    let _ = getrandom::fill(&mut bytes);
    hex::encode(bytes)
}
