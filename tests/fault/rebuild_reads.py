#!/usr/bin/env python3
"""Every read while derived rows are rebuilt: tests/fault/rebuild_reads.py BUILD_DIR.  Prints TAP.

A log with sessions, tasks, jobs, actions, schedules, artifacts, subagents, channels and outputs is closed in order.  Every read
command of the catalogue is answered once after an ordinary start (the reference), and again and again after a start of the same
log whose derived rows were deleted.  Each reply is 503 `rebuilding` or equals the reference, apart from time and from ids that
the start itself made.
"""
import glob
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import Daemon, Http, Wrong, until, until_idle  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = json.dumps({
    "version": 1,
    "tools": [{"name": "careful", "policy": "ask", "result": {"text": "done"}},
              {"name": "report", "policy": "allowed", "result": {"text": "made", "artifact": True,
                                                               "writeFile": {"path": "r.json", "text": "{}"}}},
              {"name": "large", "policy": "allowed", "result": {"text": {"repeat": "line of output\n", "bytes": 1000000}}}],
    "rules": [{"when": {"text": "approve", "request": 1}, "reply": {"toolCalls": [{"name": "careful", "args": {}}]}},
              {"when": {"text": "report", "request": 1}, "reply": {"toolCalls": [{"name": "report", "args": {}}]}},
              {"when": {"text": "large", "request": 1}, "reply": {"toolCalls": [{"name": "large", "args": {}}]}}],
    "default": {"text": "done"}})
TABLES = ("session", "thread", "task", "action", "timer", "id", "item", "output", "usage")
SESSIONS = 200
# Not compared: a stream, its end, a link with a new secret.
LEFT_OUT = {"list_issuers", "ask_tool_server", "list_tools", "lend_keys", "login_tool_server", "logout_tool_server", "expand_command", "complete_argument", "offer_file_text", "upload_output", "subscribe_events", "unsubscribe_events", "open_console", "verify_checkpoint"}
TIME = re.compile(r"^(since|until)$|(At|Ms|^at|^timestamp|^now|^time|uptime.*|.*Seconds)$")
HASHES = ("headHash", "hash", "prevHash", "previousHash")  # over times too
ID = re.compile(r"\b[a-z]{2,6}_[0-9A-Za-z]{16,}\b")
number = failed = 0


def check(what, is_so, more=""):
    global number, failed
    number += 1
    failed += not is_so
    print(("ok" if is_so else "not ok"), number, "-", what, flush=True)
    if not is_so:
        print("# " + str(more)[-1500:].replace("\n", "\n# "), flush=True)


def call(http, command, **params):
    code, reply = http.call(command, params)
    if code:
        raise Wrong(f"{command}: {reply}")
    return reply


def fill(http, where):
    """Returns the ids that reads need."""
    s = "sess_rich"
    call(http, "submit_turn", sessionId=s, input="report", cwd=where)
    until("an artifact", lambda: call(http, "get_artifact_checkpoint_summary", sessionId=s)["artifacts"])
    call(http, "submit_turn", sessionId=s, input="large")
    until("output", lambda: "output.spilled" in json.dumps(call(http, "list_events", sessionId=s, limit=500)))
    task = call(http, "create_task", sessionId=s, objective="a")
    child = call(http, "create_task", sessionId=s, objective="b", parentTaskId=task["taskId"])
    call(http, "link_tasks", sessionId=s, fromTaskId=child["taskId"], toTaskId=task["taskId"], relationship="blocks")
    job = call(http, "create_job", sessionId=s, instruction="Count it.", items=["a", "b"])
    call(http, "create_schedule", sessionId=s, cron="0 3 1 1 *", timezone="UTC", task={"objective": "once a year"})
    thread = call(http, "get_session", sessionId=s)["threads"][0]["threadId"]
    child = call(http, "spawn_subagent", sessionId=s, parentThreadId=thread, role="reader", input="look")
    call(http, "reconnect_channel", channelId="chan_phone", sessionId=s, capabilities=["permissions"])
    call(http, "submit_turn", sessionId="sess_asks", input="approve")
    until("an action", lambda: call(http, "list_actions", status="pending")["actions"])
    for n in range(SESSIONS):
        call(http, "submit_turn", sessionId=f"sess_{n:04}", input="hello")
    until("the end of all turns", lambda: not any(call(http, "list_sessions", status=status, limit=5)["sessions"]
                                                  for status in ("queued", "running")))
    until("the end of the job", lambda: call(http, "get_job", sessionId=s, jobId=job["jobId"])["job"]["status"] == "completed")
    until_idle(http, s)
    events = call(http, "list_events", sessionId=s, limit=500)["events"]
    output = next(e["outputRef"] for e in events if e["type"] == "output.spilled")
    return {"sessionId": s, "taskId": task["taskId"], "jobId": job["jobId"], "outputRef": output, "subagentIds": [child["subagentId"]]}


