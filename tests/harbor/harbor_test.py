#!/usr/bin/env python3
"""The agent for Harbor, against a model of its interface (harbor_model.py) with a real root directory as the container.

usage: harbor_test.py BUILD_DIR [WORD...]          prints TAP; WORD: only tests whose name contains it

Harbor itself is not available here; docs/how-to/harbor.md says so.
"""
import asyncio
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
sys.path[:0] = [str(ROOT / "tests" / "lib"), str(HERE), str(ROOT / "integrations" / "harbor")]
import tap  # noqa: E402
from wait import DEADLINE_S  # noqa: E402

import harbor_model  # noqa: E402

harbor_model.install()
import thole_harbor  # noqa: E402

KEY = "sk-ant-api03-" + "a1B2" * 20
SCRIPT = {"version": 1, "model": "demo", "default": {"text": "I did: {{input}}"}, "rules": [
    {"when": {"text": "hang"}, "reply": {"text": "I begin. ", "hang": True}},
    {"when": {"text": "build"}, "replies": [
        {"text": "I build.", "usage": {"input": 1000, "cached": 400, "output": 30},
         "toolCalls": [{"name": "shell", "args": {"command": "echo built >/app/out.txt; echo $ANTHROPIC_API_KEY; cat /app/out.txt"}}]},
        {"text": "Done."}]}]}
tests, shared = [], {}


def test(f):
    tests.append(f)
    return f


def tarball():
    if "tarball" not in shared:
        subprocess.run([ROOT / "scripts" / "portable", BUILD, shared["work"]], check=True, capture_output=True, timeout=10 * DEADLINE_S)
        shared["tarball"] = next(pathlib.Path(shared["work"]).glob("thole-*.tar.gz"))
    return shared["tarball"]


