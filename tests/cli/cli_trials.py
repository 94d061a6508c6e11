"""Trials of benchmarks: `run --trial`, `trial ls|show|reward|export|compare`, and the documents that they leave."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

from cli_fixture import Skip, test

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPECS = pathlib.Path(os.environ.get("THOLE_SPECS", ROOT / ".." / "shared" / "specs"))
PAGE = SPECS / "agent-runtime" / "en" / "contracts" / "benchmark-instrumentation.md"
SCRIPT = {"rules": [{"when": {"text": "answer", "request": 1}, "reply": {"text": "I write it.", "toolCalls": [
    {"name": "write_file", "args": {"path": "answer.txt", "content": "42\n"}}]}}], "default": {"text": "done"}}


def trial_file(b, trial, configuration="base", **more):
    path = b.dir / f"{trial}.json"
    benchmark = {"datasetId": "demo", "datasetVersion": "1", "taskId": "answer", "trialId": trial, "configurationId": configuration,
                 "harborJobRef": "jobs/j", "harborTrialRef": f"jobs/j/{trial}", **more.pop("benchmark", {})}
    path.write_text(json.dumps({"benchmark": benchmark, "timeoutSec": 120, **more}))
    return str(path)


def run_trial(b, trial, configuration="base", **more):
    return b.run("run", "--trial", trial_file(b, trial, configuration, **more), "--mode", "bypass", "write the answer", code=0,
                 THOLE_SCRIPT=b.script(SCRIPT))


def verifier(b, reward, **files):
    place = b.dir / "verifier"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name, text in {"reward.json": reward, **files}.items():
        (place / name).write_text(text)
    return place


def score(b, trial, reward, **files):
    b.run("trial", "reward", trial, str(verifier(b, reward, **files)), "--verifier", "sha256:tests", code=0)


def scored(b, trial, reward, configuration="base", **more):
    run_trial(b, trial, configuration, **more)
    score(b, trial, reward, **{"test-stdout.txt": "one of two"})


def page_program(number):
    """A program of the standard's page, as it is written there."""
    if not PAGE.exists():
        raise Skip("the pages of the standard are not here")
    if not shutil.which("jq"):
        raise Skip("there is no jq")
    return re.findall(r"^jq -e '\n(.*?)^' ", PAGE.read_text(), re.M | re.S)[number]


def passes(program, path):
    return subprocess.run(["jq", "-e", program, str(path)], capture_output=True).returncode == 0


def official(document, *names):
    """Checks with the sibling standard's own schema."""
    schema = SPECS.joinpath(*names)
    try:
        import jsonschema
    except ImportError:
        raise Skip("there is no jsonschema") from None
    if not schema.exists():
        raise Skip("the schemas of the siblings are not here")
    jsonschema.Draft202012Validator(json.loads(schema.read_text())).validate(document)


@test
def a_trial_is_run_scored_and_exported(b):
    run_trial(b, "t-1")
    row = b.run("trial", "ls", "--json", code=0).json()["trials"][0]
    assert row["trialId"] == "t-1" and row["status"] == "completed" and row["artifactCount"] == 1, row
    assert "t-1" in b.run("trial", "show", "t", code=0).out
    reward = '{"reward": 0.5, "other": 1}\n'
    score(b, "t-1", reward, **{"reward-details.json": '{"criteria": []}', "test-stdout.txt": "one of two"})
    out = b.dir / "out"
    b.run("trial", "export", "t-1", "-o", str(out), "--report", "qc/report.json", code=0)
    assert (out / "verifier" / "reward.json").read_text() == reward
    pack = json.loads((out / "trial.json").read_text())
    assert pack["outcome"]["rewardSha256"] == hashlib.sha256(reward.encode()).hexdigest()
    assert pack["metrics"]["reward"] == pack["reward"]["value"] == 0.5 and pack["knownGaps"] == [], pack
    assert pack["metrics"]["timeoutSec"] == 120 and pack["metrics"]["costUsd"] > 0 and pack["metrics"]["tokens"] > 0, pack
    for name, ref in pack["refs"].items():
        assert name == "agentQcReportRef" or (out / ref).is_file(), (name, ref)
    b.run("verify", str(out / "evidence"), code=0)
    b.run("conform", "atif", str(out / "agent" / "trajectory.json"), code=0)
    manifest = json.loads((out / "artifacts" / "manifest.json").read_text())
    assert {"thole", "verifier", "agent"} == {f["producer"] for f in manifest["files"]}, manifest
    for f in manifest["files"]:
        data = (out / f["path"]).read_bytes()
        assert f["sizeBytes"] == len(data) and f["sha256"] == hashlib.sha256(data).hexdigest() and f["redaction"], f
    # It can be exported again, and what is there is not replaced.
    b.run("trial", "export", "t-1", "-o", str(out), code=2)
    b.run("trial", "export", "t-1", "-o", str(b.dir / "again"), code=0)
    assert (b.dir / "again" / "verifier" / "reward.json").read_text() == reward