def reads(ids):
    """(command, arguments) of every read of the catalogue, with the rich session and, where it can be left out, without."""
    out = [("/v1/events?session=sess_rich&after=0&follow=0", {}), ("/v1/events?session=sess_0007&after=0&follow=0", {})]
    for path in sorted(glob.glob(os.path.join(ROOT, "catalog/commands/*.json"))):
        with open(path) as f:
            rows = json.load(f)
        for name, row in rows.items():
            if row["kind"] != "read" or row["state"] != "built" or name in LEFT_OUT:
                continue
            names = [a["name"] for a in row["args"]]
            must = {a["name"]: ids[a["name"]] for a in row["args"] if a.get("required")}
            out.append((name, must))
            if "sessionId" in names and "sessionId" not in must:
                out.append((name, {**must, "sessionId": ids["sessionId"]}))
            elif "sessionId" in must and len(must) == 1:
                out.append((name, {"sessionId": "sess_asks"}))
                out.append((name, {"sessionId": "sess_0007"}))
    return out


class Known(set):
    """Ids that were there before the start, and the time of the last change."""
    through = ""


def is_of_start(value, known):
    return isinstance(value, dict) and value.get("updatedAt", "") > known.through


def steady(value, known):
    """Without time, without ids that were made by the start, and without the order in which it recovered sessions.

    Lists have the newest first, and sessions are recovered at once: the one that is read faster is the older one then.
    """
    if isinstance(value, dict):
        return {k: steady(v, known) for k, v in value.items() if not TIME.search(k) and k not in HASHES}
    if isinstance(value, (list, tuple)):
        recovered = [steady(v, known) for v in value if is_of_start(v, known)]
        return sorted(recovered, key=lambda v: json.dumps(v, sort_keys=True)) + [steady(v, known) for v in value if not is_of_start(v, known)]
    if isinstance(value, str):
        return ID.sub(lambda m: m[0] if m[0] in known else "<new>", value)
    return value


def first_difference(a, b, at=""):
    if type(a) is not type(b):
        return f"{at}: {a!r:.200} / {b!r:.200}"
    if isinstance(a, dict):
        for k in sorted({*a, *b}):
            if a.get(k) != b.get(k):
                return first_difference(a.get(k), b.get(k), f"{at}.{k}")
    if isinstance(a, list):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return first_difference(x, y, f"{at}[{i}]")
        return f"{at}: {len(a)} / {len(b)} entries"
    return f"{at}: {a!r:.200} / {b!r:.200}"


def ask(http, command, params):
    """(error code or None, reply); a path is a stream of events that ends."""
    if not command.startswith("/"):
        return http.call(command, params)
    status, text = http.request("GET", command, headers={"Accept": "application/x-ndjson"})
    lines = [json.loads(line) for line in text.decode().split("\n") if line]
    return (None if status < 400 else lines[0]["code"]), lines


def is_same(command, reply, reference, known, held):
    """A stream is of the log, not of rows: it may end where the log ended before the start appended to it."""
    a, b = steady(reply, known), steady(reference, known)
    if command.startswith("/") and not reply[0] and not reference[0]:
        return len(a[1]) >= held[command] and a[1] == b[1][:len(a[1])]
    return a == b