class Case:
    """A container with busybox, a trial's folder and an agent."""

    def __init__(self, has_tar=True, **options):
        busybox = shutil.which("busybox")
        if not busybox:
            raise tap.Skip("busybox-static is not installed")
        work = pathlib.Path(tempfile.mkdtemp(dir=shared["work"]))
        self.root, self.trial_dir = work / "root", work / "trial"
        (self.root / "bin").mkdir(parents=True)
        shutil.copy(busybox, self.root / "bin" / "busybox")
        names = ["sh", "cat", "echo", "mkdir", "rm", "cp", "chmod", "uname", "tail", "kill", "ls", "env", *(["tar", "gzip"] if has_tar else [])]
        for name in names:
            (self.root / "bin" / name).symlink_to("busybox")
        self.environment = harbor_model.Environment(self.root, self.trial_dir, {"THOLE_SCRIPT": "/script.json"})
        (self.root / "script.json").write_text(json.dumps(SCRIPT))
        probe = subprocess.run([sys.executable, harbor_model.IN_ROOT, self.root, "/", "/bin/sh", "-c", ":"], capture_output=True, text=True)
        if probe.returncode == 125:
            raise tap.Skip(probe.stderr.strip())
        self.agent = thole_harbor.Thole(logs_dir=self.trial_dir / "agent", **{
            "model_name": "scripted/demo", "tarball": str(tarball()), "extra_env": {"ANTHROPIC_API_KEY": KEY}, "env": ["ANTHROPIC_API_KEY"], **options})

    def run(self, instruction, **options):
        return asyncio.run(harbor_model.trial(self.agent, self.environment, instruction, **options))

    def trajectory(self):
        path = self.trial_dir / "agent" / "trajectory.json"
        done = subprocess.run([BUILD / "thole", "conform", "atif", path], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert KEY not in path.read_text(), "a key is in the trajectory"
        return json.loads(path.read_text())


@test
def a_trial_runs_and_its_tokens_and_cost_reach_harbor():
    case = Case()
    context, raised = case.run("build it; $(touch /app/injected) 'quoted' \"twice\"")
    assert raised is None, raised
    assert (case.root / "app/out.txt").read_text() == "built\n" and not (case.root / "app/injected").exists()
    t = case.trajectory()
    assert [s["message"] for s in t["steps"] if s["source"] == "user"] == ["build it; $(touch /app/injected) 'quoted' \"twice\""]
    total = t["final_metrics"]
    assert (context.n_input_tokens, context.n_cache_tokens, context.n_output_tokens, context.cost_usd) == (
        total["total_prompt_tokens"], total["total_cached_tokens"], total["total_completion_tokens"], total["total_cost_usd"]) and context.n_cache_tokens == 400
    assert t["extra"]["permission"]["mode"] == "bypass" and t["extra"]["permission"]["sandboxMode"] == "danger_full_access", t["extra"]["permission"]
    shell = next(r for s in t["steps"] for r in s.get("observation", {}).get("results", []))
    assert shell["content"] == "\nbuilt\n", "commands do not get the key"
    assert case.agent.version() and case.agent.name() == "thole"
    assert not any(KEY in c for c in case.environment.commands), "a key is in a command line"
    kept = [p for p in case.trial_dir.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]
    assert not kept, f"a key is in {kept}"


@test
def the_log_of_a_run_is_a_trial_with_the_names_of_harbor():
    case = Case(configuration="candidate-1")
    (case.trial_dir / "config.json").write_text(json.dumps({"trial_name": "fix it__1", "task": {"path": "tasks/fix-it", "source": "demo-set", "ref": "v3"}}))
    _, raised = case.run("build")
    assert raised is None, raised
    data = case.trial_dir / "agent" / "thole"
    listed = subprocess.run([BUILD / "thole", "--data", data, "--here", "trial", "ls", "--json"], capture_output=True, text=True)
    row, = json.loads(listed.stdout)["trials"]
    b = row["benchmark"]
    assert (b["datasetId"], b["datasetVersion"], b["taskId"], b["trialId"], b["configurationId"]) == ("demo-set", "v3", "fix-it", "fix-it__1", "candidate-1"), b
    assert b["harborTrialRef"].endswith("/trial") and row["status"] == "completed", row
    assert row["sandboxMode"] == "danger_full_access" and row["permissionMode"] == "bypass", row
    assert row["refs"]["trajectoryRef"] == "/logs/agent/trajectory.json" and row["refs"]["taskTomlRef"] == "tasks/fix-it/task.toml", row


@test
def a_container_without_tar_gets_the_files_one_by_one():
    case = Case(has_tar=False)
    _, raised = case.run("build")
    assert raised is None and (case.root / "app/out.txt").exists(), raised


@test
def a_trial_that_times_out_has_a_trajectory():
    case = Case()
    context, raised = case.run("hang", stop_when=lambda: "I begin." in (case.trial_dir / "agent" / "thole.txt").read_text())
    assert isinstance(raised, asyncio.CancelledError), raised
    t = case.trajectory()
    assert t["extra"]["outcome"]["status"] == "unknown" and t["steps"][-1]["message"] == "I begin. ", t["steps"][-1]
    assert context.n_input_tokens is not None


class BrokenEnvironment:
    """A container that hangs in the run, and fails in every command after it if it has gone."""

    def __init__(self, is_gone):
        self.is_gone, self.commands, self.is_running = is_gone, [], asyncio.Event()

    async def upload_file(self, source, target):
        self.commands.append(f"upload {target}")
        self.text = pathlib.Path(source).read_bytes()

    async def exec(self, command, env=None, timeout_sec=None, user=None):
        self.commands.append(command)
        if " run " in command:
            self.is_running.set()
            await asyncio.Event().wait()
        if self.is_running.is_set() and self.is_gone:
            raise RuntimeError("the container has gone")
        return harbor_model.ExecResult(0, "", "")


@test
def an_error_of_the_clean_up_does_not_replace_the_cancellation():
    async def cancelled(environment):
        agent = thole_harbor.Thole(tempfile.mkdtemp(dir=shared["work"]), "scripted/demo")
        task = asyncio.create_task(agent.run("hello \ud800", environment, None))
        await environment.is_running.wait()
        task.cancel()
        try:
            await task
        except BaseException as e:
            return e

    for is_gone in (False, True):
        environment = BrokenEnvironment(is_gone)
        raised = asyncio.run(cancelled(environment))
        assert type(raised) is asyncio.CancelledError, repr(raised)
        assert environment.text == b"hello ?"
        pid = [c for c in environment.commands if thole_harbor.PID in c]
        assert pid[0] == f"rm -f {thole_harbor.PID}" == environment.commands[0] and pid[-1].startswith("rm -f "), pid
        assert any("export atif" in c for c in environment.commands), "also if the kill has failed"


@test
def a_trajectory_that_was_cut_is_made_again():
    case = Case()
    case.run("build")
    path = case.trial_dir / "agent" / "trajectory.json"
    for text in ("", '{"steps":[', "[]", "\0"):
        path.write_text(text)
        context = harbor_model.AgentContext()
        case.agent.populate_context_post_run(context)
        assert case.trajectory() and context.n_cache_tokens == 400, text
    shutil.rmtree(case.trial_dir / "agent" / "thole")
    path.write_text("{")
    context = harbor_model.AgentContext()
    case.agent.populate_context_post_run(context)
    assert context.is_empty(), "and without a log there are no numbers"


@test
def a_turn_that_reaches_its_timeout_is_left_to_the_verifier():
    case = Case(timeout_sec="0.5")
    _, raised = case.run("hang")
    assert raised is None, raised
    assert case.trajectory()["extra"]["outcome"]["status"] in ("cancelled", "timed_out")
    assert not [p for p in case.trial_dir.rglob("*.pid")], "the id of the process is no result"


@test
def options_are_checked_and_the_model_of_google_finds_its_key():
    def agent(**options):
        return thole_harbor.Thole(tempfile.mkdtemp(dir=shared["work"]), **options)

    for value, words in ((0.5, "--timeout 500ms"), ("90", "--timeout 90000ms"), (None, "")):
        assert words in agent(timeout_sec=value).command() and (value or "--timeout" not in agent(timeout_sec=value).command())
    for value in ("soon", -1, 0, "nan", "inf", [1]):
        try:
            agent(timeout_sec=value)
            raise AssertionError(f"accepted: {value}")
        except ValueError as e:
            assert "timeout_sec" in str(e)
    google = agent(model_name="google/gemini-x", extra_env={"GEMINI_API_KEY": KEY})
    assert google.variables_of_model()["GEMINI_API_KEY"] == KEY and "-m gemini/gemini-x" in google.command()
    assert "-m google/x" in agent(model_name="google/x", settings={"providers": {"google": {}}}).command()


@test
def a_killed_container_leaves_a_log_from_which_the_host_makes_the_trajectory():
    case = Case()
    case.run("build")
    (case.trial_dir / "agent" / "trajectory.json").unlink()
    shutil.rmtree(case.root)
    context = harbor_model.AgentContext()
    case.agent.populate_context_post_run(context)
    assert case.trajectory()["extra"]["outcome"]["status"] == "completed" and context.n_cache_tokens == 400


@test
def a_second_step_resumes_the_session():
    case = Case()
    case.run("first step")
    _, raised = case.run("second step", resume=True)
    assert raised is None, raised
    assert [s["message"] for s in case.trajectory()["steps"] if s["source"] == "user"] == ["first step", "second step"]


@test
def exit_codes_become_the_errors_of_harbor():
    for model, wanted in (("anthropic/none", "AgentAuthenticationError"), ("scripted/demo", "ApiError")):
        case = Case(model_name=model, extra_env={}, env=[])
        if wanted == "ApiError":
            (case.root / "script.json").write_text(json.dumps({"version": 1, "default": {"error": {"status": 400, "message": "no"}}}))
        _, raised = case.run("hello")
        assert type(raised).__name__ == wanted, (model, repr(raised))
    assert thole_harbor.error_of(6).__name__ == "ApiUsageLimitError" and thole_harbor.error_of(1).__name__ == "NonZeroAgentExitCodeError"


@test
def what_cannot_be_used_is_refused_before_the_trial():
    case = Case(tarball="/nonexistent")
    _, raised = None, None
    for change, words in ((lambda a: None, "no portable tarball"), (lambda a: setattr(a, "tarball", None), "THOLE_PORTABLE"),
                          (lambda a: (setattr(a, "tarball", str(tarball())), setattr(a, "mcp_servers", [harbor_model.MCPServerConfig("x", "sse", "http://x")])), "transport sse")):
        change(case.agent)
        try:
            asyncio.run(case.agent.setup(case.environment))
            raise AssertionError("nothing was refused: " + words)
        except ValueError as e:
            assert words in str(e), e


@test
def the_config_holds_servers_and_settings_and_no_key():
    case = Case(mcp_servers=[harbor_model.MCPServerConfig("files", "stdio", command="/bin/files", args=["."]),
                             harbor_model.MCPServerConfig("far", "streamable-http", "http://tools:8000/mcp")], settings={"budget.turn_usd": 1})
    config = case.agent.config()
    assert config["mcp.servers"]["far"] == {"type": "http", "url": "http://tools:8000/mcp"}
    assert config["mcp.servers"]["files"]["command"] == "/bin/files" and config["budget.turn_usd"] == 1
    assert KEY not in json.dumps(config)


def main():
    words = sys.argv[2:]
    chosen = [t for t in tests if not words or any(w in t.__name__ for w in words)]
    with tempfile.TemporaryDirectory(prefix="thole-harbor-") as work:
        shared["work"] = work
        return tap.play(chosen)


if platform.system() != "Linux" or not os.path.exists(BUILD / "thole"):
    sys.exit("Bail out! there is no thole in " + str(BUILD))
sys.exit(main())
