//! What a model at an endpoint accepts, learned from its complaints: endpoints that call themselves compatible differ
//! in how they can be asked for JSON, and models in the parameters that they allow.

/// How JSON is asked for. The prompt asks for it too, so the last form works with any model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// By a schema that the endpoint enforces.
    Schema,
    /// Any JSON object.
    Object,
    /// By the prompt alone.
    Prompt,
}

/// The parameter that bounds the length of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LengthLimit {
    MaxTokens,
    MaxCompletionTokens,
    Unsaid,
}

impl LengthLimit {
    pub const fn parameter(self) -> Option<&'static str> {
        match self {
            Self::MaxTokens => Some("max_tokens"),
            Self::MaxCompletionTokens => Some("max_completion_tokens"),
            Self::Unsaid => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Temperature {
    Zero,
    Unsaid,
}

/// In each list the first entry is in use, and those after it are what is left to try. A dialect only ever gets
/// shorter, so adapting comes to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    formats: &'static [Format],
    limits: &'static [LengthLimit],
    pub temperature: Temperature,
    /// The length of a reply in tokens, thoughts included.
    pub reply_tokens: u32,
}

/// Room for about forty facts, and still small for a provider that counts it against a quota beforehand.
pub(crate) const REPLY_TOKENS: u32 = 4096;
/// A reasoning model spends most of it on thoughts that nobody sees.
const REASONING_TOKENS: u32 = 16 * 1024;

impl Dialect {
    pub fn of_openai(model: &str) -> Self {
        use LengthLimit::{MaxCompletionTokens, MaxTokens, Unsaid};
        let formats = &[Format::Schema, Format::Object, Format::Prompt];
        if is_reasoning(model) {
            Self {
                formats,
                limits: &[MaxCompletionTokens, MaxTokens, Unsaid],
                temperature: Temperature::Unsaid,
                reply_tokens: REASONING_TOKENS,
            }
        } else {
            Self {
                formats,
                limits: &[MaxTokens, MaxCompletionTokens, Unsaid],
                temperature: Temperature::Zero,
                reply_tokens: REPLY_TOKENS,
            }
        }
    }

    /// Anthropic has a tool in place of a schema, no plain JSON mode, and always wants a limit.
    pub fn of_anthropic() -> Self {
        Self {
            formats: &[Format::Schema, Format::Prompt],
            limits: &[LengthLimit::MaxTokens],
            temperature: Temperature::Zero,
            reply_tokens: REPLY_TOKENS,
        }
    }

    pub fn format(&self) -> Format {
        self.formats.first().copied().unwrap_or(Format::Prompt)
    }

    pub fn limit(&self) -> LengthLimit {
        self.limits.first().copied().unwrap_or(LengthLimit::Unsaid)
    }

    /// What to try next after a complaint over a parameter that it names.
    pub fn without_named_parameter(self, complaint: &str) -> Option<Self> {
        if self.temperature == Temperature::Zero && complaint.contains("temperature") {
            return Some(Self { temperature: Temperature::Unsaid, ..self });
        }
        let limit = self.limit().parameter()?;
        match self.limits {
            [_, limits @ ..] if !limits.is_empty() && complaint.contains(limit) => {
                Some(Self { limits, ..self })
            }
            _ => None,
        }
    }

    /// What to try next when JSON was asked for in a way that the endpoint may not know. Endpoints complain about this
    /// in too many different words to rely on any.
    pub fn with_simpler_format(self) -> Option<Self> {
        match self.formats {
            [_, formats @ ..] if !formats.is_empty() => Some(Self { formats, ..self }),
            _ => None,
        }
    }
}

/// By name, with or without a vendor before it, as in `openai/gpt-5-mini`.
fn is_reasoning(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    ["o1", "o3", "o4", "gpt-5"].iter().any(|family| {
        name.strip_prefix(family).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Format, LengthLimit, Temperature, is_reasoning};

    #[test]
    fn reasoning_models_are_known_by_name() {
        for name in
            ["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5.1", "openai/gpt-5-mini", "GPT-5-nano"]
        {
            assert!(is_reasoning(name), "{name}");
        }
        for name in
            ["gpt-4o", "gpt-4.1-mini", "llama-3.3-70b-versatile", "openai/gpt-oss-120b", "o1000", "gpt-50"]
        {
            assert!(!is_reasoning(name), "{name}");
        }
    }

    #[test]
    fn a_named_parameter_is_dropped_or_replaced() {
        let plain = Dialect::of_openai("gpt-4.1-mini");
        let cold = plain.without_named_parameter("unsupported value: 'temperature'").unwrap();
        assert_eq!(cold.temperature, Temperature::Unsaid);
        let text = "unsupported parameter: 'max_tokens'. use 'max_completion_tokens' instead.";
        let renamed = cold.without_named_parameter(text).unwrap();
        assert_eq!(renamed.limit(), LengthLimit::MaxCompletionTokens);
        assert_eq!(renamed.without_named_parameter("what?"), None);
    }

    #[test]
    fn adapting_comes_to_an_end() {
        let complaint = "temperature max_tokens max_completion_tokens response_format";
        let mut dialect = Dialect::of_openai("gpt-4.1-mini");
        let mut steps = 0;
        while let Some(next) =
            dialect.without_named_parameter(complaint).or_else(|| dialect.with_simpler_format())
        {
            dialect = next;
            steps += 1;
        }
        assert_eq!(steps, 5);
        assert_eq!((dialect.format(), dialect.limit()), (Format::Prompt, LengthLimit::Unsaid));
    }

    #[test]
    fn anthropic_always_gets_its_limit() {
        let dialect = Dialect::of_anthropic();
        assert_eq!(dialect.without_named_parameter("max_tokens: 4096 > 2048"), None);
        assert_eq!(dialect.with_simpler_format().unwrap().format(), Format::Prompt);
    }
}