def is_settled(http):
    status, text = http.request("GET", "/readyz")
    return status == 200 and b"recover" not in text.lower().replace(b'"recovering":0', b"")


def settled(http):
    """Recovery has ended."""
    until("it to be ready", lambda: is_settled(http))


def main():
    build = os.path.abspath(sys.argv[1])
    where = tempfile.mkdtemp(prefix="thole-rebuild-")
    data, kept = os.path.join(where, "data"), os.path.join(where, "kept")
    daemon = Daemon(build, data, SCRIPT, [])
    try:
        daemon.start()
        http = Http(daemon)
        ids = fill(http, where)
        asked = reads(ids)
        known = Known()
        for command, params in asked:
            known |= set(ID.findall(json.dumps(ask(http, command, params)[1])))
        for session in ("sess_rich", "sess_asks", "sess_system"):
            known |= set(ID.findall("".join(http.events(session, 0))))
        known.through = max(row["updatedAt"] for row in call(http, "list_sessions", limit=5)["sessions"])
        held = {c: len(ask(http, c, p)[1]) for c, p in asked if c.startswith("/")}
        daemon.stop()
        shutil.copytree(data, kept)

        daemon.start()
        http = Http(daemon)
        settled(http)
        reference = [ask(http, c, p) for c, p in asked]
        again = [ask(http, c, p) for c, p in asked]
        refused = [f"{c} {p}: {r}" for (c, p), (code, r) in zip(asked, reference) if code]
        check(f"{len(asked)} reads of {len({c for c, _ in asked})} commands are answered", not refused, "\n".join(refused))
        moving = [c for (c, p), a, b in zip(asked, reference, again) if steady(a, known) != steady(b, known)]
        check("two replies in a row are equal", not moving, moving)
        daemon.stop()

        for name in os.listdir(data):  # the same files, so that the log's identity holds
            source = os.path.join(kept, name)
            if os.path.isfile(source):
                with open(source, "rb") as src, open(os.path.join(data, name), "r+b") as dst:
                    dst.write(src.read())
                    dst.truncate()
        db = sqlite3.connect(data + "/log.db")
        for t in TABLES:
            db.execute(f"DELETE FROM idx_{t}")
        db.execute("DELETE FROM snapshot")
        db.commit()
        db.close()

        daemon.start()
        http = Http(daemon)
        differs, waited, equal = {}, set(), set()

        was_settled = [False]  # before the reads of this round

        def all_answered():
            was_settled[0] = is_settled(http)
            for i, (c, p) in enumerate(asked):
                if i in equal:
                    continue
                code, reply = ask(http, c, p)
                name = f"{c} {json.dumps(p)}"
                if code == "rebuilding":
                    waited.add(i)
                elif is_same(c, (code, reply), reference[i], known, held):
                    differs.pop(name, None)
                    equal.add(i)
                else:
                    # Before its recovery a session lacks the event that recovery adds.
                    differs[name] = first_difference(steady(reference[i], known), steady((code, reply), known))
                    if was_settled[0]:
                        equal.add(i)
            return len(equal) == len(asked)

        until(lambda: f"replies to {[asked[i] for i in range(len(asked)) if i not in equal]}", all_answered, pause_s=0)
        check("the rows were made again", any("made again" in line for line in daemon.log), daemon.log)
        check("a reply showed the running rebuild", waited, "no reply was `rebuilding`")
        check("every read was answered in the end", len(equal) == len(asked))
        for i, (c, p) in enumerate(asked):
            name = f"{c} {json.dumps(p)}"
            check(f"{c}({', '.join(f'{k}={v}' for k, v in p.items() if k == 'sessionId')}) is `rebuilding` or the same", name not in differs,
                  differs.get(name))
        daemon.stop()
    except Wrong as e:
        check("reads while rows are made again", False, e)
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()
        shutil.rmtree(where, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
