#!/usr/bin/env python3
"""`thole conform log`: golden logs pass, 500 damaged ones are found with the right first finding, hostile files do no harm.

usage: conform_log_test.py BUILD_DIR [COUNT [WORD...]]     COUNT: mutants, 500 unless given; "all": every one

Prints TAP.  Mutants are spread evenly over all ways to damage a log (log_mutants.py); every check of the pack has at least one.
"""
import collections
import concurrent.futures
import html.parser
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.dom.minidom
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), str(pathlib.Path(__file__).resolve().parent.parent / "lib")]
import log_mutants  # noqa: E402
import tap  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
THOLE = BUILD / "thole"
SPECS = pathlib.Path(os.environ.get("THOLE_SPECS", ROOT.parent / "shared" / "specs"))
PLAIN = ROOT / "tests" / "golden" / "plain-turn.ndjson"
NEVER_FAIL = ("classes", "scenario")
tests = []


def test(f):
    tests.append(f)
    return f


def conform(*words, cwd=None):
    return subprocess.run([THOLE, "conform", *map(str, words)], cwd=cwd, capture_output=True, stdin=subprocess.DEVNULL, timeout=600)


def report(*words):
    run = conform("log", "--json", *words)
    assert run.returncode in (0, 1), (run.returncode, run.stderr)
    return run.returncode, json.loads(run.stdout)


def row(found, name):
    return next(r for r in found["rows"] if r["id"] == name)


def pack():
    return json.loads(conform("pack").stdout)


# ---- mutants ----

def choose(groups, count):
    """One of each group, then one more of each, until there are enough."""
    rng = random.Random(20)
    piles = [rng.sample(made, len(made)) for _, made in groups]
    chosen = []
    while any(piles) and len(chosen) < count:
        for pile in piles:
            if pile and len(chosen) < count:
                chosen.append(pile.pop())
    return chosen


def judge(mutant, place):
    path = pathlib.Path(place) / "log.ndjson"
    path.write_bytes(mutant.text.encode("utf-8", "surrogateescape"))
    code, found = report(path, *(["--canary", mutant.canary] if mutant.canary else []))
    first = found.get("first", {})
    got = (first.get("row"), first.get("check"), first.get("line"))
    if code != 1 or got != (mutant.row, mutant.check, mutant.line):
        return f"{mutant.name}: expected {mutant.row} check {mutant.check} line {mutant.line}, got {got}: {first.get('text')}"
    if mutant.canary and mutant.canary in json.dumps(found, ensure_ascii=False):
        return f"{mutant.name}: the report contains the canary"
    return None


def judge_alone(mutant):
    with tempfile.TemporaryDirectory() as place:
        return judge(mutant, place)


