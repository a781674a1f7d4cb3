//! The text of the key files, one key a line, the newest last:
//!
//! ```text
//! <db>.key        svc-key-v1 <key id> <secret>
//! <db>.sign.key   svc-sign-v1 history <key history>    first, where a key signed before
//!                 svc-sign-v1 secret <secret>          the key that signs; two while it is being replaced
//! <db>.salt       svc-salt-v1 <salt>
//! ```
//!
//! All in hexadecimal, except that a secret which Vault wrapped is written as `vault:v<n>:<base64>`, one that a passphrase
//! locks as `locked:<hexadecimal>`, and one that is sealed under the master key as `sealed:<hexadecimal>`. The reader takes
//! nothing else: a key file that is nearly right is a damaged one.

use zeroize::Zeroizing;

use crate::seal::KeyId;

/// What is wrong with a file, for a person; never the text itself, which may be a secret.
pub(super) type Problem = String;

pub(super) fn key_line(id: KeyId, secret: &str) -> Zeroizing<String> {
    Zeroizing::new(format!("svc-key-v1 {id} {secret}\n"))
}

pub(super) fn sign_line(secret: &str) -> Zeroizing<String> {
    Zeroizing::new(format!("svc-sign-v1 secret {secret}\n"))
}

pub(super) fn sign_lines(history: &[u8], secrets: &[Zeroizing<String>]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(format!("svc-sign-v1 history {}\n", hex::encode(history)));
    secrets.iter().for_each(|secret| text.push_str(&sign_line(secret)));
    text
}

pub(super) fn salt_line(salt: &[u8; 16]) -> String {
    format!("svc-salt-v1 {}\n", hex::encode(salt))
}

/// Names and secrets as the file has them, oldest first; at least one.
pub(super) fn key_file(text: &str) -> Result<Vec<(KeyId, &str)>, Problem> {
    let mut keys: Vec<(KeyId, &str)> = Vec::new();
    for (at, [tag, id, secret]) in fields(text)? {
        if tag != "svc-key-v1" {
            return Err(format!("line {at} does not begin with svc-key-v1"));
        }
        let id = KeyId(*hexadecimal(id).ok_or_else(|| format!("line {at} has no key id of 8 hex digits"))?);
        if keys.iter().any(|(known, _)| *known == id) {
            return Err(format!("line {at} repeats key {id}"));
        }
        keys.push((id, secret));
    }
    Ok(keys)
}

/// The first text with the keys that only the second has. `None` where those do not simply follow the ones of the first.
pub(super) fn grown(held: &str, newer: &str) -> Option<Zeroizing<String>> {
    let (before, after) = (key_file(held).ok()?, key_file(newer).ok()?);
    let known = before.iter().map(|(id, _)| id);
    let follows = after.len() > before.len() && known.eq(after.iter().take(before.len()).map(|(id, _)| id));
    if !follows {
        return None;
    }
    let mut text = Zeroizing::new(String::with_capacity(held.len() + newer.len()));
    text.push_str(held);
    after.iter().skip(before.len()).for_each(|(id, secret)| text.push_str(&key_line(*id, secret)));
    Some(text)
}

/// The history of the keys, and the secrets as the file has them, at least one.
pub(super) fn sign_file(text: &str) -> Result<(Option<Vec<u8>>, Vec<&str>), Problem> {
    let (mut history, mut secrets) = (None, Vec::new());
    for (at, line) in fields(text)? {
        match line {
            ["svc-sign-v1", "history", digits] if at == 1 => {
                let bytes = hex::decode(digits).map_err(|_| format!("line {at} is not hex digits"))?;
                history = Some(bytes);
            }
            ["svc-sign-v1", "secret", secret] if secrets.contains(&secret) => {
                return Err(format!("line {at} repeats a secret"));
            }
            ["svc-sign-v1", "secret", secret] => secrets.push(secret),
            _ => return Err(format!("line {at} does not begin with svc-sign-v1 secret")),
        }
    }
    if secrets.is_empty() {
        return Err("it has no line that begins with svc-sign-v1 secret".to_owned());
    }
    Ok((history, secrets))
}

pub(super) fn salt_file(text: &str) -> Result<[u8; 16], Problem> {
    match fields(text)?.as_slice() {
        [(_, ["svc-salt-v1", salt])] => {
            hexadecimal(salt).map(|s| *s).ok_or_else(|| "the salt is not 32 hex digits".to_owned())
        }
        _ => Err("it is not one line that begins with svc-salt-v1".to_owned()),
    }
}

