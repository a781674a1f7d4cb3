#!/usr/bin/env python3
"""Counts how often the turn that answers a question is among the first that the sentence vectors find.

    retrieval.py BASE CHECKPOINT|original CONVERSATION.json...

A conversation is {"sessions":[{"turns":[{"id","speaker","text"}]}],"questions":[{"question","evidence":[id]}]}. These are
for measuring alone: nothing is trained on them.
"""

import json
import sys

import torch

from export import loaded, quantised
from network import mean, original, tokenizer, vocabulary, whole_vocabulary

LONGEST = 128


def embedder(base, path):
    if path == "original":
        cut, network = tokenizer(whole_vocabulary(base)), original(base).eval()
        vectors = lambda numbers, mask: mean(network(input_ids=numbers, attention_mask=mask).last_hidden_state, mask)
    else:
        cut, network = tokenizer(vocabulary(base)), loaded(base, path)
        quantised(network)
        vectors = network.embed
    cut.enable_truncation(LONGEST)
    cut.enable_padding()

    def embed(texts):
        found = torch.empty(len(texts), 384)
        # Texts of a length together, so that little is filled up.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for at in (order[start : start + 32] for start in range(0, len(order), 32)):
            read = cut.encode_batch([texts[i] for i in at])
            numbers, mask = (torch.tensor([getattr(r, f) for r in read]) for f in ("ids", "attention_mask"))
            found[at] = vectors(numbers, mask)
        return found

    return embed


@torch.no_grad()
def main():
    base, path, *files = sys.argv[1:]
    embed, found = embedder(base, path), {10: [], 40: []}
    for file in files:
        conversation = json.load(open(file, encoding="utf8"))
        turns = [turn for session in conversation["sessions"] for turn in session["turns"]]
        asked = conversation["questions"]
        if not asked:
            continue
        told = embed([f"{turn['speaker']}: {turn['text']}" for turn in turns])
        ranked = (embed([one["question"] for one in asked]) @ told.T).argsort(1, descending=True)
        for one, order in zip(asked, ranked.tolist()):
            ids = [turns[at]["id"] for at in order]
            for count, hits in found.items():
                hits.append(bool(set(one["evidence"]) & set(ids[:count])))
    for count, hits in found.items():
        print(f"among the first {count}: {100 * sum(hits) / len(hits):.1f} % of {len(hits)}")


if __name__ == "__main__":
    main()