@test
def every_mutant_is_found_with_the_right_first_finding():
    wanted = sys.argv[2] if len(sys.argv) > 2 else "500"
    # To make all takes more time than to judge some: a few of each way are enough to choose from.
    groups = list(log_mutants.mutants(None if wanted == "all" else 2 + int(wanted) // len(log_mutants.OPERATORS)))
    empty = [name for name, made in groups if not made]
    assert not empty, f"no golden log can be damaged so: {empty}"
    chosen = choose(groups, sum(len(m) for _, m in groups) if wanted == "all" else int(wanted))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        wrong = [w for w in pool.map(judge_alone, chosen) if w]
    print(f"# {len(chosen)} of {sum(len(m) for _, m in groups)} mutants, {len(groups)} ways", flush=True)
    assert not wrong, "\n".join([f"{len(wrong)} of {len(chosen)}"] + wrong[:30])
    assert wanted != "500" or len(chosen) == 500, len(chosen)


@test
def every_check_of_the_pack_has_a_mutant():
    have = {(r, c) for r, c, _ in log_mutants.OPERATORS}
    want = {(r["id"], n) for r in pack()["rows"] for n, c in enumerate(r["checks"], 1) if c["kind"] not in NEVER_FAIL}
    assert want - have == set(), f"without a mutant: {sorted(want - have)}"
    assert have - want == set(), f"mutants of checks that do not exist: {sorted(have - want)}"


# ---- good logs ----

@test
def every_golden_log_passes():
    for path in sorted((ROOT / "tests" / "golden").glob("*.ndjson")):
        code, found = report(path)
        assert (code, found["result"], found["logs"][0]["unreadable"]) == (0, "pass", 0), (path.name, found.get("first"))
        assert found["logs"][0]["events"] == len(path.read_text().splitlines())
    code, found = report(ROOT / "tests" / "golden")
    assert code == 0 and found["core"] == "incomplete"
    played = {r["id"] for r in pack()["rows"] if any(c["kind"] == "scenario" for c in r["checks"])}
    left = {r["id"] for r in found["rows"] if r["profile"] == "core" and r["result"] == "not_shown"} - played
    assert left == {"LIM-01", "OUT-06"}, left


@test
def the_logs_and_fixtures_of_the_standard_pass():
    if not SPECS.is_dir():
        raise tap.Skip(f"{SPECS} is not here")
    for path in sorted((SPECS / "golden").glob("*.jsonl")):
        code, found = report("--profile", "core", path)
        assert code == 0, (path.name, found["first"])
    events = [json.loads(p.read_text()) for p in sorted((SPECS / "agent-runtime" / "fixtures" / "lime-profile").glob("*event.json"))]
    assert len(events) == 5
    for event in events:
        with tempfile.TemporaryDirectory() as place:
            path = pathlib.Path(place) / "log.jsonl"
            path.write_text(json.dumps({**event, "sequence": max(2, event["sequence"])}) + "\n")
            code, found = report("--profile", "core", path)
            assert code == 0, (event["type"], found["first"])


@test
def a_log_that_begins_later_or_is_delivered_twice_passes():
    lines = PLAIN.read_text().splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "log.jsonl"
        path.write_text("".join(lines[9:]))
        code, found = report(path)
        assert code == 0, found["first"]
        path.write_text("".join(lines + lines[5:]) + "\n\n")
        code, found = report(path)
        assert (code, found["logs"][0]["redelivered"]) == (0, len(lines) - 5), found
        # two sessions in one stream, event by event
        other = [line.replace('"sess_1"', '"sess_2"').replace('"evt_', '"evt_b') for line in lines]
        path.write_text("".join(a + b for a, b in zip(lines, other)))
        code, found = report("--profile", "core", path)
        assert (code, found["logs"][0]["sessions"]) == (0, 2), found["first"]


# ---- verdicts ----

@test
def compatible_is_not_said_while_a_core_row_fails_or_is_not_shown():
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "log.jsonl"
        path.write_text(PLAIN.read_text().replace('"schemaVersion":"lime-profile-0.4.0",', "", 1))
        for profile in ("core", "work", "thole"):
            for words in (["--json"], [], ["--as", "junit"], ["--as", "html"]):
                run = conform("log", "--profile", profile, *words, path)
                assert run.returncode == 1 and b"compatible" not in run.stdout, run.stdout[-300:]
        run = conform("log", PLAIN)
        assert run.returncode == 0 and b"compatible" not in run.stdout
        # With a pack whose core rows this log shows, it is.
        small = {**pack(), "rows": [r for r in pack()["rows"] if r["id"] in ("LOG-01", "ENV-01")]}
        (pathlib.Path(place) / "pack.json").write_text(json.dumps(small))
        run = conform("log", "--pack", pathlib.Path(place) / "pack.json", PLAIN)
        assert run.returncode == 0 and b"compatible with profile core: all 2 rows" in run.stdout, run.stdout
    found = report("--profile", "thole", PLAIN)[1]
    assert [p["profile"] for p in found["profiles"]] == ["core", "thole"]
    assert [r["profile"] for r in found["rows"]] == sorted(r["profile"] for r in found["rows"])


@test
def each_row_has_one_of_four_results_and_says_what_would_show_it():
    found = report(PLAIN)[1]
    assert {r["result"] for r in found["rows"]} == {"pass", "not_shown", "not_applicable"}
    assert all(bool(r.get("show")) == (r["result"] in ("not_shown", "not_applicable")) for r in found["rows"])
    assert row(found, "EVT-040")["result"] == "not_shown" and row(found, "JOB-01")["result"] == "not_applicable"
    assert "job.*" in row(found, "LIM-01")["missing"] and "turn.*" not in row(found, "LIM-01")["missing"]
    assert row(report("--canary", "zebra", PLAIN)[1], "OUT-06")["result"] == "pass"


# ---- formats ----

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = collections.Counter(), ""

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1

    def handle_data(self, data):
        self.text += data


@test
def reports_of_all_formats_agree_and_escape_foreign_text():
    evil = '<script>alert("x")</script>\x1b[31m'
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "log.jsonl"
        lines = PLAIN.read_text().splitlines(keepends=True)
        event = json.loads(lines[4])
        path.write_text("".join(lines[:4] + [json.dumps({**event, "type": evil, evil: 1}) + "\n"] + lines[5:]))
        code, found = report(path)
        failed = [r["id"] for r in found["rows"] if r["result"] == "fail"]
        assert code == 1 and "ENV-01" in failed and found["unknownKeys"] == {evil: 1}
        junit = xml.etree.ElementTree.fromstring(conform("log", "--as", "junit", path).stdout)
        cases = junit.findall("./testsuite/testcase")
        assert len(cases) == len(found["rows"])
        assert [c.get("name").split()[0] for c in cases if c.find("failure") is not None] == failed
        assert len(junit.findall(".//skipped")) == sum(r["result"].startswith("not") for r in found["rows"])
        page = Page()
        text = conform("log", "--as", "html", path).stdout.decode()
        page.feed(text)
        assert page.tags["script"] == 0 and "\x1b" not in text and "ENV-01" in page.text
        assert page.tags["tr"] == len(found["rows"]) + len(found["profiles"])
        table = conform("log", path).stdout.decode()
        assert "\x1b" not in table and f"fail            {failed[0]}" in table and "line 5" in table


# ---- bad input ----

def damaged(place, name, data):
    path = pathlib.Path(place) / name
    path.write_bytes(data)
    return path


@test
def hostile_logs_are_findings():
    plain = PLAIN.read_bytes().splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as place:
        long = plain[3].strip()[:-1] + b',"x":"' + b"y" * 10_000_000 + b'"}\n'
        code, found = report(damaged(place, "ten.jsonl", b"".join(plain[:3]) + long + b"".join(plain[4:])))
        assert (code, found["first"]["row"], found["first"]["line"]) == (1, "ENV-14", 4), found["first"]
        endless = b"{" + b"z" * (40 << 20)
        code, found = report(damaged(place, "forty.jsonl", b"".join(plain[:3]) + endless + b"\n" + b"".join(plain[4:])))
        assert (found["logs"][0]["unreadable"], found["logs"][0]["events"]) == (1, len(plain) - 1)
        assert {r["id"] for r in found["rows"] if r["result"] == "fail"} == {"LOG-01", "ENV-14", "THO-07"}, found["first"]
        for name, data in {
            "zeros.jsonl": b"\0" * 100_000, "random.jsonl": random.Random(1).randbytes(300_000), "deep.jsonl": b'{"a":' * 50_000,
            "list.jsonl": b"[" + b",".join(p.strip() for p in plain) + b"]", "crlf.jsonl": b"\r\n".join(p.strip() for p in plain),
            "bom.jsonl": b"\xef\xbb\xbf" + b"".join(plain), "noend.jsonl": b"".join(plain).rstrip(),
        }.items():
            code, found = report(damaged(place, name, data))
            assert code == (0 if name in ("crlf.jsonl", "noend.jsonl") else 1), (name, found.get("first"))


@test
def values_of_every_wrong_type_are_findings():
    values = (None, True, 0, -1, 1.5, 1e300, 10 ** 30, "", "x", "\u0000", [], [[]], {}, {"": {}}, {"taskId": 1}, ["a"] * 3)
    events = [json.loads(line) for line in PLAIN.read_text().splitlines()]
    keys = sorted({k for e in events for k in e})
    with tempfile.TemporaryDirectory() as place:
        for value in values:
            for start in range(0, len(keys), 4):
                lines = [json.dumps({k: (value if k in keys[start:start + 4] else v) for k, v in e.items()}) for e in events]
                code, _ = report(damaged(place, "log.jsonl", "\n".join(lines).encode()))
                assert code in (0, 1)
        code, found = report(damaged(place, "log.jsonl", "\n".join(json.dumps({k: v for k in keys}) for v in values).encode()))
        assert code == 1 and found["first"]["row"] == "ENV-01"


@test
def what_cannot_be_checked_ends_with_2():
    with tempfile.TemporaryDirectory() as place:
        os.mkfifo(place + "/pipe.jsonl")
        os.mkdir(place + "/empty")
        os.symlink(PLAIN, place + "/empty/link.jsonl")
        bad = {"no.json": b"{", "rows.json": b'{"format":1,"profiles":{"core":""},"rows":[]}', "format.json": b'{"format":2}'}
        full = pack()
        for name, change in {"kind": {"kind": "magic"}, "member": {"spelt": 1}, "select": {"on": "x"}, "schema": {"schema": {"type": 5}}}.items():
            rows = json.loads(json.dumps(full["rows"]))
            next(r for r in rows if r["id"] == "ENV-04")["checks"][0].update(change)
            bad[name + ".json"] = json.dumps({**full, "rows": rows}).encode()
        calls = [["log"], ["log", place + "/none"], ["log", place + "/pipe.jsonl"], ["log", place + "/empty"], ["log", "/dev/zero"],
                 ["log", "--profile", "none", PLAIN], ["log", "--as", "pdf", PLAIN], ["log", "--pack", place + "/none", PLAIN],
                 ["nothing"], ["atif"], []]
        calls += [["log", "--pack", damaged(place, name, data), PLAIN] for name, data in bad.items()]
        for words in calls:
            run = conform(*words)
            assert run.returncode == 2 and run.stderr and not run.stdout, (words, run.returncode, run.stdout[:200], run.stderr)
        run = conform("log", "--pack", place + "/kind.json", PLAIN)
        assert b"ENV-04" in run.stderr and b"magic" in run.stderr, run.stderr


@test
def a_canary_is_found_and_not_shown():
    lines = [json.loads(line) for line in PLAIN.read_text().splitlines()]
    secret = "s3cret-471100"
    changes = {"type": lambda e: e.update(type=secret + ".x"), "id": lambda e: e.update(eventId=secret), "session": lambda e: e.update(sessionId="x" * 75 + secret),
               "key": lambda e: e.update({secret: 1}), "payload key": lambda e: e["payload"].update({secret: 1}), "value": lambda e: e["payload"].update(a=["x" + secret])}
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "log.jsonl"

        def check(name, events, canary):
            path.write_text("".join((e if isinstance(e, str) else json.dumps(e)) + "\n" for e in events))
            for form in ("table", "junit", "html", "json"):
                done = conform("log", "--as", form, "--canary", canary, path)
                assert done.returncode == 1 and canary not in done.stdout.decode() and canary[:9] not in done.stdout.decode(), (name, form, done.stdout[-300:])
            assert row(report("--canary", canary, path)[1], "OUT-06")["result"] == "fail", name
        for name, change in changes.items():
            events = json.loads(json.dumps(lines))
            change(events[3])
            check(name, events, secret)
        for number in ("471100471100", "4711.25", "-4711e20"):
            events = json.loads(json.dumps(lines))
            events[3]["payload"]["a"] = [{"b": json.loads(number)}]
            check(number, events, number)
        check("a line that is no event", [*lines, "{ " + secret], secret)


@test
def keys_and_texts_of_a_log_do_not_break_a_report():
    lines = [json.loads(line) for line in PLAIN.read_text().splitlines()]
    long = "k" * 127 + "\u20ac" + "x" * 50
    for n, e in enumerate(lines):
        e[long] = 1
        if n == 3:
            e.update(type="a\ufffe\uffff\u0001b", eventId="\ufffe")
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "log.jsonl"
        path.write_text("".join(json.dumps(e) + "\n" for e in lines))
        assert report(path)[1]["unknownKeys"] == {"k" * 127: len(lines)}
        xml.dom.minidom.parseString(conform("log", "--as", "junit", path).stdout)


@test
def logs_without_events_end_with_2():
    with tempfile.TemporaryDirectory() as place:
        for name in ("a.jsonl", "b.jsonl"):
            pathlib.Path(place, name).write_text(" \n")
        for words in ([place], [place + "/a.jsonl"], [os.devnull]):
            done = conform("log", *words)
            assert done.returncode == 2 and not done.stdout and done.stderr.startswith(b"thole: Nothing was checked"), (words, done)
        assert conform("log", place + "/a.jsonl", PLAIN).returncode == 0


if __name__ == "__main__":
    sys.exit(tap.play(tests, sys.argv[3:]))