/// Exactly as many hexadecimal digits as the bytes need.
pub(super) fn hexadecimal<const N: usize>(digits: &str) -> Option<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    hex::decode_to_slice(digits, bytes.as_mut_slice()).ok()?;
    Some(bytes)
}

/// The fields of each line, with the line's number. One space separates two fields, and every line is full.
fn fields<const N: usize>(text: &str) -> Result<Vec<(usize, [&str; N])>, Problem> {
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    text.lines()
        .zip(1..)
        .map(|(line, at)| match line.split(' ').collect::<Vec<_>>().try_into() {
            Ok(fields) => Ok((at, fields)),
            Err(_) => Err(format!("line {at} has not {N} fields with one space between them")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{grown, key_file, key_line, salt_file, salt_line, sign_file, sign_line};
    use crate::seal::KeyId;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

    proptest! {
        #[test]
        fn what_is_written_reads_back(id: [u8; 4], salt: [u8; 16], secret in "[0-9a-f]{64}") {
            let (key, sign) = (key_line(KeyId(id), &secret), sign_line(&secret));
            prop_assert_eq!(key_file(&key), Ok(vec![(KeyId(id), secret.as_str())]));
            prop_assert_eq!(sign_file(&sign), Ok((None, vec![secret.as_str()])));
            prop_assert_eq!(salt_file(&salt_line(&salt)), Ok(salt));
        }

        #[test]
        fn garbage_is_refused_and_never_repeated_in_the_message(text in "[ -~\n]{0,80}") {
            for problem in [key_file(&text).err(), sign_file(&text).err(), salt_file(&text).err()] {
                let problem = problem.unwrap();
                prop_assert!(text.len() < 12 || !problem.contains(text.trim()), "{}", problem);
            }
        }
    }

    #[test]
    fn rotated_files_list_the_older_keys_first() {
        let text = format!("svc-key-v1 00000001 {A}\nsvc-key-v1 00000002 vault:v1:abc\n");
        let keys = key_file(&text).unwrap();
        assert_eq!(keys, [(KeyId([0, 0, 0, 1]), A), (KeyId([0, 0, 0, 2]), "vault:v1:abc")]);

        let text =
            format!("svc-sign-v1 history {A}\nsvc-sign-v1 secret {A}\nsvc-sign-v1 secret vault:v1:abc\n");
        assert_eq!(sign_file(&text).unwrap(), (Some(vec![0xaa; 32]), vec![A, "vault:v1:abc"]));
    }

    #[test]
    fn a_file_grows_by_the_keys_that_follow_its_own() {
        let line = |n: u8, secret: &str| key_line(KeyId([n; 4]), secret).to_string();
        let held = line(1, A);
        let newer = line(1, "vault:v1:abc") + &line(2, A);
        assert_eq!(grown(&held, &newer).unwrap().as_str(), line(1, A) + &line(2, A));
        for other in [line(2, A) + &line(1, A), held.clone(), String::new(), line(2, A)] {
            assert_eq!(grown(&held, &other), None, "{other}");
        }
    }

    #[test]
    fn a_file_that_is_nearly_right_is_refused_with_the_line() {
        let good = format!("svc-key-v1 00000001 {A}\n");
        for (text, problem) in [
            (String::new(), "it is empty"),
            (format!("{good}\n"), "line 2 has not 3 fields with one space between them"),
            (format!("{good}{good}"), "line 2 repeats key 00000001"),
            (good.replace("v1", "v2"), "line 1 does not begin with svc-key-v1"),
            (good.replace("01", "1"), "line 1 has no key id of 8 hex digits"),
        ] {
            assert_eq!(key_file(&text), Err(problem.to_owned()), "{text}");
        }
        let secret = format!("svc-sign-v1 secret {A}\n");
        let history = format!("svc-sign-v1 history {A}\n");
        for (text, problem) in [
            (history.clone(), "it has no line that begins with svc-sign-v1 secret"),
            (format!("{secret}{history}"), "line 2 does not begin with svc-sign-v1 secret"),
            (format!("{}{secret}", history.replace("aa\n", "a\n")), "line 1 is not hex digits"),
        ] {
            assert_eq!(sign_file(&text), Err(problem.to_owned()), "{text}");
        }
    }
}
