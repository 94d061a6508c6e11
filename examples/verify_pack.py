#!/usr/bin/env python3
"""Verify an evidence pack without Thole: Python's standard library alone, and the program zstd for FILE.tar.zst.

usage: verify_pack.py DIR | FILE.tar.zst

A second implementation of docs/formats/evidence-pack.md.  It folds nothing and trusts nothing: files have the hashes of the manifest, which
has its own, the id follows from all files, the chain leads to its head, shown events have the hashes of the chain and belong to the scope.
Of a signed pack it checks that the statement names exactly these files and that the proofs of its checkpoint hold.  It cannot check the
signatures and the time stamp: Python's standard library has no Ed25519; docs/formats/signatures.md has the lines for openssl.
It stops at the first fault.  Exit 0: whole; 1: broken; 2: not a pack.
"""
import base64
import datetime
import hashlib
import json
import os
import re
import stat
import subprocess
import sys

FIRST = ["manifest.json", "pack.json", "replay.json", "floor.json", "chain.jsonl", "events.jsonl"]
OUTSIDE = ["manifest.dsse.json", "checkpoint.json", "manifest.tsr"]  # that the manifest does not name
ORDER = FIRST[:1] + OUTSIDE + FIRST[1:]
VIEWS = {"views/" + name for name in "session.json threads.jsonl tasks.json permission.json routing.json subagents_and_jobs.json channels.json "
         "artifacts.json context.jsonl evidence.json snapshot.json rows.json".split()} | {"review.json", "review.md"}
MEMBERS = ["completeness", "created_at", "evidence_pack_id", "export_id", "files", "format", "redactions", "schema_version", "self_hash"]
SAFE = re.compile(r"(?!.{101})[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
HASH = re.compile(r"sha256:[0-9a-f]{64}")
MAGIC, TRAILER = b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18\x20\0\0\0"
FILES_MAX, BYTES_MAX, DOCUMENT_MAX, LINE_MAX = 16384, 4 << 30, 16 << 20, 1 << 20


class Broken(Exception):
    """A fault: the file (or "pack"), and what is wrong with it."""


class NoPack(Exception):
    pass


def need(is_so, file, what):
    if not is_so:
        raise Broken(f"{file}: {what}")


def read_json(file, data, depth=64):
    def members(pairs):
        need(len(dict(pairs)) == len(pairs), file, "a member appears twice")
        return dict(pairs)
    try:
        text, level = data.decode(), 0
        for mark in re.findall(r'[][{}]', re.sub(r'"(\\.|[^"\\])*"', "", text)) if text.count("[") + text.count("{") > depth else ():
            level += 1 if mark in "[{" else -1
            need(level <= depth, file, "nested too deeply")
        value = json.loads(text, object_pairs_hook=members, parse_constant=lambda word: need(False, file, word))
        json.dumps(value, ensure_ascii=False).encode()  # no half of a surrogate pair
    except (ValueError, RecursionError) as error:
        raise Broken(f"{file}: not JSON: {error}") from error
    need(isinstance(value, dict), file, "not an object")
    return value


def get(value, *keys):
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def number(value):
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value) else None


def digest_of(file, value):
    need(isinstance(value, str) and HASH.fullmatch(value), file, "not a hash")
    return bytes.fromhex(value[7:])


# ---- where the files come from ----

def blocks_of(stream, size, total, is_exact=True):
    while size > 0 and (block := stream.read(min(size, 1 << 16))):
        size, total[0] = size - len(block), total[0] + len(block)
        need(total[0] <= BYTES_MAX, "pack", "more than 4 GiB")
        yield block
    need(not is_exact or not size, "pack", "the archive ends too early")


