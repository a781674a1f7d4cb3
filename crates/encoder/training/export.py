#!/usr/bin/env python3
"""Writes ../weights.bin from a checkpoint of train.py, or from the mean of several. weights.rs says what is in the file.

    export.py BASE CHECKPOINT...
"""

import struct
import sys
from pathlib import Path

import numpy as np
import torch

from network import WIDTH, Network, vocabulary

base, *checkpoints = sys.argv[1:]
network = Network(base)
states = [torch.load(checkpoint) for checkpoint in checkpoints]
network.load_state_dict({name: sum(state[name] for state in states) / len(states) for name in states[0]})


def vector(tensor):
    return tensor.detach().numpy().astype("<f4").tobytes()


def matrix(tensor):
    rows = tensor.detach().numpy()
    factors = np.maximum(np.abs(rows).max(1), 1e-9) / 127
    whole = np.clip(np.round(rows / factors[:, None]), -127, 127)
    return factors.astype("<f4").tobytes() + whole.astype("i1").tobytes()


def linear(layer):
    return matrix(layer.weight) + vector(layer.bias)


def norm(layer):
    return vector(layer.weight) + vector(layer.bias)


embeddings, layers = network.encoder.embeddings, network.encoder.encoder.layer
pieces = "\n".join(vocabulary(base)).encode()
words, positions = embeddings.word_embeddings.weight, embeddings.position_embeddings.weight
wide = layers[0].intermediate.dense.out_features
written = [
    struct.pack("<6I", len(words), WIDTH, len(layers), wide, len(positions), len(pieces)),
    pieces,
    matrix(words),
    matrix(positions),
    matrix(embeddings.token_type_embeddings.weight),
    norm(embeddings.LayerNorm),
]
for layer in layers:
    attention, gathered = layer.attention.self, layer.attention.output
    written += [linear(attention.query), linear(attention.key), linear(attention.value)]
    written += [linear(gathered.dense), norm(gathered.LayerNorm)]
    written += [linear(layer.intermediate.dense), linear(layer.output.dense), norm(layer.output.LayerNorm)]
heads = (network.relation, network.unsettled, network.answer, network.meant, network.value, network.start)
written += [linear(head) for head in heads]
(Path(__file__).parent.parent / "weights.bin").write_bytes(b"".join(written))
