"""Examples for the network, made of labelled conversations."""

import json
import random
import re
from dataclasses import dataclass, field

TOUCHES = ("same", "refines", "ends", "replaces")
UNSETTLED = ("past", "future", "hedged", "hypothetical", "sarcastic", "asked")
EMPTY = set(
    "the a an is are was were be been has have had do does did of to in on at for with and or by from as our my his her "
    "their its your i we they he she it this that will can may must should now no not as per via".split()
)
# Before a fact that was told last, to which "it" may point. verdicts.rs of the built-in model puts it there, too.
LAST = "* "


@dataclass
class Examples:
    # (statement, forms of a held fact, relation, whether it speaks of the fact but not of how things are now: 1, 0 or, where
    # that is not known, None)
    relations: list = field(default_factory=list)
    # (statement, [(words, meaning, value)])
    statements: list = field(default_factory=list)
    # (question, forms of a fact, whether it answers)
    answers: list = field(default_factory=list)


def read(paths):
    return [json.loads(line) for path in paths for line in open(path, encoding="utf8") if line.strip()]


def examples(conversations):
    found = Examples()
    for conversation in conversations:
        add(found, conversation)
    return found


def add(found, conversation):
    held, last = {}, set()

    def forms(fact):
        return [LAST + form for form in held[fact]] if fact in last else held[fact]

    for said in conversation["say"]:
        text, parts = said["t"], said["f"]
        touched = touches(parts)
        unsettled = None if any(part.get("m") in UNSETTLED for part in parts) else 0
        for fact in held:
            if touched or random.random() < 0.8:
                found.relations.append((text, forms(fact), touched.get(fact, "none"), unsettled))
        # A part alone is an example for the facts that it touches, and now and then for those that nothing touches.
        for part in parts if len(parts) > 1 else []:
            if part.get("m") in (None, "end"):
                alone = touches([part])
                for fact in held:
                    if fact in alone or fact not in touched and random.random() < 0.25:
                        found.relations.append((part["w"], forms(fact), alone.get(fact, "none"), 0))
        found.statements.append((text, [(p["w"], p.get("m") or "so", p.get("v")) for p in parts]))
        for fact, how in touched.items():
            if how in ("ends", "replaces"):
                held.pop(fact, None)
        facts = [part for part in parts if not part.get("m")]
        if facts:
            last = {part["id"] for part in facts}
        for part in facts:
            held[part["id"]] = told(part, text if len(facts) == 1 else None)
    for asked in conversation.get("ask", []):
        for fact, told_as in held.items():
            answers = fact in asked["by"]
            if answers or random.random() < 0.5:
                found.answers.append((asked["q"], told_as, int(answers)))


def contrast_sets(found, paths):
    """Two facts that resemble each other, F and G, and statements that might follow them. The letter of a statement says
    what it does to F, a small one what it does to G, and N that it touches neither."""
    does = {"R": "replaces", "E": "ends", "S": "same", "D": "refines"}
    for path in paths:
        for lines in re.split(r"\n\s*\n", path.read_text(encoding="utf8").strip()):
            lines = [(line[0], line[2:].strip()) for line in lines.split("\n") if line.strip()]
            facts = {letter: fact_of_set(text) for letter, text in lines if letter in "FG"}
            found.statements += [(text, [(text, "so", value)]) for text, value in facts.values()]
            held = {letter: [text, text, with_subject(text, value) or text] for letter, (text, value) in facts.items()}
            for letter, text in lines:
                if letter in "QqX":
                    by = {"Q": "F", "q": "G"}.get(letter)
                    # Else there would be three facts that do not answer for each that does.
                    asked = [name for name in held if name == by or random.random() < 0.4]
                    found.answers += [(text, held[name], int(name == by)) for name in asked]
                elif letter not in "FG":
                    parts = parts_of_set(text, "end" if letter in "Ee" else "so")
                    said = re.sub(r"\w+\| ?|[{}\[\]]", "", text)
                    # What is mocked, ended or replaced is rarer in life than in the sets.
                    if random.random() < 0.6:
                        found.statements.append((said, parts))
                    touched = "F" if letter.isupper() else "G"
                    unsettled = letter == "N" and bool(parts) and all(how in UNSETTLED for _, how, _ in parts)
                    for name, forms in held.items():
                        how = does.get(letter.upper(), "none") if name == touched else "none"
                        last = [LAST + form for form in forms] if random.random() < 0.5 else forms
                        found.relations.append((said, last, how, int(unsettled and name == "F")))


def strangers(found):
    """A memory holds much that has nothing to do with what is said or asked."""
    for examples, labels in ((found.relations, ("none", 0)), (found.answers, (0,))):
        count = len(examples) // 6
        pairs = zip(random.choices(examples, k=count), random.choices(examples, k=count))
        examples += [(one, forms, *labels) for (one, *_), (_, forms, *_) in pairs if not shares(one, forms[0])]


def shares(one, other):
    """Whether two texts have a word in common that tells something."""
    words = [set(re.findall(r"\w+", text.lower())) for text in (one, other)]
    return bool((words[0] & words[1]) - EMPTY)


def fact_of_set(text):
    value = re.search(r"\[(.*?)\]", text)[1]
    return re.sub(r"[\[\]]", "", text).rstrip("."), value


def parts_of_set(text, plainly):
    found = []
    for part in re.findall(r"\{(.*?)\}", text):
        meant, words = re.fullmatch(r"(?:(\w+)\| ?)?(.*)", part).groups()
        value = re.search(r"\[(.*?)\]", words)
        how = meant or ("so" if value else plainly)
        found.append((re.sub(r"[\[\]]", "", words).strip(), how, value[1] if value else None))
    return found


def touches(parts):
    return {fact: how for part in parts for how in TOUCHES for fact in part.get(how) or []}


def told(part, whole):
    """The forms in which a held fact may be shown to the network."""
    named = with_subject(part["c"], part["v"])
    return [part["w"], part["w"], part["c"]] + [form for form in (whole, named) if form]


def with_subject(sentence, value):
    """ "deploy target: Fly.io", as a fact is stored."""
    before, found, after = sentence.partition(value)
    words = [w for w in re.findall(r"[A-Za-z0-9][\w'./-]*", f"{before} {after}") if w.lower() not in EMPTY]
    return f"{' '.join(words[:6]).lower()}: {value}" if found and words else None


def labelled_clauses(paths):
    """Statements whose clauses have a label and nothing else."""
    meaning = {"state": "so", "change": "so", "chatter": None, "reason": None}
    found = []
    for path in paths:
        for line in open(path, encoding="utf8"):
            labels, _, text = line.rstrip("\n").partition("\t")
            labels, clauses = [label.strip() for label in labels.split(",")], text.split(" || ")
            if text and len(labels) == len(clauses):
                meant = [(c.strip(), meaning.get(label, label), None) for c, label in zip(clauses, labels)]
                found.append((" ".join(clauses), [part for part in meant if part[1]]))
    return found


def slots(paths, presets):
    """Whether a sentence tells the value of a slot is asked like a question."""
    found = []
    for path in paths:
        schema = json.loads((presets / f"{path.stem}.json").read_text())
        asked = {slot["name"]: f"{slot['name'].replace('_', ' ')}: {slot['description']}" for slot in schema["slots"]}
        for line in path.read_text(encoding="utf8").splitlines():
            name, _, sentence = line.partition("\t")
            others = random.sample([slot for slot in asked if slot != name], 4)
            found += [(asked[other], [sentence], 0) for other in others]
            if name in asked:
                found += [(asked[name], [sentence], 1)] * 2
    return found
