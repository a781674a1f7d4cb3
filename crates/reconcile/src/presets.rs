//! The slot schemas that come with the service, one for each field of work.

use crate::slot_schema::SlotSchema;

pub const PRESETS: [&str; 6] = ["assistant", "clinical", "coding", "finance", "sales", "support"];

/// Categories whose facts a recall never leaves out, unless a deployment names its own.
pub const CRITICAL_CATEGORIES: [&str; 5] = ["allergy", "medication", "code_status", "critical", "safety"];

impl SlotSchema {
    /// The preset of that name, or `None` when there is none.
    pub fn preset(name: &str) -> Option<Self> {
        let json = match name {
            "assistant" => include_str!("../presets/assistant.json"),
            "clinical" => include_str!("../presets/clinical.json"),
            "coding" => include_str!("../presets/coding.json"),
            "finance" => include_str!("../presets/finance.json"),
            "sales" => include_str!("../presets/sales.json"),
            "support" => include_str!("../presets/support.json"),
            _ => return None,
        };
        Self::from_json(json).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{CRITICAL_CATEGORIES, PRESETS};
    use crate::slot_schema::SlotSchema;

    #[test]
    fn every_preset_is_a_valid_schema_of_described_slots() {
        for name in PRESETS {
            let schema = SlotSchema::preset(name).expect(name);
            assert!((8..=15).contains(&schema.slots().len()), "{name}");
            for slot in schema.slots() {
                assert!(!slot.description.is_empty() && slot.category.is_some(), "{name}: {}", slot.name);
                assert!(!slot.aliases.is_empty(), "{name}: {}", slot.name);
            }
        }
        assert!(SlotSchema::preset("Clinical").is_none());
    }

    #[test]
    fn the_clinical_preset_guards_critical_facts() {
        let schema = SlotSchema::preset("clinical").unwrap();
        for (subject, name, multi, confirm) in [
            ("allergies", "allergy", true, false),
            ("drug_allergy", "allergy", true, false),
            ("active_medication", "active_medication", true, true),
            ("code_status", "code_status", false, true),
        ] {
            let slot = schema.fold(subject).expect(subject);
            assert_eq!((slot.name.as_str(), slot.multi, slot.confirm), (name, multi, confirm));
            assert!(CRITICAL_CATEGORIES.contains(&slot.category.as_deref().unwrap()));
        }
    }
}
