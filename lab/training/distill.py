"""Keeps the sentence vectors near those of the original network with its whole vocabulary."""

import random

import torch

from network import mean, original, tokenizer, whole_vocabulary

BATCH = 128
LONGEST = 128
NAMES = "Ann Ben Carla Dev Elif Femi Grace Hugo Ines Jon Kim Lars Mei Nia Omar Pia Quinn Rosa Sam Tess".split()


def texts_of(found):
    told = {text for text, _ in found.statements}
    asked = {question for question, *_ in found.answers}
    facts = {form for _, forms, *_ in found.relations for form in forms[:1]}
    return sorted(told | asked | facts)


class Teacher:
    def __init__(self, base, texts, device):
        self.cut = tokenizer(whole_vocabulary(base))
        self.network = original(base).to(device).eval()
        self.texts, self.device = texts, device

    def away(self, network, cut):
        """How far the vectors of some texts are from the original's, each alone and to each other."""
        texts = [self.text() for _ in range(BATCH)]
        with torch.no_grad():
            numbers, mask = self.read(self.cut, texts)
            right = mean(self.network(input_ids=numbers, attention_mask=mask).last_hidden_state.float(), mask)
        numbers, mask = self.read(cut, texts)
        found = network.embed(numbers, mask).float()
        alike = found @ found.T - right @ right.T
        return (1 - (found * right).sum(1)).mean() + 5 * alike.square().mean()

    def text(self):
        """One text, or several in a row as somebody says them in a conversation."""
        count = random.choice((1, 1, 1, 2, 3, 4))
        text = " ".join(random.choices(self.texts, k=count))
        return f"{random.choice(NAMES)}: {text}" if random.random() < 0.3 else text

    def read(self, cut, texts):
        rows = [read.ids[:LONGEST] for read in cut.encode_batch(texts)]
        longest = max(map(len, rows))
        numbers = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        return numbers.to(self.device, non_blocking=True), mask.to(self.device, non_blocking=True)
