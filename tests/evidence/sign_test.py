#!/usr/bin/env python3
"""Signatures and checkpoints as a user makes and checks them: keys, signed packs, foreign and expired signatures, logs that were cut or rewritten.

usage: sign_test.py BUILD_DIR [FLIPS [WORD ...]]     prints TAP; 200 bytes are flipped when not said

Signatures are checked a second time with Debian's openssl alone, and trees of RFC 6962 with a second implementation below.
"""
import base64
import hashlib
import http.server
import json
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import evidence_test as evidence  # noqa: E402
import second_verifier  # noqa: E402
import wait  # noqa: E402

scenario, thole, alone, expect, until, Wrong = (evidence.scenario, evidence.thole, evidence.alone, evidence.expect, evidence.until, evidence.Wrong)
HAS_OPENSSL = shutil.which("openssl") is not None
PAYLOAD_TYPE = "application/vnd.in-toto+json"


class World(evidence.World):
    def key(self, *words):
        return thole(self.build, "key", *words, "--data", self.daemon.data).stdout

    def public(self, name="key.pem", *words):
        path = os.path.join(self.home, name)
        with open(path, "w") as f:
            f.write(self.key("export", *words))
        return path

    def checkpoints(self):
        found = [json.loads(line) for line in self.transport.events("sess_system", 0)]
        return [e["payload"]["anchor"] for e in found if "anchor" in e.get("payload", {})]

    def checkpoint(self, name="checkpoint"):
        """The newest one, in a file."""
        path = os.path.join(self.home, name)
        with open(path, "w") as f:
            f.write(self.checkpoints()[-1]["checkpoint"])
        return path

    def check(self, path):
        done = alone(self.build, "verify", path)
        expect(f"verify: {done.returncode} {done.stdout}{done.stderr}", done.returncode == 0)
        second(path)


def second(path):
    """What examples/verify_pack.py says; it fails if the pack is broken."""
    done = second_verifier.run(path, wait.DEADLINE_S)
    expect(f"the second verifier: {done.returncode} {done.stdout}{done.stderr}", done.returncode == 0)
    return done.stdout.decode()


def verify(w, *words):
    done = alone(w.build, "verify", *words, "--json")
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout + done.stderr


def codes(report):
    return [f.get("code") for f in report["findings"]]


def compare(w, checkpoint, *words, data=None):
    """What `verify --checkpoint` says of the data."""
    done = thole(w.build, "verify", "--checkpoint", checkpoint, *words, "--json", "--data", data or w.daemon.data, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout + done.stderr


# ---- a second implementation ----

def root(leaves):
    """RFC 6962, level by level."""
    level = [hashlib.sha256(b"\0" + leaf).digest() for leaf in leaves]
    while len(level) > 1:
        level = [hashlib.sha256(b"\1" + level[i] + level[i + 1]).digest() if i + 1 < len(level) else level[i]
                 for i in range(0, len(level), 2)]
    return level[0] if level else hashlib.sha256(b"").digest()


def follows(leaf, index, size, path):
    """The root that a leaf and its path lead to."""
    node, last = hashlib.sha256(b"\0" + leaf).digest(), size - 1
    for other in path:
        if index & 1 or index == last:
            node = hashlib.sha256(b"\1" + other + node).digest()
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = hashlib.sha256(b"\1" + node + other).digest()
        index, last = index >> 1, last >> 1
    return node


def openssl_accepts(w, public, message, signature):
    with open(os.path.join(w.home, "message"), "wb") as f:
        f.write(message)
    with open(os.path.join(w.home, "signature"), "wb") as f:
        f.write(signature)
    done = subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in", os.path.join(w.home, "message"),
                           "-sigfile", os.path.join(w.home, "signature")], capture_output=True, text=True)
    return done.returncode == 0 and "Successfully" in done.stdout


def pae(body):
    return f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(body)} ".encode() + body


def note_parts(note):
    text, signatures = note.split("\n\n")
    line = signatures.splitlines()[0].split(" ")
    raw = base64.b64decode(line[2])
    return (text + "\n").encode(), line[1], raw[:4], raw[4:]


# ---- stories ----

def story_a_key_is_made_shown_replaced_and_exported(build, flips):
    w = World(build)
    try:
        expect("none yet", "no signing key" in thole(build, "key", "--data", w.daemon.data).stderr)
        expect("nothing to export", thole(build, "key", "export", "--data", w.daemon.data, check=False).returncode == 1)
        expect("nothing to replace", thole(build, "key", "rotate", "--data", w.daemon.data, check=False).returncode == 1)
        maps = f"/proc/{w.daemon.process.pid}/maps"
        expect("libcrypto is not in memory without a key", "libcrypto" not in open(maps).read())
        first = w.key("new").strip()
        path = os.path.join(w.daemon.data, "sign.key")
        expect("mode", stat.S_IMODE(os.stat(path).st_mode) == 0o600)
        done = thole(build, "key", "new", "--data", w.daemon.data, check=False)
        expect(f"a second one: {done.stderr}", done.returncode == 1 and "signing_key_exists" in done.stderr)
        private = open(path).read()
        second = w.key("rotate").strip()
        expect("another", first != second and open(path).read() != private)
        rows = json.loads(w.key("show", "--json"))
        expect(f"{rows}", [(k["keyId"], k["state"]) for k in rows["keys"]] == [(second, "active"), (first, "retired")])
        expect("one, both", [w.key("export", *words).count("BEGIN PUBLIC") for words in ([], ["--all"])] == [1, 2])
        events = [json.loads(line) for line in w.transport.events("sess_system", 0)]
        recorded = [e["payload"]["signingKey"] for e in events if "signingKey" in e.get("payload", {})]
        expect("two events", [k["keyId"] for k in recorded] == [first, second] and "PRIVATE" not in json.dumps(events))
        audit = thole(build, "audit", "--what", "keys", "-o", "jsonl", "--data", w.daemon.data).stdout
        expect(f"the audit shows both: {audit}", first in audit and second in audit)
        w.restart()
        expect("after kill -9", json.loads(w.key("show", "--json"))["keys"] == rows["keys"])
        if HAS_OPENSSL:
            der = subprocess.run(["openssl", "pkey", "-pubin", "-in", w.public(), "-outform", "DER"], capture_output=True).stdout
            expect("the id is that of openssl", hashlib.sha256(der).hexdigest() == second)
        copy = os.path.join(w.home, "backup")
        for words, is_there in (([], False), (["--with-keys"], True)):
            thole(build, "backup", copy, *words, "--data", w.daemon.data)
            kept = [at for at, _, files in os.walk(copy) if "sign.key" in files]
            expect(f"a backup {words}: {kept}", bool(kept) == is_there)
            expect("private", not kept or stat.S_IMODE(os.stat(os.path.join(kept[0], "sign.key")).st_mode) == 0o600)
            shutil.rmtree(copy)
        os.chmod(path, 0o644)
        done = thole(build, "key", "--data", w.daemon.data)
        expect(f"a key that others read is not used: {done.stderr}", "chmod 600" in done.stderr)
        w.turn("hello")
        code, reply = w.transport.call("export_evidence", {"sessionId": w.session})
        expect(f"{code} {reply}", code == "signing_failed")
        os.unlink(path)
        expect("it is gone", "gone" in thole(build, "key", "--data", w.daemon.data).stderr)
    finally:
        w.end()
    return w


