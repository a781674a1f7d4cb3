//! A number with its noun.

/// `1 audit entry`, `2 audit entries`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
