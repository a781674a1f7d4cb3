#!/usr/bin/env python3
"""Trains the network on the labelled conversations. README.md says what it needs.

    train.py BASE OUT [--from CHECKPOINT] [--epochs N] [--rate R] [--held-out FILE...]
"""

import argparse
import random
from collections import Counter
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from examples import contrast_sets, examples, labelled_clauses, read, slots, strangers
from network import MEANINGS, RELATIONS, Network, tokenizer

HERE = Path(__file__).parent
LONGEST = 160
BATCH = 32
IGNORED = -100
# Where the processor has to imitate bfloat16, single precision is three times as fast.
FLAGS = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
HAS_BFLOAT16 = "amx_bf16" in FLAGS or "avx512_bf16" in FLAGS


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("base")
    parser.add_argument("out")
    parser.add_argument("--from", dest="start")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--held-out", nargs="*", default=[])
    return parser.parse_args()


def mistyped(text):
    """Now and then with letters swapped, left out or doubled."""
    if random.random() > 0.12:
        return text
    words = text.split(" ")
    for _ in range(1 + len(words) // 10):
        at = random.randrange(len(words))
        word = words[at]
        if len(word) > 3 and word.isalpha():
            i, how = random.randrange(1, len(word) - 1), random.random()
            if how < 0.4:
                words[at] = word[:i] + word[i + 1] + word[i] + word[i + 2 :]
            elif how < 0.8:
                words[at] = word[:i] + word[i + 1 :]
            else:
                words[at] = word[: i + 1] + word[i:]
    return " ".join(words)


def pair(cut, text, other, labels):
    read = cut.encode(text, other)
    return read.ids[:LONGEST], read.type_ids[:LONGEST], labels


def statement(cut, text, parts):
    """The labels of each piece: its meaning, whether a value begins or goes on, whether a part begins."""
    meant, value, start = [0] * len(text), [0] * len(text), [0] * len(text)
    valued = not any(v is None and m == "so" for _, m, v in parts)
    end = 0
    for words, how, what in parts:
        begin = text.find(words, end)
        if begin < 0:
            continue
        end = begin + len(words)
        start[begin] = 1
        meant[begin:end] = [MEANINGS.index(how)] * len(words)
        if what and what in words:
            at = begin + words.find(what)
            value[at : at + len(what)] = [1] + [2] * (len(what) - 1)
    read = cut.encode(text)
    labels = []
    for (a, b), mark in zip(read.offsets, read.special_tokens_mask):
        if mark:
            labels.append((IGNORED, IGNORED, IGNORED))
        else:
            of_value = 1 if 1 in value[a:b] else value[a]
            labels.append((meant[a], of_value if valued else IGNORED, int(any(start[a:b])) if valued else IGNORED))
    return read.ids[:LONGEST], read.type_ids[:LONGEST], labels[:LONGEST]


def batches(cut, found, training=True):
    typed = mistyped if training else lambda text: text
    form = random.choice if training else lambda forms: forms[0]
    kinds = {
        "relation": [
            pair(cut, typed(t), form(f), (RELATIONS.index(r), IGNORED if u is None else u))
            for t, f, r, u in found.relations
        ],
        "answer": [pair(cut, typed(q), form(f), (a,)) for q, f, a in found.answers],
        "statement": [statement(cut, t, p) for t, p in found.statements],
    }
    made = []
    for kind, rows in kinds.items():
        rows.sort(key=lambda row: len(row[0]) + random.randint(0, 5))
        made += [(kind, rows[at : at + BATCH]) for at in range(0, len(rows), BATCH)]
    random.shuffle(made)
    return made


def padded(rows, fill):
    longest = max(map(len, rows))
    return torch.tensor([list(row) + [fill] * (longest - len(row)) for row in rows])


def scores(network, kind, rows):
    """The scores and the right labels, for each head that the kind of example trains."""
    states = network(
        padded([row[0] for row in rows], 0),
        padded([row[1] for row in rows], 0),
        padded([[1] * len(row[0]) for row in rows], 0),
    )
    if kind != "statement":
        heads = (network.relation, network.unsettled) if kind == "relation" else (network.answer,)
        labels = torch.tensor([row[2] for row in rows])
        return [(head(states[:, 0]), labels[:, at]) for at, head in enumerate(heads)]
    blank = (IGNORED, IGNORED, IGNORED)
    labels = padded([row[2] for row in rows], blank)
    heads = (network.meant, network.value, network.start)
    return [(head(states).flatten(0, 1), labels[:, :, at].flatten()) for at, head in enumerate(heads)]


def loss(network, kind, rows):
    found = scores(network, kind, rows)
    smoothed = 0.0 if kind == "statement" else 0.03
    total = 0.0
    for weight, (guessed, right) in zip((1.0, 0.5, 0.5), found):
        if (right != IGNORED).any():
            total = total + weight * cross_entropy(guessed, right, ignore_index=IGNORED, label_smoothing=smoothed)
    return total


def report(network, cut, found):
    network.eval()
    counts = Counter()
    with torch.no_grad():
        for kind, rows in batches(cut, found, training=False):
            guessed, right = scores(network, kind, rows)[0]
            for guess, label in zip(guessed.argmax(-1).tolist(), right.tolist()):
                if label != IGNORED:
                    counts[kind, guess == label] += 1
                    if kind == "relation":
                        counts[RELATIONS[label], RELATIONS[guess]] += 1
    network.train()
    for kind in ("relation", "answer", "statement"):
        right, wrong = counts[kind, True], counts[kind, False]
        print(f"held out, {kind}: {right / max(1, right + wrong):.3f} right")
    for label in RELATIONS:
        print(f"  {label}:", {guess: counts[label, guess] for guess in RELATIONS}, flush=True)


def main():
    options = arguments()
    random.seed(1)
    torch.manual_seed(1)
    cut, network = tokenizer(options.base), Network(options.base)
    if options.start:
        network.load_state_dict(torch.load(options.start))
    held_out = {Path(path).name for path in options.held_out}
    paths = [path for path in sorted((HERE / "conversations").glob("*.jsonl")) if path.name not in held_out]
    found = examples(read(paths))
    contrast_sets(found, sorted((HERE / "sets").glob("*.txt")))
    strangers(found)
    found.statements += labelled_clauses(sorted((HERE / "statements").glob("*.tsv")))
    found.answers += slots(sorted((HERE / "slots").glob("*.tsv")), HERE.parent.parent / "reconcile" / "presets")
    apart = examples(read(options.held_out))
    epochs = [batches(cut, found) for _ in range(options.epochs)]
    steps = sum(map(len, epochs))
    body = [p for p in network.encoder.parameters() if p.requires_grad]
    heads = [p for name, p in network.named_parameters() if not name.startswith("encoder.")]
    groups = [{"params": body, "lr": options.rate}, {"params": heads, "lr": options.rate * 10}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 100) * max(0.02, 1 - step / steps)
    )
    step, total = 0, 0.0
    for epoch in epochs:
        for kind, rows in epoch:
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HAS_BFLOAT16):
                lost = loss(network, kind, rows)
            optimizer.zero_grad()
            lost.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step, total = step + 1, total + lost.item()
            if step % 100 == 0:
                print(f"{step} of {steps}: loss {total / 100:.3f}", flush=True)
                total = 0.0
        if options.held_out:
            report(network, cut, apart)
        torch.save(network.state_dict(), options.out)


if __name__ == "__main__":
    main()