def story_a_pack_is_signed_and_openssl_agrees(build, flips):
    w = World(build)
    try:
        w.turn("hello")
        plain = w.export()
        w.key("new")
        key = w.public()
        pack, archive = w.export("--redact", "rules"), w.export(name="signed.tar.zst")
        extra = {"manifest.dsse.json", "checkpoint.json"}
        names = [{os.path.relpath(os.path.join(at, n), p) for at, _, files in os.walk(p) for n in files} for p in (plain, pack)]
        expect("two files more", names[1] - names[0] == extra and not names[0] - names[1])
        same = [n for n in names[0] if open(os.path.join(plain, n), "rb").read() == open(os.path.join(pack, n), "rb").read()]
        expect("all others have the same bytes", set(same) == names[0])
        again = w.export(name="again.tar.zst")
        expect("the same archive again", open(archive, "rb").read() == open(again, "rb").read())
        envelope = json.load(open(os.path.join(pack, "manifest.dsse.json")))
        body = base64.b64decode(envelope["payload"])
        statement = json.loads(body)
        said = {s["name"]: s["digest"]["sha256"] for s in statement["subject"]}
        there = {n: hashlib.sha256(open(os.path.join(pack, n), "rb").read()).hexdigest() for n in names[1] - {"manifest.dsse.json"}}
        expect("every file with its digest", said == there)
        signature = base64.b64decode(envelope["signatures"][0]["sig"])
        proof = json.load(open(os.path.join(pack, "checkpoint.json")))
        text, name, _, note_signature = note_parts(proof["checkpoint"])
        if HAS_OPENSSL:
            expect("openssl accepts the pack", openssl_accepts(w, key, pae(body), signature))
            expect("openssl accepts the checkpoint", openssl_accepts(w, key, text, note_signature))
            expect("and nothing else", not openssl_accepts(w, key, pae(body) + b" ", signature))
        else:
            w.skips.add("there is no openssl")
        origin, size, top = text.decode().splitlines()
        led = follows(proof["leaf"].encode(), proof["leafIndex"], int(size), [bytes.fromhex(h) for h in proof["inclusion"]])
        expect("the leaf is in the tree", led == base64.b64decode(top) and origin == name)
        for words in ([pack], [archive], [pack, "--key", key]):
            code, report = verify(w, *words)
            expect(f"{words}: {report}", code == 0 and report["signature"]["status"] == "valid" and report["checkpoint"]["treeSize"] == int(size))
        expect("the second verifier says what it cannot check", "not checked: the signatures" in second(pack) and "not checked" not in second(plain))
        code, report = verify(w, plain, "--key", key)
        expect(f"unsigned: {report}", code == 1 and codes(report) == ["signature_missing"])
        expect("no key in a file", alone(build, "verify", pack, "--key", os.path.join(pack, "pack.json")).returncode == 2)
        expect("no such file", alone(build, "verify", pack, "--key", "/srv/app/none").returncode == 2)
        w.key("rotate")
        code, report = verify(w, pack, "--key", w.public("second.pem"))
        expect(f"foreign: {report}", code == 1 and codes(report) == ["key_foreign"])
        expect("all keys", verify(w, pack, "--key", w.public("all.pem", "--all"))[0] == 0)
        expect("a verifier key", verify(w, pack, "--key", w.public("note.key", "--all", "--as", "note"))[0] == 0)
        third = w.export()
        expect("the new key signs", verify(w, third, "--key", os.path.join(w.home, "second.pem"))[0] == 0)
    finally:
        w.end()
    return w


def resign(w, pack, change):
    """Changes the statement and signs it again with the key of the data directory."""
    path = os.path.join(pack, "manifest.dsse.json")
    envelope = json.load(open(path))
    statement = json.loads(base64.b64decode(envelope["payload"]))
    change(statement)
    body = json.dumps(statement, separators=(",", ":"), ensure_ascii=False).encode()
    with open(os.path.join(w.home, "to-sign"), "wb") as f:
        f.write(pae(body))
    done = subprocess.run(["openssl", "pkeyutl", "-sign", "-inkey", os.path.join(w.daemon.data, "sign.key"), "-rawin", "-in",
                           os.path.join(w.home, "to-sign")], capture_output=True)
    expect(f"openssl signs: {done.stderr}", done.returncode == 0)
    envelope["payload"] = base64.b64encode(body).decode()
    envelope["signatures"][0]["sig"] = base64.b64encode(done.stdout).decode()
    with open(path, "w") as f:
        f.write(json.dumps(envelope, separators=(",", ":")) + "\n")


