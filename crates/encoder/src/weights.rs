//! Reads the weights that are part of the program. `training/export.py` writes them.
//!
//! Six numbers of four bytes come first: the words, the width, the layers, the wide width, the positions and the length
//! of the vocabulary in bytes. The vocabulary follows, then the tensors in the order in which they are read here. Rows
//! of a matrix are bytes with one factor a row; everything else is in four bytes.

use crate::network::{Layer, Linear, Marks, Network, Norm};
use crate::{MEANINGS, RELATIONS};
use ndarray::{Array1, Array2};

static FILE: &[u8] = include_bytes!("../weights.bin");

pub(crate) fn load() -> (&'static str, Network) {
    let mut file = File { rest: FILE };
    let [words, width, layers, wide, positions, length] = [(); 6].map(|()| file.count());
    let vocabulary = std::str::from_utf8(file.take(length)).unwrap_or_default();
    let number = |mark: &str| vocabulary.lines().position(|line| line == mark).unwrap_or_default();
    let marks = Marks { start: number("[CLS]"), end: number("[SEP]") };
    let network = Network {
        words: file.matrix(words, width),
        positions: file.matrix(positions, width),
        sides: file.matrix(2, width),
        norm: file.norm(width),
        layers: (0..layers).map(|_| file.layer(width, wide)).collect(),
        relation: file.linear(width, RELATIONS),
        unsettled: file.linear(width, 2),
        answer: file.linear(width, 2),
        meant: file.linear(width, MEANINGS),
        value: file.linear(width, 3),
        start: file.linear(width, 2),
        marks,
    };
    (vocabulary, network)
}

struct File {
    rest: &'static [u8],
}

impl File {
    fn take(&mut self, count: usize) -> &'static [u8] {
        let (taken, rest) = self.rest.split_at_checked(count).unwrap_or_default();
        self.rest = rest;
        taken
    }

    fn count(&mut self) -> usize {
        self.take(4).first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize)
    }

    fn vector(&mut self, length: usize) -> Array1<f32> {
        let (numbers, _) = self.take(length * 4).as_chunks();
        numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Array2<f32> {
        let scales = self.vector(rows);
        let mut found = Array2::zeros((rows, columns));
        for (mut row, scale) in found.rows_mut().into_iter().zip(&scales) {
            let bytes = self.take(columns);
            row.iter_mut().zip(bytes).for_each(|(x, byte)| *x = f32::from(byte.cast_signed()) * scale);
        }
        found
    }

    /// A row for each output in the file, a column for each in the network.
    fn linear(&mut self, from: usize, to: usize) -> Linear {
        let weights = self.matrix(to, from).reversed_axes().as_standard_layout().into_owned();
        Linear { weights, bias: self.vector(to) }
    }

    fn norm(&mut self, width: usize) -> Norm {
        Norm { scale: self.vector(width), shift: self.vector(width) }
    }

    fn layer(&mut self, width: usize, wide: usize) -> Layer {
        Layer {
            query: self.linear(width, width),
            key: self.linear(width, width),
            content: self.linear(width, width),
            gathered: self.linear(width, width),
            gathered_norm: self.norm(width),
            widened: self.linear(width, wide),
            narrowed: self.linear(wide, width),
            narrowed_norm: self.norm(width),
        }
    }
}
