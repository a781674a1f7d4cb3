#!/usr/bin/env python3
"""Checks signed evidence against the public keys of a deployment.

    verify_evidence.py FILE... --key HEX [--key HEX...] [--history FILE] [--json]

Each FILE is a receipt, a decision, the export of a space, an extract of the
audit log, a checkpoint of it or the proof of one entry, as
docs/evidence-format.md describes them. --key takes a public key
(64 hexadecimal digits) or a file with one such key on each line. Take the keys
from a deployment you trust, never from the file that is to be checked. Where the
key was rotated, one key is enough with the history of the keys: exports have it,
and --history takes it as a file of its own.

For each file the output says what it proves ("ok") and what is wrong with it
("FAULT"); with --json it is one JSON object per file. The exit status is 0 if
everything holds, 1 if something does not, and 2 for wrong usage or a file that
cannot be read. Needs Python 3.9 or newer and nothing else.
"""

import argparse
import base64
import bisect
import hashlib
import json
import os
import re
import signal
import struct
import sys
from array import array
from datetime import datetime
from types import SimpleNamespace

LONGEST_LINE = 64 * 1024 * 1024  # of an extract; it keeps memory bounded
MOST_FAULTS = 1000  # listed for each file; beyond that they are only counted
U64_MAX = 2**64 - 1
NO_HASH = bytes(32)


class Fault(Exception):
    def __init__(self, at, why):
        super().__init__(at, why)
        self.at, self.why = at, why


class Report:
    def __init__(self):
        self.proven, self.faults, self.unlisted, self.readable = [], [], 0, True

    def fault(self, at, why):
        if len(self.faults) < MOST_FAULTS:
            self.faults.append({"at": at, "why": why})
        else:
            self.unlisted += 1

    def attempt(self, check, *arguments):
        """Runs a check that returns what it proves, or raises a fault."""
        try:
            self.proven.append(check(*arguments))
        except Fault as fault:
            self.fault(fault.at, fault.why)


# --- Ed25519 (RFC 8032). Points are (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z.

P = 2**255 - 19
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)


