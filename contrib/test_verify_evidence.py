"""Tests of verify_evidence.py: the vectors of the format's page, and files made here.

The page is docs/evidence-format.md, or the one that EVIDENCE_FORMAT_PAGE names.
"""

import base64
import contextlib
import copy
import hashlib
import io
import json
import os
import random
import struct
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import verify_evidence as ve  # noqa: E402

PAGE = Path(os.environ.get("EVIDENCE_FORMAT_PAGE", HERE.parent / "docs" / "evidence-format.md"))
TIME = "2026-11-01T12:00:00.25Z"
SPACE = ("ann", "helper", "")


class Signer:
    def __init__(self, seed):
        digest = hashlib.sha512(seed).digest()
        self.scalar = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
        self.prefix = digest[32:]
        self.public = ve.encode_point(ve.multiply(ve.BASE_TABLE, self.scalar))
        self.id = hashlib.sha256(self.public).digest()[:8]

    def sign(self, message):
        nonce = int.from_bytes(hashlib.sha512(self.prefix + message).digest(), "little")
        return self.sign_with(nonce % ve.GROUP_ORDER, message)

    def sign_with(self, nonce, message):
        r = ve.encode_point(ve.multiply(ve.BASE_TABLE, nonce))
        h = int.from_bytes(hashlib.sha512(r + self.public + message).digest(), "little")
        return r + ((nonce + h * self.scalar) % ve.GROUP_ORDER).to_bytes(32, "little")

    def tagged(self, message):
        return (self.id + self.sign(message)).hex()


SIGNER = Signer(b"\x07" * 32)
KEYS = {SIGNER.id: ve.PublicKey(SIGNER.public)}


def u64(number):
    return number.to_bytes(8, "big")


def i64(number):
    return number.to_bytes(8, "big", signed=True)


def listed(*items):
    """The fields of a list; each item is one field, or a list of fields."""
    fields = [u64(len(items))]
    for item in items:
        fields += item if isinstance(item, list) else [item]
    return fields


def texts(*values):
    return [value.encode() for value in values]


def commit(salt, content):
    return hashlib.sha256(ve.make_record("svc/commitment/1", salt, content)).digest()


def disclosure(salt, content):
    return {"salt": salt.hex(), "content": content.hex()}


def signed(body, **words):
    return {**words, "body": body.hex(), "signature": SIGNER.tagged(body)}


def receipt_body(kind, *fields, receipt_id=3, space=SPACE, time=TIME):
    spaces = listed() if space is None else listed(texts(*space))
    return ve.make_record("svc/receipt/1", *texts(kind), i64(receipt_id), b"default", *spaces,
                          *texts(time), u64(41), b"\xab" * 32, *fields)


def attestation(**options):
    body = receipt_body("knowledge_attestation", b"database", b"Postgres 16",
                        *listed(i64(5), i64(6)), **options)
    return signed(body, id=3, kind="knowledge_attestation", ts=TIME, summary="believe me")


def erasure(*what):
    body = receipt_body("erasure_receipt", *what, *listed(i64(3)), u64(1), u64(0), u64(0), u64(4))
    return signed(body, id=3, kind="erasure_receipt", ts=TIME, summary="")


def belief_content(memory=5):
    return ve.make_record("svc/belief/1", i64(memory), b"database", b"Postgres 16",
                          struct.pack(">d", 0.95), *listed(b"ops"), b"ACTIVE", *listed(i64(-3)))


def decision(belief=None, space=SPACE):
    belief = belief or belief_content()
    salt, other = b"\x22" * 16, b"\x33" * 16
    body = ve.make_record("svc/decision/1", i64(12), b"default", *texts(*space), *texts(TIME),
                          commit(salt, b"ship it"), *listed([i64(5), commit(other, belief)]))
    shown = {"memory_id": 5, "commitment": commit(other, belief).hex(),
             "disclosure": disclosure(other, belief)}
    return signed(body, id=12, ts=TIME, action_summary="ship it", beliefs=[shown],
                  summary_disclosure=disclosure(salt, b"ship it"))


