//! Arguments of tools: of the wrong type, too many, too few, too large, or right and odd.

use crate::support::Seed;
use crate::support::says;
use serde_json::{Map, Value, json};

/// Arguments that follow the schema here and there.
pub fn arguments(seed: &mut Seed, schema: &Value) -> Value {
    let Some(properties) = schema["properties"].as_object().filter(|all| !all.is_empty()) else {
        // Arguments that are right would have these tools read the whole log, which grows all the while.
        return if seed.chance(20_000) { json!({}) } else { json!({ string(seed): value(seed) }) };
    };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut arguments = Map::new();
    for (name, schema) in properties {
        // Without a user_id everything would happen in one space.
        let is_wanted = name == "user_id" || required.iter().any(|required| required == name);
        if seed.chance(if is_wanted { 20 } else { 2 }) {
            continue;
        }
        let given = if seed.chance(4) { value(seed) } else { typed(seed, name, schema) };
        arguments.insert(name.clone(), given);
    }
    if seed.chance(12) {
        arguments.insert(string(seed), value(seed));
    }
    Value::Object(arguments)
}

/// A value of the type that the schema asks for.
fn typed(seed: &mut Seed, name: &str, schema: &Value) -> Value {
    let kind = &schema["type"];
    match kind.as_str().or_else(|| kind[0].as_str()).unwrap_or_default() {
        "integer" => number(seed),
        "number" => seed.pick(&[json!(0.7), json!(-0.0), json!(1e308), json!(2), json!(1e-320)]).clone(),
        "boolean" => seed.chance(2).into(),
        "object" => json!({ string(seed): value(seed), "category": string(seed) }),
        // Only a few words and spaces: facts are then made, found, changed and erased.
        _ if name == "user_id" && !seed.chance(4) => format!("user {}", seed.below(200)).into(),
        _ if name == "text" && seed.chance(3) => says(&string(seed), &string(seed)).into(),
        _ if seed.chance(3) => (*seed.pick(&["", "default", "a", "b", "city", "RECENCY", "admin"])).into(),
        _ => string(seed).into(),
    }
}

/// Anything that JSON can hold.
pub fn value(seed: &mut Seed) -> Value {
    match seed.below(9) {
        0 => Value::Null,
        1 => seed.chance(2).into(),
        2 => number(seed),
        3 => json!([string(seed), number(seed)]),
        4 => json!({ string(seed): string(seed) }),
        5 => nested(seed),
        _ => string(seed).into(),
    }
}

fn number(seed: &mut Seed) -> Value {
    match seed.below(10) {
        0 => i64::MIN.into(),
        1 => i64::MAX.into(),
        2 => u64::MAX.into(),
        3 => (-1).into(),
        4 => json!(1e308),
        5 => json!(1.5),
        6 => json!("9223372036854775808"),
        _ => seed.below(400).into(),
    }
}

/// Deeper than any sensible reader goes, or just within.
fn nested(seed: &mut Seed) -> Value {
    let (depth, list) = (*seed.pick(&[30, 100, 120, 200]), seed.chance(2));
    // By hand: the macro would copy all that is inside at every level.
    let wrap = |inner| {
        if list {
            Value::Array(vec![inner])
        } else {
            Value::Object(Map::from_iter([("a".to_owned(), inner)]))
        }
    };
    (0..depth).fold(json!(1), |inner, _| wrap(inner))
}

pub fn string(seed: &mut Seed) -> String {
    const TEXTS: [&str; 29] = [
        "",
        " ",
        "\0",
        "a\0b",
        "\u{1}\u{1f}\u{7f}\u{85}",
        "line\r\nX-Injected: 1\r\n\r\n",
        "\u{202e}gnp.exe",
        "\u{feff}",
        "e\u{301}\u{301}\u{301}\u{301}",
        "👩‍👩‍👧‍👦🏳️‍🌈",
        "ﷺ",
        "\u{10ffff}\u{e000}",
        "ＡＢＣ",
        "ß İ ı ſ",
        "' OR 1=1 --",
        "\"; DROP TABLE fact; --",
        "%s%n%x",
        "../../../../etc/passwd",
        "${jndi:ldap://x}",
        "{{7*7}}",
        "<script>alert(1)</script>",
        "-1",
        "1e309",
        "NaN",
        "null",
        "true",
        "#1",
        "* , *",
        ">>>END STATEMENT<<<",
    ];
    match seed.below(30) {
        0 => "x".repeat(seed.below(9000)),
        1 => "\u{1f4a3}".repeat(seed.below(300)),
        2 => String::from_utf8_lossy(&seed.bytes(60)).into_owned(),
        3 => (0..seed.below(12)).filter_map(|_| char::from_u32(seed.below(0x11_0000) as u32)).collect(),
        4 => format!("user {}", seed.below(1_000_000)),
        // Larger than a statement may be, and once in a while than a body may be.
        5 if seed.chance(20) => "y".repeat(if seed.chance(8) { 1_100_000 } else { 70_000 }),
        _ => (*seed.pick(&TEXTS)).to_owned(),
    }
}