def add_points(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def decode_point(data):
    """The point, or None where these bytes are not the one encoding of a point."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    x_squared = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(x_squared, (P + 3) // 8, P)
    if x * x % P != x_squared:
        x = x * SQRT_OF_MINUS_ONE % P
    if x * x % P != x_squared or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


def encode_point(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def has_small_order(point):
    for _ in range(3):
        point = add_points(point, point)
    return point[0] == 0 and point[1] == point[2]


def multiples_table(point):
    """For each of the 64 hexadecimal digits of a scalar, the 16 points it can stand for."""
    table = []
    for _ in range(64):
        row = [IDENTITY]
        for _ in range(15):
            row.append(add_points(row[-1], point))
        table.append(row)
        point = add_points(row[-1], point)
    return table


def multiply(table, scalar):
    total = IDENTITY
    for row in table:
        if scalar & 15:
            total = add_points(total, row[scalar & 15])
        scalar >>= 4
    return total


BASE_TABLE = multiples_table(decode_point(b"\x58" + b"\x66" * 31))


class PublicKey:
    def __init__(self, data):
        point = decode_point(data)
        if point is None or has_small_order(point):
            raise ValueError("not a usable Ed25519 public key")
        self.data = data
        self.retired = None  # Or the size of the log and the time when it was retired.
        self.id = hashlib.sha256(data).digest()[:8]
        x, y, z, t = point
        self.negated_table = multiples_table((-x % P, y, z, -t % P))

    def verifies(self, signature, message):
        r, s = signature[:32], int.from_bytes(signature[32:], "little")
        if s >= GROUP_ORDER:
            return False
        h = int.from_bytes(hashlib.sha512(r + self.data + message).digest(), "little") % GROUP_ORDER
        expected = add_points(multiply(BASE_TABLE, s), multiply(self.negated_table, h))
        # Comparing the bytes also refuses every R that is not encoded canonically.
        return encode_point(expected) == r and not has_small_order(expected)


# --- Records


def parse_time(text, at):
    """Accepts only the one spelling that the format allows, and returns it."""
    pattern = r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{0,8}[1-9])?Z"
    match = re.fullmatch(pattern, text, re.ASCII)
    try:
        if match is None:
            raise ValueError
        datetime(*map(int, match.groups()))  # Refuses the 30th of February and the like.
    except ValueError:
        raise Fault(at, f"{quoted(text)} is not a time as the format spells it") from None
    return text


class Record:
    """Reads the fields of a record one after another."""

    def __init__(self, data, at, *tags):
        self.data, self.at, self.offset = data, at, 0
        self.tag = self.text()
        if self.tag not in tags:
            raise Fault(at, f"is the record {quoted(self.tag)}, not {' or '.join(tags)}")

    def field(self, length=None):
        start = self.offset + 8
        end = start + int.from_bytes(self.data[self.offset : start], "big")
        if start > len(self.data) or end > len(self.data):
            raise Fault(self.at, "a field of the record reaches beyond its end")
        if length is not None and end - start != length:
            raise Fault(self.at, f"a field has {end - start} bytes instead of {length}")
        self.offset = end
        return self.data[start:end]

    def text(self):
        return utf8(self.field(), self.at)

    def u64(self):
        return int.from_bytes(self.field(8), "big")

    def i64(self):
        return int.from_bytes(self.field(8), "big", signed=True)

    def fraction(self):
        return struct.unpack(">d", self.field(8))[0]

    def time(self):
        return parse_time(self.text(), self.at)

    def hash(self):
        return self.field(32)

    def space(self):
        return (self.text(), self.text(), self.text())

    def list_of(self, *readers):
        """A list whose items have one field or more: plain values or tuples."""
        items = []
        for _ in range(self.u64()):
            item = tuple(read() for read in readers)
            items.append(item if len(readers) > 1 else item[0])
        return items

    def optional(self, read):
        items = self.list_of(read)
        if len(items) > 1:
            raise Fault(self.at, "an optional value occurs more than once")
        return items[0] if items else None

    def end(self):
        if self.offset != len(self.data):
            raise Fault(self.at, "there are bytes after the last field of the record")


def make_record(tag, *fields):
    return b"".join(len(f).to_bytes(8, "big") + f for f in (tag.encode(), *fields))


def decode_receipt(body, at):
    record = Record(body, at, "svc/receipt/1")
    receipt = SimpleNamespace(kind=record.text(), id=record.i64(), tenant=record.text(),
                              space=record.optional(record.space), time=record.time(),
                              log_size=record.u64(), log_hash=record.hash())
    if receipt.kind == "knowledge_attestation":
        receipt.subject, receipt.value = record.text(), record.text()
        receipt.memories = record.list_of(record.i64)
    elif receipt.kind == "erasure_receipt":
        word = record.text()
        receipt.graph_pending = word == "graph_pending"
        if receipt.graph_pending:
            word = record.text()
        receipt.keys_destroyed, receipt.keys_checked = [], 0
        if word == "keys_destroyed":
            receipt.keys_destroyed = record.list_of(record.u64)
            if not receipt.keys_destroyed:
                raise Fault(at, "it names no key where it must")
            word = record.text()
            if word == "keys_checked":
                receipt.keys_checked = record.u64()
                if not receipt.keys_checked:
                    raise Fault(at, "it counts no space where it must")
                word = record.text()
        receipt.summaries = []
        if word == "summaries":
            receipt.summaries = record.list_of(record.i64)
            word = record.text()
        receipt.what, receipt.erased = decode_erased(word, record)
        receipt.memories = record.list_of(record.i64)
        receipt.counts = [record.u64() for _ in range(4)]
    else:
        raise Fault(at, f"{quoted(receipt.kind)} is not a kind of receipt")
    record.end()
    return receipt


def decode_erased(word, record):
    """What an erasure receipt says was erased, in words, and as its summary has it: given the space and the user."""
    if word == "subject":
        subject = record.text()
        return f"the subject {quoted(subject)}", lambda space, _: f"'{subject}' of {space}"
    if word == "space":
        return "the space", lambda space, _: f"all of {space}"
    if word == "user":
        return "every space of the user", lambda _, user: f"every space of {user}"
    if word == "older_than_days":
        days = record.u64()
        return (f"what was older than {days} days in the space",
                lambda space, _: f"what was older than {days} day(s) in {space}")
    if word == "older_than_days_in":
        days, spaces = record.u64(), record.list_of(record.text, record.text, record.text)
        if not spaces:
            raise Fault(record.at, "the list of the spaces that were reached is empty")
        named = ", ".join("/".join(space) for space in spaces)
        return (f"what was older than {days} days in {shortened(spaces, space_in_words)}",
                lambda *_: f"what was older than {days} day(s) in {named}")
    if word == "graph":
        other = record.i64()
        return (f"the facts of receipt {other} from the entity graph",
                lambda *_: f"from the graph what receipt #{other} erased")
    raise Fault(record.at, f"{quoted(word)} is nothing that a receipt can say was erased")


def decode_decision(body, at):
    record = Record(body, at, "svc/decision/1")
    decision = SimpleNamespace(id=record.i64(), tenant=record.text(), space=record.space(),
                               time=record.time(), summary=record.hash(),
                               beliefs=record.list_of(record.i64, record.hash))
    record.end()
    return decision


def decode_belief(content, at):
    record = Record(content, at, "svc/belief/1")
    belief = SimpleNamespace(memory=record.i64(), subject=record.text(), value=record.text(),
                             confidence=record.fraction(), source=record.optional(record.text),
                             status=record.text(), supersedes=record.optional(record.i64))
    record.end()
    return belief


def decode_entry(body, at):
    record = Record(body, at, "svc/audit-entry/2", "svc/audit-entry/1")
    entry = SimpleNamespace(is_first_form=record.tag.endswith("/1"), seq=record.u64(),
                            time=record.time(), action=record.text(), space=record.space(),
                            caller=record.text(), request_id=record.text(),
                            commitment=record.hash(),
                            blanks=record.list_of(record.u64, record.u64), prev=record.hash(),
                            hash=hashlib.sha256(body).digest())
    if not entry.is_first_form:
        record.hash()  # The changes; the rows that they stand for are not in any file.
    record.end()
    end_of_last = 0
    for first, last in entry.blanks:
        if not end_of_last < first <= last < entry.seq:
            raise Fault(at, f"the blanked range {first} to {last} is out of place")
        end_of_last = last
    if entry.seq == 0 or (entry.seq == 1 and entry.prev != NO_HASH):
        raise Fault(at, "the log does not begin like this: with entry 1, which follows none")
    return entry


def decode_head(body, at):
    """The head has no root (None) if it is of the first form."""
    if not body.startswith(b"svc/audit/"):
        record = Record(body, at, "svc/audit-head/1")
        head = SimpleNamespace(size=record.u64(), hash=record.hash(), root=None, time=record.time())
        record.end()
        return head
    pattern = (rb"svc/audit/[0-9a-f]{16}\n(0|[1-9][0-9]{0,19})\n([A-Za-z0-9+/]{43}=)\n"
               rb"chain ([A-Za-z0-9+/]{43}=)\ntime ([^\n]+)\n")
    match = re.fullmatch(pattern, body)
    if not match or int(match[1]) > U64_MAX:
        raise Fault(at, "is not the text of a head")
    root, chain = base64.b64decode(match[2]), base64.b64decode(match[3])
    if base64.b64encode(root) != match[2] or base64.b64encode(chain) != match[3]:
        raise Fault(at, "a hash of the head is not in canonical base64")
    return SimpleNamespace(size=int(match[1]), hash=chain, root=root,
                           time=parse_time(utf8(match[4], at), at))


def decode_anchor(body, at):
    record = Record(body, at, "svc/audit-anchor/2", "svc/audit-anchor/1")
    anchor = SimpleNamespace(size=record.u64(), hash=record.hash(), time=record.time())
    if record.tag.endswith("/2"):
        anchor.peaks = record.list_of(record.hash)
    else:
        anchor.peaks = peaks_of_equal_leaves(anchor.size, anchor.hash)
    record.end()
    if anchor.size == 0 or len(anchor.peaks) != bin(anchor.size).count("1"):
        raise Fault(at, "the peaks of the anchor do not fit its size")
    return anchor


def decode_succession(body, at):
    record = Record(body, at, "svc/key-succession/1")
    succession = SimpleNamespace(retired=record.hash(), successor=record.hash(), size=record.u64(),
                                 hash=record.hash(), time=record.time())
    record.end()
    return succession


# --- The tree of the log (RFC 6962)


def leaf_hash(data):
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def peaks_of_equal_leaves(size, data):
    peaks, subtree = [], leaf_hash(data)
    while size:
        if size & 1:
            peaks.insert(0, subtree)
        subtree, size = node_hash(subtree, subtree), size >> 1
    return peaks


class Tree:
    """Grows leaf by leaf, and keeps only the roots of its complete subtrees."""

    def __init__(self, size=0, peaks=()):
        self.size, self.peaks = size, list(peaks)

    def append(self, data):
        node, remaining = leaf_hash(data), self.size
        while remaining & 1:
            node, remaining = node_hash(self.peaks.pop(), node), remaining >> 1
        self.peaks.append(node)
        self.size += 1

    def root(self):
        if not self.peaks:
            return hashlib.sha256(b"").digest()
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = node_hash(peak, root)
        return root


def is_included(leaf, index, size, path, root):
    """The inclusion proof of RFC 6962, checked with the algorithm of RFC 9162."""
    node, last = leaf_hash(leaf), size - 1
    for sibling in path:
        if last == 0:
            return False
        if index & 1 or index == last:
            node = node_hash(sibling, node)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and node == root


# --- JSON, and words for people


def parse_json(data, at):
    def object_of(pairs):
        result = dict(pairs)
        if len(result) != len(pairs):
            raise ValueError("an object has the same key twice")
        return result

    def number_of(digits):
        # No field takes a float, so an absurd number is refused wherever it matters.
        return int(digits) if len(digits) <= 20 and digits != "-0" else float(digits)

    def refuse_constant(name):
        raise ValueError(f"{name} is not a value")

    try:
        text = data.decode("utf-8")
        value = json.loads(text, object_pairs_hook=object_of, parse_int=number_of,
                           parse_constant=refuse_constant)
        if re.search(r"\\u[dD]", text):  # Refuses halves of surrogate pairs.
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
    except RecursionError:
        raise Fault(at, "is nested too deeply") from None
    except ValueError as error:
        raise Fault(at, f"is not JSON: {error}") from None


def printable(text):
    """Hostile text must not be able to write lines of its own into the report."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def quoted(value):
    """A JSON value from a file, fit to be shown."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str) and len(value) > 200:
        return f"{quoted(value[:200])} (the first 200 of {len(value)} characters)"
    return printable(json.dumps(value, ensure_ascii=False))


def space_in_words(space):
    return f"space {'/'.join(quoted(name) for name in space)}"


def shortened(items, describe=str):
    longest = 20
    more = f" and {len(items) - longest} more" if len(items) > longest else ""
    return (", ".join(describe(item) for item in items[:longest]) or "none") + more


def utf8(data, at):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Fault(at, "a text is not UTF-8") from None


def within(place, name):
    return f"{place}.{name}" if place else name


def typed(value, kind, at):
    if type(value) is not kind:
        names = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
        raise Fault(at, f"is {quoted(value)} instead of {names[kind]}")
    return value


def required(thing, name, kind, place):
    if name not in thing:
        raise Fault(within(place, name), "is missing")
    return typed(thing[name], kind, within(place, name))


def hex_bytes(text, at, length=None):
    if not re.fullmatch(r"[0-9a-f]*", typed(text, str, at)) or len(text) % 2:
        raise Fault(at, "is not bytes in lower-case hexadecimal digits")
    if length is not None and len(text) != 2 * length:
        raise Fault(at, f"has {len(text) // 2} bytes instead of {length}")
    return bytes.fromhex(text)


def compare_words(thing, place, **expected):
    """Fields may be left out, but those that are there must say what the body says."""
    for name, value in expected.items():
        shown = thing.get(name, value)
        if shown is None and value == "":
            continue
        if type(shown) is not type(value) or shown != value:
            at = within(place, name)
            raise Fault(at, f"says {quoted(shown)}, but the signed body says {quoted(value)}")


# --- Checking the things that files are made of


def check_signature(thing, place, body, keys):
    at = within(place, "signature")
    if thing.get("signature") is None:
        raise Fault(at, "there is no signature")
    signature = hex_bytes(thing["signature"], at, 72)
    key = keys.get(signature[:8])
    if key is None:
        raise Fault(at, f"it was made with an unknown key (id {signature[:8].hex()})")
    if not key.verifies(signature[8:], body):
        raise Fault(at, "the signature is false")


def refuse_retired(thing, place, keys, size, time):
    """A key signs nothing of a longer log, or of a later time, than when it was retired."""
    retired = keys[bytes.fromhex(thing["signature"][:16])].retired
    if retired is None:
        return
    if (size is not None and size > retired[0]) or time_order(time) > time_order(retired[1]):
        raise Fault(within(place, "signature"), "it was made with a key that had been retired")


def time_order(text):
    seconds, _, fraction = text[:-1].partition(".")
    return seconds, fraction.ljust(9, "0")


def signed_body(thing, place, keys):
    typed(thing, dict, place or "file")
    body = hex_bytes(required(thing, "body", str, place), within(place, "body"))
    check_signature(thing, place, body, keys)
    return body


def open_disclosure(thing, name, place, commitment):
    """The content, or None where it was erased."""
    at = within(place, name)
    if thing.get(name) is None:
        return None
    disclosure = typed(thing[name], dict, at)
    salt = hex_bytes(required(disclosure, "salt", str, at), within(at, "salt"), 16)
    content = hex_bytes(required(disclosure, "content", str, at), within(at, "content"))
    if hashlib.sha256(make_record("svc/commitment/1", salt, content)).digest() != commitment:
        raise Fault(at, "it is not what was signed: it does not give the commitment")
    return content


def open_text(thing, disclosure_name, words_name, place, commitment):
    content = open_disclosure(thing, disclosure_name, place, commitment)
    text = None if content is None else utf8(content, within(place, disclosure_name))
    shown = thing.get(words_name, text)
    if type(shown) is not type(text) or shown != text:
        at = within(place, words_name)
        raise Fault(at, f"says {quoted(shown)}, but the disclosure says {quoted(text)}")
    return text


def summary_of(receipt):
    """The one line that the service shows for the receipt."""
    if receipt.kind == "knowledge_attestation":
        return f"'{receipt.subject}' = {receipt.value}"
    space = "/".join(receipt.space) if receipt.space else "an unnamed space"
    user = receipt.space[0] if receipt.space else "an unnamed user"
    redacted, removed, receipts_removed, blanked = receipt.counts
    text = f"erased {receipt.erased(space, user)}: {len(receipt.memories)} fact(s)"
    text += f", {redacted} decision(s) redacted" if redacted else ""
    text += f", {removed} decision(s) removed" if removed else ""
    text += f", {receipts_removed} receipt(s) removed" if receipts_removed else ""
    text += f", {blanked} audit {'entry' if blanked == 1 else 'entries'} blanked" if blanked else ""
    text += "; the user's key was destroyed" if receipt.keys_destroyed else ""
    text += f", found to be that of {receipt.keys_checked} space(s) of the user" if receipt.keys_checked else ""
    if receipt.graph_pending:
        text += "; the removal from the graph was still to come, with a receipt of its own"
    return text


def check_receipt(thing, place, keys, user=None):
    body = signed_body(thing, place, keys)
    receipt = decode_receipt(body, within(place, "body"))
    refuse_retired(thing, place, keys, receipt.log_size, receipt.time)
    compare_words(thing, place, id=receipt.id, kind=receipt.kind, ts=receipt.time,
                  summary=summary_of(receipt))
    if user is not None and receipt.space is not None and receipt.space[0] != user:
        raise Fault(place, f"it is about user {quoted(receipt.space[0])}, not about {quoted(user)}")
    where = space_in_words(receipt.space) if receipt.space else "no space named"
    start = (f"receipt {receipt.id}, issued at {receipt.time} (tenant {quoted(receipt.tenant)}, "
             f"{where}, log of {receipt.log_size} entries): ")
    is_attestation = receipt.kind == "knowledge_attestation"
    actions = ("attest",) if is_attestation else ("delete", "delete_all", "purge_expired")
    logged = check_logged(thing, place, keys, receipt, receipt.space, actions)
    if is_attestation:
        return (f"{start}the service knew {quoted(receipt.subject)} as {quoted(receipt.value)} "
                f"(memories: {shortened(receipt.memories)}){logged}")
    redacted, removed, receipts_removed, blanked = receipt.counts
    text = (f"{start}erased {receipt.what} (memories: {shortened(receipt.memories)}; decisions "
            f"redacted: {redacted}, removed: {removed}; receipts removed: {receipts_removed}; "
            f"audit entries blanked: {blanked})")
    if receipt.summaries:
        text += f"; decisions that lost their summary: {shortened(receipt.summaries)}"
    if receipt.keys_destroyed:
        text += f"; keys of the user that were destroyed: {shortened(receipt.keys_destroyed)}"
        text += f", found to be those of {receipt.keys_checked} of their spaces" if receipt.keys_checked else ""
    if receipt.graph_pending:
        text += "; the removal from the entity graph was still to come"
    return text + logged


def check_decision(thing, place, keys, user=None):
    body = signed_body(thing, place, keys)
    decision = decode_decision(body, within(place, "body"))
    refuse_retired(thing, place, keys, None, decision.time)
    compare_words(thing, place, id=decision.id, ts=decision.time)
    if user is not None and decision.space[0] != user:
        raise Fault(place, f"it is of user {quoted(decision.space[0])}, not of {quoted(user)}")
    summary = open_text(thing, "summary_disclosure", "action_summary", place, decision.summary)
    shown = required(thing, "beliefs", list, place)
    if len(shown) != len(decision.beliefs):
        why = f"there are {len(shown)}, but the signed body has {len(decision.beliefs)}"
        raise Fault(within(place, "beliefs"), why)
    beliefs = []
    for index, (memory, commitment) in enumerate(decision.beliefs):
        beliefs.append(check_belief(shown[index], within(place, f"beliefs[{index}]"),
                                    memory, commitment))
    logged = check_logged(thing, place, keys, decision, decision.space, ("record_decision",))
    what = "summary erased" if summary is None else quoted(summary)
    return (f"decision {decision.id}, made at {decision.time} (tenant {quoted(decision.tenant)}, "
            f"{space_in_words(decision.space)}): {what}; beliefs: {shortened(beliefs)}{logged}")


def check_belief(thing, place, memory, commitment):
    typed(thing, dict, place)
    compare_words(thing, place, memory_id=memory, commitment=commitment.hex())
    content = open_disclosure(thing, "disclosure", place, commitment)
    if content is None:
        return f"memory {memory} (erased)"
    at = within(place, "disclosure")
    belief = decode_belief(content, at)
    if belief.memory != memory:
        raise Fault(at, f"it is about memory {belief.memory}, not {memory}")
    return (f"memory {memory}: {quoted(belief.subject)} is {quoted(belief.value)} "
            f"({quoted(belief.status)}, confidence {belief.confidence})")


def check_logged(thing, place, keys, made, space, actions):
    """The entry of the call that made a receipt or decision, where it comes along."""
    if thing.get("logged") is None:
        return ""
    at = within(place, "logged")
    logged = typed(thing["logged"], dict, at)
    entry_at = within(at, "entry")
    entry = check_entry(required(logged, "entry", dict, at), entry_at, keys)
    head = check_head(required(logged, "head", dict, at), within(at, "head"), keys)
    if not entry.is_first_form:
        check_inclusion(entry, logged, at, head)
    if entry.time != made.time or entry.action not in actions or space not in (None, entry.space):
        raise Fault(entry_at, "it is not the entry of the call that made this")
    if entry.detail is not None and not re.search(rf"#{made.id}(?![0-9])", entry.detail):
        raise Fault(entry_at, f"its detail does not name number {made.id}")
    return f"; entry {entry.seq} of the log of {head.size} entries at {head.time} tells of it"


def check_entry(thing, place, keys):
    """Everything about an entry but its place in the log."""
    typed(thing, dict, place)
    at = within(place, "body")
    body = hex_bytes(required(thing, "body", str, place), at)
    entry = decode_entry(body, at)
    required(thing, "hash", str, place)
    compare_words(thing, place, hash=entry.hash.hex(), seq=entry.seq, ts=entry.time,
                  action=entry.action, user=entry.space[0], caller=entry.caller,
                  request_id=entry.request_id)
    if entry.is_first_form:
        check_signature(thing, place, body, keys)
        refuse_retired(thing, place, keys, entry.seq, entry.time)
    elif thing.get("signature") is not None:
        raise Fault(within(place, "signature"), "an entry of the second form has none")
    entry.detail = open_text(thing, "detail_disclosure", "detail", place, entry.commitment)
    return entry


def check_head(thing, place, keys):
    body = signed_body(thing, place, keys)
    head = decode_head(body, within(place, "body"))
    refuse_retired(thing, place, keys, head.size, head.time)
    compare_words(thing, place, size=head.size, hash=head.hash.hex(), ts=head.time)
    return head


# --- The history of the keys


def follow_history(thing, keys, at="key_history"):
    """The keys, with those of the history where one of them is trusted; each up to where it was retired."""
    if thing.get("key_history") is None:
        return keys
    of_history, before = {}, None
    for index, link in enumerate(typed(thing["key_history"], list, at)):
        place = f"{at}[{index}]"
        typed(link, dict, place)
        body = hex_bytes(required(link, "body", str, place), f"{place}.body")
        said = decode_succession(body, f"{place}.body")
        compare_words(link, place, retired=said.retired.hex(), successor=said.successor.hex(),
                      size=said.size, hash=said.hash.hex(), ts=said.time)
        pair = []
        for name, data in (("retired", said.retired), ("successor", said.successor)):
            try:
                key = PublicKey(data)
            except ValueError as error:
                raise Fault(f"{place}.body", f"the {name} key is {error}") from None
            signature = hex_bytes(required(link, f"{name}_signature", str, place),
                                  f"{place}.{name}_signature", 72)
            if signature[:8] != key.id or not key.verifies(signature[8:], body):
                raise Fault(f"{place}.{name}_signature", "the signature is false")
            pair.append(key)
        if before is not None and (before.successor != said.retired or before.size > said.size
                                   or time_order(before.time) > time_order(said.time)):
            raise Fault(place, "it does not follow the succession before it")
        pair[0].retired, pair[0].retired_hash = (said.size, said.time), said.hash
        of_history.update((key.id, key) for key in pair)
        before = said
    if not of_history.keys() & keys.keys():
        return keys
    return {**keys, **of_history}


# --- The export of a space


def check_export(export, report, keys):
    keys = follow_history(export, keys)
    space_shown = required(export, "space", dict, "")
    names = ("user_id", "agent_id", "run_id")
    space = tuple("" if space_shown.get(name) is None
                  else typed(space_shown[name], str, f"space.{name}") for name in names)
    entries = required(export, "audit", list, "")
    for index, thing in enumerate(required(export, "decisions", list, "")):
        report.attempt(check_decision, thing, f"decisions[{index}]", keys, space[0])
    for index, thing in enumerate(required(export, "receipts", list, "")):
        report.attempt(check_receipt, thing, f"receipts[{index}]", keys, space[0])
    head = None
    try:
        if entries or export["audit_head"] is not None:
            head = check_head(required(export, "audit_head", dict, ""), "audit_head", keys)
            report.proven.append(f"the log had {head.size} entries at {head.time}; this does not "
                                 "show that every entry of the space is here")
    except Fault as fault:
        report.fault(fault.at, fault.why)
    previous = None
    for index, thing in enumerate(entries):
        place = f"audit[{index}]"
        try:
            entry = check_entry(thing, place, keys)
            check_place_in_export(entry, thing, place, space, previous, head)
            previous = entry
            detail = "detail blanked" if entry.detail is None else quoted(entry.detail)
            report.proven.append(f"entry {entry.seq} of the log at {entry.time}: "
                                 f"{quoted(entry.action)} by {quoted(entry.caller)}; {detail}")
        except Fault as fault:
            report.fault(fault.at, fault.why)
    unreadable = required(export, "unreadable", int, "")
    if unreadable != 0:
        report.fault("unreadable", f"the service could not read {unreadable} of the signed things")


def check_place_in_export(entry, thing, place, space, previous, head):
    if entry.space != space:
        raise Fault(place, f"it belongs to {space_in_words(entry.space)}, not to this space")
    if previous is not None:
        if entry.seq <= previous.seq:
            raise Fault(place, f"entry {entry.seq} comes after entry {previous.seq}")
        if entry.seq == previous.seq + 1 and entry.prev != previous.hash:
            raise Fault(place, "it does not follow the entry before it")
    if head is None:
        if not entry.is_first_form:
            raise Fault(place, "there is no valid head that vouches for it")
        return
    if entry.seq > head.size:
        raise Fault(place, f"entry {entry.seq} is beyond the head, which counts {head.size}")
    if entry.seq == head.size and entry.hash != head.hash:
        raise Fault(place, "it is not the entry that the head names as the last")
    if not entry.is_first_form:
        check_inclusion(entry, thing, place, head)


def check_inclusion(entry, thing, place, head):
    """That the proof leads from the entry to the root of the head."""
    at = within(place, "proof")
    if entry.seq > head.size:
        raise Fault(at, f"entry {entry.seq} is beyond the head, which counts {head.size}")
    if head.root is None:
        raise Fault(at, "a head of the first form cannot vouch for an entry of the second")
    steps = required(thing, "proof", list, place)
    if len(steps) > 64:
        raise Fault(at, "the proof is too long")
    path = [hex_bytes(step, f"{at}[{index}]", 32) for index, step in enumerate(steps)]
    if not is_included(entry.hash, entry.seq - 1, head.size, path, head.root):
        raise Fault(at, "it does not show that the entry is in the log of the head")


# --- Checkpoints and proofs of entries, which are texts

PROOF_LINE = "c2sp.org/tlog-proof@v1"


def base64_bytes(text):
    """The bytes, or None where the text is not the one way to write them."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


def check_checkpoint(note, keys):
    text, found, signatures = note.partition("\n\n")
    if not found:
        raise Fault("file", "no empty line parts the checkpoint from its signatures")
    body = (text + "\n").encode()
    head = decode_head(body, "file")
    if head.root is None:
        raise Fault("file", "the checkpoint has no root")
    origin = text.split("\n")[0]
    for line in signatures.split("\n"):
        if not line.startswith(f"— {origin} "):
            continue
        signed = base64_bytes(line[len(f"— {origin} "):]) or b""
        for key in keys.values():
            name = origin.encode() + b"\n\x01" + key.data
            if (len(signed) == 68 and hashlib.sha256(name).digest()[:4] == signed[:4]
                    and key.verifies(signed[4:], body)):
                return head
    raise Fault("file", "no key that was given has signed the checkpoint")


def check_entry_proof(text, keys):
    proof, found, note = text.partition("\n\n")
    lines = proof.split("\n")
    if not found or len(lines) < 3:
        raise Fault("file", "the proof is not whole")
    body = base64_bytes(lines[1][len("extra "):]) if lines[1].startswith("extra ") else None
    if body is None:
        raise Fault("file", "the proof does not hold the entry")
    entry = decode_entry(body, "file")
    if lines[2] != f"index {entry.seq - 1}":
        raise Fault("file", "its index is not that of the entry")
    path = [base64_bytes(line) for line in lines[3:]]
    if any(step is None or len(step) != 32 for step in path):
        raise Fault("file", "a line of the proof is no hash")
    head = check_checkpoint(note, keys)
    if entry.seq > head.size or not is_included(entry.hash, entry.seq - 1, head.size, path, head.root):
        raise Fault("file", "it does not show that the entry is in the log of the checkpoint")
    return (f"entry {entry.seq} of the log of {head.size} entries at {head.time}: "
            f"{quoted(entry.action)} by {quoted(entry.caller)} at {entry.time}")


def check_text(data, report, keys):
    """Whether the file is one of these texts."""
    if data.startswith(f"{PROOF_LINE}\n".encode()):
        report.attempt(check_entry_proof, utf8(data, "file"), keys)
    elif data.startswith(b"svc/audit/"):
        head = check_checkpoint(utf8(data, "file"), keys)
        report.proven.append(f"the log had {head.size} entries at {head.time}")
    else:
        return False
    return True


# --- The extract of the log


class Extract:
    """Takes the lines of an extract one by one, and keeps only what the next ones need."""

    def __init__(self, header, report, keys):
        self.report = report
        if required(header, "audit_export", int, "") != 1:
            raise Fault("audit_export", f"version {header['audit_export']} is not known")
        self.keys = keys = follow_history(header, keys)
        if header.get("tenant", False) is not None:
            required(header, "tenant", str, "")
        self.tenant = header["tenant"]
        self.anchor, self.tree, self.last_hash = None, Tree(), NO_HASH
        if header.get("anchor") is not None:
            body = signed_body(typed(header["anchor"], dict, "anchor"), "anchor", keys)
            self.anchor = anchor = decode_anchor(body, "anchor.body")
            refuse_retired(header["anchor"], "anchor", keys, None, anchor.time)
            self.tree, self.last_hash = Tree(anchor.size, anchor.peaks), anchor.hash
        self.unanswered = array("Q")  # Numbers of the entries whose detail is missing, ascending.
        self.shown = self.hidden = self.blanked = 0
        self.second_form_shown = False

    def take_entry(self, thing, place):
        """Raises a fault where it makes no sense to read on."""
        seq, number = required(thing, "seq", int, ""), self.tree.size + 1
        if seq != number:
            raise Fault("seq", f"this is entry {seq} where entry {number} should be")
        digest = hex_bytes(required(thing, "hash", str, ""), "hash", 32)
        try:
            if thing.get("body") is not None:
                self.take_shown_entry(thing)
            else:
                self.take_hidden_entry(thing)
        except Fault as fault:
            self.report.fault(place, f"{fault.at}: {fault.why}")
        self.last_hash = digest
        self.tree.append(digest)

    def take_shown_entry(self, thing):
        self.shown += 1
        entry = check_entry(thing, "", self.keys)
        self.second_form_shown |= not entry.is_first_form
        if entry.prev != self.last_hash:
            raise Fault("body", "its prev is not the hash of the entry before")
        retired = [(key.retired[0], key.retired_hash) for key in self.keys.values() if key.retired]
        if entry.action == "signing_key_rotated" and (self.tree.size, self.last_hash) not in retired:
            raise Fault("action", "it tells of a new signing key, and the key history does not")
        for first, last in entry.blanks:
            start = bisect.bisect_left(self.unanswered, first)
            del self.unanswered[start : bisect.bisect_right(self.unanswered, last)]
        if entry.detail is None:
            self.blanked += 1
            if self.tenant is None:
                self.unanswered.append(entry.seq)

    def take_hidden_entry(self, thing):
        self.hidden += 1
        if self.tenant is None:
            raise Fault("body", "is missing, though this extract shows the whole log")
        for name in ("ts", "action", "user", "caller", "request_id", "detail",
                     "detail_disclosure", "signature"):
            if thing.get(name) is not None:
                raise Fault(name, "is there without the body that could prove it")

    def take_head(self, thing):
        head = check_head(typed(thing, dict, "head"), "head", self.keys)
        if head.size != self.tree.size:
            raise Fault("head", f"it counts {head.size} entries, the extract {self.tree.size}")
        if head.hash != self.last_hash:
            raise Fault("head", "the last entry is not the one that it names")
        if head.root is None and self.hidden and self.second_form_shown:
            raise Fault("head", "a head of the first form cannot vouch for an entry of the second "
                                "when others are not shown")
        if head.root is not None and head.root != self.tree.root():
            raise Fault("head", "the entries do not make the tree that it names")
        return head

    def finish(self, head):
        first_kept = self.anchor.size + 1 if self.anchor else 1
        for seq in self.unanswered:
            self.report.fault(f"line {seq - first_kept + 2}",
                              f"the detail of entry {seq} is missing, and no later entry blanks it")
        if self.report.faults:
            return
        if self.anchor:
            self.report.proven.append(f"the entries up to {self.anchor.size} were purged on "
                                      f"purpose at {self.anchor.time}")
        span = f"entries {first_kept} to {head.size}" if head.size >= first_kept else "no entry"
        if self.tenant is None:
            text = f"the complete log as of {head.time}: {span}, in order and unchanged"
        else:
            text = (f"the log as of {head.time}: {span}; the {self.shown} shown for tenant "
                    f"{quoted(self.tenant)} are in their places and unchanged; that none of the "
                    f"{self.hidden} others belongs to the tenant is the operator's word")
        self.report.proven.append(f"{text}; details blanked: {self.blanked}")


def check_extract(header, lines, report, keys):
    number, head = 1, None
    try:
        extract = Extract(header, report, keys)
        while True:
            line = lines.readline(LONGEST_LINE + 1)
            number += 1
            if len(line) > LONGEST_LINE:
                raise Fault("", "the line is too long")
            if not line:
                break
            if head is not None:
                raise Fault("", "there is something after the head")
            thing = typed(parse_json(line, ""), dict, "")
            if "head" in thing:
                head = extract.take_head(thing["head"])
            else:
                extract.take_entry(thing, f"line {number}")
        if head is None:
            raise Fault("", "the extract ends without a head")
        extract.finish(head)
    except Fault as fault:
        report.fault(f"line {number}", f"{fault.at}: {fault.why}" if fault.at else fault.why)


# --- Files and the command line


def check_document(document, report, keys):
    """A file that is one JSON value."""
    if isinstance(document, dict) and "body" in document:
        body = hex_bytes(document["body"], "body")
        keys = follow_history(document, keys)
        if Record(body, "body", "svc/receipt/1", "svc/decision/1").tag == "svc/receipt/1":
            report.attempt(check_receipt, document, "", keys)
        else:
            report.attempt(check_decision, document, "", keys)
    elif isinstance(document, dict) and "audit_head" in document:
        check_export(document, report, keys)
    else:
        raise Fault("file", "is neither a receipt, a decision, an export nor an extract of the log")


def extract_header(first_line):
    if b'"audit_export"' not in first_line:
        return None
    try:
        header = parse_json(first_line, "line 1")
    except Fault:
        return None
    return header if isinstance(header, dict) and "audit_export" in header else None


def check_file(path, keys):
    report = Report()
    try:
        with open(path, "rb") as file:
            first_line = file.readline(LONGEST_LINE)
            header = extract_header(first_line)
            if header is not None:
                check_extract(header, file, report, keys)
            else:
                data = first_line + file.read()
                if not check_text(data, report, keys):
                    check_document(parse_json(data, "file"), report, keys)
    except Fault as fault:
        report.fault(fault.at, fault.why)
    except (OSError, MemoryError) as error:
        report.readable = False
        report.fault("file", f"cannot be read: {getattr(error, 'strerror', None) or 'too large'}")
    if report.unlisted:
        report.faults.append({"at": "file", "why": f"{report.unlisted} more faults, not listed"})
    return report


def read_keys(arguments):
    keys = {}
    for argument in arguments:
        texts = [argument]
        if not re.fullmatch(r"[0-9a-fA-F]{64}", argument):
            try:
                with open(argument, encoding="ascii") as file:
                    texts = file.read().split()
            except (OSError, ValueError):
                raise ValueError(f"{argument} is neither 64 hexadecimal digits nor a file of keys")
        if not texts:
            raise ValueError(f"there is no key in {argument}")
        for text in texts:
            if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
                raise ValueError(f"there is a key in {argument} that is not 64 hexadecimal digits")
            key = PublicKey(bytes.fromhex(text))
            keys[key.id] = key
    return keys


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Checks signed evidence against public keys.")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--key", action="append", required=True, metavar="HEX",
                        help="a public key, or a file with one on each line")
    parser.add_argument("--history", metavar="FILE", help="the history of the keys")
    parser.add_argument("--json", action="store_true", help="print one JSON object per file")
    options = parser.parse_intermixed_args(arguments)
    try:
        keys = read_keys(options.key)
        if options.history:
            with open(options.history, "rb") as file:
                keys = follow_history(typed(parse_json(file.read(), "file"), dict, "file"), keys)
    except (ValueError, OSError) as error:
        parser.error(printable(str(error)))
    except Fault as fault:
        parser.error(printable(f"{options.history}: {fault.at} {fault.why}"))
    status = 0
    for path in options.files:
        report = check_file(path, keys)
        holds = not report.faults
        status = max(status, 2 if not report.readable else 0 if holds else 1)
        if options.json:
            print(json.dumps({"file": path, "holds": holds, "proven": report.proven,
                              "faults": report.faults}))
            continue
        print(printable(path))
        for text in report.proven:
            print(f"  ok: {text}")
        for fault in report.faults:
            print(f"  FAULT at {fault['at']}: {fault['why']}")
    return status


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    if os.name == "posix":
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Ends quietly when piped into head.
    sys.exit(main())
