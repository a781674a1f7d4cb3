"""Counts how the heads do on examples that were held out."""

from collections import Counter
from types import SimpleNamespace

import torch

from network import MEANINGS, RELATIONS

IGNORED = -100


def measured(network, batches, scores, apart, warm):
    """Lines that say how many labels each head gets right, and how often it takes warm talk for mockery."""
    network.eval()
    right, confused = Counter(), Counter()
    with torch.no_grad():
        for kind, rows in batches(apart):
            for name, (guessed, labels) in scores(network, kind, rows).items():
                for guess, label in zip(guessed.argmax(-1).tolist(), labels.tolist()):
                    if label != IGNORED:
                        right[name, guess == label] += 1
                        confused[name, label, guess] += 1
        mocked = Counter()
        for kind, rows in batches(SimpleNamespace(relations=[], answers=[], statements=warm)):
            guessed, labels = scores(network, kind, rows)["meant"]
            for guess, label in zip(guessed.argmax(-1).tolist(), labels.tolist()):
                if label != IGNORED:
                    mocked[MEANINGS[guess]] += 1
                    mocked["right"] += guess == label
    network.train()
    for name in ("relation", "unsettled", "answer", "meant", "value", "start"):
        yes, no = right[name, True], right[name, False]
        yield f"held out, {name}: {yes / max(1, yes + no):.3f} of {yes + no} right"
    for at, label in enumerate(RELATIONS):
        yield f"  {label}: { {guess: confused['relation', at, to] for to, guess in enumerate(RELATIONS)} }"
    for name, classes in (("answer", (1,)), ("unsettled", (1,)), ("value", (1, 2)), ("start", (1,))):
        hit = sum(confused[name, c, c] for c in classes)
        told = sum(n for (head, _, guess), n in confused.items() if head == name and guess in classes)
        true = sum(n for (head, label, _), n in confused.items() if head == name and label in classes)
        yield f"  {name}: precision {hit / max(1, told):.3f}, recall {hit / max(1, true):.3f}"
    for at, label in enumerate(MEANINGS):
        row = {MEANINGS[guess]: n for (head, l, guess), n in sorted(confused.items()) if head == "meant" and l == at}
        yield f"  {label}: {row}"
    yield f"warm talk, of its pieces: {dict(mocked)}"
