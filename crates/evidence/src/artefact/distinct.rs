//! JSON in which no object has the same name twice: of two values, a reader would see one and a check another.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// The value of a file or a line of evidence.
pub(super) fn read(json: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<Distinct>(json).map(|Distinct(value)| value)
}

/// What is wrong, without the place.
pub(super) fn why(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.split(" at line ").next().unwrap_or_default().to_owned()
}

struct Distinct(Value);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Anything).map(Self)
    }
}

struct Anything;

impl<'de> Visitor<'de> for Anything {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let Distinct(value) = map.next_value()?;
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!("the name '{name}' is there twice in one object")));
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Distinct(item)) = list.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_name_that_is_there_twice_is_refused_wherever_it_is() {
        for twice in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"c":2,"a":3}}]"#] {
            let fault = read(twice.as_bytes()).unwrap_err().to_string();
            assert!(fault.contains("'a' is there twice"), "{fault}");
        }
        let plain = r#"{"a":[1,-2,0.5,"x",null,true],"b":{"a":{}}}"#;
        assert_eq!(read(plain.as_bytes()).unwrap().to_string(), plain);
    }
}