@test
def a_trial_pack_has_the_shape_of_the_standard_and_can_be_joined(b):
    program = page_program(0)
    scored(b, "t-1", "1")
    b.run("trial", "export", "t-1", "-o", str(b.dir / "out"), "--report", "qc/report.json", "--p0", "0", code=0)
    assert passes(program, b.dir / "out" / "trial.json")
    pack = json.loads((b.dir / "out" / "trial.json").read_text())
    fixture = json.loads((SPECS / "agent-runtime" / "fixtures" / "lime-profile" / "benchmark-trial-pack.json").read_text())
    # A trial of its own has neither a Harbor result nor a separate verifier; a promotion is the owner's word.
    absent = {"benchmark": {"role", "singleChangedVariable", "datasetRef", "taskTomlRef"}, "runtimeCorrelation": {"traceId"},
              "refs": {"harborTrialResultRef", "harborVerifierStdoutRef"}, "decisionInputs": {"promotionEligible", "separateVerifierTrajectoryTransferred"},
              "reward": {"criteria"}}
    for section, members in fixture.items():
        assert section in pack, section
        if isinstance(members, dict):
            missing = set(members) - set(pack[section]) - absent.get(section, set())
            assert not missing, (section, missing)
            for name in set(members) & set(pack[section]):
                assert isinstance(pack[section][name], (int, float) if isinstance(members[name], (int, float)) else type(members[name])), name
    pack["runtimeCorrelation"].pop("runId")
    (b.dir / "broken.json").write_text(json.dumps(pack))
    assert not passes(program, b.dir / "broken.json")


@test
def a_comparison_has_numbers_and_the_decision_of_others(b):
    for n, (configuration, reward) in enumerate([("base", "0"), ("base", "0.5"), ("new", "1"), ("new", "0.5")]):
        scored(b, f"t-{n}", reward, configuration, profiles={"toolProfile": configuration})
        b.run("trial", "export", f"t-{n}", "-o", str(b.dir / f"out-{n}"), "--p0", "0", code=0)
    verdict = b.dir / "verdict.json"
    for is_passed, status in ((True, "failed"), (False, "passed"), (True, "needs-review"), (True, "fine"), ("yes", "passed")):
        verdict.write_text(json.dumps({"pass": is_passed, "status": status, "feedback": "?", "evidence_refs": []}))
        assert "contradicts" in b.run("trial", "compare", "base", "new", "--verdict", str(verdict), code=2).err
    verdict.write_text(json.dumps({"pass": True, "status": "passed", "feedback": "Good.", "evidence_refs": [], "remaining_risk": "Few trials."}))
    reply = b.run("trial", "compare", "base", "new", "-o", str(b.dir / "comparison.json"), "--qc", str(b.dir / "qc.json"), "--verdict", str(verdict),
                  "--json", code=0).json()
    x = reply["comparison"]
    assert x["meanRewardDelta"] == 0.5 and abs(x["meanRewardDeltaStdErr"] - 0.125 ** 0.5) < 1e-9, x
    assert x["evidenceCompletenessRate"] == x["baselineEvidenceCompletenessRate"] == 1 and x["p0QcGateRegressionCount"] == 0, x
    assert x["changedVariables"] == ["toolProfile"] and x["decision"] == "passed" and x["decisionSource"] == f"agentqc:{verdict}", x
    assert {"costDeltaUsd", "tokensDelta", "durationDeltaMs", "timeoutRateDelta"} <= set(x), x
    shown = b.run("trial", "compare", "base", "new", code=0).out
    assert "the quality owner decides" in shown, shown
    official(json.loads((b.dir / "qc.json").read_text()), "siblings", "agentqc", "qc-benchmark.schema.json")
    program = page_program(1)
    assert passes(program, b.dir / "comparison.json")
    worse = json.loads((b.dir / "comparison.json").read_text())
    worse["comparison"]["p0QcGateRegressionCount"] = 1
    (b.dir / "worse.json").write_text(json.dumps(worse))
    assert not passes(program, b.dir / "worse.json")