def story_forged_signatures_have_their_words(build, flips):
    w = World(build, ["sign.days=30"])
    try:
        if not HAS_OPENSSL:
            w.skips.add("there is no openssl")
            return w
        w.turn("hello")
        w.key("new")
        good = w.export()
        other = json.load(open(os.path.join(good, "manifest.json")))["evidence_pack_id"][:-1] + "z"

        def at(name, value):
            return lambda s: s["predicate"].__setitem__(name, value)

        def first(name, value):
            return lambda s: s["subject"][0].__setitem__(name, value)

        forged = {
            "from the future": (at("signedAt", "2999-01-01T00:00:00.000Z"), {"signature_future", "signature_malformed"}),
            "expired": (at("expiresAt", "2026-01-01T00:00:00.000Z"), {"signature_expired", "signature_malformed"}),
            "of another pack": (at("evidencePackId", other), {"statement_differs"}),
            "of another file": (first("digest", {"sha256": "0" * 64}), {"statement_differs"}),
            "without a file": (lambda s: s["subject"].pop(), {"statement_differs"}),
            "with one file more": (lambda s: s["subject"].append({"name": "zzz", "digest": {"sha256": "0" * 64}}), {"statement_differs"}),
            "out of order": (lambda s: s["subject"].reverse(), {"statement_differs"}),
            "with a key that did not sign": (at("publicKey", base64.b64encode(b"k" * 32).decode()), {"signature_malformed", "signature_invalid", "key_foreign"}),
            "with more members": (at("more", 1), {"signature_malformed"}),
        }
        for what, (change, words) in forged.items():
            pack = os.path.join(w.home, "forged")
            shutil.copytree(good, pack)
            resign(w, pack, change)
            code, report = verify(w, pack)
            expect(f"{what}: {code} {report}", code == 1 and codes(report) and set(codes(report)) <= words)
            shutil.rmtree(pack)
        pack = os.path.join(w.home, "forged")
        shutil.copytree(good, pack)
        resign(w, pack, lambda s: None)
        expect("signed again without a change it is whole", verify(w, pack)[0] == 0)
        os.unlink(os.path.join(pack, "checkpoint.json"))
        code, report = verify(w, pack)
        expect(f"no checkpoint: {report}", code == 1 and set(codes(report)) == {"statement_differs", "checkpoint_missing"})
        os.unlink(os.path.join(pack, "manifest.dsse.json"))
        expect("without both it is an unsigned pack", verify(w, pack)[0] == 0)
        shutil.copy(os.path.join(good, "checkpoint.json"), pack)
        code, report = verify(w, pack)
        expect(f"only the checkpoint: {report}", code == 1 and "signature_missing" in codes(report))
        w.turn("more")
        for file, word in (("checkpoint.json", "checkpoint_differs"), ("manifest.dsse.json", "statement_differs")):
            shutil.rmtree(pack)
            shutil.copytree(w.export(), pack)
            shutil.copy(os.path.join(good, file), pack)
            code, report = verify(w, pack)
            expect(f"{file} of another pack: {report}", code == 1 and word in codes(report))
    finally:
        w.end()
    return w


