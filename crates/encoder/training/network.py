"""The network that is trained here and run by crates/encoder: the encoder of a sentence model, with heads of its own."""

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import nn
from transformers import AutoModel

RELATIONS = ["none", "replaces", "ends", "same", "refines"]
MEANINGS = ["nothing", "so", "event", "past", "future", "hedged", "hypothetical", "sarcastic", "asked", "end"]
WIDTH = 384
# The vocabulary is ordered by how frequent its pieces are. Rarer words are cut into smaller pieces.
PIECES = 16_000
POSITIONS = 224


def whole_vocabulary(base):
    return [piece for piece in open(f"{base}/vocab.txt", encoding="utf8").read().split("\n") if piece]


def vocabulary(base):
    return [p for p in whole_vocabulary(base)[:PIECES] if not p.startswith("[unused") and p != "[MASK]"]


def tokenizer(base):
    numbers = {piece: number for number, piece in enumerate(vocabulary(base))}
    cut = Tokenizer(models.WordPiece(vocab=numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    cut.normalizer = normalizers.BertNormalizer(lowercase=True)
    cut.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    cut.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(mark, numbers[mark]) for mark in ("[CLS]", "[SEP]")],
    )
    return cut


class Network(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(base, add_pooling_layer=False, attn_implementation="eager")
        embeddings = self.encoder.embeddings
        number = {piece: n for n, piece in enumerate(whole_vocabulary(base))}
        kept = embeddings.word_embeddings.weight.data[[number[p] for p in vocabulary(base)]].clone()
        embeddings.word_embeddings = nn.Embedding.from_pretrained(kept, freeze=True)
        near = embeddings.position_embeddings.weight.data[:POSITIONS].clone()
        embeddings.position_embeddings = nn.Embedding.from_pretrained(near, freeze=True)
        for layer in self.encoder.encoder.layer:
            layer.intermediate.intermediate_act_fn = nn.GELU(approximate="tanh")
        self.relation = nn.Linear(WIDTH, len(RELATIONS))
        self.unsettled = nn.Linear(WIDTH, 2)
        self.answer = nn.Linear(WIDTH, 2)
        self.meant = nn.Linear(WIDTH, len(MEANINGS))
        self.value = nn.Linear(WIDTH, 3)
        self.start = nn.Linear(WIDTH, 2)
        self.dropout = nn.Dropout(0.1)

    def forward(self, numbers, sides, mask):
        read = self.encoder(input_ids=numbers, token_type_ids=sides, attention_mask=mask)
        return self.dropout(read.last_hidden_state)
