#!/usr/bin/env python3
"""Replay as a user types it: a whole session folded, its decisions made again, and what other rules would have decided.

usage: replay_test.py BUILD_DIR [WORD ...]     prints TAP; WORD: only stories whose name contains it

Every story ends with `thole replay ID --decisions --verify`: after kill -9, at rest, without its beginning, without a journal, with an
erased event.
"""
import base64
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import forgeries  # noqa: E402
from evidence_test import World, Wrong, alone, expect, make_rich, second, thole, until  # noqa: E402

NO_SHELL = {"rules": [{"id": "no-shell", "effect": "deny", "tool": "shell"}]}


def replay(w, *words, code=0):
    done = thole(w.build, "replay", w.session, *words, "--data", w.daemon.data, check=False)
    expect(f"replay {words}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}", done.returncode == code)
    return done


def decided(w, *words, code=0):
    return json.loads(replay(w, "--decisions", "--json", *words, code=code).stdout)


def is_same(w):
    """All groups, without an exception, in words and as JSON."""
    shown = replay(w, "--decisions", "--verify").stdout
    expect(shown, shown.startswith("same  ") and "0 different, 0 not recorded" in shown and shown.count("\n") == 1)
    report = decided(w, "--verify")
    others = {word: n for word, n in report["groups"].items() if n and word != "same"}
    expect(f"{report}", report["status"] == "same" and not others and report["differences"] == [] and report["events"] == len(w.events()))
    return report


def rules_file(w, rules):
    path = os.path.join(w.home, "rules.json")
    with open(path, "w") as f:
        f.write(rules if isinstance(rules, str) else json.dumps(rules))
    return path


def is_denied(w, count, answers=1):
    """Rules without the shell change the decisions on its calls; answers to its approvals are then refused."""
    rules = rules_file(w, NO_SHELL)
    shown = replay(w, "--decisions", "--with", rules, code=1).stdout
    lines = shown.splitlines()
    denied = [line for line in lines if line.startswith("differs  at ") and "now deny by rule rule:user:no-shell" in line]
    refused = [line for line in lines if "recorded action.resolved (completed), now refused (" in line]
    expect(shown, len(denied) == count and len(refused) == answers and len(lines) == count + answers + 1)
    expect(shown, lines[-1].startswith("differs  ") and f"{count + answers} different" in lines[-1])
    report = decided(w, "--with", rules, code=1)
    expect(f"{report}", report["groups"]["differs"] == count + answers == len(report["differences"]) and not report["groups"]["damaged"])
    for each in report["differences"]:
        was, now = each["recorded"], each.get("now")
        expect(f"{each}", was["sequence"] == each["sequence"] and (now or was["type"] == "action.resolved"))
        if now:
            expect(f"{each}", was["type"] == now["type"] == "permission.evaluated")
            expect(f"{each}", now["permissionDecision"]["decision"] == "deny" != was["permissionDecision"]["decision"])


def story_a_whole_session_with_everything_in_it(build):
    w = World(build)
    try:
        make_rich(w)
        is_same(w)
        w.export()
        is_same(w)  # the export too was decided
        shown = replay(w, "--verify").stdout
        expect(shown, shown.startswith("same  ") and "read models compared" in shown)
        is_denied(w, 2)
        w.restart()
        is_same(w)
        w.turn("work")
        is_same(w)
        is_denied(w, 3, 2)
    finally:
        w.end()
    return w


def story_rules_that_change_nothing_and_files_that_are_none(build):
    w = World(build)
    try:
        w.turn("hello")
        expect("no call", replay(w, "--with", rules_file(w, NO_SHELL)).stdout.startswith("same  "))
        for text, said in (("{", "is not JSON"), ('{"rules":7}', "rules"), ('{"rules":[{"effect":"maybe"}]}', "rules")):
            done = thole(build, "replay", w.session, "--decisions", "--with", rules_file(w, text), "--data", w.daemon.data, check=False)
            expect(f"{text}: {done.returncode} {done.stdout}{done.stderr}", done.returncode in (1, 2) and said in done.stderr and not done.stdout)
        done = replay(w, "--with", os.path.join(w.home, "none.json"), code=2)
        expect(done.stderr, "cannot be read" in done.stderr)
        done = thole(build, "replay", w.export(), "--decisions", check=False)
        expect(done.stderr, done.returncode == 2 and "the pack has no journal" in done.stderr)
        is_same(w)
    finally:
        w.end()
    return w