def files_of_directory(root, total):
    found, waiting = [], [("", 0)]
    while waiting:
        folder, depth = waiting.pop()
        for entry in os.scandir(os.path.join(root, folder)):
            path, mode = os.path.join(folder, entry.name), entry.stat(follow_symlinks=False).st_mode
            need(stat.S_ISREG(mode) or (stat.S_ISDIR(mode) and depth < 3), "pack", f"{path!r}: neither a plain file nor a folder of a pack")
            need(stat.S_ISDIR(mode) or SAFE.fullmatch(path) and len(found) < FILES_MAX, "pack", f"{path!r}: a pack does not have this file")
            (waiting if stat.S_ISDIR(mode) else found).append((path, depth + 1))
    for path, _ in sorted(found, key=lambda f: (ORDER.index(f[0]) if f[0] in ORDER else len(ORDER), f[0])):
        with open(os.path.join(root, path), "rb") as f:
            yield path, blocks_of(f, BYTES_MAX + 1, total, False)


def end_of_frame(f, size):
    """Where the zstd frame ends, by the headers of its blocks."""
    f.seek(4)
    flags = (f.read(1) or b"\0")[0]
    one = flags >> 5 & 1
    at, block = 6 - one + (0, 1, 2, 4)[flags & 3] + (one, 2, 4, 8)[flags >> 6], 0
    while not block & 1 and at < size:
        f.seek(at)
        block = int.from_bytes(f.read(3), "little")
        at += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
    return at + (4 if flags >> 2 & 1 else 0)


def check_trailer(f, size):
    """Behind the frame is nothing, or the hash of all bytes before."""
    end, hashed = end_of_frame(f, size), hashlib.sha256()
    need(end in (size, size - 40), "pack", "the archive is damaged, or bytes follow its end")
    f.seek(0)
    for at in range(0, end, 1 << 20):
        hashed.update(f.read(min(1 << 20, end - at)))
    need(f.read() in (b"", TRAILER + hashed.digest()), "pack", "the archive does not have its own hash")
    f.seek(0)


def take(stream, size, total):
    return b"".join(blocks_of(stream, size, total))


def entries_of(stream, total):
    seen = set()
    while (head := take(stream, 512, total)) != bytes(512):
        name, size = head[:100].split(b"\0")[0].decode("ascii", "replace"), head[124:135]
        need(re.fullmatch(rb"[0-7]{6}", head[148:154]) and head[257:262] == b"ustar", "pack", "a damaged entry")
        need(int(head[148:154], 8) == sum(head) - sum(head[148:156]) + 8 * 32, "pack", "a damaged entry")
        need(SAFE.fullmatch(name) and not any(head[345:500]) and head[156:157] == b"0", "pack", f"{name!r}: not a file of a pack")
        need(re.fullmatch(rb"[0-7]{11}", size) and int(size, 8) <= BYTES_MAX, "pack", f"{name}: its size")
        need(name not in seen and len(seen) < FILES_MAX, "pack", f"{name}: twice, or one of too many files")
        seen.add(name)
        yield name, blocks_of(stream, int(size, 8), total)
        need(not any(take(stream, -int(size, 8) % 512, total)), "pack", f"{name}: bytes follow its end")
    for block in blocks_of(stream, BYTES_MAX + 1, total, False):
        need(block.count(0) == len(block), "pack", "bytes follow the end of the archive")


