//! The built-in model: reads plain English in process and without a network connection. It turns what it is sure of into
//! facts, keeps everything else as it was told, and changes only what the words name. The same statement over the same
//! facts gives the same proposals.

mod answer;
mod clause;
mod cues;
mod dates;
mod embed;
mod extract;
mod forms;
mod frame;
mod lexicon;
mod link;
mod mention;
mod modality;
mod note;
mod raw_fact;
mod reading;
mod scope;
mod segment;
mod slot;
mod stem;
mod tagging;
mod topic;
mod value_phrase;
mod verb_group;
mod word;
mod words;

use domain::{FactId, RawFact};
use model::{Answer, BuiltIn, Extract, Work};

/// Numbered, because vectors made in another way cannot be compared.
const EMBEDDER: &str = "built-in 3";

/// Reads, answers and embeds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reader;

impl BuiltIn for Reader {
    fn embedder(&self) -> &'static str {
        EMBEDDER
    }

    fn is_whole(&self) -> bool {
        encoder::check().is_ok()
    }

    fn extract(&self, ask: &Extract<'_>, work: &Work) -> Vec<RawFact> {
        extract::extract(ask, work)
    }

    fn answer(&self, ask: &Answer<'_>) -> String {
        answer::answer(ask)
    }

    fn ground(&self, ask: &Answer<'_>) -> Option<FactId> {
        answer::ground(ask)
    }

    fn weigh(&self, question: &str, texts: &[&str]) -> Vec<f32> {
        encoder::answers(&texts.iter().map(|text| (question, *text)).collect::<Vec<_>>())
    }

    fn embed(&self, texts: &[&str], work: &Work) -> Vec<Vec<f32>> {
        embed::embed(texts, work)
    }
}

#[cfg(test)]
mod tests;