def decided_alone(w, pack, *words, code=0):
    """From the pack, in a process that has neither a home nor a data directory."""
    done = alone(w.build, "replay", pack, "--decisions", "--json", *words)
    expect(f"replay {pack} {words}: exit {done.returncode}\n{done.stdout}{done.stderr}", done.returncode == code)
    return json.loads(done.stdout)


def story_decisions_from_a_pack_without_a_daemon(build):
    w = World(build)
    try:
        make_rich(w)
        before = decided(w)
        pack = w.export("--decisions")
        report = decided_alone(w, pack)
        expect(f"{report} {before}", report == before and report["groups"]["same"] > 10)
        rules = rules_file(w, NO_SHELL)
        here, there = decided_alone(w, pack, "--with", rules, code=1), decided(w, "--with", rules, code=1)
        expect(f"other rules: {here} {there}", here["differences"] == there["differences"] and here["groups"]["differs"] == there["groups"]["differs"] > 1)
        shown = alone(build, "replay", pack, "--decisions", "--with", rules).stdout
        expect(shown, "now deny by rule rule:user:no-shell" in shown)
        for form in ({"permission.rules": NO_SHELL["rules"]}, {"permission": {"rules": NO_SHELL["rules"]}}, NO_SHELL["rules"]):
            path = rules_file(w, form)
            for same in (decided_alone(w, pack, "--with", path, code=1), decided(w, "--with", path, code=1)):
                expect(f"{form}: {same}", same["differences"] == there["differences"])
        for form in ({"permission.rules": 7}, {"permission": {"rules": NO_SHELL["rules"], "mode": "plan"}}, {"permission.rules": NO_SHELL["rules"], "permission.mode": "plan"}, [7]):
            done = alone(build, "replay", pack, "--decisions", "--with", rules_file(w, form))
            expect(f"{form}: {done.returncode} {done.stdout}{done.stderr}", done.returncode == 2 and done.stderr and not done.stdout)
        archive = w.export("--decisions", name="whole.tar.zst")
        expect("an archive", decided_alone(w, archive)["groups"]["same"] >= report["groups"]["same"])
        for words in (["--redact", "content"], ["--turn", w.events()[4]["turnId"]]):
            done = thole(build, "export", "evidence", w.session, "--decisions", *words, "-o", os.path.join(w.home, "none"), "--data", w.daemon.data, check=False)
            expect(f"{words} {done.stderr}", done.returncode == 2 and "only for a whole session" in done.stderr)
    finally:
        w.end()
    return w


def story_other_settings_and_prices(build):
    """Caps, prices and routing of a file, from the log and from a pack; what cannot be shown is refused."""
    w = World(build)
    try:
        w.turn("hello")
        pack = w.export("--decisions")
        for given, said in (({"budget.turn_usd": 0.000001}, "now quota.blocked"), ({"budget": {"session_usd": 0.000001}}, "now quota.blocked"),
                            ({"prices": {"scripted/demo": {"inputPerMTok": 5000, "outputPerMTok": 5000}}, "budget": {"turn_usd": 0.5}}, "now quota.blocked"),
                            ({"routing": {"deny": ["scripted/demo"]}}, "now routing.not_possible"), ({"routing.deny": ["other/model"]}, None), ({"budget": {"turn_usd": 1000}}, None), ({}, None)):
            path = rules_file(w, given)
            here, there = decided(w, "--with", path, code=1 if said else 0), decided_alone(w, pack, "--with", path, code=1 if said else 0)
            expect(f"{given}: {here} {there}", here["differences"] == there["differences"])
            expect(f"{given}: {here}", any(said in d["words"] for d in here["differences"]) if said else here["status"] == "same")
        for given in ({"http.proxy": "http://x"}, {"budget": {"turn_usd": "much"}}, {"no": {"such": 1}}, {"permission.mode": "plan"}, {"context.compact_percent": 9999}, [1],
                      {"prices": {"scripted/demo": {"inputPerMTok": -1}}}):
            path = rules_file(w, given)
            for done in (thole(build, "replay", w.session, "--with", path, "--data", w.daemon.data, check=False), alone(build, "replay", pack, "--with", path)):
                expect(f"{given}: {done.returncode} {done.stdout} {done.stderr}", done.returncode == 2 and done.stderr and not done.stdout)
        is_same(w)
    finally:
        w.end()
    return w


