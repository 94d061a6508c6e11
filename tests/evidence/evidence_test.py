#!/usr/bin/env python3
"""Evidence packs as a user makes and checks them: a rich session, parts of it, redaction, damage, hostile packs, kill -9.

usage: evidence_test.py BUILD_DIR [FLIPS [WORD ...]]     prints TAP; 1,000 bytes are flipped when not said

Every pack that a story makes is checked by `thole verify` in a process without home and data directory, by examples/verify_pack.py,
replayed, and validated against the schemas of Agent Evidence where the standard's files are present.
"""
import hashlib
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests", "scenario"))
sys.path.insert(0, os.path.join(TOP, "examples"))
import run as scenario  # noqa: E402
import verify_pack as second  # noqa: E402

until, Wrong = scenario.until, scenario.Wrong
SPECS = os.path.join(TOP, "..", "shared", "specs", "siblings", "agentevidence")
SECTIONS = ["runtime_summary", "timeline", "thread_read_model", "tool_calls", "failed_calls", "artifacts", "context", "decisions",
            "verification", "review"]
CANARY = "evidence-canary-of-a-test-27182818"
os.environ["EVIDENCE_TEST_TOKEN"] = CANARY

# A secret in two, in three and in many pieces, beside a text that only begins like one; a shape whose first piece is long enough by itself.
SHAPE = "sk-proj-0123456789abcdefghijKLMN-tail-of-the-key"
DIVIDED = ["The key is " + CANARY[:11], CANARY[11:] + ", and ", CANARY[:5], CANARY[5:25], CANARY[25:], " or ", *CANARY, " but ", CANARY[:12], " ends.",
           " Then " + SHAPE[:30], SHAPE[30:] + " and more."]