@test
def trials_of_another_runtime_are_compared_from_their_list(b):
    for n, (configuration, reward) in enumerate([("base", "0"), ("new", "1")]):
        scored(b, f"t-{n}", reward, configuration)
    rows = b.run("trial", "ls", "--json", code=0).out
    (b.dir / "rows.json").write_text(rows)
    other = {"THOLE_DATA": str(b.dir / "other")}
    reply = b.run("trial", "compare", "base", "new", "--here", "--from", str(b.dir / "rows.json"), "--json", code=0, **other).json()
    assert reply["comparison"]["meanRewardDelta"] == 1, reply
    (b.dir / "rows.json").write_text("[]")
    b.run("trial", "compare", "base", "new", "--here", "--from", str(b.dir / "rows.json"), code=2, **other)


@test
def bad_input_of_trials_is_refused_and_changes_nothing(b):
    scored(b, "t-1", "1")
    before = b.run("trial", "ls", "--json", code=0).out
    assert "trial_scored" in b.run("trial", "reward", "t-1", str(verifier(b, "0")), code=1).err
    run_trial(b, "t-2")
    for text in ("high", "", "[1]", "1,5", '{"a": 1, "b": 2}', '{"reward": "1"}', "Infinity", "0x1"):
        assert "invalid_value" in b.run("trial", "reward", "t-2", str(verifier(b, text)), code=2).err, text
    empty = b.dir / "empty"
    empty.mkdir()
    b.run("trial", "reward", "t-2", str(empty), code=2)
    b.run("trial", "reward", "t-9", str(verifier(b, "1")), code=1)
    b.run("trial", "export", "t-9", "-o", str(b.dir / "none"), code=1)
    assert not (b.dir / "none").exists()
    assert "trial_not_found" in b.run("trial", "compare", "base", "new", code=1).err
    after = json.loads(b.run("trial", "ls", "--json", code=0).out)["trials"]
    assert [t for t in after if t["trialId"] == "t-1"] == json.loads(before)["trials"]
    assert all("reward" not in t for t in after if t["trialId"] == "t-2")


@test
def a_trial_file_that_is_none_starts_nothing(b):
    toml = b.work / "task.toml"
    toml.write_text("version = \n")
    refs = {"refs": {"taskTomlRef": "task.toml"}}
    assert "not TOML" in b.run("run", "--trial", trial_file(b, "t-1", **refs), "hello", code=2).err
    toml.write_text('version = "1.0"\n')
    b.run("run", "--trial", trial_file(b, "t-1", **refs), "hello", code=0)
    assert b.run("trial", "ls", "--json", code=0).json()["trials"][0]["refs"]["taskTomlRef"] == "task.toml"
    for text in ("{", "[]", "{}", '{"benchmark": {}, "input": "x"}'):
        (b.dir / "bad.json").write_text(text)
        b.run("run", "--trial", str(b.dir / "bad.json"), "hello", code=2)
    (b.dir / "bad.json").write_text('{"benchmark": {"datasetId": "d"}}')
    assert "missing_field" in b.run("run", "--trial", str(b.dir / "bad.json"), "hello", code=2).err
    assert "id_conflict" in b.run("run", "--trial", trial_file(b, "t-1", **refs), "hello", code=1).err
    assert len(b.run("trial", "ls", "--json", code=0).json()["trials"]) == 1


@test
def a_separate_verifier_without_the_trajectory_is_noted(b):
    run_trial(b, "t-1")
    b.run("trial", "reward", "t-1", str(verifier(b, "1")), "--separate", "--note", "It looks right.", code=0)
    b.run("trial", "export", "t-1", "-o", str(b.dir / "out"), code=0)
    pack = json.loads((b.dir / "out" / "trial.json").read_text())
    assert pack["decisionInputs"]["separateVerifierTrajectoryTransferred"] is False, pack
    assert (b.dir / "out" / "verifier" / "note.txt").read_text() == "It looks right."
    log = b.run("log", "@last", "--json", code=0).lines()
    assert any(e["type"] == "runtime.warning" and e["payload"]["category"] == "verifier_trajectory_missing" for e in log)
