#!/usr/bin/env python3
"""Background processes: real programs in a terminal, a killed runtime, checked against /proc.

usage: process_test.py BUILD_DIR [PROCESSES [WORD ...]]     prints TAP; 20 processes are measured when not said

WORD: only stories whose name contains one of them.
"""
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scenario"))
import run as scenario  # noqa: E402

until = scenario.until
TIOCSTI = ("import fcntl,termios\n"
           "try: fcntl.ioctl(0, termios.TIOCSTI, b'x'); print('injec' + 'ted')\n"
           "except OSError as e: print('refu' + 'sed', e.errno)\n\n")


def lines_of(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as f:
            return f.read()
    except OSError:
        return b""


CANARY = "canary-value-of-a-test-31415926"
os.environ["PROCESS_TEST_TOKEN"] = CANARY  # the runtime knows it, and redacts it everywhere

OLDER = set(os.listdir("/proc"))  # processes of an earlier run are not checked


def own(text):
    """Its marks (86411 and the like) made unique to this run: another build may be tested at the same time."""
    return re.sub(r"\b86(\d{3})\b", rf"86{os.getpid()}\1", text)


def marked(mark):
    """Processes of the machine whose arguments hold the mark, seen from outside every sandbox; the dead do not count."""
    mark = own(mark)
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if pid not in OLDER and mark.encode() in lines_of(pid, "cmdline") and b" Z " not in lines_of(pid, "stat"):
            found.append(int(pid))
    return found


def hands(data):
    return [p for p in marked(os.path.realpath(data) + "/hand") if b"thole-supervisor" in lines_of(p, "cmdline")]


class World:
    """A runtime and one session in it; each start may bring another script."""

    def __init__(self, build, options=()):
        self.home = tempfile.mkdtemp(prefix="thole-process-")
        self.daemon = scenario.Daemon(build, os.path.join(self.home, "data"), None,
                                      ["permission.mode=bypass", *options])
        self.calls, self.session = {}, None

    def start(self):
        rules = [{"when": {"request": 1, "text": word}, "reply": {"toolCalls": [{"name": name, "args": args}]}}
                 for word, (name, args) in self.calls.items()]
        self.daemon.script = own(json.dumps({"version": 1, "rules": rules, "default": {"text": "It is done."}}))
        self.daemon.start()
        self.transport = scenario.Http(self.daemon)

    def restart(self, **calls):
        self.daemon.kill()
        self.calls.update(calls)
        self.start()

    def end(self):
        try:
            self.daemon.stop()
        finally:
            for pid in hands(self.daemon.data):
                os.kill(pid, signal.SIGTERM)
            shutil.rmtree(self.home, ignore_errors=True)

    def call(self, command, **params):
        code, reply = self.transport.call(command, params)
        if code:
            raise scenario.Wrong(f"{command}: {code} {reply.get('detail')}")
        return reply

    def events(self, kind=None):
        all_of = [json.loads(line) for line in self.transport.events(self.session, 0)]
        return [e for e in all_of if not kind or e["type"] == kind]

    def turn(self, text, wait=True):
        where = {"sessionId": self.session} if self.session else {}
        ids = self.call("submit_turn", input=text, **where)
        self.session = ids["sessionId"]
        if wait:
            until(text, lambda: self.is_over(ids["turnId"]))
        return ids["turnId"]

    def is_over(self, turn):
        """An interactive shell cannot be evaluated beforehand: it needs approval in every mode, and we approve it."""
        asked = {e["actionId"] for e in self.events("action.required")}
        for action in asked - {e["actionId"] for e in self.events("action.resolved")}:
            self.call("respond_action", sessionId=self.session, actionId=action, decision="allow")
        return [e for e in self.events("turn.completed") if e["turnId"] == turn]

    def begin(self, word):
        """Has the model start it; its id and where its output is."""
        turn = self.turn(word)
        started = [e for e in self.events("process.started") if e["turnId"] == turn]
        return started[0]["processId"], started[0]["outputRef"]

    def write(self, process, text, **more):
        return self.call("write_process_stdin", sessionId=self.session, processId=process, data=own(text), **more)

    def output(self, ref):
        code, reply = self.transport.call("get_output", {"outputRef": ref})
        return "" if code else reply.get("text", "")

    def says(self, ref, pattern):
        return until(pattern, lambda: re.search(pattern, self.output(ref)))

    def of(self, kind, process):
        return [e for e in self.events(kind) if e.get("processId") == process]

    def view(self, process):
        all_of = self.call("list_processes", sessionId=self.session)["processes"]
        return [p for p in all_of if p["processId"] == process][0]


def start(command, **more):
    return "start_process", {"command": command, **more}


# ---- stories ----------------------------------------------------------------------------------

def a_terminal_is_one(w):
    w.calls = {"bash": start("exec bash --norc -i", pty=True, cols=97, rows=31)}
    w.start()
    process, out = w.begin("bash")
    assert len(w.events("action.required")) == 1, "an interactive shell was not asked about"
    assert w.view(process)["tty"] is True
    w.write(process, "stty size; tty; echo pid-$$\n")
    w.says(out, r"31 97\s+/dev/pts/\d+")
    w.call("resize_process", sessionId=w.session, processId=process, columns=120, rows=40)
    w.write(process, "stty size\n")
    w.says(out, r"40 120")
    w.write(process, "sleep 86488; echo woke-$?\n")
    until("it sleeps", lambda: marked("86488"))
    w.write(process, "\x03")
    w.write(process, "echo still-$((40+2))\n")
    w.says(out, r"still-42")
    w.write(process, "/usr/bin/python3 -q -i -c 'print(\"re\" + \"ady\")'\n")
    w.says(out, "ready")
    w.write(process, "6*7*1000\n")
    w.says(out, "42000")
    w.write(process, TIOCSTI)
    assert w.says(out, "(refused|injected)").group(1) == "refused", w.output(out)[-300:]
    w.write(process, "", eof=True)
    w.write(process, "exit 5\n")
    until("its end", lambda: w.of("process.completed", process))
    assert w.of("process.completed", process)[0]["payload"]["exitCode"] == 5
    assert {e["payload"]["stream"] for e in w.of("process.output", process)} == {"pty"}
    assert not any("TIOCSTI" in json.dumps(e) for e in w.events("process.input")), "what was typed is in the log"


def a_model_writes_to_its_input(w):
    w.calls = {"start": start("while read -r l; do echo heard $l; done")}
    w.start()
    process, out = w.begin("start")
    w.restart(write=("write_process", {"processId": process, "text": "one\n"}),
              read=("read_process", {"processId": process, "offset": 0, "waitMs": 5000}),
              stop=("stop_process", {"processId": process}),
              none=("read_process", {"processId": "proc_none"}))
    w.turn("write")
    w.says(out, "heard one")
    w.turn("read")
    shown = w.events("tool.result")[-1]["payload"]["displayPreview"]
    assert "heard one" in shown and "running" in shown and "bytes 0 to 10 of 10" in shown, shown
    assert w.of("process.input", process)[-1]["payload"]["requestedBy"]["kind"] == "agent"
    w.turn("none")
    assert w.events("tool.failed")[-1]["payload"]["category"] == "not_found"
    w.turn("stop")
    ended = w.of("process.terminated", process)[0]["payload"]
    assert ended["by"] == "parent" and ended["cause"] == "stop_process" and ended["survivors"] == 0, ended
    w.turn("read")
    assert "exited" in w.events("tool.result")[-1]["payload"]["displayPreview"]


def only_what_was_declared_survives(w):
    w.calls = {"keep": start("(setsid sleep 86411 &) ; sleep 86411 & while read -r l; do seq 1 $l; done"),
               "wait": ("shell", {"command": "(setsid sleep 86422 & setsid sleep 86422 &) ; sleep 86422; true"})}
    w.start()
    process, out = w.begin("keep")
    until("two sleepers", lambda: len(marked("86411")) >= 3)
    kept = set(p for p in marked("86411"))
    w.turn("wait", wait=False)
    until("three sleepers", lambda: len(marked("86422")) >= 4)
    w.daemon.kill()
    until("the foreground is gone", lambda: not marked("86422"))
    assert kept <= set(marked("86411")), "the background did not survive"
    w.start()
    assert w.call("list_processes")["processes"][0]["processId"] == process
    assert set(marked("86411")) == kept, "it is not the same one"
    w.write(process, "200000\n")
    until("all of its output", lambda: w.view(process)["outputBytes"] == 1288895)
    w.call("terminate_process", sessionId=w.session, processId=process, graceMs=200)
    assert not marked("86411"), "something of it is left"
    assert w.of("output.spilled", process)[0]["payload"]["sizeBytes"] == 1288895
    assert not w.of("process.failed", process)


BOUND = 1 << 20


def what_is_kept_of_an_output_is_bounded(w):
    """By sandbox.max_output_bytes, for one call: in the foreground, in the background, on the disk."""
    w.calls = {"flood": ("shell", {"command": "head -c 9000000 /dev/zero | tr '\\0' x; echo end >&2"}),
               "quiet": ("shell", {"command": "head -c 1000000 /dev/zero | tr '\\0' x"}),
               "behind": start("head -c 9000000 /dev/zero | tr '\\0' x; sleep 86433")}
    w.start()
    for word, size, dropped in (("flood", BOUND, True), ("quiet", 1000000, False)):
        w.turn(word)
        ended = w.events("process.completed")[-1]["payload"]
        assert f'"maxOutputBytes": {BOUND}' in json.dumps(w.events("sandbox.applied")[-1]), w.events("sandbox.applied")[-1]
        assert w.events("output.spilled")[-1]["payload"]["sizeBytes"] == size, w.events("output.spilled")[-1]
        assert ("maxOutputBytes" in ended.get("limitsReached", [])) == dropped, ended
        assert (ended.get("droppedBytes", 0) >= 9000000 - BOUND) == dropped, ended
    process, _ = w.begin("behind")
    until("its output", lambda: w.view(process)["outputBytes"] >= BOUND)
    w.call("terminate_process", sessionId=w.session, processId=process, graceMs=200)
    assert w.of("output.spilled", process)[0]["payload"]["sizeBytes"] == BOUND, w.of("output.spilled", process)
    on_disk = sum(os.lstat(os.path.join(folder, f)).st_size for folder, _, files in os.walk(os.path.join(w.daemon.data, "blobs")) for f in files)
    assert on_disk <= 2 * BOUND + 1000000 + 65536, on_disk


def nothing_outlives_its_directory(w):
    w.calls = {"keep": start("(setsid sleep 86499 &) ; sleep 86499")}
    w.start()
    w.begin("keep")
    until("two sleepers", lambda: len(marked("86499")) >= 2)
    hand = hands(w.daemon.data)
    assert hand
    w.daemon.kill()
    moved = w.daemon.data + "-moved"
    os.rename(w.daemon.data, moved)  # it is still there, under another name
    time.sleep(6)
    assert marked("86499"), "a directory that was moved is not gone"
    shutil.rmtree(moved)
    until("they are gone, and the supervisor too", lambda: not marked("86499") and not any(os.path.exists(f"/proc/{p}") for p in hand))


def a_process_that_ended_alone_is_reported(w):
    w.calls = {"go": start("read -r l; echo heard $l; sleep 0.3; echo last; exit 7")}
    w.start()
    process, out = w.begin("go")
    w.write(process, "x\n")
    w.says(out, "heard x")
    w.daemon.kill()
    until("the supervisor went too", lambda: not hands(w.daemon.data))
    w.start()
    until("its end", lambda: w.of("process.completed", process))
    assert w.of("process.completed", process)[0]["payload"]["exitCode"] == 7
    assert w.output(out) == "heard x\nlast\n", w.output(out)
    w.restart()
    assert len(w.of("process.completed", process)) == 1
    until("nothing is left of it", lambda: not os.listdir(os.path.join(w.daemon.data, "hand", "spool")))


def what_cannot_be_found_is_lost_once(w):
    w.calls = {"go": start("echo begun; sleep 86433")}
    w.start()
    process, out = w.begin("go")
    w.says(out, "begun")
    w.daemon.kill()
    for pid in hands(w.daemon.data):
        os.kill(pid, signal.SIGKILL)
    until("its end is the end of all", lambda: not marked("86433"))
    w.start()
    failed = until("it is reported", lambda: w.of("process.failed", process))
    assert failed[0]["status"] == "lost" and failed[0]["payload"]["exitState"] == "unknown", failed
    assert failed[0]["payload"]["durableOutputBytes"] == 6
    assert w.view(process)["status"] == "lost"
    code, _ = w.transport.call("write_process_stdin", {"sessionId": w.session, "processId": process, "data": "x"})
    assert code == "unavailable", code
    w.restart()
    w.turn("hello")
    assert len(w.of("process.failed", process)) == 1 and w.output(out) == "begun\n"
    warned = [e["payload"]["category"] for e in w.events("runtime.warning")]
    assert warned.count("process_lost") == 1 and warned.count("process_unavailable") == 1, warned


def a_lost_supervisor_is_reported_while_the_daemon_runs(w):
    w.calls = {"go": start("sleep 86444")}
    w.start()
    process, _ = w.begin("go")
    for pid in hands(w.daemon.data):
        os.kill(pid, signal.SIGKILL)
    until("it is reported", lambda: w.of("process.failed", process))
    until("nothing is left", lambda: not marked("86444"))
    again, _ = w.begin("go")
    w.call("terminate_process", sessionId=w.session, processId=again)
    assert not marked("86444")


def they_may_end_with_the_runtime(w):
    w.calls = {"go": start("sleep 86455")}
    w.start()
    process, _ = w.begin("go")
    w.daemon.stop()
    assert not marked("86455"), "it outlived a runtime that was to take it along"
    w.start()
    ended = w.of("process.terminated", process)
    assert len(ended) == 1 and ended[0]["payload"]["by"] == "shutdown", ended


def an_unknown_process_is_ended(w):
    w.calls = {"go": start("sleep 86466")}
    w.start()
    w.begin("go")
    w.daemon.kill()
    assert marked("86466")
    for name in os.listdir(w.daemon.data):  # another log: the process belongs to no session
        if name.startswith(("log", "token", "ballast")):
            os.unlink(os.path.join(w.daemon.data, name))
    shutil.rmtree(os.path.join(w.daemon.data, "blobs"))
    w.session = None
    w.start()
    until("nothing is left", lambda: not marked("86466"))


def files_with(data, text):
    """Files below the data directory that hold the text, but for what is still raw."""
    found = []
    for top, _, names in os.walk(data):
        for name in names:
            path = os.path.join(top, name)
            if not os.path.islink(path) and os.path.isfile(path):
                with open(path, "rb") as f:
                    if text.encode() in f.read():
                        found.append(os.path.relpath(path, data))
    return found


def secrets_are_taken_out(w):
    """A secret that is known and one that has the shape, each in two writes with a runtime's death in between."""
    shape = "ghp_" + "Ab9" * 12
    w.calls = {"go": start("read -r l; printf 'one %s' ${l%%,*}; read -r l; printf '%s.' $l; read -r l; printf 'two %s' $l;"
                           " read -r l; printf '%s.\\n' $l; printf 's'; read -r l"),
               "look": ("read_process", {"processId": "?"})}
    w.start()
    process, out = w.begin("go")
    w.write(process, shape[:20] + "\n")
    w.says(out, "^one $")
    w.restart()
    w.write(process, shape[20:] + "\n")
    w.says(out, r"^one \[redacted\]\.$")
    w.write(process, CANARY[:15] + "\n")
    w.says(out, r"\.two $")
    assert w.view(process)["outputBytes"] == len("one [redacted].two "), w.view(process)
    w.restart(look=("read_process", {"processId": process}))
    assert w.output(out) == "one [redacted].two ", w.output(out)
    w.write(process, CANARY[15:] + "\n")
    w.says(out, r"two \[redacted\]\.\n")
    whole = "one [redacted].two [redacted].\ns"  # the last may be the first of a key; who looks sees it
    w.says(out, "s$")
    assert w.output(out) == whole, w.output(out)
    turn = w.turn("look")
    seen = [e for e in w.events("tool.result") if e["turnId"] == turn][0]["payload"]["displayPreview"]
    assert seen.endswith(whole), seen
    w.write(process, "", eof=True)
    until("its end", lambda: w.of("process.completed", process))
    told = {e["payload"]["ruleRef"]: e["payload"] for e in w.of("output.redacted", process)}
    assert sorted(told) == ["github_token", "known_secret"], told
    assert all(t["count"] == 1 and t["redaction"] == "secret" and not t["originalKept"] for t in told.values()), told
    spilled = w.of("output.spilled", process)[0]
    assert spilled["payload"] == {"sizeBytes": len(whole), "policy": "spill:process", "complete": True}, spilled
    assert spilled["output"]["redaction"] == "secret" and spilled["output"]["preview"]["tail"] == whole, spilled
    w.restart()
    assert w.output(out) == whole and len(w.of("output.redacted", process)) == 2
    until("the raw file is gone", lambda: not os.listdir(os.path.join(w.daemon.data, "blobs", "raw")))
    for secret in (shape, CANARY):
        assert not files_with(w.daemon.data, secret), files_with(w.daemon.data, secret)


def what_a_crash_left_is_swept(w):
    """Killed in between, the next runtime writes the same output again, and drops output that belongs to no process."""
    w.calls = {"go": start("printf 'key %s\\n' " + "ghp_" + "Zz8" * 12 + "; read -r l")}
    w.start()
    process, out = w.begin("go")
    w.says(out, r"redacted")
    w.daemon.kill()
    blobs = os.path.join(w.daemon.data, "blobs")
    with open(os.path.join(blobs, "open", out)) as f:
        assert f.read() == "key [redacted]\n"
    with open(os.path.join(blobs, "raw", "out_left"), "w") as f:  # of a process whose end was recorded just before
        f.write("left")
    w.start()
    until("unused output is gone", lambda: os.listdir(os.path.join(blobs, "raw")) == [out])
    w.write(process, "", eof=True)
    until("its end", lambda: w.of("process.completed", process))
    assert w.output(out) == "key [redacted]\n" and len(w.of("output.redacted", process)) == 1


STUBBORN = """trap '' TERM; (setsid sh -c 'trap "" TERM; sleep %(n)d; true' &) ; sleep %(n)d; true"""


def stopped_with(w, process, wanted):
    """The event of its end."""
    ended = [e for e in w.events("process.terminated") if e["processId"] == process]
    assert len(ended) == 1 and ended[0]["payload"]["survivors"] == 0, ended
    assert {k: ended[0]["payload"][k] for k in wanted} == wanted, ended
    return ended[0]


def left_by_child(w, word, mark):
    """A task whose child has done its work and left a process; both ids."""
    top = w.call("create_task", sessionId=w.session, objective="top")["taskId"]
    child = w.call("create_task", sessionId=w.session, objective=word, parentTaskId=top)["taskId"]
    w.call("start_task", sessionId=w.session, taskId=child)
    until("the child is over", lambda: [e for e in w.events("task.completed") if e["taskId"] == child])
    until("it runs", lambda: marked(mark))
    return top, [e for e in w.events("process.started") if e.get("taskId") == child][0]["processId"]


def is_cancelled(w, task):
    return [e for e in w.events("task.cancelled") if e["taskId"] == task]


def a_cancelled_task_takes_its_processes_along(w):
    w.calls = {"go": start(STUBBORN % {"n": 86501}), "other": start("sleep 86502; true")}
    w.start()
    w.turn("hello")
    other, left = left_by_child(w, "other", "86502")
    top, process = left_by_child(w, "go", "86501")
    until("two of it", lambda: len(marked("86501")) >= 2)
    w.call("cancel_task", sessionId=w.session, taskId=top, reason="enough")
    cancelled = until("its end", lambda: is_cancelled(w, top))[0]
    assert not marked("86501"), "something of it is left"
    end = stopped_with(w, process, {"by": "user", "cause": "cancel_task", "escalated": True})
    asked = [e for e in w.events("task.cancel_requested") if e["taskId"] == top][0]
    assert asked["sequence"] < end["sequence"] < cancelled["sequence"] and end["statusReason"] == "enough", end
    # Another task's stay, also when that one is cancelled without them.
    w.call("cancel_task", sessionId=w.session, taskId=other, propagation="children")
    until("its end", lambda: is_cancelled(w, other))
    assert marked("86502") and w.view(left)["status"] == "running"
    w.call("terminate_process", sessionId=w.session, processId=left, graceMs=0)
    # Killed while it waits for a process that does not exit: the next runtime continues to wait.
    top, process = left_by_child(w, "go", "86501")
    until("two of it", lambda: len(marked("86501")) >= 2)
    w.call("cancel_task", sessionId=w.session, taskId=top)
    w.restart()
    until("its end", lambda: is_cancelled(w, top))
    assert not marked("86501"), "something of it is left"
    stopped_with(w, process, {"by": "user", "cause": "cancel_task"})


def an_interrupt_takes_its_processes_along(w):
    rules = [{"when": {"text": "both", "request": 1}, "reply": {"toolCalls": [{"name": "start_process", "args": {"command": STUBBORN % {"n": 86511}}}]}},
             {"when": {"text": "both", "request": 2}, "reply": {"toolCalls": [{"name": "shell", "args": {"command": "sleep 86512; true"}}]}},
             {"when": {"text": "server", "request": 1}, "reply": {"toolCalls": [{"name": "start_process", "args": {"command": "sleep 86513; true"}}]}}]
    w.daemon.script = own(json.dumps({"version": 1, "rules": rules, "default": {"text": "It is done."}}))
    w.daemon.start()
    w.transport = scenario.Http(w.daemon)
    server, _ = w.begin("server")
    turn = w.turn("both", wait=False)
    until("all of it runs", lambda: len(marked("86511")) >= 2 and marked("86512"))
    process = [e for e in w.events("process.started") if e["turnId"] == turn and e["payload"]["background"]][0]["processId"]
    w.call("interrupt_turn", sessionId=w.session)
    until("the turn is over", lambda: [e for e in w.events("turn.failed") if e["turnId"] == turn])
    assert not marked("86511") and not marked("86512"), "something of it is left"
    end = stopped_with(w, process, {"by": "user", "cause": "interrupt_turn", "escalated": True})
    stopping = [e for e in w.events("run.status") if e["turnId"] == turn and e["payload"].get("stopping")][0]["payload"]["stopping"]
    assert {"kind": "process", "id": process} in stopping, stopping
    failed = [e for e in w.events("turn.failed") if e["turnId"] == turn][0]
    asked = [e for e in w.events("task.cancel_requested") if e["turnId"] == turn][0]
    assert asked["sequence"] < end["sequence"] < failed["sequence"] and asked["payload"]["propagation"] == "children_and_processes"
    assert marked("86513") and w.view(server)["status"] == "running", "what an earlier turn began is gone"
    w.call("terminate_process", sessionId=w.session, processId=server, graceMs=0)


def private_bytes(pid):
    return sum(int(n) for n in re.findall(rb"Private_\w+:\s+(\d+) kB", lines_of(pid, "smaps_rollup"))) * 1024


def many_live_side_by_side(w, count):
    w.calls = {"go": start("echo begun; sleep 86477"), "plain": ("shell", {"command": "echo begun"})}
    w.start()
    w.begin("go")
    for _ in range(2 * count):  # what turns and calls leave in memory is not what a process needs
        w.turn("plain")
    before = private_bytes(w.daemon.process.pid)
    for _ in range(count):
        w.begin("go")
    each = (private_bytes(w.daemon.process.pid) - before) // count
    print(f"# {each} bytes of the daemon's own memory for each of {count} live processes")
    for p in w.call("list_processes", sessionId=w.session, status="running", limit=256)["processes"]:
        w.call("terminate_process", sessionId=w.session, processId=p["processId"], graceMs=0)
    until("nothing is left", lambda: not marked("86477"))


def main():
    build = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    words = sys.argv[3:]
    stories = [(a_terminal_is_one, ()), (a_model_writes_to_its_input, ()), (only_what_was_declared_survives, ()),
               (what_is_kept_of_an_output_is_bounded, (f"sandbox.max_output_bytes={BOUND}",)), (nothing_outlives_its_directory, ()),
               (a_process_that_ended_alone_is_reported, ()), (what_cannot_be_found_is_lost_once, ()),
               (a_lost_supervisor_is_reported_while_the_daemon_runs, ()),
               (a_cancelled_task_takes_its_processes_along, ()), (an_interrupt_takes_its_processes_along, ()),
               (secrets_are_taken_out, ()), (what_a_crash_left_is_swept, ()),
               (they_may_end_with_the_runtime, ("process.on_stop=terminate",)), (an_unknown_process_is_ended, ()),
               (lambda w: many_live_side_by_side(w, count), ())]
    stories = [(f, o) for f, o in stories if not words or any(x in f.__name__ for x in words)]
    failed = 0
    for n, (story, options) in enumerate(stories, 1):
        name = getattr(story, "__name__").replace("_", " ").replace("<lambda>", "many live side by side")
        w = World(build, options)
        try:
            story(w)
            print(f"ok {n} - {name}", flush=True)
        except Exception as e:  # whatever it is, the next story runs
            failed += 1
            print(f"not ok {n} - {name}\n# {type(e).__name__}: {e}\n# " + "".join(w.daemon.log[-5:]).replace("\n", "\n# "), flush=True)
        finally:
            w.end()
    print(f"1..{len(stories)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