SCRIPT = {
    "version": 1,
    "rules": [
        {"when": {"request": 1, "text": "work"}, "reply": {"toolCalls": [
            {"name": "shell", "args": {"command": "echo made > made.txt"}}, {"name": "read_file", "args": {"path": "missing.txt"}}]}},
        {"when": {"request": 1, "text": "large"}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": "seq 1 40000"}}]}},
        {"when": {"text": "slow"}, "reply": {"text": "late", "firstDelayMs": 600000}},
        {"when": {"text": "divided"}, "reply": {"reasoning": ["I think of ", CANARY[:9], CANARY[9:20], CANARY[20:] + " now."], "text": DIVIDED}},
        {"when": {"purpose": "summary"}, "reply": {"text": "a summary"}},
    ],
    "default": {"text": "It is done."},
}


def thole(build, *words, env=None, check=True):
    done = subprocess.run([os.path.join(build, "thole"), *words], capture_output=True, text=True, env=env, timeout=scenario.DEADLINE_S,
                          cwd="/")
    if check and done.returncode != 0:
        raise Wrong(f"thole {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def alone(build, *words):
    """In a process that has neither a home nor a data directory."""
    return thole(build, *words, env={"LC_ALL": "C", **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}, check=False)


def schema_faults(build, name, path):
    """None: the standard's files are not here."""
    schema = os.path.join(SPECS, f"agentevidence-{name}.schema.json")
    if not os.path.exists(schema):
        return None
    places = [os.path.join(os.path.dirname(build), "tests", "conformance", "schema_check"), os.path.join(build, "tests", "conformance", "schema_check")]
    program = next(p for p in places if os.path.exists(p))
    done = subprocess.run([program, schema, "snapshot", path], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


class World:
    def __init__(self, build, options=()):
        self.build = build
        self.home = tempfile.mkdtemp(prefix="thole-evidence-")
        self.daemon = scenario.Daemon(build, os.path.join(self.home, "data"), json.dumps(SCRIPT), list(options))
        self.daemon.start()
        self.transport = scenario.Http(self.daemon)
        self.session, self.thread, self.packs, self.skips = None, None, 0, set()

    def end(self):
        try:
            self.daemon.stop()
        finally:
            shutil.rmtree(self.home, ignore_errors=True)

    def restart(self):
        self.daemon.kill()
        self.daemon.start()
        self.transport = scenario.Http(self.daemon)

    def call(self, command, **params):
        code, reply = self.transport.call(command, params)
        if code:
            raise Wrong(f"{command}: {code} {reply.get('detail')}")
        return reply

    def events(self, kind=None):
        every = [json.loads(line) for line in self.transport.events(self.session, 0)]
        return [e for e in every if "type" in e and (not kind or e["type"] == kind)]  # an expired beginning is not an event

    def is_over(self, turn):
        asked = {e["actionId"] for e in self.events("action.required")}
        for action in asked - {e["actionId"] for e in self.events("action.resolved")}:
            self.call("respond_action", sessionId=self.session, actionId=action, decision="allow")
        return [e for e in self.events() if e["type"] in ("turn.completed", "turn.failed") and e.get("turnId") == turn]

    def turn(self, text, wait=True):
        where = {"sessionId": self.session, "threadId": self.thread} if self.session else {}
        ids = self.call("submit_turn", input=text, **where)
        self.session, self.thread = ids["sessionId"], ids["threadId"]
        if wait:
            until(text, lambda: self.is_over(ids["turnId"]))
        return ids["turnId"]

    def export(self, *words, name=None):
        """As a user types it; the pack was checked in every way that there is."""
        self.packs += 1
        path = os.path.join(self.home, name or f"pack{self.packs}")
        thole(self.build, "export", "evidence", self.session, "-o", path, *words, "--data", self.daemon.data)
        self.check(path)
        return path

    def check(self, path):
        for words in (["verify", path], ["replay", path, "--verify"]):
            done = alone(self.build, *words)
            redacted = words[0] == "replay" and "not recorded" in done.stdout
            if done.returncode != 0 and not redacted:
                raise Wrong(f"{words}: {done.returncode} {done.stdout}{done.stderr}")
        second.verify(path)
        if os.path.isdir(path):
            for name, file in (("pack", "pack.json"), ("export-manifest", "manifest.json"), ("replay", "replay.json")):
                faults = schema_faults(self.build, name, os.path.join(path, file))
                if faults:
                    raise Wrong(f"{file}: {faults}")
                if faults is None:
                    self.skips.add("the schemas of Agent Evidence are not present")


def read(pack, file):
    with open(os.path.join(pack, file)) as f:
        return json.load(f) if file.endswith(".json") else [json.loads(line) for line in f]


def expect(what, is_so):
    if not is_so:
        raise Wrong(what)


def make_rich(w):
    """An approval, a failed tool, a child agent, a job, a compaction."""
    w.turn("work")
    w.turn("large")
    job = w.call("create_job", sessionId=w.session, instruction="Do it.", items=[{"n": 1}, {"n": 2}])["jobId"]
    until("the job", lambda: [e for e in w.events("job.completed") if e["jobId"] == job])
    w.call("spawn_subagent", sessionId=w.session, parentThreadId=w.thread, role="helper", input="help")
    until("the child agent", lambda: w.events("subagent.completed"))
    w.call("compact_thread", sessionId=w.session, threadId=w.thread)
    until("the compaction", lambda: w.events("context.compaction.completed"))
    w.call("record_evidence", sessionId=w.session, kind="verification", name="unit tests", outcome="passed", verifierRef="ci:run/81")
    w.call("record_evidence", sessionId=w.session, kind="review", outcome="approved", verifierRef="user:ada", note="looks right")
    until("rest", lambda: w.call("get_session", sessionId=w.session)["threads"][0]["status"] in ("idle", "completed", "ready"))
    return job


def story_a_rich_session_shows_all_ten_sections(build, flips):
    w = World(build)
    try:
        job = make_rich(w)
        pack = w.export()
        doc = read(pack, "pack.json")
        expect(f"sections {list(doc['sections'])}", list(doc["sections"]) == SECTIONS)
        empty = [n for n, s in doc["sections"].items() if not s["events"]]
        expect(f"empty sections: {empty}", not empty)
        expect(f"not closed: {doc['range']}", doc["status"] == "exported" and not doc["range"]["partial"])
        expect(f"gaps: {doc['known_gaps']}", doc["known_gaps"] == [])
        for signal in ("routing", "permission", "sandbox", "context", "compaction", "subagent", "job", "verification", "review", "cost"):
            expect(f"{signal}: {doc['signals'][signal]}", doc["signals"][signal]["status"] == "exported")
        expect("benchmark", doc["signals"]["benchmark"]["status"] == "not_applicable")
        stored = [line.rstrip(b"\n") for line in open(os.path.join(pack, "events.jsonl"), "rb")]
        served = [json.dumps(json.loads(line)) for line in w.transport.events(w.session, 0)]
        expect("the events are those that the daemon serves", [json.dumps(json.loads(line)) for line in stored] == served[:len(stored)])
        ids = {e["toolCallId"] for e in read(pack, "events.jsonl") if e["type"] == "tool.started"}
        expect("calls", ids == {e["toolCallId"] for e in w.events("tool.started")})
        for file in os.listdir(os.path.join(pack, "outputs")):
            with open(os.path.join(pack, "outputs", file), "rb") as f:
                expect(file, second.hashlib.sha256(f.read()).hexdigest() == file)
        part = w.export("--job", job)
        turns = {e["turnId"] for e in read(part, "events.jsonl") if "turnId" in e}
        expect(f"turns of the job: {turns}", len(turns) == 2)
    finally:
        w.end()
    return w


def story_the_same_scope_gives_the_same_bytes(build, flips):
    w = World(build)
    try:
        first = w.turn("one")
        w.turn("two")
        a, b = w.export(name="a.tar.zst"), w.export(name="b.tar.zst")
        expect("two exports", open(a, "rb").read() == open(b, "rb").read())
        one = w.export("--turn", first, name="one.tar.zst")
        w.restart()
        w.turn("three")
        again = w.export("--turn", first, name="again.tar.zst")
        expect("a closed turn after a restart and another turn", open(one, "rb").read() == open(again, "rb").read())
        expect("another session", open(w.export(name="c.tar.zst"), "rb").read() != open(a, "rb").read())
        packs = [e for e in w.events("output.spilled") if e["output"]["owner"] == "evidence"]
        expect(f"{len(packs)} outputs", len(packs) == 3)
    finally:
        w.end()
    return w


def story_a_turn_is_proved_without_the_others(build, flips):
    w = World(build)
    try:
        w.turn("the first secret of another turn")
        turn = w.turn("mine")
        pack = w.export("--turn", turn)
        doc, chain = read(pack, "pack.json"), read(pack, "chain.jsonl")
        expect("the whole range", [c["sequence"] for c in chain] == list(range(1, doc["range"]["to_sequence"] + 1)))
        expect("some are out of scope", doc["range"]["events"]["out_of_scope"] > 10)
        whole = subprocess.run(["grep", "-r", "first secret", pack], capture_output=True, text=True)
        expect("nothing of the other turn: " + whole.stdout, whole.returncode == 1)
        shown = {e["sequence"] for e in read(pack, "events.jsonl")}
        expect("all of the turn", shown >= {e["sequence"] for e in w.events() if e.get("turnId") == turn and e["type"] != "evidence.changed"})
    finally:
        w.end()
    return w


def story_a_running_scope_is_partial(build, flips):
    w = World(build)
    try:
        turn = w.turn("slow", wait=False)
        until("the request", lambda: w.events("model.requested"))
        pack = w.export("--turn", turn)
        doc = read(pack, "pack.json")
        expect(f"{doc['status']} {doc['range']}", doc["status"] == "partial" and doc["range"]["partial"])
        w.call("interrupt_turn", sessionId=w.session, threadId=w.thread)
        until("the end", lambda: w.is_over(turn))
        expect("the end", not read(w.export("--turn", turn), "pack.json")["range"]["partial"])
    finally:
        w.end()
    return w


def story_redaction_leaves_no_text(build, flips):
    w = World(build)
    try:
        w.turn("a canary of content 16180339")
        content, everything = w.export("--redact", "content"), w.export("--redact", "all")
        for pack in (content, everything):
            found = subprocess.run(["grep", "-r", "16180339", pack], capture_output=True, text=True)
            expect("the canary: " + found.stdout, found.returncode == 1)
        doc = read(content, "pack.json")
        expect(f"{doc['range']['events']}", doc["range"]["events"]["redacted"] > 5 and doc["status"] == "redacted")
        kept = read(content, "events.jsonl")
        expect("structure stays", [e["type"] for e in kept] == [e["type"] for e in w.events()][:len(kept)])
        expect("nothing is shown", read(everything, "events.jsonl") == [])
    finally:
        w.end()
    return w


def story_erased_and_removed_events_are_told_apart(build, flips):
    w = World(build)
    try:
        turn = w.turn("erase me 14142135")
        w.turn("keep me")
        seq = next(e["sequence"] for e in w.events("turn.submitted") if e["turnId"] == turn)
        other = next(e["turnId"] for e in w.events("turn.submitted") if e["turnId"] != turn)
        made = {name: w.call("export_evidence", sessionId=w.session, **how)["packRef"] for name, how in
                (("session", {}), ("turn", {"turnId": turn}), ("other", {"turnId": other}), ("content", {"redact": "content"}))}
        w.call("erase_event", sessionId=w.session, eventSequence=seq, reason="a test")
        expired = {e["outputRef"] for e in w.events("output.expired")}
        expect(f"expired {expired} of {made}", expired == {made["session"], made["turn"]})
        for name, ref in made.items():
            code, _ = w.transport.call("get_output", {"outputRef": ref})
            expect(f"{name}: {code}", code == ("expired" if ref in expired else None) or not code and ref not in expired)
        pack = w.export()
        doc = read(pack, "pack.json")
        expect(f"{doc['range']}", doc["range"]["events"]["erased"] == 1 and "events_erased" in doc["known_gaps"])
        expect("the state", next(c for c in read(pack, "chain.jsonl") if c["sequence"] == seq)["state"] == "erased")
        w.call("trim_log", sessionId=w.session, through=20)
        pack = w.export()
        doc = read(pack, "pack.json")
        expect(f"{doc['range']}", doc["range"]["expired_through"] == 20 and doc["range"]["from_sequence"] == 21)
        expect("gaps", "events_expired" in doc["known_gaps"])
        expect("told", "expired through 20" in alone(build, "verify", pack).stdout)
    finally:
        w.end()
    return w


def story_an_erasure_stops_an_export(build, flips):
    """It is either before the export, which then lacks the text, or the export fails or expires."""
    w = World(build)
    opened = os.path.join(w.daemon.data, "blobs", "open")

    def writes_notes(who):
        transport = scenario.Http(w.daemon)
        for n in range(250):
            transport.call("record_evidence", {"sessionId": w.session, "kind": "note", "note": f"note{who}-{n}. " + f"word{n} " * 200})

    def run(work, *args):
        thread = threading.Thread(target=work, args=args)
        thread.start()
        return thread
    try:
        w.turn("hello")
        for thread in [run(writes_notes, who) for who in range(4)]:
            thread.join()
        notes = w.events("evidence.changed")
        codes = set()
        for n in range(12):
            replies, note, other = [], notes[-1 - n], scenario.Http(w.daemon)
            thread = run(lambda: replies.append(scenario.Http(w.daemon).call("export_evidence", {"sessionId": w.session})))
            if n % 3:
                until("an open pack", lambda: replies or any(f.startswith("out_evd_") for f in os.listdir(opened)), 0.0005)
            code, reply = other.call("erase_event", {"sessionId": w.session, "eventSequence": note["sequence"], "reason": "a test"})
            expect(f"erase: {code} {reply}", not code)
            thread.join()
            code, reply = replies[0]
            codes.add(code)
            expect(f"export: {code} {reply}", code in (None, 0, "rebuilding"))
            if not code:
                path = os.path.join(w.home, f"erased{n}.tar.zst")
                gone, _ = w.transport.call("get_output", {"outputRef": reply["packRef"]})
                if not gone:
                    thole(build, "export", "evidence", w.session, "-o", path, "--data", w.daemon.data)
                    stored = subprocess.run(["zstd", "-dcq", path], capture_output=True).stdout
                    expect("the erased text is in a pack", note["payload"]["note"].split()[0].encode() not in stored)
            until("no open pack", lambda: not [f for f in os.listdir(opened) if f.startswith("out_evd_")])
        expect(f"no export was stopped: {codes}", "rebuilding" in codes)
        w.export()
    finally:
        w.end()
    return w


def story_a_pack_of_a_task_goes_with_the_events_of_its_turns(build, flips):
    w = World(build)
    try:
        turn = w.turn("large")
        task = next(e["taskId"] for e in w.events("turn.submitted") if e["turnId"] == turn)
        event = next(e for e in w.events() if e.get("turnId") == turn and "taskId" not in e)
        w.turn("another")
        other = next(e["taskId"] for e in w.events("turn.submitted") if e["turnId"] != turn)
        made = [w.call("export_evidence", sessionId=w.session, taskId=t)["packRef"] for t in (task, other)]
        w.call("erase_event", sessionId=w.session, eventSequence=event["sequence"], reason="a test")
        expired = [e["outputRef"] for e in w.events("output.expired")]
        expect(f"{expired} of {made}, erased {event['type']}", expired == made[:1])
    finally:
        w.end()
    return w


def story_a_pack_that_no_event_names_is_removed(build, flips):
    """As a crash between sealing and recording leaves it."""
    w = World(build)
    try:
        w.turn("one")
        kept = w.call("export_evidence", sessionId=w.session)["packRef"]
        blobs, ref = os.path.join(w.daemon.data, "blobs"), "out_evd_" + "0" * 40
        sum_of = second.hashlib.sha256(b"erased text").hexdigest()
        content = os.path.join("sha256", sum_of[:2], sum_of[2:])
        name = os.path.join(blobs, "ref", second.hashlib.sha256(ref.encode()).hexdigest()[:2], ref)
        for path in (os.path.join(blobs, content), name):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(os.path.join(blobs, content), "wb") as f:
            f.write(b"erased text")
        os.symlink("../../" + content, name)
        w.restart()
        until("its end", lambda: not os.path.lexists(name) and not os.path.exists(os.path.join(blobs, content)))
        code, _ = w.transport.call("get_output", {"outputRef": kept})
        expect(f"the recorded pack: {code}", not code)
    finally:
        w.end()
    return w


def story_an_output_that_a_new_rule_matches_is_withheld(build, flips):
    w = World(build)
    try:
        w.turn("large")
        expect("included", read(w.export(), "pack.json")["outputs"]["included"] == 1)
        w.daemon.options.append('redact=["3999[0-9]"]')
        w.restart()
        pack = w.export()
        doc = read(pack, "pack.json")
        expect(f"{doc['outputs']} {doc['known_gaps']}", doc["outputs"]["withheld"] == 1 and doc["known_gaps"] == ["outputs_withheld"])
        expect(f"{doc['redactions']}", [r["outputs"] for r in doc["redactions"] if r["redaction_id"] == "outputs"] == [1])
        found = subprocess.run(["grep", "-rl", "39995", pack], capture_output=True, text=True)
        expect("the secret: " + found.stdout, found.returncode == 1)
    finally:
        w.end()
    return w


def story_partial_says_what_runs(build, flips):
    """With every redaction, and after retention."""
    w = World(build)
    try:
        first = w.turn("one")

        def partial(redact, **scope):
            return w.call("export_evidence", sessionId=w.session, redact=redact, **scope)["partial"]

        def all_are(wanted, *scopes):
            for redact in ("rules", "content", "all"):
                for scope in scopes:
                    expect(f"{redact} {scope}", partial(redact, **scope) is wanted)
        all_are(False, {}, {"turnId": first}, {"threadId": w.thread})
        running = w.turn("slow", wait=False)
        until("the request", lambda: [e for e in w.events("model.requested") if e.get("turnId") == running])
        all_are(True, {}, {"turnId": running}, {"threadId": w.thread})
        all_are(False, {"turnId": first})
        w.call("interrupt_turn", sessionId=w.session, threadId=w.thread)
        until("the end", lambda: w.is_over(running))
        cut = next(e["sequence"] for e in w.events("turn.submitted") if e["turnId"] == running)
        w.call("trim_log", sessionId=w.session, through=cut)
        all_are(False, {}, {"turnId": running}, {"threadId": w.thread})
        doc = read(w.export("--turn", running), "pack.json")
        expect(f"{doc['range']}", doc["range"]["expired_through"] == cut and "events_expired" in doc["known_gaps"])
        running = w.turn("slow", wait=False)
        until("the request", lambda: [e for e in w.events("model.requested") if e.get("turnId") == running])
        all_are(True, {}, {"threadId": w.thread})
        code, reply = w.transport.call("export_evidence", {"sessionId": w.session, "maxBytes": 2**40})
        expect(f"maxBytes: {code}", code == "invalid_value")
    finally:
        w.end()
    return w


def story_redacted_settings_are_named_so(build, flips):
    w = World(build, ['redact=["scripted"]'])
    try:
        w.turn("one")
        pack = w.export()
        names = os.listdir(os.path.join(pack, "config"))
        expect(f"{names}", [n for n in names if n.endswith(".redacted.json")])
        redactions = {r["redaction_id"]: r["removed"] for r in read(pack, "pack.json")["redactions"] if "removed" in r}
        expect(f"{redactions}", redactions["settings"] and [n for n in redactions if n.startswith("rule:")])
    finally:
        w.end()
    return w


def story_texts_behind_refs_are_part_of_a_pack(build, flips):
    w = World(build)
    try:
        w.turn("word " * 40000 + CANARY + " the end of the input")
        pack = w.export()
        doc = read(pack, "pack.json")
        found = subprocess.run(["grep", "-rl", "the end of the input", os.path.join(pack, "texts")], capture_output=True, text=True)
        expect(f"the input is missing: {doc['texts']}", found.returncode == 0 and doc["texts"]["included"] and doc["known_gaps"] == [])
        expect("a secret", subprocess.run(["grep", "-rl", CANARY, pack], capture_output=True).returncode == 1)
        doc = read(w.export("--max-bytes", "10"), "pack.json")
        expect(f"{doc['texts']} {doc['known_gaps']}", doc["texts"]["withheld"] and doc["known_gaps"] == ["texts_withheld"])
    finally:
        w.end()
    return w


def story_files_that_do_not_fit_into_memory_are_read_again(build, flips):
    """Texts and trajectory are longer together than what an export keeps (4 MiB): the rest is read or made a second time."""
    w = World(build, ["trace=true"])
    try:
        for n in range(50):
            w.turn(f"number {n} " + "word " * 20000 + f" the end of {n}", wait=False)
        scenario.until_idle(w.transport, w.session)
        first, again = w.export(name="first"), w.export(name="again")
        sizes = {file: os.path.getsize(os.path.join(first, file)) for file in ("trajectory.json", "trace.json", "chain.jsonl")}
        texts = sum(os.path.getsize(os.path.join(first, "texts", name)) for name in os.listdir(os.path.join(first, "texts")))
        expect(f"{sizes} {texts}: all of it would fit", texts + sum(sizes.values()) > 5 << 20)
        expect("two exports differ", subprocess.run(["diff", "-r", first, again], capture_output=True).returncode == 0)
        said = json.dumps(read(first, "trajectory.json"))
        expect("the trajectory lacks a text", all(f"the end of {n}" in said for n in range(50)))
        thole(build, "conform", "atif", os.path.join(first, "trajectory.json"))
    finally:
        w.end()
    return w


def story_a_pack_appears_whole_and_is_private(build, flips):
    w = World(build)
    try:
        w.turn("large")
        pack = w.export(name="private")
        thole(build, "export", "evidence", w.session, "-o", os.path.join(w.home, "slash") + "/", "--data", w.daemon.data)
        modes = {os.stat(os.path.join(at, n)).st_mode & 0o777 for at, _, names in os.walk(pack) for n in names}
        expect(f"modes {modes}", modes == {0o600} and os.stat(pack).st_mode & 0o777 == 0o700)
        done = thole(build, "export", "evidence", w.session, "-o", "-", "--data", w.daemon.data, check=False)
        expect(f"-o -: {done.returncode}", done.returncode != 0 and "new directory" in done.stderr)
        for n in range(3):
            process = subprocess.Popen([os.path.join(build, "thole"), "export", "evidence", w.session, "-o", os.path.join(w.home, f"int{n}"),
                                        "--data", w.daemon.data], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
            until("a file or the end", lambda: process.poll() is not None or any(f.startswith(f"int{n}") for f in os.listdir(w.home)), 0.0005)
            process.send_signal(signal.SIGINT)
            process.wait()
            left = [f for f in os.listdir(w.home) if f.startswith(f"int{n}")]
            expect(f"left behind: {left}", left in ([], [f"int{n}"]))
            if left:
                w.check(os.path.join(w.home, left[0]))
    finally:
        w.end()
    return w


def story_outcomes_are_text(build, flips):
    w = World(build)
    try:
        w.turn("one")
        good = {"sessionId": w.session, "kind": "verification", "name": "unit", "outcome": "passed", "verifierRef": "ci:1"}
        for name, text in (("outcome", " "), ("outcome", "passed\x1b[2J"), ("verifierRef", " "), ("verifierRef", "\n"), ("name", "a\u202eb")):
            code, _ = w.transport.call("record_evidence", {**good, name: text})
            expect(f"{name} {text!r}: {code}", code == "invalid_value")
        w.call("record_evidence", **{**good, "outcome": "bestanden – größtenteils"})
    finally:
        w.end()
    return w


def story_outputs_are_bounded(build, flips):
    w = World(build)
    try:
        w.turn("large")
        small = read(w.export("--max-bytes", "0"), "pack.json")
        expect(f"{small['outputs']}", small["outputs"]["withheld"] == 1 and small["known_gaps"] == ["outputs_withheld", "texts_withheld"])
        expect("included", read(w.export(), "pack.json")["outputs"]["included"] == 1)
    finally:
        w.end()
    return w


def story_a_review_has_the_counts_of_its_pack(build, flips):
    w = World(build)
    try:
        make_rich(w)
        pack = w.export()
        review, doc = os.path.join(w.home, "r.md"), read(pack, "pack.json")
        before = len(w.events("evidence.changed"))
        thole(build, "export", "review", w.session, "-o", review, "--data", w.daemon.data)
        made = w.events("evidence.changed")[before:]
        expect(f"{made}", len(made) == 1 and made[0]["payload"]["kind"] == "review" and made[0]["payload"]["reviewRef"] == made[0]["payload"]["packRef"])
        expect("the same id", made[0]["evidenceId"] == doc["evidence_pack_id"])
        with open(review) as f:
            text = f.read()
        with open(os.path.join(w.home, "r.json")) as f:
            found = json.load(f)
        expect("as in the pack", text == open(os.path.join(pack, "review.md")).read() and found == read(pack, "review.json"))
        sections = {name: part["events"] for name, part in doc["sections"].items()}
        expect(f"{found['sections']} {sections}", found["sections"] == sections and found["events"] == sections["timeline"])
        events = read(pack, "events.jsonl")
        for member, kinds in (("asked", ["turn.submitted"]), ("changed", ["artifact.changed"]), ("failures", ["tool.failed"])):
            ids = {e["sequence"] for e in events if e["type"] in kinds}
            expect(f"{member}: {found[member]}", ids <= {x["sequence"] for x in found[member]} and found["counts"][member] == len(found[member]))
        expect("an approval", any(x["type"] == "action.resolved" for x in found["decided"]) == bool([e for e in events if e["type"] == "action.resolved"]))
        cost = sum(e["payload"].get("amountUsd", 0) for e in events if e["type"] == "cost.recorded")
        expect(f"{found['cost']} {cost}", abs(found["cost"]["usd"] - cost) < 1e-9)
        expect("a question", [q for q in found["questions"] if q["name"] == "result" and "outcome" not in q] and "### result" in text)
        w.call("record_evidence", sessionId=w.session, kind="review", name="result", outcome="accepted", verifierRef="user:ada", note="*fine*")
        answered = thole(build, "export", "review", w.session, "--json", "--data", w.daemon.data).stdout
        expect("the answer", [q["verifierRef"] for q in json.loads(answered)["questions"] if q.get("outcome") == "accepted"] == ["user:ada"])
        plain = thole(build, "export", "review", w.session, "--data", w.daemon.data).stdout
        expect("quoted", "Answer: accepted, by user:ada: \\*fine\\*" in plain)
        summary = w.call("get_evidence_summary", sessionId=w.session)
        expect(f"{summary}", summary["reviewRefs"] and summary["packRefs"] and len(summary["evidenceRefs"]) == len(set(summary["evidenceRefs"])))
    finally:
        w.end()
    return w


def story_a_replay_case_is_that_of_the_pack(build, flips):
    w = World(build)
    try:
        turn = w.turn("large")
        pack = w.call("export_evidence", sessionId=w.session, turnId=turn)
        case = w.call("export_replay", sessionId=w.session, turnId=turn)
        for name in ("evidenceId", "sha256", "fromSequence", "toSequence"):
            expect(f"{name}: {pack} {case}", pack[name] == case[name])
        expect(f"{case}", case["replayRef"] == pack["packRef"] and case["path"] == "replay.json")
        for how in ([], ["--redact", "content"]):
            target = os.path.join(w.home, "case" + str(len(how)))
            thole(build, "export", "replay", w.session, "--turn", turn, "-o", target, *how, "--data", w.daemon.data)
            w.check(target)
            done = alone(build, "replay", target)
            expect(f"{how}: {done.stdout}", done.returncode == 0 and done.stdout.startswith("same"))
            doc = read(target, "replay.json")
            expect(f"{doc}", doc["determinism"] == "deterministic" and doc["input_refs"] and len(doc["expected_outputs"]) == 14)
            for ref in ("context_ref", "evidence_ref", "review_ref"):
                expect(ref, os.path.exists(os.path.join(target, doc[ref])))
        code, _ = w.transport.call("export_replay", {"sessionId": w.session, "redact": "all"})
        expect(f"nothing to fold: {code}", code == "invalid_value")
        code, _ = w.transport.call("export_review", {"sessionId": w.session, "format": "pdf"})
        expect(f"another format: {code}", code == "invalid_value")
    finally:
        w.end()
    return w


def story_a_replay_of_a_session_changes_nothing(build, flips):
    w = World(build)
    try:
        turn = w.turn("work")
        w.turn("large")
        temporary = os.path.join(w.home, "tmp")
        os.mkdir(temporary)

        def replay():
            done = thole(build, "replay", w.session, "--data", w.daemon.data, env={**os.environ, "TMPDIR": temporary})
            expect(f"{done.stdout}", done.stdout.startswith("same") and "11 read models" in done.stdout)
        before = w.events()
        replay()
        replay()
        expect("no event", w.events() == before and not os.listdir(temporary))
        w.call("erase_event", sessionId=w.session, eventSequence=next(e["sequence"] for e in before if e.get("turnId") == turn), reason="a test")
        replay()
        w.call("trim_log", sessionId=w.session, through=20)
        replay()
        w.restart()
        replay()
    finally:
        w.end()
    return w


def story_many_notes_leave_the_verifications(build, flips):
    w = World(build)
    try:
        w.turn("one")
        w.call("record_evidence", sessionId=w.session, kind="verification", name="unit", outcome="passed", verifierRef="ci:1")
        for n in range(100):
            w.call("record_evidence", sessionId=w.session, kind="note", note=f"note {n}")
        summary = w.call("get_evidence_summary", sessionId=w.session)
        expect(f"{summary['verificationOutcomes']}", [v["name"] for v in summary["verificationOutcomes"]] == ["unit"])
        expect(f"{len(summary['auditNotes'])}", len(summary["auditNotes"]) == 63 and summary["auditNotes"][-1] == "note 99")
    finally:
        w.end()
    return w


def story_an_audit_covers_all_sessions(build, flips):
    w = World(build)
    try:
        w.turn("work")
        first, w.session = w.session, None
        w.turn("work")
        for session in (first, w.session):
            w.call("export_evidence", sessionId=session)

        def audit(*words):
            return thole(build, "audit", *words, "--data", w.daemon.data).stdout
        exports = [json.loads(line) for line in audit("--what", "exports", "-o", "jsonl").splitlines()]
        expect(f"{exports}", [e["sessionId"] for e in exports] == [first, w.session] and {e["type"] for e in exports} == {"evidence.changed"})
        who = next(e for e in w.events("output.spilled") if e["output"]["owner"] == "evidence")["command"]["principal"]
        expect("of the caller", len(audit("--what", "exports", "--principal", who).splitlines()) == 2 and not audit("--principal", "another"))
        decisions = audit("--what", "decisions", "-o", "csv").splitlines()
        expect(f"{decisions}", decisions[0].startswith("time,session") and len(decisions) > 3 and all(line.count('"') % 2 == 0 for line in decisions))
        clouds = [json.loads(line) for line in audit("--what", "exports", "-o", "cloudevents").splitlines()]
        expect(f"{clouds}", [c["data"] for c in clouds] == exports and clouds[0]["specversion"] == "1.0")
        w.call("set_mode", sessionId=w.session, mode="plan")
        modes = [json.loads(line) for line in audit("--what", "policy", "-o", "jsonl").splitlines()]
        expect(f"{modes}", any(e["payload"].get("mode") == "plan" for e in modes) and {e["type"] for e in modes} <= {"policy.changed", "limit.changed"})
        thole(build, "replay", w.session, "--decisions", "--data", w.daemon.data)
        reads = until("the read is recorded", lambda: [json.loads(line) for line in audit("--what", "reads", "-o", "jsonl").splitlines()])
        expect(f"{reads}", [(e["sessionId"], e["payload"]["name"], e["payload"]["verifierRef"], e["payload"]["note"]) for e in reads]
               == [("sess_system", "replay_decisions", who, w.session)])
        expect("by its caller", "replay_decisions" in audit("--what", "reads", "--principal", who))
        day = exports[0]["timestamp"][:10]
        expect("by time", audit("--what", "exports", "--from", day, "--to", "2999") == audit("--what", "exports") and not audit("--from", "2999") and not audit("--to", "1999-12-31"))
        expect("a session of its own", audit("--what", "exports").count(first) >= 1)
        expect("a header without rows", audit("--what", "keys", "-o", "csv") == "time,session,sequence,what,principal,type,summary\n")
        thole(build, "key", "new", "--data", w.daemon.data)
        keys = audit("--what", "keys").splitlines()
        expect(f"{keys}", len(keys) == 1 and f"  {who}  session.updated  signing key " in keys[0] and keys[0].endswith(", held by file"))
        w.call("erase_event", sessionId=first, eventSequence=5, reason="a test")
        lines = [line for line in audit("--what", "erasures").splitlines() if "output.expired" in line]
        expect(f"{lines}", lines and all(f"  {who}  " in line for line in lines))
        said = thole(build, "audit", "--what", "exports", "--data", w.daemon.data).stderr
        w.call("trim_log", sessionId=first, through=8)
        after = thole(build, "audit", "--what", "exports", "--data", w.daemon.data)
        expect(f"{said} {after.stderr}", "was removed" not in said and "The beginning of logs was removed 1 time" in after.stderr)
        for good in ("2024-02-29", "2026", "2026-12", "2026-11-17T23", "2026-11-17T23:59:59.999Z"):
            audit("--from", good)
        for words in (["--what", "x"], ["-o", "xml"], ["--from", "today"], ["--what", ""], ["--what", "keys,"], ["--from", "2026-13"], ["--to", "2026-02-29"],
                      ["--from", "2026-00-01"], ["--from", "2026-1"], ["--from", "202"], ["--to", "2026-11-17T24"], ["--to", "2026-11-17T10:60"], ["--to", ""]):
            expect(f"{words}", thole(build, "audit", *words, "--data", w.daemon.data, check=False).returncode == 2)
    finally:
        w.end()
    return w


def story_the_system_session_is_exported(build, flips):
    w = World(build)
    try:
        w.turn("one")
        w.call("replay_decisions", sessionId=w.session)  # a read with scope admin is an event of the system session
        until("the system session", lambda: w.transport.call("get_session", {"sessionId": "sess_system"})[0] is None)
        w.session = "sess_system"
        doc = read(w.export(), "pack.json")
        expect(f"{doc['scope']}", doc["scope"]["session_id"] == "sess_system" and doc["range"]["from_sequence"] == 1)
    finally:
        w.end()
    return w


def story_privacy_follows_from_the_redaction(build, flips):
    w = World(build)
    try:
        w.turn("one")
        for how, status in ((["--redact", "rules"], "partial"), (["--redact", "content"], "complete"), (["--redact", "all"], "complete")):
            doc = read(w.export(*how), "pack.json")
            expect(f"{how}: {doc['completeness']['privacy']}", doc["completeness"]["privacy"]["status"] == status)
    finally:
        w.end()
    return w


def story_a_file_that_looks_like_an_id_is_refused(build, flips):
    w = World(build)
    try:
        w.turn("one")
        w.export(name=w.session)
        for verb in ("verify", "replay"):
            done = subprocess.run([os.path.join(build, "thole"), verb, w.session, "--data", w.daemon.data], cwd=w.home, capture_output=True, text=True)
            expect(f"{verb}: {done.returncode} {done.stderr}", done.returncode == 2 and "./" + w.session in done.stderr)
            done = subprocess.run([os.path.join(build, "thole"), verb, "./" + w.session], cwd=w.home, capture_output=True, text=True)
            expect(f"{verb} of the file: {done.stdout}{done.stderr}", done.returncode == 0)
    finally:
        w.end()
    return w


def flip(data, at, bit):
    out = bytearray(data)
    out[at] ^= 1 << bit
    return bytes(out)


def second_says(path):
    """What the second verifier says of a pack: None if it is whole."""
    try:
        second.verify(path)
    except second.Broken as fault:
        return str(fault)
    return None


def check_flip(build, path, target, at, bit, named):
    """Both verifiers must say that the pack is broken, and ours in which file."""
    with open(path, "rb") as f:
        good = f.read()
    with open(target, "wb") as f:
        f.write(flip(good, at, bit))
    place = target if named == "pack" else path[:-len(named) - 1]
    try:
        done, other = alone(build, "verify", place), second_says(place)
    finally:
        if target == path:
            with open(path, "wb") as f:
                f.write(good)
    where = f"bit {bit} of byte {at} of {path}"
    expect(f"{where}: {done.returncode} {done.stdout}{done.stderr}", done.returncode == 1 and re.search(rf"^{re.escape(named)}\b", done.stdout, re.M))
    expect(f"{where}: the second verifier says {other}", other and other.startswith(named + ":"))


def story_every_flipped_byte_is_named(build, flips):
    w = World(build)
    try:
        w.turn("hello")
        pack, archive = w.export(), w.export(name="whole.tar.zst")
        pick = random.Random(20261116)
        files = sorted(os.path.relpath(os.path.join(at, n), pack) for at, _, names in os.walk(pack) for n in names)
        sizes = [os.path.getsize(os.path.join(pack, f)) for f in files]
        for n in range(flips):
            file = None if n % 4 == 0 else pick.choices(files, sizes)[0]
            path = os.path.join(pack, file) if file else archive
            target = path if file else os.path.join(w.home, "flipped.tar.zst")
            check_flip(build, path, target, pick.randrange(os.path.getsize(path)), pick.randrange(8), file or "pack")
        expect("whole again", alone(build, "verify", pack).returncode == 0 and not second_says(pack))
    finally:
        w.end()
    return w


FIRST = ("manifest.json", "pack.json", "replay.json", "chain.jsonl", "events.jsonl")
ESCAPED = f"/tmp/escaped-from-a-pack-{os.getpid()}"


def tar_of(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data, kind in entries:
            info = tarfile.TarInfo(name)
            info.size, info.type = len(data), kind
            if kind == tarfile.SYMTYPE:
                info.linkname, info.size = "/etc/passwd", 0
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def story_hostile_packs_are_refused(build, flips):
    w = World(build)
    try:
        w.turn("hello")
        pack = w.export()
        files = [(os.path.relpath(os.path.join(at, n), pack), os.path.join(at, n)) for at, _, names in os.walk(pack) for n in names]
        entries = sorted(((n, open(p, "rb").read(), tarfile.REGTYPE) for n, p in files),
                         key=lambda e: (FIRST.index(e[0]) if e[0] in FIRST else len(FIRST), e[0]))
        plain = tar_of(entries)

        def archive(tar):
            path = os.path.join(w.home, "hostile.tar.zst")
            done = subprocess.run(["zstd", "-qf", "-o", path], input=tar, capture_output=True)
            expect("zstd " + done.stderr.decode(), done.returncode == 0)
            return path

        expect("the same files are whole", alone(build, "verify", archive(plain)).returncode == 0)
        hostile = {
            "a path with ..": entries + [("../x", b"1", tarfile.REGTYPE)],
            "an absolute path": entries + [(ESCAPED, b"1", tarfile.REGTYPE)],
            "a link": entries + [("x", b"", tarfile.SYMTYPE)],
            "a device": entries + [("x", b"", tarfile.CHRTYPE)],
            "an extra file": entries + [("views/x.json", b"{}", tarfile.REGTYPE)],
            "a file twice": entries + [entries[1]],
            "a missing file": [e for e in entries if e[0] != "events.jsonl"],
            "no manifest": entries[1:],
            "another order": entries[1:] + entries[:1],
            "a false manifest": [(n, d.replace(b"views/tasks.json", b"views/tasqs.json") if n == "manifest.json" else d, k) for n, d, k in entries],
            "the chain before pack.json": entries[:1] + [entries[3], entries[1], entries[2]] + entries[4:],
            "the events before the chain": entries[:3] + [entries[4], entries[3]] + entries[5:],
            "deep JSON": [(n, b"[" * 100000 if n == "pack.json" else d, k) for n, d, k in entries],
            "a long line": [(n, d + b"x" * (2 << 20) if n == "events.jsonl" else d, k) for n, d, k in entries],
        }
        for what, content in hostile.items():
            target = os.path.join(w.home, "out")
            path = archive(tar_of(content))
            done = alone(build, "verify", path)
            expect(f"{what}: {done.returncode} {done.stdout}{done.stderr}", done.returncode == 1 and "broken" in done.stdout)
            done = alone(build, "replay", path, "--verify")
            expect(f"replay of {what}: {done.returncode}", done.returncode == 1)
            expect("nothing was written", not os.path.exists(target) and not os.path.exists(ESCAPED))
        for what, data in (("cut", open(archive(plain), "rb").read()[:-40]),
                           ("more", open(archive(plain), "rb").read() + b"x"), ("two frames", open(archive(plain), "rb").read() * 2)):
            path = os.path.join(w.home, "odd.tar.zst")
            with open(path, "wb") as f:
                f.write(data)
            expect(what, alone(build, "verify", path).returncode == 1)
        expect("no such place", alone(build, "verify", "/srv/app/none/").returncode == 2)
        os.symlink("/etc/passwd", os.path.join(pack, "link"))
        expect("a link in a directory", alone(build, "verify", pack).returncode == 1)
        taken = thole(build, "export", "evidence", w.session, "-o", pack, "--data", w.daemon.data, check=False)
        expect("a place that is taken", taken.returncode == 2 and "exists already" in taken.stderr)
    finally:
        w.end()
    return w


def seal(pack, files):
    """A manifest that fits the files, as a forger makes it."""
    manifest = read(pack, "manifest.json")
    old = {f["path"]: f for f in manifest["files"]}
    paths = [p for p in old if p in files] + [p for p in files if p not in old and p != "manifest.json"]
    manifest["files"] = [{**old.get(p, {"role": "view", "media_type": "application/json"}), "path": p, "size": len(files[p]),
                          "hash": "sha256:" + hashlib.sha256(files[p]).hexdigest()} for p in paths]
    manifest["self_hash"] = "sha256:" + "0" * 64
    text = json.dumps(manifest, separators=(",", ":")) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return (text[:-67] + digest + text[-3:]).encode()


def story_forged_packs_with_a_fitting_manifest_are_broken(build, flips):
    w = World(build)
    try:
        w.turn("large")
        pack = w.export()
        paths = [os.path.relpath(os.path.join(at, n), pack) for at, _, names in os.walk(pack) for n in names]
        good = {p: open(os.path.join(pack, p), "rb").read() for p in paths}
        output = next(p for p in paths if p.startswith("outputs/"))
        config = next(p for p in paths if p.startswith("config/"))
        doc = good["pack.json"]
        forged = {
            "no events": {"events.jsonl": None},
            "empty events": {"events.jsonl": b""},
            "an empty chain": {"chain.jsonl": b"", "events.jsonl": b""},
            "another output": {output: b"forged"},
            "other settings": {config: b"{}"},
            "another view": {"views/session.json": b"{}\n"},
            "an extra file": {"views/x.json": b"{}\n"},
            "another id": {"pack.json": doc.replace(b'"evidence_pack_id":"evd_', b'"evidence_pack_id":"evd_0')},
            "another state": {"pack.json": doc.replace(b'"partial":false', b'"partial":true')},
            "another count": {"pack.json": doc.replace(b'"erased":0', b'"erased":1')},
            "a false start": {"pack.json": doc.replace(b'"partial":false', b'"partial":false,"expired_through":40')},
            "no replay case": {"replay.json": None},
            "another replay case": {"replay.json": good["replay.json"].replace(b'"rpl_', b'"rpl_0')},
        }
        target = os.path.join(w.home, "forged")
        for what, change in forged.items():
            files = {p: d for p, d in {**good, **change}.items() if d is not None}
            files["manifest.json"] = seal(pack, files)
            shutil.rmtree(target, ignore_errors=True)
            for path, data in files.items():
                os.makedirs(os.path.dirname(os.path.join(target, path)), exist_ok=True)
                with open(os.path.join(target, path), "wb") as f:
                    f.write(data)
            done = alone(build, "verify", target)
            expect(f"{what}: {done.returncode} {done.stdout}", done.returncode == 1 and "broken" in done.stdout)
        shutil.rmtree(target)
        shutil.copytree(pack, target)
        for line in (b'{"payload":{}}\n', b'{"payload":{},"type":"turn.submitted"}\n'):
            with open(os.path.join(target, "events.jsonl"), "wb") as f:
                f.write(line)
            done = alone(build, "replay", target)
            expect(f"replay of {line}: {done.returncode} {done.stderr}", done.returncode == 1)
        os.mkfifo(os.path.join(w.home, "fifo"))
        expect("a FIFO is no pack", alone(build, "verify", os.path.join(w.home, "fifo")).returncode == 2)
    finally:
        w.end()
    return w


def story_kill_during_an_export_leaves_no_half_pack(build, flips):
    w = World(build, ["evidence.max_bytes=1000000000"])
    try:
        for n in range(3):
            w.turn("large")
        opened = os.path.join(w.daemon.data, "blobs", "open")
        for n in range(4):
            process = subprocess.Popen([os.path.join(build, "thole"), "export", "evidence", w.session, "-o", os.path.join(w.home, f"k{n}"),
                                        "--max-bytes", str(10**8 + n), "--no-start", "--data", w.daemon.data],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if n:
                until("an open file or the end", lambda: process.poll() is not None or any(f.startswith("out_evd_") for f in os.listdir(opened)), 0.0005)
            w.restart()
            process.send_signal(signal.SIGKILL)
            process.wait()
            expect("no half pack", not [f for f in os.listdir(opened) if f.startswith("out_evd_")])
            expect("the log is whole", "whole" in thole(build, "verify", w.session, "--data", w.daemon.data).stdout)
        w.export()
    finally:
        w.end()
    return w


def story_a_closed_scope_has_a_trajectory_and_a_trace(build, flips):
    w = World(build, ["trace=true"])
    try:
        job = make_rich(w)
        pack = w.export()
        own = os.path.join(w.home, "own.json")
        thole(build, "export", "atif", w.session, "-o", own, "--data", w.daemon.data)
        with open(own) as f:
            expect("the trajectory is another one than that of thole export atif", json.load(f) == read(pack, "trajectory.json"))
        spans = read(pack, "trace.json")["resourceSpans"][0]["scopeSpans"][0]["spans"]
        names = {s["name"].split()[0] for s in spans}
        expect(f"spans {names}", {"invoke_agent", "chat", "execute_tool"} <= names)
        expect("spans of another trace", {s["traceId"] for s in spans} == {e["traceId"] for e in w.events() if "traceId" in e})
        turn = w.export("--turn", w.events("turn.completed")[0]["turnId"])
        for path in (pack, turn):
            thole(build, "conform", "atif", os.path.join(path, "trajectory.json"))
        content = w.export("--redact", "content")
        with open(os.path.join(content, "trajectory.json")) as f:
            expect("text in a trajectory without content", "made.txt" not in f.read())
        expect("a pack without events has a trajectory", not os.path.exists(os.path.join(w.export("--redact", "all"), "trajectory.json")))
        expect("a job has a trajectory", not os.path.exists(os.path.join(w.export("--job", job), "trajectory.json")))
        w.turn("slow", wait=False)
        until("the request", lambda: w.events("model.requested")[-1]["sequence"] > w.events("turn.submitted")[-1]["sequence"])
        running = w.export()
        expect("a running scope has a trajectory", not {"trajectory.json", "trace.json"} & set(os.listdir(running)))
    finally:
        w.end()
    return w


def story_the_redactor_runs_over_everything(build, flips):
    w = World(build)
    try:
        w.turn("say " + CANARY)
        pack = w.export()
        found = subprocess.run(["grep", "-r", CANARY, pack], capture_output=True, text=True)
        expect("the value of a secret variable is in the pack: " + found.stdout, found.returncode == 1)
    finally:
        w.end()
    return w


def story_a_secret_that_is_divided_between_deltas_is_removed(build, flips):
    """From events, views, review and trajectory; what only begins like a secret stays."""
    w = World(build, ["delta_window_ms=0"])
    try:
        w.turn("divided")
        deltas = [e["payload"]["text"] for e in w.events("model.delta")]
        expect("some delta has the whole secret", len(deltas) > 30 and not [d for d in deltas if CANARY in d])
        pack = w.export()
        texts = {}
        for kind in ("model.delta", "reasoning.delta"):
            texts[kind] = "".join(e["payload"]["text"] for e in read(pack, "events.jsonl") if e["type"] == kind)
        for kind, text in texts.items():
            expect(f"{kind}: {text}", re.sub(r"(\[redacted\])+", "#", text) == {
                "model.delta": "The key is #, and # or # but " + CANARY[:12] + " ends. Then # and more.", "reasoning.delta": "I think of # now."}[kind])
        for part in (CANARY[11:], CANARY[5:25], CANARY[25:], CANARY[9:20], "tail-of-the-key"):
            found = subprocess.run(["grep", "-rF", part, pack], capture_output=True, text=True)
            expect(f"{part} is in the pack: {found.stdout[:600]}", found.returncode == 1)
        rules = {r["redaction_id"]: r["removed"] for r in read(pack, "pack.json")["redactions"] if r["redaction_id"].startswith("rule:")}
        expect(f"{rules}", sum(rules.values()) >= 5)
        review = os.path.join(w.home, "review.md")
        thole(build, "export", "review", w.session, "-o", review, "--data", w.daemon.data)
        found = subprocess.run(["grep", "-rF", CANARY[25:], review], capture_output=True, text=True)
        expect("a part is in the review: " + found.stdout, found.returncode == 1)
    finally:
        w.end()
    return w


def main():
    build = os.path.abspath(sys.argv[1])
    flips = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    wanted = sys.argv[3:]
    stories = [(n[6:].replace("_", " "), f) for n, f in globals().items() if n.startswith("story_")]
    stories = [(n, f) for n, f in stories if not wanted or any(word in n for word in wanted)]
    failed, skips = 0, set()
    for n, (name, story) in enumerate(stories, 1):
        try:
            skips |= story(build, flips).skips
            print(f"ok {n} - {name}", flush=True)
        except (Wrong, second.Broken, KeyError, subprocess.SubprocessError) as wrong:
            failed += 1
            print(f"not ok {n} - {name}\n# " + repr(wrong)[:1500].replace("\\n", "\n# "), flush=True)
    for what in skips:
        print(f"ok {len(stories) + 1} - schemas # SKIP {what}")
    print(f"1..{len(stories) + len(skips)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
