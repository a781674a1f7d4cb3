//! The id of a request in the log and in the audit trail.

/// 16 random hexadecimal digits.
pub(crate) fn random() -> String {
    let mut bytes = [0_u8; 8];
    // Without randomness requests share an id; that is no reason to turn them away.
    let _ = getrandom::fill(&mut bytes);
    hex::encode(bytes)
}

/// The client's own id if it is fit for a log line; otherwise a new one.
pub(crate) fn of(offered: Option<&str>) -> String {
    offered.filter(|id| is_fit(id)).map_or_else(random, str::to_owned)
}

fn is_fit(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::of;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_id_of_the_allowed_letters_and_length_is_kept(id in "[A-Za-z0-9._:-]{1,64}") {
            prop_assert_eq!(of(Some(&id)), id);
        }

        #[test]
        fn any_other_id_is_replaced_by_sixteen_hexadecimal_digits(
            id in prop_oneof!["[A-Za-z0-9._:-]{65,80}", "[a-z]{0,30}[^A-Za-z0-9._:-][a-z]{0,30}", Just(String::new())],
        ) {
            let replaced = of(Some(&id));
            prop_assert_eq!(replaced.len(), 16);
            prop_assert!(replaced.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
        }
    }

    #[test]
    fn a_request_without_an_id_gets_one_of_its_own() {
        assert_ne!(of(None), of(None));
    }
}
