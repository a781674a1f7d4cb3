//! Reads the weights that are part of the program. `lab/training/export.py` writes them; the names of the tensors are those
//! of the file, and older than the names here.

use crate::attention::Attention;
use crate::hidden::HIDDEN;
use crate::labels::{MODALITIES, RELATIONS};
use crate::layer_norm::LayerNorm;
use crate::linear::Linear;
use crate::tokenizer::{Tokenizer, UNKNOWN};
use crate::transformer::{Classifier, Embedding, Layer, SpecialTokens, Transformer};
use miniz_oxide::inflate::decompress_to_vec;
use safetensors::Dtype;
use safetensors::tensor::{SafeTensorError, SafeTensors};
use sha2::{Digest, Sha256};

static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/weights.packed"));
/// As `sha256sum` writes it, of the file that was packed.
static SUM: &str = include_str!("../weights.safetensors.sha256");

const INTERMEDIATE: usize = 1536;
const POSITIONS: usize = 224;
const LAYERS: usize = 6;

/// Why the weights cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    #[error("the network's weights are damaged: their SHA-256 is {found}, and {right} was expected")]
    Sum { found: String, right: String },
    #[error("the network's weights cannot be read: {0}")]
    Format(#[from] SafeTensorError),
    #[error("the network's weights have {name} as {found}, and {right} was expected")]
    Tensor { name: String, found: String, right: String },
    #[error("the network's vocabulary is no text or lacks {0}")]
    Vocabulary(&'static str),
}

pub(crate) fn load() -> Result<(Tokenizer, Transformer), WeightsError> {
    // What is damaged gives other bytes or none, and their sum shows it.
    read(&decompress_to_vec(PACKED).unwrap_or_default(), SUM)
}

pub(crate) fn read(file: &[u8], sum: &str) -> Result<(Tokenizer, Transformer), WeightsError> {
    let right = sum.split_whitespace().next().unwrap_or_default();
    let found = hex::encode(Sha256::digest(file));
    if found != right {
        return Err(WeightsError::Sum { found, right: right.to_owned() });
    }
    let file = File { tensors: SafeTensors::deserialize(file)? };
    let vocabulary = file.tensors.tensor("vocabulary")?.data();
    let vocabulary = std::str::from_utf8(vocabulary).map_err(|_| WeightsError::Vocabulary("UTF-8"))?;
    let id = |token: &'static str| {
        vocabulary.lines().position(|line| line == token).ok_or(WeightsError::Vocabulary(token))
    };
    id(UNKNOWN)?;
    let transformer = Transformer {
        token_embedding: file.embedding("words", vocabulary.lines().count())?,
        position_embedding: file.embedding("positions", POSITIONS)?,
        segment_embedding: file.embedding("sides", 2)?,
        embedding_norm: file.layer_norm("norm")?,
        layers: (0..LAYERS).map(|at| file.layer(&format!("layers.{at}"))).collect::<Result<_, _>>()?,
        relation: file.classifier("relation", RELATIONS)?,
        unsettled: file.classifier("unsettled", 2)?,
        answer: file.classifier("answer", 2)?,
        modality: file.classifier("meant", MODALITIES)?,
        value: file.classifier("value", 3)?,
        start: file.classifier("start", 2)?,
        special: SpecialTokens { cls: id("[CLS]")?, sep: id("[SEP]")? },
    };
    Ok((Tokenizer::new(vocabulary), transformer))
}

struct File<'a> {
    tensors: SafeTensors<'a>,
}

impl<'a> File<'a> {
    fn data(&self, name: &str, kind: Dtype, shape: &[usize]) -> Result<&'a [u8], WeightsError> {
        let found = self.tensors.tensor(name)?;
        if found.dtype() == kind && found.shape() == shape {
            return Ok(found.data());
        }
        let named = |kind: Dtype, shape: &[usize]| format!("{kind:?} {shape:?}");
        Err(WeightsError::Tensor {
            name: name.to_owned(),
            found: named(found.dtype(), found.shape()),
            right: named(kind, shape),
        })
    }

    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, WeightsError> {
        let (numbers, _) = self.data(name, Dtype::F32, shape)?.as_chunks();
        Ok(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn embedding(&self, name: &str, rows: usize) -> Result<Embedding, WeightsError> {
        Ok(Embedding {
            rows: self.data(name, Dtype::I8, &[rows, HIDDEN])?.to_vec(),
            scales: self.numbers(&format!("{name}.scale"), &[rows])?,
        })
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Linear, WeightsError> {
        let rows = self.data(&format!("{name}.weight"), Dtype::I8, &[outputs, inputs])?;
        let scales = self.numbers(&format!("{name}.weight.scale"), &[outputs])?;
        Ok(Linear::new(rows, scales, self.numbers(&format!("{name}.bias"), &[outputs])?, inputs))
    }

    fn classifier(&self, name: &str, outputs: usize) -> Result<Classifier, WeightsError> {
        Ok(Classifier {
            weights: self.numbers(&format!("{name}.weight"), &[outputs, HIDDEN])?,
            bias: self.numbers(&format!("{name}.bias"), &[outputs])?,
        })
    }

    fn layer_norm(&self, name: &str) -> Result<LayerNorm, WeightsError> {
        Ok(LayerNorm {
            weight: self.numbers(&format!("{name}.weight"), &[HIDDEN])?,
            bias: self.numbers(&format!("{name}.bias"), &[HIDDEN])?,
        })
    }

    fn layer(&self, name: &str) -> Result<Layer, WeightsError> {
        let linear = |part: &str, inputs, outputs| self.linear(&format!("{name}.{part}"), inputs, outputs);
        Ok(Layer {
            attention: Attention {
                query: linear("query", HIDDEN, HIDDEN)?,
                key: linear("key", HIDDEN, HIDDEN)?,
                value: linear("content", HIDDEN, HIDDEN)?,
                output: linear("gathered", HIDDEN, HIDDEN)?,
            },
            attention_norm: self.layer_norm(&format!("{name}.gathered_norm"))?,
            intermediate: linear("widened", HIDDEN, INTERMEDIATE)?,
            output: linear("narrowed", INTERMEDIATE, HIDDEN)?,
            output_norm: self.layer_norm(&format!("{name}.narrowed_norm"))?,
        })
    }
}
