#!/usr/bin/env python3
"""Writes the weights that are part of the program, from a checkpoint of train.py, and numbers to test them by.

    export.py BASE CHECKPOINT

crates/encoder/weights.safetensors holds the vocabulary as bytes, a piece a line, and the tensors of the network. Matrices
are bytes, one row for each output, with a factor for each row under the same name and `.scale`; the heads, which are
small, and all vectors are in four bytes. golden.json holds what the network finds for a few texts, counted here.
"""

import hashlib
import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from network import HEADS, Network, tokenizer, vocabulary

CRATE = Path(__file__).parent.parent.parent / "crates" / "encoder"
PARTS = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "content",
    "attention.output.dense": "gathered",
    "attention.output.LayerNorm": "gathered_norm",
    "intermediate.dense": "widened",
    "output.dense": "narrowed",
    "output.LayerNorm": "narrowed_norm",
}
TEXTS = [
    "We moved from Heroku to Fly.io last week.",
    "He loves his new bike and finds riding it relaxing.",
    "ok",
    "If we had the money, we would buy Snowflake; Marta takes 40mg of Xeljanz in the morning, and Zoë doesn't.",
    "Where is the storefront hosted?",
    "Sure, because everybody loves a three hour meeting on a Friday!",
]
PAIRS = [
    ("We moved from Heroku to Fly.io last week.", "We deploy to Heroku"),
    ("We no longer deploy anywhere, the project is dead.", "We deploy to Heroku"),
    ("My sister lives in Leeds.", "* dentist: Dr. Feld"),
    ("Come spring we deploy to Fly.io.", "We deploy to Heroku"),
    ("Where is the storefront hosted?", "The storefront is hosted on Heroku"),
    ("Where is the storefront hosted?", "My dentist is Dr. Feld"),
]


def checkpoint(path):
    """As train.py saves it, or with matrices as bytes and without what is as in the base."""
    if path.endswith(".pt"):
        return torch.load(path)
    found = load_file(path)
    scaled = {name: value for name, value in found.items() if not name.endswith(".scale")}
    return {n: v.float() * found[f"{n}.scale"] if v.dtype == torch.int8 else v for n, v in scaled.items()}


def loaded(base, path):
    network = Network(base).eval()
    missing, unknown = network.load_state_dict(checkpoint(path), strict=False)
    assert not unknown and set(missing) <= {"words.weight", "positions.weight"}, (missing, unknown)
    return network


def renamed(name):
    kind, *rest = name.split(".", 2)
    if kind == "layers":
        at, part = rest
        part, end = part.rsplit(".", 1)
        return f"{kind}.{at}.{PARTS[part]}.{end}"
    if kind == "heads":
        return ".".join(rest)
    return name.removesuffix(".weight") if kind in ("words", "positions", "sides") else name


def quantised(network):
    """The tensors of the file. The network is left with the weights that they stand for."""
    found = {}
    with torch.no_grad():
        for name, value in network.state_dict().items():
            to = renamed(name)
            if value.dim() == 2 and not name.startswith("heads"):
                factors = value.abs().amax(1).clamp(min=1e-9) / 127
                found[to] = (value / factors[:, None]).round().clamp(-127, 127).to(torch.int8)
                found[f"{to}.scale"] = factors
                value.copy_(found[to].float() * factors[:, None])
            else:
                found[to] = value.contiguous()
    return found


def rounded(tensor):
    return [round(x, 5) for x in tensor.flatten().tolist()]


def golden(network, cut):
    def read(*texts):
        found = cut.encode(*texts)
        return torch.tensor([found.ids]), torch.tensor([found.type_ids]), torch.ones(1, len(found.ids), dtype=torch.int)

    def likely(name, states):
        return network.heads[name](states).softmax(-1)

    texts, pairs = [], []
    with torch.no_grad():
        for text in TEXTS:
            numbers, sides, mask = read(text)
            states = network(numbers, sides, mask)[0, 1:-1]
            tokens = torch.cat([likely("meant", states), 1 - likely("value", states)[:, :1], likely("start", states)[:, 1:]], 1)
            vector = network.embed(numbers, mask)
            texts.append({"text": text, "vector": rounded(vector), "tokens": [rounded(token) for token in tokens]})
        for first, second in PAIRS:
            whole = network(*read(first, second))[0, 0]
            found = [likely("relation", whole), likely("unsettled", whole)[1:], likely("answer", whole)[1:]]
            pairs.append({"first": first, "second": second, "likely": rounded(torch.cat(found))})
    return {"texts": texts, "pairs": pairs}


def main():
    base, path = sys.argv[1:]
    network, pieces = loaded(base, path), vocabulary(base)
    tensors = quantised(network)
    tensors["vocabulary"] = torch.tensor(list("\n".join(pieces).encode()), dtype=torch.uint8)
    file = CRATE / "weights.safetensors"
    save_file(tensors, file)
    file.chmod(0o644)
    (CRATE / f"{file.name}.sha256").write_text(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n")
    lines = json.dumps(golden(network, tokenizer(pieces)), ensure_ascii=False)
    (CRATE / "golden.json").write_text(lines + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
