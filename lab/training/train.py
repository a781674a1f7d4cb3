#!/usr/bin/env python3
"""Trains the network on what lies here. README.md says what it needs.

    train.py BASE OUT [--near WEIGHT] [--epochs N] [--minutes M] [--rate R] [--held-out FILE...]
"""

import argparse
import random
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from distill import Teacher, texts_of
from examples import contrast_sets, examples, labelled_clauses, read, slots, strangers
from measure import measured
from network import MEANINGS, RELATIONS, Network, tokenizer, vocabulary

HERE = Path(__file__).parent
LONGEST = 160
BATCH = 128
IGNORED = -100
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
# Where the processor has to imitate bfloat16, single precision is three times as fast.
FLAGS = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
HAS_BFLOAT16 = DEVICE == "cuda" or "amx_bf16" in FLAGS or "avx512_bf16" in FLAGS


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("base")
    parser.add_argument("out")
    parser.add_argument("--data", type=Path, default=HERE)
    parser.add_argument("--presets", type=Path, default=HERE.parent.parent / "crates" / "reconcile" / "presets")
    parser.add_argument("--near", type=float, default=8.0, help="how much it counts to stay near the original's vectors")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=1e9, help="training ends by then, the epochs done or not")
    parser.add_argument("--rate", type=float, default=4e-4)
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
    return torch.tensor([list(row) + [fill] * (longest - len(row)) for row in rows]).to(DEVICE, non_blocking=True)


def scores(network, kind, rows):
    """The scores and the right labels, by each head that the kind of example trains."""
    states = network(
        padded([row[0] for row in rows], 0),
        padded([row[1] for row in rows], 0),
        padded([[1] * len(row[0]) for row in rows], 0),
    )
    heads = network.heads
    if kind != "statement":
        names = ("relation", "unsettled") if kind == "relation" else ("answer",)
        labels = torch.tensor([row[2] for row in rows]).to(DEVICE, non_blocking=True)
        return {name: (heads[name](states[:, 0]), labels[:, at]) for at, name in enumerate(names)}
    labels = padded([row[2] for row in rows], (IGNORED, IGNORED, IGNORED))
    names = ("meant", "value", "start")
    return {name: (heads[name](states).flatten(0, 1), labels[:, :, at].flatten()) for at, name in enumerate(names)}


def loss(network, kind, rows):
    smoothed = 0.0 if kind == "statement" else 0.03
    total = 0.0
    for weight, (guessed, right) in zip((1.0, 0.5, 0.5), scores(network, kind, rows).values()):
        # A sum, since a batch may have no label at all for a head.
        lost = cross_entropy(
            guessed.float(), right, ignore_index=IGNORED, label_smoothing=smoothed, reduction="sum"
        )
        total = total + weight * lost / (right != IGNORED).sum().clamp(min=1)
    return total


def all_examples(options):
    held_out = {Path(path).name for path in options.held_out}
    paths = [path for path in sorted((options.data / "conversations").glob("*.jsonl")) if path.name not in held_out]
    found = examples(read(paths))
    contrast_sets(found, sorted((options.data / "sets").glob("*.txt")))
    strangers(found)
    found.statements += labelled_clauses(sorted((options.data / "statements").glob("*.tsv")))
    # Warm talk is rare in the examples and frequent in life.
    found.statements += 5 * labelled_clauses([options.data / "statements" / "statements-7.tsv"])
    found.answers += slots(sorted((options.data / "slots").glob("*.tsv")), options.presets)
    return found


def epoch(seed):
    random.seed(seed)
    return batches(epoch.cut, epoch.found)


def main():
    options = arguments()
    random.seed(1)
    torch.manual_seed(1)
    started = time.time()
    cut = tokenizer(vocabulary(options.base))
    apart = examples(read(options.held_out))
    found = all_examples(options)
    warm = labelled_clauses(sorted((HERE / "held-out").glob("warm.tsv")))
    # Other processes cut the texts meanwhile. They have to be there before the accelerator is.
    epoch.cut, epoch.found = cut, found
    workers = ProcessPoolExecutor(min(4, options.epochs), mp_context=get_context("fork"))
    epochs = [workers.submit(epoch, seed) for seed in range(options.epochs)]
    steps = len(epochs[0].result()) * options.epochs
    network = Network(options.base).to(DEVICE)
    teacher = Teacher(options.base, texts_of(found), DEVICE) if options.near else None
    print(f"{steps} steps, ready after {time.time() - started:.0f} s", flush=True)
    body = [p for name, p in network.named_parameters() if p.requires_grad and not name.startswith("heads")]
    heads = list(network.heads.parameters())
    groups = [{"params": body, "lr": options.rate}, {"params": heads, "lr": options.rate * 10}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
    step, total, near = 0, torch.zeros((), device=DEVICE), torch.zeros((), device=DEVICE)
    network.train()
    for kind, rows in (batch for made in epochs for batch in made.result()):
        done = max(step / steps, (time.time() - started) / 60 / options.minutes)
        if done >= 1:
            break
        for group, rate in zip(optimizer.param_groups, (1, 10)):
            group["lr"] = options.rate * rate * min(1, (step + 1) / 200) * max(0.01, 1 - done)
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=HAS_BFLOAT16):
            lost = loss(network, kind, rows)
            if teacher and step % 2 == 0:
                away = teacher.away(network, cut)
                near += away.detach()
                lost = lost + options.near * away
        optimizer.zero_grad()
        lost.backward()
        torch.nn.utils.clip_grad_norm_([*body, *heads], 1.0)
        optimizer.step()
        step, total = step + 1, total + lost.detach()
        if step % 1000 == 0:
            spent = time.time() - started
            print(f"{step} of {steps}: loss {total / 1000:.3f}, away {near / 500:.4f}, {spent:.0f} s", flush=True)
            total, near = torch.zeros_like(total), torch.zeros_like(near)
    torch.save({name: value.cpu() for name, value in network.state_dict().items()}, options.out)
    workers.shutdown(cancel_futures=True)
    for line in measured(network, lambda part: batches(cut, part, training=False), scores, apart, warm):
        print(line, flush=True)


if __name__ == "__main__":
    main()
