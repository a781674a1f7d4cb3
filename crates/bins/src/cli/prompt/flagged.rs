//! What waits for the person's word, with what would become of it.

use crate::cli::session::Session;
use serde_json::json;

/// What each flagged fact in a reply waits to do. A removal looks like the fact that it would remove.
pub(super) async fn waiting(session: &Session, tool: &str, text: &str) -> Vec<(i64, String)> {
    let listed = match tool {
        "list_memories" => text.to_owned(),
        "remember" if text.contains("[FLAG] ") => session.call("list_memories", json!({})).await.text,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for line in listed.lines().filter_map(|line| line.strip_prefix("⚠ ")) {
        let Some((pair, rest)) = line.rsplit_once("  (#") else { continue };
        let number = rest.split(',').next().and_then(|number| number.parse().ok());
        let told = tool == "list_memories" || flags(text, pair);
        let Some(number) = number.filter(|_| told) else { continue };
        let shown = session.call("get_memory", json!({ "memory_id": number })).await.text;
        let effect = shown.lines().find_map(|line| line.strip_prefix("  if confirmed: "));
        found.extend(effect.map(|effect| (number, effect.to_owned())));
    }
    found
}

/// Whether a reply flags this fact, and not only one whose value begins with the same words.
fn flags(reply: &str, pair: &str) -> bool {
    let mark = format!("[FLAG] {pair}");
    let ends = |rest: &str| rest.is_empty() || rest.starts_with("; [") || rest.starts_with('\n');
    reply.match_indices(&mark).any(|(at, _)| reply.get(at + mark.len()..).is_some_and(ends))
}

#[cfg(test)]
mod tests {
    use super::flags;

    #[test]
    fn a_flag_is_not_confused_with_a_longer_one() {
        let reply = "Stored: [FLAG] rent = 900; [ADD] city = Leeds";
        assert!(flags(reply, "rent = 900"));
        assert!(!flags(reply, "rent = 90") && !flags(reply, "city = Leeds"));
        assert!(flags("Stored: [FLAG] rent = 90", "rent = 90"));
    }
}