def story_decisions_from_a_pack_without_its_beginning(build):
    w = World(build)
    try:
        w.turn("hello")
        w.turn("work")
        w.call("trim_log", sessionId=w.session, through=9)
        before = decided(w)
        report = decided_alone(w, w.export("--decisions"))
        expect(f"{report} {before}", report == before and report["groups"]["same"] > 3)
    finally:
        w.end()
    return w


def story_exports_erasures_and_secrets_before_a_pack(build):
    """Events about exports are part of a pack with decisions; what is redacted in it is no damage."""
    w = World(build)
    try:
        w.turn("work")
        w.export()
        w.restart()
        w.turn("work")
        expect("exports before", decided_alone(w, w.export("--decisions"))["status"] == "same")
        before = decided_alone(w, w.export("--decisions"))
        expect(f"and again {before}", before["status"] == "same")
        rules = rules_file(w, NO_SHELL)
        count = decided(w, "--with", rules, code=1)["groups"]["differs"]
        w.call("erase_event", sessionId=w.session, eventSequence=next(e["sequence"] for e in w.events() if e["type"] == "turn.submitted"), reason="a test")
        expect("other rules after an erasure", decided(w, "--with", rules, code=1)["groups"]["differs"] >= count)
        report = decided_alone(w, w.export("--decisions"))
        expect(f"{report}", report["status"] == "erased" and not report["groups"]["damaged"] and not report["groups"]["differs"])
    finally:
        w.end()
    w = World(build)
    try:
        w.turn("the key AKIAIOSFODNN7EXAMPLE and the token ghp_0123456789abcdefghijklmnopqrstuvwxyzAB")
        report = decided_alone(w, w.export("--decisions"))
        expect(f"{report}", not report["groups"]["damaged"] and not report["groups"]["differs"])
    finally:
        w.end()
    return w


def number(n):
    """As the journal writes numbers."""
    out = b""
    while True:
        out += bytes([n & 127 | (128 if n > 127 else 0)])
        n >>= 7
        if not n:
            return out


def story_an_export_with_decisions_says_so(build):
    w = World(build)
    try:
        w.turn("work")
        w.export()
        w.export("--decisions")
        marks = [e["payload"].get("decisions") for e in w.events("evidence.changed")]
        expect(f"{marks}", marks == [None, True])
        said = thole(build, "audit", "--what", "exports", "--data", w.daemon.data).stdout.splitlines()
        expect(f"{said}", ["with what decisions were given" in line for line in said] == [False, True])
    finally:
        w.end()
    return w


