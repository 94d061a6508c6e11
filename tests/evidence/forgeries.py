"""Packs that a test makes itself: a whole one from fixed bytes, and forged ones of many kinds.

`whole()` gives the files of a small pack that is the same in every run.  `seal()` makes a manifest that fits changed files, as a careless
forger does; `forge()` also computes the chain's consequences and the id again, so that only the rule in question finds the fault.
"""
import hashlib
import io
import json
import os
import subprocess
import tarfile

FIRST = ("manifest.json", "pack.json", "replay.json", "floor.json", "chain.jsonl", "events.jsonl")
NO_ID = "0" * 40
TRAILER = b"\x50\x2a\x4d\x18\x20\0\0\0"
AT = "2026-11-16T00:00:00.000Z"
SESSION, THREAD, TURN = "sess_fixed", "thr_fixed", "turn_fixed"
COMPLETENESS = {"runtime": {"status": "complete"}}


def text_of(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def event(sequence, kind, **members):
    return text_of({"type": kind, "eventId": f"evt_{sequence}", "sequence": sequence, "sessionId": SESSION, "timestamp": AT, **members})


EVENTS = [
    event(1, "session.created", payload={"title": "fixed"}),
    event(2, "thread.started", threadId=THREAD, payload={}),
    event(3, "turn.submitted", threadId=THREAD, turnId=TURN, payload={"input": [{"type": "text", "text": "grüße"}]}),
    event(4, "turn.started", threadId=THREAD, turnId=TURN, payload={}),
    event(5, "turn.completed", threadId=THREAD, turnId=TURN, payload={"n": 1}),
    event(6, "turn.submitted", threadId=THREAD, turnId="turn_other", payload={}),
]


def chain_of(lines, states=None):
    """chain.jsonl, the head, and the number of events of each state."""
    link, out, counts = bytes(32), b"", {"present": 0, "out_of_scope": 0, "redacted": 0, "erased": 0}
    for n, line in enumerate(lines):
        state = (states or {}).get(n, "present")
        link = hashlib.sha256(link + hashlib.sha256(line).digest()).digest()
        out += text_of({"sequence": n + 1, "digest": digest(line), "state": state}) + b"\n"
        counts[state] += 1
    return out, "sha256:" + link.hex(), counts


def with_events(files, lines, states=None):
    """The same pack with other events: chain, range and counts follow."""
    chain, head, counts = chain_of(lines, states)
    pack = json.loads(files["pack.json"])
    pack["range"].update(to_sequence=len(lines), head=head, events=counts)
    shown = [line for n, line in enumerate(lines) if (states or {}).get(n, "present") == "present"]
    return {**files, "pack.json": text_of(pack) + b"\n", "chain.jsonl": chain, "events.jsonl": b"".join(line + b"\n" for line in shown)}


def role_of(path):
    roles = {"pack.json": "pack", "replay.json": "replay", "floor.json": "floor", "chain.jsonl": "chain", "events.jsonl": "events", "journal.jsonl": "journal"}
    return roles.get(path) or {"views": "view", "outputs": "output", "texts": "text"}.get(path.split("/")[0], "config")


def entry_of(path, data):
    return {"path": path, "role": role_of(path), "media_type": "application/json", "size": len(data), "hash": digest(data)}


def seal(files, change=None):
    """A manifest that fits the files; the id is the one that pack.json has."""
    pack = json.loads(files["pack.json"]) if "pack.json" in files else {}
    paths = sorted((p for p in files if p != "manifest.json"), key=lambda p: (FIRST.index(p) if p in FIRST else 9, p))
    evidence = pack.get("evidence_pack_id", "evd_" + NO_ID)
    doc = {"export_id": evidence, "evidence_pack_id": evidence, "schema_version": "0.1.0", "format": "thole-evidence-1",
           "created_at": pack.get("updated_at"), "files": [entry_of(p, files[p]) for p in paths],
           "completeness": pack.get("completeness"), "redactions": pack.get("redactions")}
    if change:
        change(doc)
    text = text_of({**doc, "self_hash": "sha256:" + "0" * 64}) + b"\n"
    return {"manifest.json": text[:-67] + hashlib.sha256(text).hexdigest().encode() + text[-3:], **{p: files[p] for p in paths}}


def set_id(files, digits):
    pack, replay = json.loads(files["pack.json"]), json.loads(files["replay.json"])
    pack["evidence_pack_id"] = replay["evidence_pack_id"] = "evd_" + digits
    replay["replay_id"] = "rpl_" + digits
    return {**files, "pack.json": text_of(pack) + b"\n", "replay.json": text_of(replay) + b"\n"}


def forge(files, change=None):
    """The id and the manifest follow from the files."""
    files = seal(set_id(files, NO_ID), change)
    hashed = hashlib.sha256(b"thole evidence 1\n")
    for e in json.loads(files["manifest.json"])["files"]:
        hashed.update(f"{e['path']}\n{e['role']}\n{e['media_type']}\n{e['size']}\n".encode() + bytes.fromhex(e["hash"][7:]))
    return seal(set_id(files, hashed.hexdigest()[:40]), change)


def whole():
    scope = {"kind": "session", "scope_id": SESSION, "session_id": SESSION}
    output, settings = b"an output\n" * 50, b'{"settings":1}'
    pack = {"evidence_pack_id": "", "schema_version": "0.1.0", "scope": scope, "status": "exported", "created_at": AT, "updated_at": AT,
            "producer": {"id": "thole"}, "range": {"from_sequence": 1, "to_sequence": 0, "before": "sha256:" + "0" * 64, "head": "", "partial": False},
            "redaction": "rules", "redactions": [], "known_gaps": [], "signals": {"runtime": {"status": "exported", "events": 6}},
            "completeness": COMPLETENESS}
    replay = {"replay_id": "", "evidence_pack_id": "", "schema_version": "0.1.0", "scope": scope, "determinism": "unavailable",
              "input_refs": [], "replay_steps": [], "expected_outputs": [{"path": "views/session.json", "hash": digest(b"{}\n")}]}
    files = {"pack.json": text_of(pack), "replay.json": text_of(replay), "views/session.json": b"{}\n", "texts/out_note": b"text",
             "outputs/" + hashlib.sha256(output).hexdigest(): output, "config/out_" + hashlib.sha256(settings).hexdigest()[:40] + ".json": settings}
    return forge(with_events(files, EVENTS))


def deep():
    """An event wraps what a client sent, so it nests deeper than a client may."""
    base = {p: d for p, d in whole().items() if p != "manifest.json"}
    return forge(with_events(base, EVENTS + [event(7, "session.updated")[:-1] + b',"payload":' + b'{"a":' * 100 + b"1" + b"}" * 101]))


def write_dir(files, target):
    for path, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(target, path)), exist_ok=True)
        with open(os.path.join(target, path), "wb") as f:
            f.write(data)