def entry(seq, prev, blanks=(), blanked=False, first_form=False, user="ann"):
    salt, detail = b"\x11" * 16, f"ADD {seq}"
    fields = [u64(seq), *texts(TIME, "remember", user, "helper", "", "local", f"req-{seq}"),
              commit(salt, detail.encode()), *listed(*[[u64(a), u64(b)] for a, b in blanks]), prev]
    if not first_form:
        fields.append(b"\xef" * 32)
    body = ve.make_record(f"svc/audit-entry/{1 if first_form else 2}", *fields)
    return {"seq": seq, "ts": TIME, "action": "remember", "user": user, "caller": "local",
            "request_id": f"req-{seq}", "detail": None if blanked else detail,
            "detail_disclosure": None if blanked else disclosure(salt, detail.encode()),
            "body": body.hex(), "hash": hashlib.sha256(body).hexdigest(),
            "signature": SIGNER.tagged(body) if first_form else None}


def entries(count, first=1, prev=bytes(32), **options):
    """Options map a number to the options of that entry: e3={"blanked": True}."""
    log = []
    for seq in range(first, first + count):
        log.append(entry(seq, prev, **options.get(f"e{seq}", {})))
        prev = bytes.fromhex(log[-1]["hash"])
    return log


def subtree(leaves):
    """RFC 6962, as it defines the tree: by recursion, unlike the verifier."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + subtree(leaves[:split]) + subtree(leaves[split:])).digest()


def inclusion_path(leaves, index):
    if len(leaves) == 1:
        return []
    split = 1 << (len(leaves) - 1).bit_length() - 1
    if index < split:
        return inclusion_path(leaves[:split], index) + [subtree(leaves[split:])]
    return inclusion_path(leaves[split:], index - split) + [subtree(leaves[:split])]


def head_of(leaves):
    chain = leaves[-1] if leaves else bytes(32)
    root, last = (base64.b64encode(x).decode() for x in (subtree(leaves), chain))
    body = f"svc/audit/{SIGNER.id.hex()}\n{len(leaves)}\n{root}\nchain {last}\ntime {TIME}\n"
    return signed(body.encode(), size=len(leaves), hash=chain.hex(), ts=TIME)


def old_head_of(leaves):
    body = ve.make_record("svc/audit-head/1", u64(len(leaves)), leaves[-1], *texts(TIME))
    return signed(body, size=len(leaves), hash=leaves[-1].hex(), ts=TIME)


def hashes(log):
    return [bytes.fromhex(shown["hash"]) for shown in log]


def export(count=5, **options):
    log = entries(count, **options)
    leaves = hashes(log)
    for index, shown in enumerate(log):
        shown["proof"] = [step.hex() for step in inclusion_path(leaves, index)]
    return {"space": {"user_id": "ann", "agent_id": "helper", "run_id": ""},
            "records": [{"a": 1.5}], "decisions": [decision()], "receipts": [attestation(), erasure(b"space")],
            "audit": [shown for shown in log if shown["user"] == "ann"],
            "audit_head": head_of(leaves), "unreadable": 0, "public_key": SIGNER.public.hex()}


def extract(log, tenant=None, anchor=None, before=(), head=None):
    """Before: the leaves that the anchor stands for."""
    header = {"audit_export": 1, "tenant": tenant}
    if anchor:
        header["anchor"] = anchor
    return [header, *log, {"head": head or head_of([*before, *hashes(log)])}]


def as_lines(things):
    return b"".join(json.dumps(thing).encode() + b"\n" for thing in things)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "evidence.json")

    def check(self, content):
        if isinstance(content, dict):
            content = json.dumps(content, indent=1).encode()
        elif isinstance(content, list):
            content = as_lines(content)
        self.path.write_bytes(content)
        return ve.check_file(self.path, KEYS)

    def assert_holds(self, content):
        report = self.check(content)
        self.assertEqual(report.faults, [])
        self.assertTrue(report.proven)
        return " ".join(report.proven)

    def assert_fault(self, content, at, why=""):
        report = self.check(content)
        self.assertTrue(report.faults, "no fault was found")
        self.assertEqual(report.faults[0]["at"], at, report.faults)
        self.assertIn(why, report.faults[0]["why"])
        return report

    def run_command(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                status = ve.main([str(argument) for argument in arguments])
            except SystemExit as end:
                status = end.code
        return status, output.getvalue()


class Vectors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        block = PAGE.read_text(encoding="utf-8").split("```vectors\n")[1].split("```")[0]
        cls.vectors = {}
        for line in block.splitlines():
            name, value = line.split(": ")
            cls.vectors[name] = bytes.fromhex(value)

    def statement(self, name):
        """The statement of a vector in signed form, once its signature was checked."""
        record = ve.Record(self.vectors[name], name, "svc/signed/1")
        body, signature = record.field(), record.optional(record.field)
        record.end()
        ve.check_signature({"signature": signature.hex()}, name, body, KEYS)
        return body

    def test_keys(self):
        signer = Signer(self.vectors["seed"])
        self.assertEqual(signer.public, self.vectors["public key"])
        self.assertEqual(signer.id, self.vectors["key id"])
        self.assertEqual(ve.PublicKey(signer.public).id, signer.id)

    def test_entries(self):
        detail = self.vectors["detail disclosure"]
        self.assertEqual(commit(detail[:16], detail[16:]), self.vectors["detail commitment"])
        for name in ("entry", "entry/1"):
            decoded = ve.decode_entry(self.vectors[f"{name} bytes"], name)
            self.assertEqual(decoded.hash, self.vectors[f"{name} hash"])
            self.assertEqual(decoded.commitment, self.vectors["detail commitment"])
            self.assertEqual((decoded.seq, decoded.time, decoded.blanks), (2, TIME, [(1, 1)]))
        signature = {"signature": self.vectors["entry/1 signature"].hex()}
        ve.check_signature(signature, "", self.vectors["entry/1 bytes"], KEYS)

    def test_heads_and_anchors(self):
        head = ve.decode_head(self.statement("head"), "head")
        tree = ve.Tree()
        tree.append(b"\xab" * 32)
        tree.append(self.vectors["entry hash"])
        self.assertEqual(tree.root(), self.vectors["tree root"])
        self.assertEqual((head.size, head.hash, head.root, head.time),
                         (2, self.vectors["entry hash"], tree.root(), TIME))
        old = ve.decode_head(self.statement("head/1"), "head/1")
        self.assertEqual((old.size, old.hash, old.root),
                         (2, self.vectors["entry/1 hash"], None))
        anchor = ve.decode_anchor(self.statement("anchor"), "anchor")
        self.assertEqual((anchor.size, anchor.hash, anchor.peaks),
                         (2, self.vectors["entry hash"], [self.vectors["tree root"]]))
        old = ve.decode_anchor(self.statement("anchor/1"), "anchor/1")
        self.assertEqual(old.peaks, [subtree([self.vectors["entry/1 hash"]] * 2)])

    def test_decision(self):
        body = self.statement("decision")
        self.assertEqual(hashlib.sha256(body).digest(), self.vectors["decision digest"])
        decoded = ve.decode_decision(body, "decision")
        summary, belief = (self.vectors[f"{name} disclosure"] for name in ("summary", "belief"))
        self.assertEqual(commit(summary[:16], summary[16:]), decoded.summary)
        self.assertEqual(decoded.beliefs, [(5, commit(belief[:16], belief[16:]))])
        content = ve.decode_belief(belief[16:], "belief")
        self.assertEqual((content.value, content.confidence, content.source, content.supersedes),
                         ("Postgres 16", 0.95, "ops", 3))

    def test_receipts(self):
        decoded = ve.decode_receipt(self.statement("attestation"), "attestation")
        self.assertEqual((decoded.value, decoded.memories), ("Postgres 16 · SQLite", [5, 6]))
        decoded = ve.decode_receipt(self.statement("erasure receipt"), "erasure")
        self.assertEqual((decoded.memories, decoded.counts), ([3, 5], [1, 0, 0, 4]))
        decoded = ve.decode_receipt(self.statement("erasure receipt, graph pending"), "erasure")
        self.assertEqual((decoded.graph_pending, decoded.summaries), (True, [12]))
        decoded = ve.decode_receipt(self.statement("erasure receipt of the graph"), "erasure")
        self.assertIn("receipt 4", decoded.what)

    def test_restoration(self):
        record = ve.Record(self.statement("restoration"), "note", "svc/audit-restoration/1")
        kept, lost = (record.u64(), record.hash()), (record.u64(), record.hash())
        self.assertEqual((kept[0], lost[0], record.time(), record.text()),
                         (2, 5, TIME, "the disk failed"))
        record.end()


class Ed25519(unittest.TestCase):
    def test_rfc_8032(self):
        signer = Signer(bytes.fromhex(
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"))
        self.assertEqual(signer.public.hex(),
                         "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
        signature = bytes.fromhex(
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a")
        self.assertEqual(signer.sign(b"\xaf\x82"), signature)
        key = ve.PublicKey(signer.public)
        self.assertTrue(key.verifies(signature, b"\xaf\x82"))
        self.assertFalse(key.verifies(signature, b"\xaf\x83"))
        for position in range(64):
            changed = bytearray(signature)
            changed[position] ^= 1
            self.assertFalse(key.verifies(bytes(changed), b"\xaf\x82"))

    def test_s_beyond_the_group_order(self):
        signature = SIGNER.sign(b"m")
        s = int.from_bytes(signature[32:], "little") + ve.GROUP_ORDER
        key = ve.PublicKey(SIGNER.public)
        self.assertFalse(key.verifies(signature[:32] + s.to_bytes(32, "little"), b"m"))

    def test_r_of_small_order(self):
        # With a nonce of zero R is the identity, and the equation itself holds.
        self.assertFalse(ve.PublicKey(SIGNER.public).verifies(SIGNER.sign_with(0, b"m"), b"m"))

    def test_unusable_keys(self):
        order_8 = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"
        for data in ("00" * 32, "01" + "00" * 31, "ec" + "ff" * 30 + "7f", order_8,
                     "00" * 31 + "80",           # x = sqrt(-1), order 4
                     "01" + "00" * 30 + "80",    # x = 0 with the sign bit
                     "02" + "00" * 31,           # not on the curve
                     "f0" + "ff" * 30 + "7f",    # y = p + 3
                     "ff" * 32):
            with self.assertRaises(ValueError, msg=data):
                ve.PublicKey(bytes.fromhex(data))
        # y = 3 is the canonical encoding of a usable point, so p + 3 fails for its spelling alone.
        ve.PublicKey(bytes.fromhex("03" + "00" * 31))


class Records(unittest.TestCase):
    def refuse(self, decode, body):
        with self.assertRaises(ve.Fault):
            decode(body, "body")

    def test_times(self):
        for good in ("2026-11-01T12:00:00Z", TIME, "2024-02-29T23:59:59.000000001Z"):
            self.assertEqual(ve.parse_time(good, "t"), good)
        for bad in ("", "2026-11-01T12:00:00.250Z", "2026-11-01T12:00:00.0Z",
                    "2026-11-01T12:00:00.Z", "0000-11-01T12:00:00Z",
                    "2026-11-01t12:00:00Z", "2026-11-01T12:00:00z", "2026-11-01T12:00:00+00:00",
                    "2026-11-01 12:00:00Z", "2026-02-29T12:00:00Z", "2026-13-01T12:00:00Z",
                    "2026-11-01T24:00:00Z", "2026-11-01T12:60:00Z", "2026-11-01T12:00:60Z",
                    "2026-11-01T12:00:00.1234567891Z", "２026-11-01T12:00:00Z", TIME + "\n"):
            with self.assertRaises(ve.Fault, msg=bad):
                ve.parse_time(bad, "t")

    def test_malformed(self):
        body = bytes.fromhex(attestation()["body"])
        ve.decode_receipt(body, "body")
        for length in range(len(body)):
            self.refuse(ve.decode_receipt, body[:length])
        self.refuse(ve.decode_receipt, body + b"\0")
        self.refuse(ve.decode_receipt, body + bytes(8))
        self.refuse(ve.decode_receipt, body.replace(b"receipt/1", b"receipt/2"))
        self.refuse(ve.decode_receipt, body.replace(b"Postgres", b"Post\xffres"))
        self.refuse(ve.decode_receipt, b"\xff" * 8 + body[8:])
        self.refuse(ve.decode_receipt, receipt_body("praise", b"database"))
        twice = ve.make_record("svc/receipt/1", b"knowledge_attestation", i64(3), b"default",
                               *listed(texts(*SPACE), texts(*SPACE)), *texts(TIME), u64(1),
                               bytes(32), b"a", b"b", *listed())
        self.refuse(ve.decode_receipt, twice)
        short = ve.make_record("svc/audit-head/1", b"\0\0\0\2", bytes(32), *texts(TIME))
        self.refuse(ve.decode_head, short)

    def test_blanks(self):
        good = entry(9, bytes(32), blanks=[(1, 2), (3, 3), (8, 8)])
        ve.decode_entry(bytes.fromhex(good["body"]), "body")
        for blanks in ([(9, 9)], [(5, 4)], [(0, 1)], [(3, 4), (1, 2)], [(1, 3), (3, 4)]):
            self.refuse(ve.decode_entry, bytes.fromhex(entry(9, bytes(32), blanks=blanks)["body"]))

    def test_heads(self):
        good = bytes.fromhex(head_of(hashes(entries(3)))["body"])
        self.assertEqual(ve.decode_head(good, "head").size, 3)
        lines = good.split(b"\n")
        for number, line in ((0, b"svc/audit/FE812C12F3AB4CE6"), (1, b"03"), (1, b"+3"), (1, b""),
                             (1, b"18446744073709551616"), (2, lines[2][:-2] + b"B="),
                             (3, lines[3][6:]), (4, b"time 2026-11-01T12:00:00.250Z"), (5, b"x\n")):
            self.refuse(ve.decode_head, b"\n".join([*lines[:number], line, *lines[number + 1:]]))
        self.refuse(ve.decode_head, good[:-1])
        self.refuse(ve.decode_head, good.replace(b"\n", b"\r\n"))


class SingleFiles(Case):
    def test_receipts(self):
        self.assertIn('"Postgres 16"', self.assert_holds(attestation()))
        self.assert_holds(attestation(space=None))
        for what in ([b"subject", b"database"], [b"space"], [b"user"], [b"graph", i64(4)],
                     [b"older_than_days", u64(30)],
                     [b"older_than_days_in", u64(30), *listed(texts(*SPACE))],
                     [b"graph_pending", b"space"], [b"summaries", *listed(i64(12)), b"space"],
                     [b"graph_pending", b"summaries", *listed(), b"space"]):
            self.assert_holds(erasure(*what))
        for what in ([b"everything"], [b"older_than_days_in", u64(30), *listed()],
                     [b"summaries", *listed(i64(12)), b"graph_pending", b"space"]):
            self.assert_fault(erasure(*what), "body")

    def test_words_of_a_receipt(self):
        for name, value in (("id", 4), ("id", "3"), ("id", 3.0), ("id", None), ("ts", TIME[:-1]),
                            ("kind", "erasure_receipt"), ("kind", ["x"]), ("id", 10**400)):
            self.assert_fault({**attestation(), name: value}, name)
        one = attestation(receipt_id=1)
        self.assert_holds({**one, "id": 1})
        self.assert_fault({**one, "id": True}, "id")
        self.assert_holds({**attestation(), "summary": 7, "unnamed": {"deep": [10**400]}})
        self.assert_holds({name: attestation()[name] for name in ("body", "signature")})

    def test_signatures(self):
        good = attestation()
        for value in (None, "", "00", 7, good["signature"].upper(), good["signature"] + "00",
                      "00" * 8 + good["signature"][16:], good["signature"][:-2] + "00"):
            self.assert_fault({**good, "signature": value}, "signature")
        changed = {**good, "body": good["body"].replace("3136", "3137")}
        self.assert_fault(changed, "signature", "false")
        self.assert_fault({**good, "body": good["body"].upper()}, "body")
        self.assert_fault({**good, "body": 5}, "body")

    def test_decision(self):
        self.assertIn("ship it", self.assert_holds(decision()))
        erased = {**decision(), "action_summary": None, "summary_disclosure": None}
        erased["beliefs"][0]["disclosure"] = None
        self.assertIn("erased", self.assert_holds(erased))
        self.assert_fault({**erased, "action_summary": "ship it"}, "action_summary")
        self.assert_fault({**decision(), "action_summary": None}, "action_summary")
        self.assert_fault({**decision(), "beliefs": []}, "beliefs")
        for name, value, at in (
                ("memory_id", 6, "memory_id"), ("commitment", "00" * 32, "commitment"),
                ("disclosure", [], "disclosure"), ("disclosure", {}, "disclosure.salt"),
                ("disclosure", disclosure(b"\x33" * 15, b""), "disclosure.salt"),
                ("disclosure", disclosure(b"\x33" * 16, b"other"), "disclosure")):
            bad = decision()
            bad["beliefs"][0][name] = value
            self.assert_fault(bad, f"beliefs[0].{at}")
        self.assert_fault(decision(belief_content(6)), "beliefs[0].disclosure", "memory 6")
        self.assert_fault(decision(b"no record"), "beliefs[0].disclosure")

    def test_other_files(self):
        for content in (b"", b"\n", b"{}", b"[]", b"null", b"1", b'"text"',
                        b"{" * 10**6, b"[" * 10**6,
                        b'{"body":"00"}', b'{"audit_head":null}', b'\xef\xbb\xbf{}', b"\xff\xfe",
                        b'{"a":' * 50000, b"NaN", b"1" * 10**6, b'{"body":"\\ud800"}',
                        json.dumps(head_of([])).encode(), json.dumps([attestation()]).encode()):
            self.assertTrue(self.check(content).faults, content[:40])
        raw = json.dumps(attestation()).encode()
        self.assert_fault(b'{"id":3,' + raw[1:], "file", "twice")
        self.assert_fault(raw + b"{}", "file")
        self.assert_fault(raw.replace(b"believe", b"\\ud800"), "file")
        self.assert_holds(raw.replace(b"believe", b"\\ud83d\\ude00"))

    def test_hostile_text_stays_on_its_line(self):
        body = receipt_body("knowledge_attestation", b"x", b"\n  ok: \x1b[1mforged", *listed())
        self.check(signed(body))
        status, output = self.run_command(self.path, "--key", SIGNER.public.hex())
        self.assertEqual((status, len(output.splitlines())), (0, 2))
        self.assertNotIn("\x1b", output)


class Exports(Case):
    def test_good(self):
        self.assert_holds(export())
        self.assert_holds(export(7, e2={"user": "bob"}, e3={"first_form": True},
                                 e4={"blanked": True}))
        empty = {**export(), "audit": [], "audit_head": None}
        self.assert_holds(empty)
        for count in range(1, 18):
            self.assert_holds(export(count))

    def test_space(self):
        for name in ("agent_id", "run_id"):
            good = export()
            good["space"][name] = "other"
            self.assert_fault(good, "audit[0]", "space")
        good = export()
        good["space"]["user_id"] = "bob"
        self.assert_fault(good, "decisions[0]")
        good["space"] = {"user_id": "ann", "agent_id": "helper", "run_id": None}
        self.assert_holds(good)

    def test_faults(self):
        def spoil(at, change):
            bad = export()
            change(bad)
            report = self.assert_fault(bad, at)
            self.assertEqual(len(report.faults), 1, report.faults)

        spoil("unreadable", lambda e: e.update(unreadable=1))
        spoil("unreadable", lambda e: e.update(unreadable=False))
        spoil("unreadable", lambda e: e.pop("unreadable"))
        spoil("receipts", lambda e: e.pop("receipts"))
        spoil("receipts[1].signature", lambda e: e["receipts"][1].update(signature="00" * 72))
        spoil("receipts[2]", lambda e: e["receipts"].append([]))
        spoil("decisions[0].ts", lambda e: e["decisions"][0].update(ts="yesterday"))
        spoil("audit[2].action", lambda e: e["audit"][2].update(action="recall"))
        spoil("audit[2].detail", lambda e: e["audit"][2].update(detail="nothing"))
        spoil("audit[2].hash", lambda e: e["audit"][2].update(hash="00" * 32))
        spoil("audit[2].proof", lambda e: e["audit"][2].update(proof=None))
        spoil("audit[2].proof", lambda e: e["audit"][2]["proof"].pop())
        spoil("audit[2].proof", lambda e: e["audit"][2]["proof"].append("00" * 32))
        spoil("audit[2].proof", lambda e: e["audit"][2].update(proof=["00" * 32] * 1000))
        spoil("audit[2].proof[0]", lambda e: e["audit"][2].update(proof=[None]))
        spoil("audit[2].signature", lambda e: e["audit"][2].update(signature="00" * 72))
        spoil("audit[3]", lambda e: e["audit"].insert(3, e["audit"][2]))
        spoil("audit[0]", lambda e: e["audit"].insert(0, 5))

    def test_heads(self):
        bad = export()
        bad["audit_head"]["signature"] = None
        self.assertEqual(len(self.assert_fault(bad, "audit_head.signature").faults), 6)
        bad["audit_head"] = None
        self.assert_fault(bad, "audit_head")
        bad["audit_head"] = head_of(hashes(bad["audit"])[:4])
        self.assert_fault(bad, "audit[0].proof")
        bad["audit_head"] = old_head_of(hashes(bad["audit"]))
        self.assert_fault(bad, "audit[0].proof", "first form")
        old = export(2, e1={"first_form": True}, e2={"first_form": True})
        old["audit_head"] = old_head_of(hashes(old["audit"]))
        self.assert_holds(old)
        old["audit"][1]["signature"] = old["audit"][0]["signature"]
        self.assert_fault(old, "audit[1].signature", "false")


class Extracts(Case):
    def test_whole_log(self):
        for count in (0, 1, 2, 3, 8, 21):
            self.assertIn("complete", self.assert_holds(extract(entries(count))))
        self.assert_holds(as_lines(extract(entries(3)))[:-1])
        old = entries(3, e1={"first_form": True}, e2={"first_form": True})
        self.assert_holds(extract(old))
        self.assert_holds(extract(old, head=old_head_of(hashes(old))))

    def test_faults(self):
        def spoil(line, change, why=""):
            things = extract(entries(6))
            change(things)
            report = self.assert_fault(things, f"line {line}", why)
            self.assertEqual(report.proven, [])

        spoil(4, lambda t: t.pop(3), "entry 4 where entry 3")
        spoil(4, lambda t: t.insert(3, t[2]), "entry 2 where entry 3")
        spoil(4, lambda t: t[3].pop("body"), "body")
        spoil(4, lambda t: t[3].update(ts="now"), "ts")
        spoil(4, lambda t: t[3].update(seq=3.0), "seq")
        spoil(2, lambda t: t[1].update(seq=True), "seq")
        spoil(4, lambda t: t[3].update(hash="00" * 32), "hash")
        spoil(4, lambda t: t[3].update(detail=None, detail_disclosure=None), "no later entry")
        spoil(4, lambda t: t.__setitem__(3, entry(3, bytes(32))), "prev")
        spoil(4, lambda t: t.__setitem__(3, 3), "object")
        spoil(7, lambda t: t.pop(6), "entries")
        spoil(8, lambda t: t.pop(7), "without a head")
        spoil(9, lambda t: t.append({}), "after the head")
        spoil(8, lambda t: t[7]["head"].update(size=5), "size")
        spoil(8, lambda t: t[7].update(head=None), "object")
        spoil(8, lambda t: t[7]["head"].update(signature="00" * 72), "unknown key")
        spoil(1, lambda t: t[0].update(audit_export=2), "version")
        spoil(1, lambda t: t[0].update(audit_export=True), "audit_export")
        spoil(1, lambda t: t[0].pop("tenant"), "tenant")
        spoil(1, lambda t: t[0].update(tenant=5), "tenant")
        with_gap = as_lines(extract(entries(2))).replace(b"\n", b"\n\n", 1)
        self.assert_fault(with_gap, "line 2", "JSON")

    def test_wrong_root(self):
        log = entries(3)
        leaves = hashes(log)
        self.assert_fault(extract(log, head=head_of([*leaves[:1], b"\1" * 32, *leaves[2:]])),
                          "line 5", "tree")

    def test_blanks(self):
        blanked = {"e2": {"blanked": True}, "e3": {"blanked": True}}
        self.assert_holds(extract(entries(5, **blanked, e5={"blanks": [(2, 3)]})))
        self.assert_holds(extract(entries(5, **blanked, e4={"blanks": [(1, 2)]},
                                          e5={"blanks": [(3, 4)]})))
        partly = entries(5, **blanked, e5={"blanks": [(3, 4)]})
        self.assert_fault(extract(partly), "line 3", "entry 2")
        itself = {"blanks": [(2, 2)], "blanked": True}
        self.assert_fault(extract(entries(5, e3=itself)), "line 4", "entry 3")
        self.assert_holds(extract(entries(5, **blanked), tenant="default"))

    def test_tenant(self):
        log = entries(6)
        things = extract(log, tenant="default")
        for line in (1, 3, 4):
            things[line] = {name: things[line][name] for name in ("seq", "hash")}
        self.assertIn("operator's word", self.assert_holds(things))
        wrong = {"hash": "00" * 32}
        for line, change in ((2, wrong), (3, wrong), (4, {"user": "ann"})):
            bad = copy.deepcopy(things)
            bad[line - 1].update(change)
            self.assertTrue(self.check(bad).faults)
        self.assert_fault([*things[:-1], {"head": old_head_of(hashes(log))}], "line 8", "first form")
        self.assert_fault([{**things[0], "tenant": None}, *things[1:]], "line 2", "body")

    def test_anchors(self):
        gone = entries(11)
        leaves = hashes(gone)
        peaks = [subtree(leaves[:8]), subtree(leaves[8:10]), leaf_of(leaves[10])]
        for count in (0, 1, 5, 6):
            kept = entries(count, first=12, prev=leaves[-1])
            text = self.assert_holds(extract(
                kept, anchor=anchor(2, 11, leaves[-1], peaks), before=leaves,
                head=None if count else head_of(leaves)))
            self.assertIn("purged", text)
            self.assert_holds(extract(kept, anchor=anchor(1, 11, leaves[-1]),
                                      before=[leaves[-1]] * 11))
        kept = entries(2, first=12, prev=leaves[-1])
        for bad in (anchor(2, 11, leaves[-1], peaks[:2]), anchor(2, 11, leaves[-1], peaks[::-1]),
                    anchor(2, 10, leaves[-1], peaks[:2]), anchor(2, 11, leaves[-2], peaks),
                    anchor(2, 0, bytes(32), []), {"body": "00", "signature": None}, 5):
            report = self.check(extract(kept, anchor=bad, before=leaves))
            self.assertTrue(report.faults)
        self.assert_fault(extract(kept, before=leaves), "line 2", "entry 1")
        huge = anchor(1, 2**64 - 1, bytes(32))
        self.assert_fault(extract(kept, anchor=huge, before=leaves), "line 2")


def leaf_of(data):
    return hashlib.sha256(b"\0" + data).digest()


def anchor(form, size, last_hash, peaks=()):
    fields = [u64(size), last_hash, *texts(TIME)]
    if form == 2:
        fields += listed(*peaks)
    return signed(ve.make_record(f"svc/audit-anchor/{form}", *fields))


class CommandLine(Case):
    def test_statuses(self):
        key = SIGNER.public.hex()
        good, bad = self.path.with_name("good"), self.path.with_name("bad")
        good.write_text(json.dumps(attestation()))
        bad.write_text(json.dumps({**attestation(), "id": 4}))
        self.assertEqual(self.run_command(good, "--key", key)[0], 0)
        self.assertEqual(self.run_command(good, "--key", key, bad)[0], 1)
        self.assertEqual(self.run_command("--key", key, good, bad, "missing")[0], 2)
        self.assertEqual(self.run_command(self.path.parent, "--key", key)[0], 2)
        for wrong in ([good], ["--key", key], [good, "--key"], [good, "--key", key, "--what"],
                      [good, "--key", "00" * 32], [good, "--key", "zz"], [good, "--key", good]):
            self.assertEqual(self.run_command(*wrong)[0], 2, wrong)

    def test_output(self):
        self.check({**attestation(), "id": 4})
        key_file = self.path.with_name("keys")
        key_file.write_text("\n".join([Signer(b"\1" * 32).public.hex(), SIGNER.public.hex(), ""]))
        status, output = self.run_command(self.path, "--key", key_file)
        self.assertEqual(output.splitlines()[0], str(self.path))
        self.assertTrue(output.splitlines()[1].startswith("  FAULT at id: "), output)
        status, output = self.run_command(self.path, "--key", key_file, "--json")
        result = json.loads(output)
        self.assertEqual(set(result), {"file", "holds", "proven", "faults"})
        self.assertEqual((result["holds"], result["proven"]), (False, []))
        self.assertEqual([set(fault) for fault in result["faults"]], [{"at", "why"}])

    def test_a_foreign_key(self):
        self.check(attestation())
        other = Signer(b"\1" * 32).public.hex()
        status, output = self.run_command(self.path, "--key", other)
        self.assertEqual(status, 1)
        self.assertIn("unknown key", output)


class Mutations(Case):
    """Whatever is in a file, it must not bring the verifier down."""

    VALUES = (None, True, False, 0, 1, -1, 1.5, 2**64, 10**30, "", "00", "x" * 50, [], {}, [[]], [None])

    def places(self, thing):
        pairs = thing.items() if isinstance(thing, dict) else enumerate(thing)
        for name, value in list(pairs):
            yield thing, name
            if isinstance(value, (dict, list)):
                yield from self.places(value)

    def test_every_value(self):
        log = entries(3, e3={"first_form": True})
        for good in (attestation(), decision(), export(3), extract(log),
                     extract(log, anchor=anchor(1, 1, bytes(32)))):
            for container, name in self.places(good):
                kept = container[name]
                for value in self.VALUES:
                    container[name] = value
                    self.check(good)
                container[name] = kept

    def test_random_bytes(self):
        chance = random.Random(7)
        for good in (json.dumps(export(3)).encode(), as_lines(extract(entries(3)))):
            for _ in range(300):
                content = bytearray(good)
                for _ in range(chance.randint(1, 4)):
                    content[chance.randrange(len(content))] = chance.choice(b'09afx{}[]",:\n\x80')
                self.check(bytes(content))


if __name__ == "__main__":
    unittest.main()