def files_of_archive(path, total):
    with open(path, "rb") as f:
        check_trailer(f, os.fstat(f.fileno()).st_size)
        packer = subprocess.Popen(["zstd", "-dcq", "--memory=128MB"], stdin=f, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            yield from entries_of(packer.stdout, total)
            need(packer.wait() == 0, "pack", "the archive is damaged")
        finally:
            packer.stdout.close()
            packer.kill()
            packer.wait()


def files_of(path):
    mode, total = os.stat(path).st_mode, [0]
    if stat.S_ISDIR(mode) and any(os.path.lexists(os.path.join(path, name)) for name in FIRST if name not in FIRST[2:4]):
        return files_of_directory(path, total)
    if stat.S_ISREG(mode):
        with open(path, "rb") as f:
            begins = f.read(4) == MAGIC
            f.seek(max(0, os.fstat(f.fileno()).st_size - 40))
            if f.read(8) == TRAILER or begins:
                return files_of_archive(path, total)
    raise NoPack(f"{path} is not an evidence pack")


# ---- what the files say ----

def check_manifest(data):
    found = re.search(rb'"self_hash":"sha256:([0-9a-f]{64})"\}\n\Z', data)
    need(found, "manifest.json", "it has no hash of its own")
    plain = data[:found.start(1)] + b"0" * 64 + data[found.end(1):]
    need(hashlib.sha256(plain).hexdigest() == found[1].decode(), "manifest.json", "it does not have its own hash")
    doc = read_json("manifest.json", data)
    need(sorted(doc) == MEMBERS and isinstance(doc["files"], list), "manifest.json", "other members than a manifest has")
    named = {}
    for entry in doc["files"]:
        need(isinstance(entry, dict) and sorted(entry) == ["hash", "media_type", "path", "role", "size"], "manifest.json", "an entry is invalid")
        path, size = entry["path"], number(entry["size"])
        need(isinstance(path, str) and SAFE.fullmatch(path) and path not in named and size is not None and size >= 0, "manifest.json", "an entry")
        named[path] = (size, digest_of("manifest.json", entry["hash"]), entry["role"], entry["media_type"])
        check_name(path, entry["hash"][7:])
    for path in FIRST[1:3] + FIRST[4:]:
        need(path in named, "manifest.json", f"it does not name {path}, which every pack has")
    need(doc["format"] == "thole-evidence-1", "manifest.json", "its format is not thole-evidence-1")
    return doc, named


def check_name(path, digits):
    """Each file is one that a pack has; names that are hashes are those of the content."""
    if path in FIRST[1:] or path in ("journal.jsonl", "trajectory.json", "trace.json") or path in VIEWS or re.fullmatch(r"texts/out_[^/]*|config/(out_|rules-).*\.redacted\.json", path):
        return
    found = re.fullmatch(r"outputs/(.*)|config/(?:out_|rules-)(.{40})\.json", path)
    need(found, path, "a pack does not have a file of this name")
    need((found[1] or found[2]) == (digits if found[1] else digits[:40]), path, "the content does not have the hash that is its name")


def check_ids(docs, named):
    """The id covers all files; pack.json and replay.json have zeros in the place of its digits then."""
    pack, manifest, replay = (read_json(n, docs[n]) for n in ("pack.json", "manifest.json", "replay.json"))
    evidence, hashed = pack.get("evidence_pack_id"), hashlib.sha256(b"thole evidence 1\n")
    start = {"pack.json": rb'\{"evidence_pack_id":"evd_', "replay.json": rb'\{"replay_id":"rpl_[0-9a-f]{40}","evidence_pack_id":"evd_'}
    for path, (size, digest, role, media) in named.items():
        if path in start:
            found = re.match(start[path] + rb"[0-9a-f]{40}", docs[path])
            need(found, path, "it does not begin with its id")
            digest = hashlib.sha256(re.sub(rb"_[0-9a-f]{40}", b"_" + b"0" * 40, found[0]) + docs[path][found.end():]).digest()
        hashed.update(f"{path}\n{role}\n{media}\n{size}\n".encode() + digest)
    need(evidence == "evd_" + hashed.hexdigest()[:40], "pack.json", "the id of the pack does not follow from its files")
    need(manifest["evidence_pack_id"] == manifest["export_id"] == evidence, "manifest.json", "it names another pack")
    need(replay.get("evidence_pack_id") == evidence and replay.get("replay_id") == "rpl_" + evidence[4:], "replay.json", "it names another pack")
    for ours, theirs in (("created_at", "updated_at"), ("schema_version",) * 2, ("completeness",) * 2, ("redactions",) * 2):
        need(json.dumps(manifest[ours]) == json.dumps(pack.get(theirs)), "manifest.json", f"its {ours} is not that of pack.json")
    scope = pack.get("scope")
    need(get(scope, "session_id") and get(scope, "scope_id") == get(scope, f"{get(scope, 'kind')}_id"), "pack.json", "it does not say what it covers")
    need(json.dumps(scope) == json.dumps(replay.get("scope")), "replay.json", "it has another scope than pack.json")
    expected = [(get(e, "path"), get(e, "hash")) for e in replay.get("expected_outputs") or []]
    held = {(p, "sha256:" + f[1].hex()) for p, f in named.items() if p in VIEWS}
    need(len(expected) == len(held) and set(expected) == held, "replay.json", "it expects other read models than the pack holds")


# ---- signature and checkpoint, as far as hashes reach ----

def unpacked(file, text, size=None):
    need(isinstance(text, str), file, "not base64")
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Broken(f"{file}: not base64") from error
    need(size in (None, len(data)) and base64.b64encode(data).decode() == text, file, "not base64")
    return data


def check_statement(data, digests, pack):
    file, envelope = OUTSIDE[0], read_json(OUTSIDE[0], data)
    (key,), body = envelope["signatures"], unpacked(file, envelope.get("payload"))
    statement = read_json(file, body)
    named = {get(s, "name"): get(s, "digest", "sha256") for s in statement.get("subject") or []}
    need(named == {n: d.hex() for n, d in digests.items() if n not in (OUTSIDE[0], OUTSIDE[2])}, file, "the signature is not of these files")
    need(get(statement, "predicate", "evidencePackId") == pack.get("evidence_pack_id"), file, "the signature is of another pack")
    kinds, claims = [statement.get(k) for k in ("_type", "predicateType")], statement["predicate"]
    need(kinds == ["https://in-toto.io/Statement/v1", "urn:thole:evidence-pack:1"] and len(statement) == 4, file, "not a statement about a pack")
    need([k for k in claims if k != "expiresAt"] == ["evidencePackId", "signedAt", "publicKey"], file, "not a statement about a pack")
    for time in (claims["signedAt"], claims.get("expiresAt", claims["signedAt"])):
        need(re.fullmatch(r"[0-9T:.Z-]{24}", time) and datetime.datetime.strptime(time, "%Y-%m-%dT%H:%M:%S.%fZ"), file, "not a time")
    public = unpacked(file, get(statement, "predicate", "publicKey"), 32)
    need(hashlib.sha256(bytes.fromhex("302a300506032b6570032100") + public).hexdigest() == get(key, "keyid"), file, "keyid is not that of the key")
    unpacked(file, get(key, "sig"), 64)
    plain = {"payload": base64.b64encode(json.dumps(statement, separators=(",", ":"), ensure_ascii=False).encode()).decode(),
             "payloadType": "application/vnd.in-toto+json", "signatures": [{"keyid": key["keyid"], "sig": key["sig"]}]}
    need(json.dumps(plain, separators=(",", ":")).encode() + b"\n" == data, file, "it is not written as an envelope of a pack is")


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def climb(old, new, at, last, path, file):
    """Follows a proof upwards (RFC 9162, 2.1.3.2 and 2.1.4.2); returns both roots."""
    for other in path:
        need(last, file, "a proof is too long")
        if at & 1 or at == last:
            old, new = node(other, old), node(other, new)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            new = node(new, other)
        at, last = at >> 1, last >> 1
    need(not last, file, "a proof is too short")
    return old, new


def check_checkpoint(data, pack):
    file, proof = OUTSIDE[1], read_json(OUTSIDE[1], data)
    found = re.match(r"[^\s+]+\n(\d+)\n(\S+)\n(?:[^\n]+\n)*\n\u2014 ", proof.get("checkpoint") or "")
    need(found, file, "it holds no checkpoint in a signed note")
    size, root, index, before = int(found[1]), unpacked(file, found[2], 32), number(proof.get("leafIndex")), number(proof.get("previousSize"))
    paths = [[bytes.fromhex(h) if re.fullmatch("[0-9a-f]{64}", str(h)) else need(False, file, "not a hash") for h in proof.get(k) or []]
             for k in ("inclusion", "consistency")]
    span = pack.get("range")
    need(proof.get("leaf") == f"{get(pack, 'scope', 'session_id')} {get(span, 'to_sequence')} {str(get(span, 'head'))[7:]}", file, "its leaf is not the head")
    need(index is not None and 0 <= index < size and before is not None and 0 <= before < size, file, "it is not a checkpoint with its proofs")
    leaf = hashlib.sha256(b"\0" + proof["leaf"].encode()).digest()
    need(climb(leaf, leaf, index, size - 1, paths[0], file)[1] == root, file, "the leaf is not in the tree of the checkpoint")
    old, at, last = digest_of(file, "sha256:" + str(proof.get("previousRoot"))), before - 1, size - 1
    while before and at & 1:
        at, last = at >> 1, last >> 1
    first = [old] if before & (before - 1) == 0 else paths[1][:1]
    rest = paths[1][0 if before & (before - 1) == 0 else 1:]
    fits = climb(first[0], first[0], at, last, rest, file) == (old, root) if before and first else not before and not paths[1]
    need(fits and (before or old == hashlib.sha256(b"").digest()), file, "the tree of the checkpoint does not continue the one before")
    members = ("checkpoint", "leaf", "leafIndex", "inclusion", "previousSize", "previousRoot", "consistency")
    plain = json.dumps({k: proof.get(k) for k in members}, separators=(",", ":"), ensure_ascii=False)
    need(plain.encode() + b"\n" == data, file, "it is not written as a pack's checkpoint is")


def check_stamp(data, digest):
    """The token is one value of DER and names the digest; its signature is left to openssl."""
    file, size = OUTSIDE[2], data[1] if len(data) > 1 else 0
    more = size & 0x7f if size & 0x80 else 0
    length = int.from_bytes(data[2:2 + more], "big") if more else size
    need(data[:1] == b"\x30" and length == len(data) - 2 - more and more <= 4, file, "not an answer of a time stamp authority")
    need(b"\x04\x20" + digest in data, file, "the time stamp is about something else than this pack")


def check_proofs(docs, digests, pack):
    """What was not checked, in words."""
    need((OUTSIDE[0] in docs) == (OUTSIDE[1] in docs), OUTSIDE[0 if OUTSIDE[1] in docs else 1], "the file is missing: signature and checkpoint go together")
    for file, check in ((OUTSIDE[0], lambda data: check_statement(data, digests, pack)), (OUTSIDE[1], lambda data: check_checkpoint(data, pack))):
        try:
            if file in docs:
                check(docs[file])
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise Broken(f"{file}: it has another form: {error}") from error
    if OUTSIDE[2] in docs:
        check_stamp(docs[OUTSIDE[2]], digests[OUTSIDE[0] if OUTSIDE[0] in docs else FIRST[0]])
    return [what for file, what in (("manifest.dsse.json", "the signatures"), ("manifest.tsr", "the time stamp")) if file in docs]


def lines_of(file, blocks):
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        need(max(map(len, [rest, *lines])) <= LINE_MAX, file, "longer than a pack may have")
        yield from lines
    need(not rest, file, "the last line has no end")


def told_of(pack, word):
    """How many events pack.json says were redacted or erased, and why."""
    for entry in pack.get("redactions") if isinstance(pack.get("redactions"), list) else ():
        if get(entry, "redaction_id") == word:
            return number(get(entry, "events")), get(entry, "reason")
    return 0, None


def check_chain(pack, lines):
    """Follows the chain; returns (sequence, hash) of each event that is shown, and how many have which state."""
    file, span, shown = "chain.jsonl", pack.get("range"), []
    counts = dict.fromkeys(("present", "redacted", "erased", "out_of_scope"), 0)
    link = before = digest_of("pack.json", get(span, "before"))
    first, expired = number(get(span, "from_sequence")), get(span, "expired_through")
    need(first and first >= 1 and number(0 if expired is None else expired) == first - 1, "pack.json", "the range does not begin behind the expired events")
    need(first > 1 or before == bytes(32), "pack.json", "the chain of a whole log begins with zeros")
    head, at = digest_of("pack.json", get(span, "head")), first
    for line in lines:
        row = read_json(file, line)
        state, digest = row.get("state"), digest_of(file, row.get("digest"))
        need(number(row.get("sequence")) == at and state in counts, file, f"event {at}: not the next link of the chain")
        need("shown" not in row or state in ("redacted", "erased"), file, f"event {at}: not a link of the chain")
        link, counts[state] = hashlib.sha256(link + digest).digest(), counts[state] + 1
        if state == "present" or "shown" in row:
            need(state == "present" or pack.get("redaction") != "all", file, f"event {at}: not a link of the chain")
            shown.append((at, digest_of(file, row.get("shown", row["digest"])), state))
        at += 1
    need(at > first, file, "the chain is empty")
    for state, count in counts.items():
        need(number(get(span, "events", state)) == count, "pack.json", f"it counts other events ({state}) than the chain has")
    redacted, why = told_of(pack, "events")
    need(isinstance(pack.get("redactions"), list) and redacted == counts["redacted"] and told_of(pack, "erased")[0] == counts["erased"] and
         (not redacted or why == pack.get("redaction")), "pack.json", "its redactions are not those of the chain")
    need(at - 1 == number(get(span, "to_sequence")) and link == head, file, "the chain does not lead to the head that pack.json names")
    return shown, counts


class Scope:
    """Which events belong to the pack: by their ids, or by a turn of it; beginnings of its threads do too."""

    def __init__(self, scope):
        self.wanted = {w + "Id": scope[w + "_id"] for w in ("thread", "turn", "task", "job") if isinstance(get(scope, w + "_id"), str)}
        self.turns, self.threads = {self.wanted.get("turnId")} - {None}, set()
        self.waiting, self.begun, self.exports = set(), set(), get(scope, "has_exports") is True

    def has(self, event):
        kind, turn, names = event["type"], event.get("turnId"), all(event.get(k) == v for k, v in self.wanted.items())
        if kind == "evidence.changed" and get(event, "payload", "change") == "exported":
            return self.exports
        if kind in ("output.spilled", "output.expired") and str(event.get("outputRef")).startswith("out_evd_"):
            return self.exports
        if kind == "thread.started" and not names:
            self.begun.add(event.get("threadId"))
        if kind == "turn.submitted" and names:
            self.turns.add(turn)
            self.threads.add(event.get("threadId"))
        if names or kind in ("session.created", "thread.started"):
            return True
        if self.wanted.get("threadId") not in (None, event.get("threadId")) or "turnId" in self.wanted and turn not in self.turns or not turn:
            return False
        self.waiting.add(turn)
        return True


def texts_of(value):
    if isinstance(value, (dict, list)):
        for member in value.values() if isinstance(value, dict) else value:
            yield from texts_of(member)
    elif isinstance(value, str):
        yield value


def is_without_text(event, state, redaction):
    """No hash covers the text of a redacted line, so it must have the form that a redaction leaves; what has no spaces counts as a word."""
    texts = list(texts_of(event))
    if state == "present" or all(len(t) <= 256 and re.fullmatch("[!-~]*", t) for t in texts):
        return True
    return state == "redacted" and redaction == "rules" and any("[redacted]" in t for t in texts)


def check_events(pack, shown, lines):
    file, scope, count = "events.jsonl", Scope(pack.get("scope")), 0
    for line in lines:
        need(count < len(shown), file, "lines follow that the chain does not show")
        at, digest, state = shown[count]
        need(hashlib.sha256(line).digest() == digest, file, f"event {at}: it does not have the hash that the chain names")
        event, count = read_json(file, line, 128), count + 1
        need(number(event.get("sequence")) == at, file, f"event {at}: it says that it is another one")
        need(event.get("sessionId") == get(pack, "scope", "session_id"), file, f"event {at}: it is of another session")
        need(isinstance(event.get("type"), str) and event["type"], file, f"event {at}: it has no type")
        need(scope.has(event), file, f"event {at}: it is not part of what the pack covers")
        need(is_without_text(event, state, pack.get("redaction")), file, f"event {at}: the chain calls it {state}, and it has a text")
    need(count == len(shown), file, f"{len(shown) - count} events are missing: the chain shows them")
    need(scope.waiting <= scope.turns and scope.begun <= scope.threads, file, "an event is of a turn or thread that the pack does not cover")


def check_journal(pack, lines):
    """Records in order, of events of the pack, in base64.  What they say is judged by `thole replay --decisions`."""
    file, before = "journal.jsonl", -1
    low, high = number(get(pack, "range", "from_sequence")), number(get(pack, "range", "to_sequence"))
    need(low is not None and high is not None, "pack.json", "it does not say where the chain begins and ends")
    for line in lines:
        record = read_json(file, line)
        at = number(record.get("sequence"))
        need(set(record) <= {"sequence", "key", "record"}, file, f"record {at}: it is no record of a journal")
        need(at is not None and low - 1 <= at <= high and at > before, file, f"record {at}: it is out of order, or of an event that the pack does not cover")
        for member in ("key", "record"):
            text = record.get(member, "")
            need(isinstance(text, str) and re.fullmatch(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", text), file,
                 f"record {at}: it is no base64")
        before = at


def verify(path):
    docs, digests, named, seen, rank, pack, shown, counts = {}, {}, {}, set(), 0, {}, [], {}
    for file, blocks in files_of(path):
        hashed, size = hashlib.sha256(), [0]

        def tapped(blocks=blocks, hashed=hashed, size=size):
            for block in blocks:
                hashed.update(block)
                size[0] += len(block)
                yield block
        need(docs or file == "manifest.json", "pack", "it does not begin with manifest.json")
        need(file not in ORDER or ORDER.index(file) >= rank, file, "the file comes too late: a pack has an order of files")
        rank, data = max(rank, ORDER.index(file) if file in ORDER else 0), tapped()
        if file in FIRST[:3] + OUTSIDE:
            docs[file] = b"".join(block for block in data if size[0] <= DOCUMENT_MAX)
            need(size[0] <= DOCUMENT_MAX, file, "longer than a pack may have")
        if file == "manifest.json":
            _, named = check_manifest(docs[file])
        if file == "manifest.json" or file in OUTSIDE:
            digests[file] = hashed.digest()
            continue
        need(file in named, file, "the manifest does not name this file")
        fault = None
        try:
            if file == "pack.json":
                pack = read_json(file, docs[file])
            elif file == "chain.jsonl":
                shown, counts = check_chain(pack, lines_of(file, data))
            elif file == "events.jsonl":
                check_events(pack, shown, lines_of(file, data))
            elif file == "journal.jsonl":
                check_journal(pack, lines_of(file, data))
        except Broken as error:
            fault = error
        for _ in data:
            pass
        need((size[0], hashed.digest()) == named[file][:2], file, "it does not have the size and hash that the manifest names")
        if fault:
            raise fault
        seen.add(file)
        digests[file] = hashed.digest()
    for file in named:
        need(file in seen, file, "the file is missing")
    check_ids(docs, named)
    counts["unchecked"] = check_proofs(docs, digests, pack)
    return pack, counts


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        pack, counts = verify(sys.argv[1])
    except Broken as fault:
        print(f"{fault}\nbroken".encode("utf-8", "backslashreplace").decode())
        return 1
    except (NoPack, OSError) as error:
        print(f"verify_pack.py: {error}", file=sys.stderr)
        return 2
    unchecked = counts.pop("unchecked")
    print(f"whole  {pack['evidence_pack_id']}  " + ", ".join(f"{n} {state}" for state, n in counts.items()))
    if unchecked:
        print(f"not checked: {' and '.join(unchecked)}; see docs/formats/signatures.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