def tar_of(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data, *kind in entries:
            info = tarfile.TarInfo(name)
            info.size, info.type = len(data), kind[0] if kind else tarfile.REGTYPE
            if info.type == tarfile.SYMTYPE:
                info.linkname, info.size = "/etc/passwd", 0
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zst_of(data):
    return subprocess.run(["zstd", "-qc"], input=data, capture_output=True, check=True).stdout


def archive_of(files):
    """As the runtime writes it: with the hash of all bytes at the end."""
    data = zst_of(tar_of(files.items()))
    return data + TRAILER + hashlib.sha256(data).digest()


# ---- forged packs ----

def edited(files, path, change):
    """One document with a member changed, as JSON."""
    doc = json.loads(files[path])
    change(doc)
    return {**files, path: text_of(doc) + b"\n"}


def replaced(lines, n, line):
    return lines[:n] + [line] + lines[n + 1:]


def forged_files():
    """Kinds of forged packs by name, each as its files."""
    good = whole()
    base = {p: d for p, d in good.items() if p != "manifest.json"}
    output = next(p for p in base if p.startswith("outputs/"))
    config = next(p for p in base if p.startswith("config/"))
    chain = base["chain.jsonl"].splitlines(True)

    def without(path):
        return {p: d for p, d in base.items() if p != path}

    def pack(change):
        return forge(edited(base, "pack.json", change))

    def events(lines, states=None):
        return forge(with_events(base, lines, states))

    def narrow(lines, **ids):
        kind = next(iter(ids))
        scope = {"kind": kind, "scope_id": ids[kind], "session_id": SESSION, **{k + "_id": v for k, v in ids.items()}}
        files = edited(edited(base, "pack.json", lambda d: d.update(scope=scope)), "replay.json", lambda d: d.update(scope=scope))
        return forge(with_events(files, lines))

    def rewritten(line, state, mode, entries):
        """Event 3 shows another text, and the chain keeps the digest of the first one."""
        link = json.loads(chain[2])
        files = edited(base, "pack.json", lambda d: (d["range"]["events"].update({"present": 5, state: 1}), d.update(redaction=mode, redactions=entries)))
        files["chain.jsonl"] = b"".join([*chain[:2], text_of({**link, "state": state, "shown": digest(line)}) + b"\n", *chain[3:]])
        return forge({**files, "events.jsonl": b"".join(e + b"\n" for e in replaced(EVENTS, 2, line))})

    told = {"redacted": [{"redaction_id": "events", "reason": "rules", "events": 1}], "content": [{"redaction_id": "events", "reason": "content", "events": 1}],
            "all": [{"redaction_id": "events", "reason": "all", "events": 1}], "erased": [{"redaction_id": "erased", "events": 1}]}
    forged = EVENTS[2].replace("grüße".encode(), b"another text")
    masked = EVENTS[2].replace("grüße".encode(), b"[redacted]")

    def other(member, value):
        return events(replaced(EVENTS, 3, text_of({**json.loads(EVENTS[3]), member: value})))
    return {
        # The manifest fits, the id does not.
        "another signal": seal(edited(base, "pack.json", lambda d: d["signals"]["runtime"].update(events=7))),
        "a gap more": seal(edited(base, "pack.json", lambda d: d["known_gaps"].append("x"))),
        "another status": seal(edited(base, "pack.json", lambda d: d.update(status="partial"))),
        "another producer": seal(edited(base, "pack.json", lambda d: d["producer"].update(id="x"))),
        "another time": seal(edited(base, "pack.json", lambda d: d.update(created_at="2020-01-01T00:00:00.000Z"))),
        "another step of the replay": seal(edited(base, "replay.json", lambda d: d["replay_steps"].append({}))),
        "another text": seal({**base, "texts/out_note": b"forged"}),
        "another role": seal(base, lambda m: m["files"][0].update(role="x")),
        "another media type": seal(base, lambda m: m["files"][5].update(media_type="text/plain")),
        "a file less": seal(without("texts/out_note")),
        "another order of entries": seal(base, lambda m: m["files"].reverse()),
        # The id fits too, and the rule in question finds it.
        "a member more in the manifest": forge(base, lambda m: m.update(x=1)),
        "a member more in an entry": forge(base, lambda m: m["files"][0].update(x=1)),
        "another completeness": forge(base, lambda m: m.update(completeness={})),
        "other redactions": forge(base, lambda m: m.update(redactions=[{}])),
        "another format": forge(base, lambda m: m.update(format="thole-evidence-2")),
        "another export": forge(base, lambda m: m.update(export_id="evd_x")),
        "an entry twice": forge(base, lambda m: m["files"].append(m["files"][0])),
        "an entry with ..": forge(base, lambda m: m["files"].append({**m["files"][0], "path": "../x"})),
        "a size below zero": forge(base, lambda m: m["files"][0].update(size=-1)),
        "no events": forge(without("events.jsonl")),
        "no chain": forge(without("chain.jsonl")),
        "empty events": forge({**base, "events.jsonl": b""}),
        "an empty chain": forge({**base, "chain.jsonl": b"", "events.jsonl": b""}),
        "another output": forge({**base, output: b"forged"}),
        "other settings": forge({**base, config: b"{}"}),
        "another view than is expected": forge({**base, "views/session.json": b"{1}\n"}),
        "a view more": forge({**base, "views/tasks.json": b"{}\n"}),
        "a view of another name": forge({**base, "views/x.json": b"{}\n"}),
        "a file of another name": forge({**base, "notes.txt": b"{}\n"}),
        "a text in a folder": forge({**base, "texts/out_a/b": b"{}\n"}),
        "a chain with a gap": forge({**base, "chain.jsonl": b"".join(chain[:2] + chain[3:])}),
        "links in another order": forge({**base, "chain.jsonl": b"".join([chain[1], chain[0], *chain[2:]])}),
        "a state of another name": forge({**base, "chain.jsonl": base["chain.jsonl"].replace(b'"present"', b'"shown"', 1)}),
        "a hash in capitals": forge({**base, "chain.jsonl": base["chain.jsonl"].upper()}),
        "a present event with another line": forge({**base, "chain.jsonl": chain[0][:-2] + b',"shown":"' + digest(b"").encode() + b'"}\n' + b"".join(chain[1:])}),
        "a chain without an end of line": forge({**base, "chain.jsonl": base["chain.jsonl"][:-1]}),
        "a link that is a list": forge({**base, "chain.jsonl": b"[]\n" + b"".join(chain[1:])}),
        "another head": pack(lambda d: d["range"].update(head="sha256:" + "1" * 64)),
        "no head": pack(lambda d: d["range"].pop("head")),
        "a log that does not begin with zeros": pack(lambda d: d["range"].update(before="sha256:" + "1" * 64)),
        "another count": pack(lambda d: d["range"]["events"].update(erased=1)),
        "no counts": pack(lambda d: d["range"].pop("events")),
        "a false start": pack(lambda d: d["range"].update(expired_through=40)),
        "a start that is text": pack(lambda d: d["range"].update(expired_through="0")),
        "a range that begins at zero": pack(lambda d: d["range"].update(from_sequence=0)),
        "a range that ends elsewhere": pack(lambda d: d["range"].update(to_sequence=9)),
        "no range": pack(lambda d: d.pop("range")),
        "no scope": pack(lambda d: d.pop("scope")),
        "another kind of scope": pack(lambda d: d["scope"].update(kind="turn")),
        "another scope than the replay": pack(lambda d: d["scope"].update(runtime_id="rt_x")),
        "an event of another session": other("sessionId", "sess_other"),
        "an event that says another sequence": other("sequence", 9),
        "a sequence that is true": events(replaced(EVENTS, 0, EVENTS[0].replace(b'"sequence":1', b'"sequence":true'))),
        "an event without a type": other("type", ""),
        "a type that is a number": other("type", 1),
        "an event that is no JSON": events(replaced(EVENTS, 3, b"{")),
        "an event that is a list": events(replaced(EVENTS, 3, b"[]")),
        "an event with a member twice": events(replaced(EVENTS, 3, EVENTS[3][:-1] + b',"type":"turn.failed"}')),
        "an event that is not UTF-8": events(replaced(EVENTS, 3, EVENTS[3].replace(b"turn.started", b"turn.\xff"))),
        "an event with half a pair": events(replaced(EVENTS, 3, EVENTS[3][:-1] + b',"x":"\\ud800"}')),
        "an event that is nested too deeply": events(replaced(EVENTS, 3, EVENTS[3][:-1] + b',"x":' + b"[" * 200 + b"]" * 200 + b"}")),
        "an event about an export": events(EVENTS + [event(7, "evidence.changed", payload={"change": "exported"})]),
        "the output of an export": events(EVENTS + [event(7, "output.spilled", outputRef="out_evd_x", payload={})]),
        "an event more than the chain shows": forge({**base, "events.jsonl": base["events.jsonl"] + EVENTS[0] + b"\n"}),
        "events in another order": forge({**base, "events.jsonl": b"\n".join([EVENTS[1], EVENTS[0], *EVENTS[2:], b""])}),
        "events without an end of line": forge({**base, "events.jsonl": base["events.jsonl"][:-1]}),
        "a long line": events(EVENTS + [event(7, "turn.started", x="x" * (1 << 20))]),
        "another turn in a pack of a turn": narrow(EVENTS, turn=TURN),
        "another turn in a pack of a task": narrow(EVENTS[:5], task="task_fixed"),
        "another thread in a pack of a thread": narrow(EVENTS + [event(7, "turn.started", threadId="thr_other", turnId=TURN)], thread=THREAD),
        "the beginning of another thread": narrow(EVENTS[:5] + [event(6, "thread.started", threadId="thr_other")], turn=TURN),
        "deep JSON in a document": seal({**base, "replay.json": base["replay.json"][:-2] + b',"x":' + b"[" * 100000 + b"]" * 100000 + b"}\n"}),
        "a document that is a list": {**good, "replay.json": b"[]\n"},
        "a false manifest": {**good, "manifest.json": good["manifest.json"].replace(b"texts/out_note", b"texts/out_nots")},
        "a manifest without its hash": {**good, "manifest.json": b"{}\n"},
        "a redacted line that nothing tells of": rewritten(masked, "redacted", "rules", []),
        "a redacted line with another text": rewritten(forged, "redacted", "rules", told["redacted"]),
        "a redacted line of another redaction": rewritten(masked, "redacted", "rules", told["content"]),
        "a text in a pack without text": rewritten(forged, "redacted", "content", told["content"]),
        "a mark beside a text in a pack without text": rewritten(masked.replace(b"[red", b"a text [red"), "redacted", "content", told["content"]),
        "a line in a pack without lines": rewritten(masked, "redacted", "all", told["all"]),
        "an erased line that nothing tells of": rewritten(masked, "erased", "rules", []),
        "an erased line with another text": rewritten(forged, "erased", "rules", told["erased"]),
        "an erased line with a text and a mark": rewritten(masked.replace(b"[red", b"a text [red"), "erased", "rules", told["erased"]),
        "a redaction of nothing": pack(lambda d: d.update(redactions=told["redacted"])),
        "redactions that are a number": pack(lambda d: d.update(redactions=1)),
        "a missing file": {p: d for p, d in good.items() if p != "texts/out_note"},
        "an extra file": {**good, "texts/out_more": b"x"},
        "no manifest": base,
    }


def zeros_of(size):
    """A zstd frame that unpacks to at least this many zeros: blocks that repeat one byte 131072 times."""
    many = size // 131072 + 1
    blocks = [(131072 << 3 | 1 << 1 | (n == many - 1)).to_bytes(3, "little") + b"\0" for n in range(many)]
    return b"\x28\xb5\x2f\xfd\x00\x38" + b"".join(blocks)


def forged_archives():
    """Kinds of archives by name, each as its bytes."""
    good = whole()
    entries = list(good.items())
    plain, data = tar_of(entries), zst_of(tar_of(entries))
    octal = plain.replace(b"%011o" % len(entries[0][1]), b"99999999999", 1)
    return {
        "a path with ..": zst_of(tar_of(entries + [("../x", b"1")])),
        "an absolute path": zst_of(tar_of(entries + [("/x", b"1")])),
        "a hidden file": zst_of(tar_of(entries + [("texts/.x", b"1")])),
        "a link": zst_of(tar_of(entries + [("x", b"", tarfile.SYMTYPE)])),
        "a hard link": zst_of(tar_of(entries + [("x", b"", tarfile.LNKTYPE)])),
        "a device": zst_of(tar_of(entries + [("x", b"", tarfile.CHRTYPE)])),
        "a folder": zst_of(tar_of([("texts", b"", tarfile.DIRTYPE)] + entries)),
        "a long name": zst_of(tar_of(entries + [("x" * 100, b"long", b"L")])),
        "a file twice": zst_of(tar_of(entries + [entries[1]])),
        "an extra file": zst_of(tar_of(entries + [("texts/out_more", b"x")])),
        "a missing file": zst_of(tar_of(entries[:-1])),
        "no manifest": zst_of(tar_of(entries[1:])),
        "the manifest at the end": zst_of(tar_of(entries[1:] + entries[:1])),
        "the chain before pack.json": zst_of(tar_of([entries[0], entries[3], entries[1], entries[2], *entries[4:]])),
        "the events before the chain": zst_of(tar_of([*entries[:3], entries[4], entries[3], *entries[5:]])),
        "a damaged head of an entry": zst_of(plain[:150] + b"7" + plain[151:]),
        "a size that is no number": zst_of(octal),
        "bytes behind an entry": zst_of(plain[:512 + len(entries[0][1])] + b"x" + plain[513 + len(entries[0][1]):]),
        "bytes behind the end": zst_of(plain + b"x"),
        "an end that is missing": zst_of(plain[:len(plain) // 1024 * 512]),
        "a cut archive": data[:-40],
        "a byte more": data + b"x",
        "two frames": data + data,
        "another skippable frame": data + b"\x51\x2a\x4d\x18\x04\0\0\0test",
        "a false hash at the end": data + TRAILER + bytes(32),
        "an empty frame": zst_of(b""),
        "17,000 files": zst_of(tar_of(entries + [(f"texts/out_{n}", b"") for n in range(17000)])),
        "a large window": subprocess.run(["zstd", "-qc", "--long=30", "-1"], input=plain + bytes(1 << 21), capture_output=True).stdout,
        "a bomb": zeros_of(5_000_000_000),
    }