def story_a_forged_journal_ends_in_a_report(build):
    """Whatever a pack says that decisions were given: a report, and no crash."""
    w = World(build)
    try:
        w.turn("work")
        pack, target, chance = w.export("--decisions"), os.path.join(w.home, "forged"), random.Random(20261117)
        files = {os.path.relpath(os.path.join(at, name), pack): open(os.path.join(at, name), "rb").read() for at, _, names in os.walk(pack) for name in names}
        lines = [json.loads(line) for line in files["journal.jsonl"].splitlines()]
        seen = set()
        for n in range(60):
            forged = [dict(line) for line in lines]
            line = chance.choice(forged)
            member = chance.choice([m for m in ("key", "record") if line.get(m)])
            data = bytearray(base64.b64decode(line[member]))
            for _ in range(chance.choice((1, 1, 2, 8))):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            if n % 10 == 0:
                del data[chance.randrange(len(data)):]
            line[member] = base64.b64encode(bytes(data)).decode()
            shutil.rmtree(target, ignore_errors=True)
            text = b"".join(json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in forged)
            forgeries.write_dir(forgeries.forge({**files, "journal.jsonl": text}), target)
            done = alone(build, "replay", target, "--decisions")
            expect(f"forgery {n}: {done.returncode} {done.stdout[-300:]}{done.stderr[-300:]}", done.returncode in (0, 1, 2) and done.stdout + done.stderr)
            seen.add(done.returncode)
        expect(f"found some: {seen}", 1 in seen)
        with open(os.path.join(HERE, "..", "..", "catalog", "inputs.json")) as f:
            inputs = list(json.load(f)["inputs"])
        forged = [dict(line) for line in lines]
        first = base64.b64decode(forged[-1]["record"])[0]
        forged[-1]["record"] = base64.b64encode(number(first) + number(5) + number(0) + number(1) + number(inputs.index("runtime_events_key") + 2)
                                                + b"\0" + number(1) + number(0) + number(0)).decode()
        for what, kept in (("an input without arguments", forged), ("a missing record", lines[:-2] + lines[-1:]), ("only the first", lines[:1])):
            shutil.rmtree(target, ignore_errors=True)
            text = b"".join(json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in kept)
            forgeries.write_dir(forgeries.forge({**files, "journal.jsonl": text}), target)
            done = alone(build, "replay", target, "--decisions")
            expect(f"{what}: {done.returncode} {done.stdout} {done.stderr}", done.returncode == 1 and not done.stdout.startswith("same"))
        # `thole verify` names a record that is malformed, although all hashes are right.
        good, bad = [json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in lines], []
        bad.append(("not a record", good[:1] + [b"{}x\n"] + good[1:], None))
        bad.append(("names no event", good[:1] + [b'{"record":""}\n'] + good[1:], None))
        bad.append(("not in order", good[:2] + good[1:], lines[1]["sequence"]))
        bad.append(("does not cover", good + [b'{"sequence":99999,"record":""}\n'], 99999))
        bad.append(("no base64", good[:-1] + [json.dumps({**lines[-1], "record": "*"}).encode() + b"\n"], lines[-1]["sequence"]))
        bad.append(("malformed", good[:-1] + [json.dumps({**lines[-1], "record": base64.b64encode(b"\xff" * 12).decode()}).encode() + b"\n"], lines[-1]["sequence"]))
        for said, text, sequence in bad:
            shutil.rmtree(target, ignore_errors=True)
            forgeries.write_dir(forgeries.forge({**files, "journal.jsonl": b"".join(text)}), target)
            done = alone(build, "verify", target)
            expect(f"{said}: {done.returncode} {done.stdout}", done.returncode == 1 and "journal.jsonl" in done.stdout and said in done.stdout and str(sequence or "") in done.stdout)
            if said != "malformed":
                try:
                    second.verify(target)
                    raise Wrong(f"{said}: the second verifier found nothing")
                except second.Broken as found:
                    expect(f"{said}: {found}", "journal.jsonl" in str(found))
        for text, said in ((b"{", "has no end"), (b'{"sequence":5,"record":"*"}\n', "base64"), (b'{"sequence":9}\n{"sequence":9}\n', "order")):
            shutil.rmtree(target, ignore_errors=True)
            forgeries.write_dir(forgeries.forge({**files, "journal.jsonl": text}), target)
            done = alone(build, "replay", target, "--decisions")
            expect(f"{text}: {done.returncode} {done.stdout}{done.stderr}", done.returncode == 1 and "journal.jsonl" in done.stdout and said in done.stdout)
    finally:
        w.end()
    return w


def packed(w):
    """Events that are packed and those that are not."""
    with sqlite3.connect(f"file:{w.daemon.data}/log.db?mode=ro", uri=True) as db:
        return [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("pack", "event")]


def story_at_rest(build):
    w = World(build, ["session.idle_evict_s=1"])
    try:
        w.turn("work")
        for n in range(40):
            w.turn(f"turn {n}")
        count = len(w.events())
        until("packs", lambda: packed(w)[0] > 0 and packed(w)[1] < count)
        is_same(w)
        is_denied(w, 1)
        w.restart()
        is_same(w)
        w.turn("work")
        is_same(w)
        is_denied(w, 2, 2)
    finally:
        w.end()
    return w


