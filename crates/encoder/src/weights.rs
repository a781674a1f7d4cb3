//! Reads the weights that are part of the program. `training/export.py` writes them, and says how they are named.

use crate::network::{Head, Layer, Marks, Network, Norm, Table, WIDTH};
use crate::product::Linear;
use crate::{MEANINGS, RELATIONS};
use safetensors::Dtype;
use safetensors::tensor::{SafeTensorError, SafeTensors};
use sha2::{Digest, Sha256};

static FILE: &[u8] = include_bytes!("../weights.safetensors");
/// As `sha256sum` writes it.
static SUM: &str = include_str!("../weights.safetensors.sha256");

const WIDE: usize = 1536;
const POSITIONS: usize = 224;
const LAYERS: usize = 6;

/// Why the weights cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Damaged {
    #[error("the network's weights are damaged: their SHA-256 is {found}, and {right} was expected")]
    Sum { found: String, right: String },
    #[error("the network's weights cannot be read: {0}")]
    Format(#[from] SafeTensorError),
    #[error("the network's weights have {name} as {found}, and {right} was expected")]
    Tensor { name: String, found: String, right: String },
    #[error("the network's vocabulary is no text or lacks {0}")]
    Vocabulary(&'static str),
}

pub(crate) fn load() -> Result<(&'static str, Network), Damaged> {
    read(FILE, SUM)
}

pub(crate) fn read(file: &'static [u8], sum: &str) -> Result<(&'static str, Network), Damaged> {
    let right = sum.split_whitespace().next().unwrap_or_default();
    let found = hex::encode(Sha256::digest(file));
    if found != right {
        return Err(Damaged::Sum { found, right: right.to_owned() });
    }
    let file = File { tensors: SafeTensors::deserialize(file)? };
    let vocabulary = file.tensors.tensor("vocabulary")?.data();
    let vocabulary = std::str::from_utf8(vocabulary).map_err(|_| Damaged::Vocabulary("UTF-8"))?;
    let number = |mark: &'static str| {
        vocabulary.lines().position(|line| line == mark).ok_or(Damaged::Vocabulary(mark))
    };
    number(crate::pieces::UNKNOWN)?;
    let network = Network {
        words: file.table("words", vocabulary.lines().count())?,
        positions: file.table("positions", POSITIONS)?,
        sides: file.table("sides", 2)?,
        norm: file.norm("norm")?,
        layers: (0..LAYERS).map(|at| file.layer(&format!("layers.{at}"))).collect::<Result<_, _>>()?,
        relation: file.head("relation", RELATIONS)?,
        unsettled: file.head("unsettled", 2)?,
        answer: file.head("answer", 2)?,
        meant: file.head("meant", MEANINGS)?,
        value: file.head("value", 3)?,
        start: file.head("start", 2)?,
        marks: Marks { start: number("[CLS]")?, end: number("[SEP]")? },
    };
    Ok((vocabulary, network))
}

struct File {
    tensors: SafeTensors<'static>,
}

impl File {
    fn data(&self, name: &str, kind: Dtype, shape: &[usize]) -> Result<&'static [u8], Damaged> {
        let found = self.tensors.tensor(name)?;
        if found.dtype() == kind && found.shape() == shape {
            return Ok(found.data());
        }
        let named = |kind: Dtype, shape: &[usize]| format!("{kind:?} {shape:?}");
        Err(Damaged::Tensor {
            name: name.to_owned(),
            found: named(found.dtype(), found.shape()),
            right: named(kind, shape),
        })
    }

    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Damaged> {
        let (numbers, _) = self.data(name, Dtype::F32, shape)?.as_chunks();
        Ok(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn table(&self, name: &str, rows: usize) -> Result<Table, Damaged> {
        Ok(Table {
            rows: self.data(name, Dtype::I8, &[rows, WIDTH])?,
            scales: self.numbers(&format!("{name}.scale"), &[rows])?,
        })
    }

    fn linear(&self, name: &str, from: usize, to: usize) -> Result<Linear, Damaged> {
        let rows = self.data(&format!("{name}.weight"), Dtype::I8, &[to, from])?;
        let scales = self.numbers(&format!("{name}.weight.scale"), &[to])?;
        Ok(Linear::new(rows, scales, self.numbers(&format!("{name}.bias"), &[to])?, from))
    }

    fn head(&self, name: &str, to: usize) -> Result<Head, Damaged> {
        Ok(Head {
            weights: self.numbers(&format!("{name}.weight"), &[to, WIDTH])?,
            bias: self.numbers(&format!("{name}.bias"), &[to])?,
        })
    }

    fn norm(&self, name: &str) -> Result<Norm, Damaged> {
        Ok(Norm {
            scale: self.numbers(&format!("{name}.weight"), &[WIDTH])?,
            shift: self.numbers(&format!("{name}.bias"), &[WIDTH])?,
        })
    }

    fn layer(&self, name: &str) -> Result<Layer, Damaged> {
        let square = |part: &str| self.linear(&format!("{name}.{part}"), WIDTH, WIDTH);
        Ok(Layer {
            query: square("query")?,
            key: square("key")?,
            content: square("content")?,
            gathered: square("gathered")?,
            gathered_norm: self.norm(&format!("{name}.gathered_norm"))?,
            widened: self.linear(&format!("{name}.widened"), WIDTH, WIDE)?,
            narrowed: self.linear(&format!("{name}.narrowed"), WIDE, WIDTH)?,
            narrowed_norm: self.norm(&format!("{name}.narrowed_norm"))?,
        })
    }
}
