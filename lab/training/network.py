"""The network that is trained here and run by crates/encoder: the encoder of a sentence model, with heads of its own."""

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import nn
from transformers import AutoModel
from transformers.utils import logging

RELATIONS = ["none", "replaces", "ends", "same", "refines"]
MEANINGS = ["nothing", "so", "event", "past", "future", "hedged", "hypothetical", "sarcastic", "asked", "end"]
HEADS = {"relation": len(RELATIONS), "unsettled": 2, "answer": 2, "meant": len(MEANINGS), "value": 3, "start": 2}
WIDTH = 384
# The vocabulary is ordered by how frequent its pieces are. Rarer words are cut into smaller pieces.
PIECES = 20_000
POSITIONS = 224
logging.set_verbosity_error()


def whole_vocabulary(base):
    return [piece for piece in open(f"{base}/vocab.txt", encoding="utf8").read().split("\n") if piece]


def vocabulary(base):
    return [p for p in whole_vocabulary(base)[:PIECES] if not p.startswith("[unused") and p != "[MASK]"]


def tokenizer(pieces):
    numbers = {piece: number for number, piece in enumerate(pieces)}
    cut = Tokenizer(models.WordPiece(vocab=numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    cut.normalizer = normalizers.BertNormalizer(lowercase=True)
    cut.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    cut.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(mark, numbers[mark]) for mark in ("[CLS]", "[SEP]")],
    )
    return cut


def original(base):
    return AutoModel.from_pretrained(base, add_pooling_layer=False, attn_implementation="sdpa")


def mean(states, mask):
    """A unit vector for each text, as the original makes it."""
    kept = mask[..., None].to(states.dtype)
    return nn.functional.normalize((states * kept).sum(1) / kept.sum(1), dim=1)


class Network(nn.Module):
    def __init__(self, base):
        super().__init__()
        encoder = original(base)
        embeddings, self.layers = encoder.embeddings, encoder.encoder.layer
        number = {piece: n for n, piece in enumerate(whole_vocabulary(base))}
        kept = embeddings.word_embeddings.weight.data[[number[p] for p in vocabulary(base)]].clone()
        self.words = nn.Embedding.from_pretrained(kept, freeze=True)
        near = embeddings.position_embeddings.weight.data[:POSITIONS].clone()
        self.positions = nn.Embedding.from_pretrained(near, freeze=True)
        self.sides, self.norm = embeddings.token_type_embeddings, embeddings.LayerNorm
        for layer in self.layers:
            layer.intermediate.intermediate_act_fn = nn.GELU(approximate="tanh")
        self.heads = nn.ModuleDict({name: nn.Linear(WIDTH, count) for name, count in HEADS.items()})
        self.dropout = nn.Dropout(0.1)

    def states(self, numbers, sides, mask):
        places = torch.arange(numbers.shape[1], device=numbers.device)
        states = self.norm(self.words(numbers) + self.positions(places) + self.sides(sides))
        seen = mask[:, None, None, :].bool()
        for layer in self.layers:
            states = layer(states, seen)
        return states

    def forward(self, numbers, sides, mask):
        """The states that the heads read."""
        return self.dropout(self.states(numbers, sides, mask))

    def embed(self, numbers, mask):
        """Sentence vectors. Nothing is dropped from them in training either: they have a vector to meet."""
        training = self.training
        self.layers.eval()
        states = self.states(numbers, torch.zeros_like(numbers), mask)
        self.layers.train(training)
        return mean(states, mask)