def story_without_its_beginning(build):
    w = World(build)
    try:
        w.turn("hello")
        w.turn("work")
        for through in (9, 20):
            w.call("trim_log", sessionId=w.session, through=through)
            report = decided(w, "--verify")
            expect(f"{report}", not any(report["groups"][word] for word in ("differs", "damaged", "version_differs", "expired")))
            expect(f"{report}", report["groups"]["not_recorded"] <= 1 and report["groups"]["same"] > 3)
        w.restart()
        w.turn("work")
        report = decided(w, "--verify")
        expect(f"{report}", report["status"] == "same" and report["groups"]["not_recorded"] <= 1)
        is_denied(w, 2, 2)
    finally:
        w.end()
    return w


def story_without_a_journal(build):
    w = World(build, ["journal.enabled=false"])
    try:
        w.turn("work")
        report = decided(w, "--verify")
        expect(f"{report}", report["status"] == "not_recorded" and report["groups"]["same"] == 0 and report["differences"] == [])
        expect("in words", replay(w, "--decisions").stdout.startswith("not_recorded  "))
        expect("what if", decided(w, "--with", rules_file(w, NO_SHELL))["status"] == "not_recorded")
        w.daemon.options, before = [], report["groups"]["not_recorded"]
        w.restart()
        w.daemon.validates = False  # the first part stays without
        w.turn("work")
        report = decided(w, "--verify")
        expect(f"{report}", report["status"] == "same" and report["groups"]["not_recorded"] == before and report["groups"]["same"] > 3)
        is_denied(w, 1)
    finally:
        w.end()
    return w


def story_an_erased_event(build):
    w = World(build)
    try:
        turn = w.turn("erase me 14142135")
        w.turn("work")
        seq = next(e["sequence"] for e in w.events("turn.submitted") if e["turnId"] == turn)
        thole(build, "erase", w.session, str(seq), "--reason", "a test", "--data", w.daemon.data)
        report = decided(w, "--verify")
        expect(f"{report}", report["status"] == "erased" and report["groups"]["erased"] >= 1 and not report["groups"]["differs"])
        expect("its text", "14142135" not in json.dumps(report))
        expect("in words", replay(w, "--decisions", "--verify").stdout.splitlines()[-1].startswith("erased  "))
        w.restart()
        w.turn("work")
        expect("later groups", decided(w)["groups"]["same"] > 3)
    finally:
        w.end()
    return w


def story_a_log_that_was_changed_is_not_decided(build):
    w = World(build)
    try:
        w.turn("findme 31622776")
        w.daemon.validates = False
        w.daemon.stop()
        log = os.path.join(w.daemon.data, "log.db")
        with open(log, "rb") as f:
            data = f.read()
        expect("the text is in the file", b"findme 31622776" in data)
        with open(log, "wb") as f:
            f.write(data.replace(b"findme 31622776", b"findMe 31622776"))
        w.daemon.start()
        done = replay(w, "--decisions", "--verify", code=1)
        expect(f"{done.stdout}{done.stderr}", done.stdout.startswith("broken  at event "))
        expect("as JSON", decided(w, "--verify", code=1)["firstBad"]["sequence"] > 0)
    finally:
        w.end()
    return w


def main():
    build, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    stories = [(n[6:].replace("_", " "), f) for n, f in globals().items() if n.startswith("story_")]
    stories = [(n, f) for n, f in stories if not wanted or any(word in n for word in wanted)]
    failed = 0
    for n, (name, story) in enumerate(stories, 1):
        try:
            story(build)
            print(f"ok {n} - {name}", flush=True)
        except (Wrong, KeyError, sqlite3.Error, subprocess.SubprocessError) as wrong:
            failed += 1
            print(f"not ok {n} - {name}\n# " + repr(wrong)[:3000].replace("\\n", "\n# "), flush=True)
    print(f"1..{len(stories)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
