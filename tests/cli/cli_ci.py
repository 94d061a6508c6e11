"""What a program reads from a run: a stream of JSON that ends with the result, and the example for CI."""
import json
import os
import pathlib
import shutil
import subprocess

from cli_fixture import DEADLINE_S, THOLE, Skip, test

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent


@test
def a_stream_of_json_ends_with_the_result(b):
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "edit"}, "replies": [{"text": "First.", "toolCalls": [{"name": "write_file", "args": {"path": "n", "content": "1\n"}}]},
                                               {"text": "Second\nline."}]},
        {"when": {"text": "ask"}, "replies": [{"toolCalls": [{"name": "shell", "args": {"command": "curl http://example.org"}}]}, {"text": "done"}]},
        {"when": {"text": "break"}, "reply": {"error": {"category": "invalid_request", "message": "no such thing"}}}]})
    b.start("serve").stderr.readline()
    lines = b.run("run", "--mode", "bypass", "-o", "stream-json", "edit", code=0).lines()
    result = lines[-1]
    assert result["type"] == "result" and result["status"] == "completed" and result["exitCode"] == 0, result
    assert result["answer"] == "Second\nline." and result["changes"] == [{"path": "n", "change": "created", "kind": "file"}], result
    assert result["usage"]["outputTokens"] > 0 and "error" not in result and result["turnId"].startswith("turn_"), result
    events = lines[:-1]
    assert [e["sequence"] for e in events] == sorted({e["sequence"] for e in events}) and events[-1]["type"] == "turn.completed"
    assert all(e.get("turnId", result["turnId"]) == result["turnId"] for e in events)
    waiting = b.run("run", "--mode", "default", "--output", "stream-json", "ask", code=4).lines()[-1]
    assert waiting["status"] == "needs_approval" and waiting["approvals"][0]["actionId"].startswith("act_"), waiting
    broken = b.run("run", "--output", "stream-json", "break", code=7).lines()[-1]
    assert broken["status"] == "failed" and broken["error"]["category"] == "invalid_request" and broken["exitCode"] == 7, broken
    refused = b.run("run", "--output", "stream-json", "-s", "sess_none", "x", code=1).lines()
    assert [r["status"] for r in refused] == ["refused"] and "turnId" not in refused[0], refused
    assert "stream-json goes with" in b.run("ps", "-o", "stream-json", code=2).err
    assert "--detach" in b.run("run", "--detach", "-o", "stream-json", "x", code=2).err


@test
def the_example_for_ci_writes_a_comment(b):
    if not shutil.which("jq"):
        raise Skip("no jq on this machine")
    for args in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "base"], ["tag", "base"]):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *args], cwd=b.work, check=True)
    (b.work / "new.py").write_text("print('new')\n")
    subprocess.run(["git", "add", "-A"], cwd=b.work, check=True)
    subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "change"], cwd=b.work, check=True)
    b.env["PATH"] = os.path.dirname(THOLE) + os.pathsep + b.env["PATH"]

    def review(script, **env):
        b.env["THOLE_SCRIPT"] = b.script(script)
        return subprocess.run([REPOSITORY / "examples" / "ci" / "review.sh", "base", "comment.md"], cwd=b.work, env={**b.env, **env},
                              capture_output=True, text=True, timeout=DEADLINE_S)

    done = review({"default": {"text": "wrong"}, "rules": [{"when": {"text": "new.py"}, "reply": {"text": "new.py:1 has no test."}}]})
    comment = (b.work / "comment.md").read_text()
    assert done.returncode == 0 and comment.startswith("new.py:1 has no test.\n\n_completed"), (done, comment)
    assert json.loads((b.work / "events.jsonl").read_text().splitlines()[-1])["type"] == "result"
    done = review({"default": {"error": {"category": "invalid_request", "message": "no such thing"}}})
    comment = (b.work / "comment.md").read_text()
    assert done.returncode == 7 and "did not finish (exit code 7)" in comment and "_failed" in comment, (done, comment)