def story_every_flipped_byte_of_a_signature_is_named(build, flips):
    w = World(build)
    try:
        w.turn("hello")
        w.key("new")
        pack, pick = w.export(), random.Random(7)
        for n in range(flips):
            file = ("manifest.dsse.json", "checkpoint.json")[n % 2]
            path = os.path.join(pack, file)
            data = open(path, "rb").read()
            at, bit = pick.randrange(len(data)), pick.randrange(8)
            with open(path, "wb") as f:
                f.write(evidence.flip(data, at, bit))
            code, report = verify(w, pack)
            expect(f"bit {bit} of byte {at} of {file}: {report}", code == 1 and file in [f.get("file") for f in report["findings"]])
            other = second_says(pack)
            expect(f"bit {bit} of byte {at} of {file}: {other}", "signature_invalid" in codes(report) or other.startswith("manifest") or other.startswith("checkpoint"))
            with open(path, "wb") as f:
                f.write(data)
        key, note = w.public(), w.checkpoint()
        data = open(note, "rb").read()
        for n in range(flips // 4):
            at, bit = pick.randrange(len(data)), pick.randrange(8)
            with open(note, "wb") as f:
                f.write(evidence.flip(data, at, bit))
            code, reply = compare(w, note, "--key", key)
            refused = isinstance(reply, str)  # not UTF-8: no command
            expect(f"bit {bit} of byte {at} of a checkpoint: {code} {reply}", code != 0 and (refused or reply["findings"]))
        with open(note, "wb") as f:
            f.write(data)
        expect("whole again", verify(w, pack)[0] == 0 and compare(w, note, "--key", key)[0] == 0)
    finally:
        w.end()
    return w


def second_says(path):
    done = second_verifier.run(path, wait.DEADLINE_S)
    return (done.stdout + done.stderr).decode()


SESSIONS = [f"sess_{i}" for i in range(5)]


def in_sessions(w):
    for session in SESSIONS:
        w.session, w.thread = session, None
        w.call("submit_turn", sessionId=session, input="hello")
        until(session, lambda: w.events("turn.completed"))


def change(data, *statements):
    db = sqlite3.connect(os.path.join(data, "log.db"))
    for text, values in statements:
        db.execute(text, values)
    db.execute("DELETE FROM snapshot")
    db.commit()
    db.close()


def rows_of(data, session):
    db = sqlite3.connect(os.path.join(data, "log.db"))
    no = db.execute("SELECT session_no FROM session WHERE id = ?", (session,)).fetchone()[0]
    rows = db.execute("SELECT seq, hash FROM event WHERE session_no = ? ORDER BY seq", (no,)).fetchall()
    db.close()
    return no, rows


def cut(data, session, keep):
    """As an attacker would who knows the format: the record of the session is set back as well."""
    no, rows = rows_of(data, session)
    change(data, ("DELETE FROM event WHERE session_no = ? AND seq > ?", (no, keep)),
           ("UPDATE session SET last_seq = ?, last_hash = ?, sum = NULL WHERE session_no = ?", (keep, dict(rows)[keep], no)))


def rewrite(data, session, seq):
    """One event says something else, and the chain behind it is computed again."""
    no, rows = rows_of(data, session)
    db = sqlite3.connect(os.path.join(data, "log.db"))
    link, statements = bytes(32) if seq == 1 else dict(rows)[seq - 1], []
    for at, body in db.execute("SELECT seq, body FROM event WHERE session_no = ? AND seq >= ? ORDER BY seq", (no, seq)).fetchall():
        if at == seq:
            body = body.replace(b"hello", b"hullo")
        link = hashlib.sha256(link + hashlib.sha256(body).digest()).digest()
        statements.append(("UPDATE event SET body = ?, hash = ?, sum = NULL WHERE session_no = ? AND seq = ?", (body, link, no, at)))
    db.close()
    change(data, *statements, ("UPDATE session SET last_hash = ?, sum = NULL WHERE session_no = ?", (link, no)))


def remove(data, session):
    no, _ = rows_of(data, session)
    change(data, ("DELETE FROM event WHERE session_no = ?", (no,)), ("DELETE FROM session WHERE session_no = ?", (no,)))


def erase(data, session, seq, change_text):
    """An event gets another text and the mark of an erased one, which keeps the digest of the first text."""
    no, _ = rows_of(data, session)
    db = sqlite3.connect(os.path.join(data, "log.db"))
    body = db.execute("SELECT body FROM event WHERE session_no = ? AND seq = ?", (no, seq)).fetchone()[0]
    db.execute("UPDATE event SET body = ?, digest = ?, sum = NULL WHERE session_no = ? AND seq = ?",
               (change_text(body), hashlib.sha256(body).digest(), no, seq))
    db.commit()
    db.close()


def story_only_what_an_event_records_is_erased(build, flips):
    w = World(build)
    try:
        w.key("new")
        w.turn("hello")
        submitted = w.events("turn.submitted")[0]["sequence"]
        w.turn("erase me 14142135")
        erased = w.events("turn.submitted")[1]["sequence"]
        w.export()
        note = w.checkpoint()
        w.call("erase_event", sessionId=w.session, eventSequence=erased, reason="a test")
        code, reply = compare(w, note)
        expect(f"an erasure that is recorded behind the checkpoint: {reply}", code == 0)
        w.daemon.stop()

        def verdicts(what):
            shutil.rmtree(os.path.join(w.home, "copy"), ignore_errors=True)
            target = os.path.join(w.home, "copy")
            shutil.copytree(w.daemon.data, target, ignore=shutil.ignore_patterns("socket*", "hand"))
            what(target)
            done = thole(build, "verify", "--here", "--data", target, check=False)
            code, reply = compare(w, note, "--here", data=target)
            expect(f"{done.stdout}{done.stderr} {reply}", isinstance(reply, dict))
            return done.returncode, done.stdout, code, [(f["code"], f.get("sequence")) for f in reply.get("findings", [])]

        code, text, second, found = verdicts(lambda d: None)
        expect(f"{code} {text} {second} {found}", code == 0 and "1 erased" in text and second == 0 and found == [])
        forged = lambda body: body.replace(b"hello", b"hullo")  # noqa: E731
        code, text, second, found = verdicts(lambda d: erase(d, w.session, submitted, forged))
        expect(f"a text: {code} {text} {second} {found}", code == 1 and f"at event {submitted}: the event is marked as erased and has a text" in text and
               second == 1 and found == [("session_rewritten", submitted)])

        def masked_of(body):
            event = json.loads(body)
            event["payload"]["input"] = [{"type": "text", "text": "[erased]"}]
            return json.dumps(event, separators=(",", ":")).encode()

        code, text, second, found = verdicts(lambda d: erase(d, w.session, submitted, masked_of))
        expect(f"without a record: {code} {text} {second} {found}", code == 1 and f"at event {submitted}: " in text and second == 1 and
               found == [("session_rewritten", submitted)])
        db = sqlite3.connect(os.path.join(w.home, "copy", "log.db"))
        stub = db.execute("SELECT body FROM event WHERE seq = ? AND digest IS NOT NULL", (erased,)).fetchone()[0]
        db.close()
        # Only the mark is right: it is the text of another erased event, or no event records the erasure.
        code, text, second, found = verdicts(lambda d: erase(d, w.session, submitted, lambda body: stub))
        expect(f"another one's: {code} {text} {second} {found}", code == 1 and "that of another one" in text and second == 1)
        code, text, second, found = verdicts(lambda d: erase(
            d, w.session, submitted, lambda body: stub.replace(b'"sequence":%d,' % erased, b'"sequence":%d,' % submitted)))
        expect(f"no record: {code} {text} {second} {found}", code == 1 and "no later event records an erasure" in text and
               found == [("session_rewritten", submitted)])
        target = os.path.join(w.home, "copy")
        verdicts(lambda d: erase(d, w.session, submitted, forged))
        thole(build, "export", "evidence", w.session, "-o", os.path.join(w.home, "forged"), "--here", "--data", target)
        expect("a pack does not show it", b"hullo" not in open(os.path.join(w.home, "forged", "events.jsonl"), "rb").read())
        w.daemon.start()
        w.transport = scenario.Http(w.daemon)
    finally:
        w.end()
    return w


def story_only_what_an_event_records_is_removed(build, flips):
    w = World(build)
    try:
        w.key("new")
        for session in ("sess_honest", "sess_forged"):
            w.session, w.thread = session, None
            w.call("submit_turn", sessionId=session, input="hello")
            until(session, lambda: w.events("turn.completed"))
        w.export()
        note = w.checkpoint()
        leaf = len(w.events())
        for n in range(2):
            for session in ("sess_honest", "sess_forged"):
                w.session, w.thread = session, None
                w.call("submit_turn", sessionId=session, input="hello")
                until(session, lambda: len(w.events("turn.completed")) == n + 2)
        thole(build, "retain", "sess_honest", "--through", str(leaf + 2), "--reason", "a rule of the house", "--data", w.daemon.data)
        w.session = "sess_honest"
        record = [e["payload"] for e in w.events("snapshot.updated") if e["payload"].get("kind") == "retention"]
        expect(f"the reason is recorded: {record}", [p.get("reason") for p in record] == ["a rule of the house"])
        code, reply = compare(w, note)
        expect(f"a removal that is recorded: {reply}", code == 0 and reply["expired"] == 1)
        w.daemon.stop()

        def floor_at(data, seq):
            no, rows = rows_of(data, "sess_forged")
            db = sqlite3.connect(os.path.join(data, "log.db"))
            db.execute("DELETE FROM event WHERE session_no = ? AND seq <= ?", (no, seq))
            db.execute("UPDATE session SET floor_seq = ?, floor_hash = ?, sum = NULL WHERE session_no = ?", (seq, dict(rows)[seq], no))
            db.commit()
            db.close()

        for seq, what in ((leaf + 2, "behind the leaf"), (leaf, "at the leaf"), (leaf - 2, "before the leaf")):
            target = os.path.join(w.home, "copy")
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(w.daemon.data, target, ignore=shutil.ignore_patterns("socket*", "hand"))
            floor_at(target, seq)
            code, reply = compare(w, note, "--here", data=target)
            expect(f"{what}: {reply}", code == 1 and [(f["code"], f["sessionId"], f["sequence"]) for f in reply["findings"]] ==
                   [("session_rewritten", "sess_forged", seq)] and reply["expired"] == 1)
            done = thole(build, "verify", "--here", "--data", target, check=False)
            expect(f"{what}: {done.stdout}{done.stderr}", done.returncode == 1 and f"sess_forged  broken at event {seq}: the events up to" in done.stdout)
        w.daemon.start()
        w.transport = scenario.Http(w.daemon)
    finally:
        w.end()
    return w


def story_a_checkpoint_names_what_was_cut_rewritten_or_removed(build, flips):
    w = World(build)
    try:
        in_sessions(w)
        w.key("new")
        w.session = SESSIONS[0]
        w.export()
        key, note = w.public(), w.checkpoint()
        code, reply = compare(w, note, "--key", key)
        expect(f"{reply}", code == 0 and reply["status"] == "continues" and reply["sessions"] >= len(SESSIONS))
        in_sessions(w)
        w.export()
        code, reply = compare(w, note)
        expect(f"later: {reply}", code == 0 and reply["currentSize"] > reply["treeSize"])
        hello = [e["sequence"] for e in w.events("turn.submitted")][0]
        w.daemon.stop()

        def copy(what):
            shutil.rmtree(os.path.join(w.home, "copy"), ignore_errors=True)
            target = os.path.join(w.home, "copy")
            shutil.copytree(w.daemon.data, target, ignore=shutil.ignore_patterns("socket*", "hand"))
            what(target)
            code, reply = compare(w, note, "--key", key, "--here", data=target)
            return code, reply, [(f["code"], f.get("sessionId")) for f in reply["findings"]] if isinstance(reply, dict) else reply

        code, reply, found = copy(lambda d: None)
        expect(f"a copy: {reply}", code == 0)
        code, reply, found = copy(lambda d: cut(d, "sess_1", hello))
        expect(f"cut: {reply}", code == 1 and found == [("session_cut", "sess_1")])
        code, reply, found = copy(lambda d: rewrite(d, "sess_2", hello))
        expect(f"rewritten: {reply}", code == 1 and found == [("session_rewritten", "sess_2")])
        code, reply, found = copy(lambda d: remove(d, "sess_3"))
        expect(f"removed: {reply}", code == 1 and found == [("session_removed", "sess_3")])
        done = thole(w.build, "verify", "--here", "--data", os.path.join(w.home, "copy"), check=False)
        expect(f"verify without a checkpoint: {done.stdout}{done.stderr}", done.returncode == 1 and "sess_3  broken" in done.stdout and "the session is gone" in done.stdout)
        code, reply, found = copy(lambda d: (cut(d, "sess_1", hello), rewrite(d, "sess_2", hello), remove(d, "sess_3")))
        expect(f"all three: {reply}", code == 1 and {s for _, s in found} == {"sess_1", "sess_2", "sess_3"})
        code, reply, found = copy(lambda d: cut(d, "sess_system", 2))
        expect(f"the anchors were cut: {reply}", code == 1 and ("tree_cut", "sess_system") in found)

        def other_leaves(data):
            db = sqlite3.connect(os.path.join(data, "log.db"))
            ref = w_anchor["leavesRef"]
            db.execute("UPDATE blob SET sum = NULL, data = CAST(replace(CAST(data AS TEXT), 'sess_3', 'sess_x') AS BLOB) WHERE ref = ?", (ref,))
            db.commit()
            db.close()

        w.daemon.start()
        w.transport = scenario.Http(w.daemon)
        w_anchor = w.checkpoints()[0]
        w.daemon.stop()
        code, reply, found = copy(other_leaves)
        expect(f"other leaves: {reply}", code == 1 and ("tree_rewritten", "sess_system") in found)
        w.daemon.start()
        w.transport = scenario.Http(w.daemon)
    finally:
        w.end()
    return w


def story_the_tree_of_all_checkpoints_only_grows(build, flips):
    w = World(build)
    try:
        w.key("new")
        packs = []
        for n in range(4):
            w.turn("hello")
            packs.append(json.load(open(os.path.join(w.export(), "checkpoint.json"))))
        leaves, sizes = [], []
        for anchor in w.checkpoints():
            text = w.call("get_output", outputRef=anchor["leavesRef"])["text"]
            leaves += text.encode().splitlines()
            expect("its own root", anchor["rootHash"] == root(text.encode().splitlines()).hex())
            expect("the root of all", anchor["logSize"] == len(leaves) and anchor["logRoot"] == root(leaves).hex())
            sizes.append((len(leaves), root(leaves)))
        for pack in packs:
            text = note_parts(pack["checkpoint"])[0].decode().splitlines()
            expect("a checkpoint of this tree", (int(text[1]), base64.b64decode(text[2])) in sizes)
            expect("its leaf", leaves[pack["leafIndex"]] == pack["leaf"].encode())
            before = leaves[:pack["previousSize"]]
            expect("the tree before", root(before).hex() == pack["previousRoot"])
        expect("consistency proofs", all(p["consistency"] for p in packs[1:]))
    finally:
        w.end()
    return w


def story_retention_of_the_system_session_is_no_forgery(build, flips):
    w = World(build)
    try:
        w.key("new")
        notes = []
        for n in range(3):
            w.turn("hello")
            w.export()
            notes.append(w.checkpoint(f"note{n}"))
        events = [json.loads(line) for line in w.transport.events("sess_system", 0)]
        second_anchor = [e["sequence"] for e in events if "anchor" in e.get("payload", {})][1]
        w.call("trim_log", sessionId="sess_system", through=second_anchor - 1)
        # The tree is the same, and leaves without their anchors name no session that could be compared: both are said.
        for note in notes:
            code, reply = compare(w, note)
            expect(f"{note}: {reply}", code == 1 and codes(reply) == ["checkpoint_missing"])
        w.turn("hello")
        w.export()
        code, reply = compare(w, w.checkpoint("note3"))
        expect(f"the tree continues to grow: {reply}", codes(reply) == ["checkpoint_missing"] and reply["sessions"] >= 1)
    finally:
        w.end()
    return w


def story_bad_checkpoints_have_their_words(build, flips):
    w, other = World(build), World(build)
    try:
        for each in (w, other):
            each.turn("hello")
            each.key("new")
            each.export()
        foreign, own = other.checkpoint(), w.checkpoint()
        code, reply = compare(w, foreign)
        expect(f"{reply}", code == 1 and codes(reply) == ["key_foreign"])
        code, reply = compare(w, foreign, "--key", other.public())
        expect(f"{reply}", code == 1 and codes(reply) == ["checkpoint_other_tree"])
        text = open(own).read()
        for what, changed, word in (("text", "hello\n", "checkpoint_malformed"), ("no signature", text.split("\n\n")[0] + "\n\n", "checkpoint_malformed"),
                                    ("a larger tree", text.replace("\n", "\n9", 1), "signature_invalid")):
            path = os.path.join(w.home, "bad")
            with open(path, "w") as f:
                f.write(changed)
            code, reply = compare(w, path)
            expect(f"{what}: {reply}", code == 1 and codes(reply) == [word])
        code, reply = compare(w, os.path.join(w.home, "pack1", "checkpoint.json"))
        expect(f"the one of a pack: {reply}", code == 0 and reply["status"] == "continues")
        open(os.path.join(w.home, "empty"), "w").close()
        for words in (["--checkpoint", os.path.join(w.home, "empty")], ["--checkpoint", own, "--key", os.path.join(w.home, "empty")]):
            done = thole(build, "verify", *words, "--data", w.daemon.data, check=False)
            expect(f"{words}: {done.stderr}", done.returncode == 2 and "is empty" in done.stderr)
        for words in (["--checkpoint", own, w.session], ["--checkpoint", "/srv/app/none"], [w.session, "--key", own],
                      ["--checkpoint", own, "--key", own]):
            done = thole(build, "verify", *words, "--data", w.daemon.data, check=False)
            expect(f"{words}: {done.returncode} {done.stderr}", done.returncode in (1, 2) and done.stderr)
    finally:
        w.end()
        other.end()
    return w


def program(path, text):
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return path


def story_the_operators_program_signs(build, flips):
    if not HAS_OPENSSL:
        w = World(build)
        w.end()
        w.skips.add("there is no openssl")
        return w
    place = evidence.tempfile.mkdtemp(prefix="thole-signer-")
    try:
        os.chmod(place, 0o755)
        private, public = os.path.join(place, "private.pem"), os.path.join(place, "public.pem")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", private], check=True, capture_output=True)
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
        sign = program(os.path.join(place, "sign"), f'f=$(mktemp) && cat >"$f" && openssl pkeyutl -sign -inkey {private} -rawin -in "$f"; code=$?; rm -f "$f"; exit $code\n')
        w = World(build, [f"sign.command={sign}", f"sign.public_key={public}"])
        try:
            w.turn("hello")
            rows = json.loads(w.key("show", "--json"))["keys"]
            expect(f"{rows}", [(k["origin"], k["state"]) for k in rows] == [("command", "active")])
            expect("its key cannot be made here", thole(build, "key", "new", "--data", w.daemon.data, check=False).returncode == 1)
            pack = w.export()
            expect("signed", verify(w, pack, "--key", public)[0] == 0)
            expect("no private key here", not os.path.exists(os.path.join(w.daemon.data, "sign.key")))
            program(sign, "cat >/dev/null; echo no card >&2; exit 3\n")
            w.turn("more")
            code, reply = w.transport.call("export_evidence", {"sessionId": w.session})
            expect(f"a changed program is not started: {code} {reply}", code == "signing_failed" and "hooks trust hook:sign:command" in reply["detail"])
            thole(build, "hooks", "trust", "hook:sign:command", "--data", w.daemon.data)
            code, reply = w.transport.call("export_evidence", {"sessionId": w.session})
            expect(f"{code} {reply}", code == "signing_failed" and "ended with code 3: no card" in reply["detail"])
        finally:
            w.end()
        done = thole(build, "serve", "--data", os.path.join(place, "data"), "-c", f"sign.command={sign}", check=False)
        expect(f"no public key: {done.stderr}", done.returncode != 0 and "sign.public_key" in done.stderr)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return w


def story_a_missing_key_is_no_reason_for_unsigned_packs(build, flips):
    w = World(build)
    try:
        w.turn("hello")
        w.export()  # without a key, no one asks for a signature
        w.key("new")
        w.turn("hello")
        w.export()
        note = w.checkpoint()
        expect("doctor has no complaint", "the key can be used" in thole(build, "doctor", "--data", w.daemon.data, check=False).stdout)
        os.rename(os.path.join(w.daemon.data, "sign.key"), os.path.join(w.home, "away"))
        w.turn("hello")
        for command in ("export_evidence", "export_replay", "export_review"):
            code, reply = w.transport.call(command, {"sessionId": w.session})
            expect(f"{command}: {code} {reply}", code == "signing_failed" and "--unsigned" in reply["detail"])
        pack = os.path.join(w.home, "without")
        done = thole(build, "export", "evidence", w.session, "-o", pack, "--data", w.daemon.data, check=False)
        expect(f"{done.stderr}", done.returncode != 0 and not os.path.exists(pack))
        thole(build, "export", "evidence", w.session, "-o", pack, "--unsigned", "--data", w.daemon.data)
        expect("no signature", not os.path.exists(os.path.join(pack, "manifest.dsse.json")))
        until("an anchor without a signature", lambda: "checkpoint" not in w.checkpoints()[-1])
        code, reply = compare(w, note)
        expect(f"{reply}", code == 0 and reply["unsignedAnchors"] >= 1)
        said = thole(build, "doctor", "--data", w.daemon.data, check=False)
        expect(f"{said.stdout}", "the private key is gone" in said.stdout)
        expect("key show", "the private key is gone" in thole(build, "key", "show", "--data", w.daemon.data).stderr)
        os.rename(os.path.join(w.home, "away"), os.path.join(w.daemon.data, "sign.key"))
        w.turn("hello")
        pack = w.export()
        expect("signed again", os.path.exists(os.path.join(pack, "manifest.dsse.json")))
        code, reply = compare(w, note)
        expect(f"{reply}", code == 0 and "unsignedAnchors" not in reply)
        pack = w.export("--unsigned")
        expect("unsigned by request", not os.path.exists(os.path.join(pack, "manifest.dsse.json")))
    finally:
        w.end()
    return w


def story_a_retired_key_that_is_put_back_signs_nothing(build, flips):
    w = World(build)
    try:
        w.turn("hello")
        w.key("new")
        w.export()
        key = os.path.join(w.daemon.data, "sign.key")
        shutil.copy(key, os.path.join(w.home, "old"))
        w.key("rotate")
        w.turn("hello")
        w.export()
        shutil.copy(os.path.join(w.home, "old"), key)
        w.turn("hello")
        code, reply = w.transport.call("export_evidence", {"sessionId": w.session})
        expect(f"{code} {reply}", code == "signing_failed" and "was replaced" in reply["detail"])
        shown = thole(build, "key", "show", "--data", w.daemon.data)
        expect(f"{shown.stdout}{shown.stderr}", "was replaced" in shown.stderr and shown.stdout.count("active") == 1)
        w.key("rotate")
        pack = w.export()
        expect("a third key signs", verify(w, pack)[1]["signature"]["status"] == "valid" and len(json.loads(w.key("show", "--json"))["keys"]) == 3)
    finally:
        w.end()
    return w


def story_the_word_about_a_signature_is_about_all_of_it(build, flips):
    w, other = World(build), World(build)
    try:
        for each in (w, other):
            each.turn("hello")
            each.key("new")
        pack = w.export()
        code, report = verify(w, pack, "--key", other.public())
        expect(f"{report}", code == 1 and report["signature"]["status"] == "another_key" and codes(report) == ["key_foreign"])
        expect("in words", "signature of another key" in alone(build, "verify", pack, "--key", other.public()).stdout)
        path = os.path.join(pack, "checkpoint.json")
        text = open(path).read()
        with open(path, "w") as f:
            f.write(text.replace('"previousSize":', '"previousSize":1', 1))
        code, report = verify(w, pack)
        expect(f"{report}", code == 1 and report["signature"]["status"] == "invalid")
    finally:
        w.end()
        other.end()
    return w


class Receiver(http.server.BaseHTTPRequestHandler):
    got = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        Receiver.got.append((self.headers["content-type"], body.decode()))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


def story_checkpoints_go_to_the_places_of_the_operator(build, flips):
    place = evidence.tempfile.mkdtemp(prefix="thole-anchor-")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        os.chmod(place, 0o755)
        kept = os.path.join(place, "kept")
        keep = program(os.path.join(place, "keep"), f'cat >{kept}.new && mv {kept}.new {kept}\n')
        w = World(build, [f"anchor.command={keep}", f"anchor.url=http://127.0.0.1:{server.server_port}/checkpoints"])
        try:
            w.turn("hello")
            w.key("new")
            w.export()
            note = w.checkpoints()[-1]["checkpoint"]
            until("the command has it", lambda: os.path.exists(kept) and open(kept).read() == note)
            until("the address has it", lambda: ("text/plain; charset=utf-8", note) in Receiver.got)
            expect("it continues", compare(w, kept)[0] == 0)
        finally:
            w.end()
    finally:
        server.shutdown()
        shutil.rmtree(place, ignore_errors=True)
    return w


def story_a_checkpoint_that_is_not_taken_is_reported(build, flips):
    w = World(build, ["anchor.url=http://127.0.0.1:9/none"])
    try:
        w.turn("hello")
        w.key("new")
        w.export()

        def warned():
            found = [json.loads(line) for line in w.transport.events("sess_node_local", 0)]
            return [e for e in found if e["type"] == "runtime.warning" and "checkpoint was not sent: anchor.url" in e["payload"]["message"]]

        until("the warning", warned)
        w.turn("more")
        w.export()
        expect("once", len(warned()) == 1)
    finally:
        w.end()
    for words in (["anchor.url=nowhere"], ["anchor.command=relative"], ["sign.public_key=/srv/app/key.pem"], ["anchor.minutes=0"]):
        done = thole(build, "serve", "--data", os.path.join(w.home, "other"), "-c", *words, check=False)
        expect(f"{words}: {done.returncode} {done.stderr}", done.returncode == 3 and done.stderr)
    return w


def story_a_systemd_credential_signs(build, flips):
    place = evidence.tempfile.mkdtemp(prefix="thole-credential-")
    try:
        if not HAS_OPENSSL:
            w = World(build)
            w.end()
            w.skips.add("there is no openssl")
            return w
        private, public = os.path.join(place, "thole-sign-key"), os.path.join(place, "public.pem")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", private], check=True, capture_output=True)
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
        os.environ["CREDENTIALS_DIRECTORY"] = place
        try:
            w = World(build)
        finally:
            del os.environ["CREDENTIALS_DIRECTORY"]
        try:
            w.turn("hello")
            pack = w.export()
            expect("signed", verify(w, pack, "--key", public)[0] == 0)
            rows = json.loads(w.key("show", "--json"))["keys"]
            expect(f"{rows}", [(k["origin"], k["state"]) for k in rows] == [("credential", "active")])
        finally:
            w.end()
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return w


TSA_CONFIG = """
[tsa]
default_tsa = here
[here]
dir = {place}
serial = {place}/serial
signer_cert = {place}/tsa.pem
certs = {place}/ca.pem
signer_key = {place}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
[stamping]
extendedKeyUsage = critical,timeStamping
"""


def openssl(*words, **more):
    done = subprocess.run(["openssl", *words], capture_output=True, **more)
    expect(f"openssl {words[0]}: {done.stderr.decode()}", done.returncode == 0)
    return done.stdout


class Authority(http.server.BaseHTTPRequestHandler):
    """A time stamp authority of openssl; `answer` replaces what it says."""
    place, answer, asked = None, None, []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        Authority.asked.append((self.headers["content-type"], body))
        with open(os.path.join(self.place, "query"), "wb") as f:
            f.write(body)
        said = self.answer or openssl("ts", "-reply", "-config", os.path.join(self.place, "conf"), "-queryfile", os.path.join(self.place, "query"))
        self.send_response(200)
        self.send_header("content-type", "application/timestamp-reply")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *args):
        pass


def make_authority(place):
    with open(os.path.join(place, "conf"), "w") as f:
        f.write(TSA_CONFIG.format(place=place))
    with open(os.path.join(place, "serial"), "w") as f:
        f.write("01\n")
    openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=ca", "-days", "2", "-keyout", f"{place}/ca.key", "-out", f"{place}/ca.pem")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=tsa", "-keyout", f"{place}/tsa.key", "-out", f"{place}/tsa.csr")
    openssl("x509", "-req", "-in", f"{place}/tsa.csr", "-CA", f"{place}/ca.pem", "-CAkey", f"{place}/ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", f"{place}/conf", "-extensions", "stamping", "-out", f"{place}/tsa.pem")


def story_a_time_stamp_is_what_openssl_accepts(build, flips):
    place = evidence.tempfile.mkdtemp(prefix="thole-tsa-")
    w = World(build)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Authority)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        if not HAS_OPENSSL:
            w.skips.add("there is no openssl")
            return w
        make_authority(place)
        Authority.place, url = place, f"http://127.0.0.1:{server.server_port}/tsa"
        w.turn("hello")

        def is_stamped(pack, of):
            done = subprocess.run(["openssl", "ts", "-verify", "-in", os.path.join(pack, "manifest.tsr"), "-data", os.path.join(pack, of), "-CAfile",
                                   f"{place}/ca.pem"], capture_output=True, text=True)
            code, report = verify(w, pack)
            return done.returncode == 0 and "Verification: OK" in done.stdout + done.stderr and code == 0 and report["timestamp"]["of"] == of

        expect("of the manifest", is_stamped(w.export("--timestamp", url), "manifest.json"))
        w.key("new")
        pack = w.export("--timestamp", url)
        expect("of the signature", is_stamped(pack, "manifest.dsse.json"))
        expect("as an archive", verify(w, w.export("--timestamp", url, name="stamped.tar.zst"))[0] == 0)
        kind, query = Authority.asked[0]
        expect("the query of RFC 3161", kind == "application/timestamp-query" and b"sha256" in openssl("ts", "-query", "-in", f"{place}/query", "-text"))
        expect("asked once for each pack", len(Authority.asked) == 2)
        digest = hashlib.sha256(open(os.path.join(pack, "manifest.dsse.json"), "rb").read()).hexdigest()
        expect("as openssl asks", openssl("ts", "-query", "-sha256", "-digest", digest, "-cert", "-no_nonce") == Authority.asked[1][1])
        shutil.copy(os.path.join(pack, "manifest.tsr"), os.path.join(w.home, "old.tsr"))
        w.turn("more")
        for what, answer in (("garbage", b"hello"), ("about something else", open(os.path.join(w.home, "old.tsr"), "rb").read()),
                             ("a refusal", bytes.fromhex("30053003020102"))):
            Authority.answer = answer
            code, reply = w.transport.call("export_evidence", {"sessionId": w.session, "timestampUrl": url})
            expect(f"{what}: {code} {reply}", code == "signing_failed")
        Authority.answer = None
        code, reply = w.transport.call("export_evidence", {"sessionId": w.session, "timestampUrl": "file:///etc/passwd"})
        expect(f"{code}", code == "invalid_value")
        other = w.export("--timestamp", url)
        shutil.copy(os.path.join(w.home, "old.tsr"), os.path.join(other, "manifest.tsr"))
        code, report = verify(w, other)
        expect(f"of another pack: {report}", code == 1 and codes(report) == ["timestamp_differs"])
        with open(os.path.join(other, "manifest.tsr"), "wb") as f:
            f.write(b"x")
        expect("damaged", codes(verify(w, other)[1]) == ["timestamp_malformed"])
        expect("for the second verifier too", "manifest.tsr: not an answer" in second_says(other))
        shutil.copy(os.path.join(w.home, "old.tsr"), os.path.join(other, "manifest.tsr"))
        expect("of another pack", "manifest.tsr: the time stamp is about something else" in second_says(other))
        done = thole(build, "export", "review", w.session, "--timestamp", url, "--data", w.daemon.data, check=False)
        expect(f"{done.stderr}", done.returncode == 2 and "--timestamp is for evidence" in done.stderr)
    finally:
        server.shutdown()
        w.end()
        shutil.rmtree(place, ignore_errors=True)
    return w


def main():
    build = os.path.abspath(sys.argv[1])
    flips = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    words = sys.argv[3:]
    stories = [(n[len("story_"):].replace("_", " "), f) for n, f in globals().items() if n.startswith("story_")]
    number = failed = 0
    skips = set()
    for name, story in stories:
        if words and not any(word in name for word in words):
            continue
        number += 1
        try:
            skips |= story(build, flips).skips
            print("ok", number, "-", name, flush=True)
        except Exception as error:  # noqa: BLE001
            failed += 1
            print("not ok", number, "-", name, flush=True)
            print("# " + f"{type(error).__name__}: {error}"[-1500:].replace("\n", "\n# "), flush=True)
    for skip in sorted(skips):
        print("# SKIP", skip)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
