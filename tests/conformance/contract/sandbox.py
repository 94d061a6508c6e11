"""The sandbox: it enforces what it reports, and it reports what it denies."""
import json
import os
import socket
import tempfile
import threading

from contract_fixture import Fixture, all_of, having, need, one, order, rows, same, story

# as many children as it gets, and then it stays so for a while
BOMB = """python3 -c '
import os, time
try:
    while os.fork():
        pass
except OSError:
    pass
time.sleep(0.6)'"""
TRIES = story(
    write=("shell", {"command": "echo in >inside; echo out >$dir/outside || echo refused; cat inside"}),
    save=("write_file", {"path": "$dir/outside", "content": "x"}),
    read=("shell", {"command": "cat $dir/secret"}),
    connect=("shell", {"command": "exec 3<>/dev/tcp/127.0.0.1/$PORT && echo hello >&3"}),
    trace=("shell", {"command": "python3 -c 'import ctypes,sys; l=ctypes.CDLL(None,use_errno=True); sys.exit(l.ptrace(0,0,0,0) and 7)'"}),
    tell=("shell", {"command": "echo told"}), bomb=("shell", {"command": BOMB}),
    flood=("shell", {"command": "yes", "timeoutMs": 700}), slow=("shell", {"command": "sleep 600", "timeoutMs": 200}))
BYPASS = ("permission.mode=bypass",)


def at_work(fixture, prompt, **params):
    session = fixture.call("create_session", cwd=fixture.path("ws"))["sessionId"]
    return fixture.turn(prompt, sessionId=session, **params)[1]


@rows("SBX-01", "SBX-03", "SBX-07", "EVT-062", script=TRIES, options=BYPASS, files={"ws/a": ""}, both=True)
def check_the_profile_comes_first(fixture):
    events = at_work(fixture, "write")
    order(events, "permission.evaluated", "sandbox.applied", "process.started", "process.completed")
    applied, started = one(events, "sandbox.applied"), one(events, "process.started")
    having(applied, "threadId", "turnId", "toolCallId")
    having(applied["sandboxProfile"], "mode", "tier", "cwd", "readRoots", "writeRoots", "network", "environmentRef", "processLimits", "violationRefs")
    same((applied["processId"], started["payload"]["sandboxMode"]), (started["processId"], applied["sandboxProfile"]["mode"]), "both say the same")
    same(applied["sandboxProfile"]["cwd"], fixture.path("ws"), "where")
    same((fixture.text("ws/inside"), fixture.text("outside")), ("in\n", None), "and it is so")
    need("PATH" in json.loads(fixture.output(applied["sandboxProfile"]["environmentRef"]))["config"]["sandboxEnv"], "names of its variables")


@rows("SBX-02", own=True)
def check_each_mode(build):
    for mode, inside, outside in (("read_only", None, None), ("workspace_write", "in\n", None), ("danger_full_access", "in\n", "out\n"),
                                  ("external_sandbox", "in\n", "out\n")):
        fixture = Fixture(build, script=TRIES, options=BYPASS + ("sandbox.mode=" + mode,), files={"ws/a": ""})
        try:
            events = at_work(fixture, "write")
            same(one(events, "sandbox.applied")["payload"]["mode"], mode, "what holds")
            same((fixture.text("ws/inside"), fixture.text("outside")), (inside, outside), mode)
        finally:
            fixture.close()


@rows("SBX-05", "NEG-12", "EVT-063", "ACC-10", script=TRIES, options=BYPASS, files={"ws/a": "", "secret": "hidden"}, both=True)
def check_a_boundary_that_is_hit(fixture):
    events = at_work(fixture, "save")
    order(events, "permission.evaluated", "sandbox.applied", "sandbox.violation", "tool.failed")
    violation, failed = one(events, "sandbox.violation"), one(events, "tool.failed")
    same((violation["payload"]["kind"], violation["payload"]["path"], violation["payload"]["blocked"]), ("filesystem", fixture.path("outside"), True), "the path")
    same((failed["payload"]["category"], failed["payload"]["violationRefs"]), ("sandbox_denied", [violation["eventId"]]), "the end")
    read = fixture.read(failed["sessionId"], failed["threadId"])["toolCalls"][0]
    same(read["category"], "sandbox_denied", "in the thread's read")
    same(fixture.text("outside"), None, "outside")


class Listener:
    """A server outside, on the host's loopback, that records its clients."""

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port, self.came = self.socket.getsockname()[1], []
        threading.Thread(target=self.run, daemon=True).start()
        return self

    def run(self):
        while True:
            try:
                c, _ = self.socket.accept()
            except OSError:
                return
            self.came.append(c)

    def __exit__(self, *args):
        self.socket.close()


@rows("SBX-05", "NEG-12", "EVT-063", own=True)
def check_the_network_is_a_boundary(build):
    with Listener() as outside:
        script = TRIES.replace("$PORT", str(outside.port))
        for network, hears in (("off", 0), ("restricted", 0), ("full", 1)):
            fixture = Fixture(build, script=script, options=BYPASS + ("sandbox.network=" + network,), files={"ws/a": ""})
            try:
                events = at_work(fixture, "connect")
                if hears:
                    fixture.until("the call outside", lambda: outside.came)
                    same(all_of(events, "sandbox.violation"), [], "violations")
                elif network == "off":
                    v = one(events, "sandbox.violation")["payload"]
                    same((v["kind"], v["host"], v["port"]), ("network", "127.0.0.1", outside.port), "the address")
                    same(one(events, "tool.failed")["payload"]["category"], "sandbox_denied", "the end")
                same(len(outside.came), hears, f"network {network}: who came")
            finally:
                fixture.close()


@rows("SBX-05", "EVT-063", script=TRIES, options=BYPASS, files={"ws/a": ""})
def check_a_call_is_a_boundary(fixture):
    events = at_work(fixture, "trace")
    v = one(events, "sandbox.violation")["payload"]
    same((v["kind"], v["syscall"]), ("syscall", "ptrace"), "the call")
    same(one(events, "tool.failed")["payload"]["category"], "sandbox_denied", "the end")


@rows("SBX-06", script=TRIES, options=BYPASS + ("sandbox.max_processes=32", "sandbox.max_output_bytes=100000"), files={"ws/a": ""})
def check_limits_hold(fixture):
    events = at_work(fixture, "tell")
    limits = one(events, "sandbox.applied")["sandboxProfile"]["processLimits"]
    having(limits, "timeoutMs", "maxOutputBytes", "maxProcesses", "tty", "stdin")
    need("limitsReached" not in one(events, "process.completed")["payload"], "nothing was reached")
    events = at_work(fixture, "bomb")
    same(one(events, "process.completed")["payload"]["limitsReached"][0], "maxProcesses", "a bomb")
    events = at_work(fixture, "flood")
    end = one(events, "process.failed")["payload"]
    same((end["category"], end["limitsReached"]), ("timeout", ["maxOutputBytes"]), "an endless stream")
    spilled = one(events, "output.spilled")["payload"]
    same((spilled["sizeBytes"], spilled["complete"]), (100000, False), "what is kept of it")
    need(end["droppedBytes"] > 0, "and what is not")
    failed = one(at_work(fixture, "slow"), "process.failed")
    same((failed["payload"]["category"], failed["status"]), ("timeout", "timed_out"), "too long")


WEAK = """#!/bin/sh
exec unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh {hand} "$@"
"""


@rows("SBX-04", "SBX-03", own=True)
def check_a_machine_without_the_mechanism(build):
    """A supervisor that may create no namespaces: a weaker sandbox is reported, and with fail_closed nothing runs."""
    with tempfile.TemporaryDirectory() as place:
        hand = os.path.join(place, "thole-supervisor")
        with open(hand, "w") as f:
            f.write(WEAK.format(hand=os.path.join(build, "thole-supervisor")))
        os.chmod(hand, 0o755)
        for closed in (False, True):
            fixture = Fixture(build, script=TRIES, options=BYPASS + ("hand=" + hand, f"sandbox.fail_closed={str(closed).lower()}"), files={"ws/a": ""})
            try:
                events = at_work(fixture, "write")
                if closed:
                    need(not all_of(events, "process.started"), "it ran")
                    same(one(events, "tool.failed")["payload"]["category"], "sandbox_unavailable", "the end")
                    same(fixture.text("ws/inside"), None, "inside")
                else:
                    applied = one(events, "sandbox.applied")
                    need(not applied["payload"]["tier"].startswith("namespaces"), f"the tier: {applied['payload']}")
                    same(applied["payload"]["degraded"], True, "it is less than was asked for")
                    need(applied["payload"]["reason"], "and why")
                    same((fixture.text("ws/inside"), fixture.text("outside")), ("in\n", None), "what is left of it holds")
            finally:
                fixture.close()


OUTSIDE = story(see=("read_file", {"path": "$dir/beside/note.txt"}), say=("shell", {"command": "cat $dir/beside/note.txt; ls $dir/beside/*"}),
                put=("write_file", {"path": "$dir/beside/new.txt", "content": "put\n"}), add=("shell", {"command": "echo more >>$dir/beside/note.txt"}),
                run=("shell", {"command": "sh ./here.txt >>$dir/beside/note.txt"}),
                key=("read_file", {"path": "$dir/beside/.ssh/id_rsa"}), own=("shell", {"command": "cat /proc/self/status /dev/tty; touch x; ls $dir/data"}))
# not /tmp, and the checkout may be there
PLACE = "/srv" if os.access("/srv", os.W_OK) else os.path.expanduser("~")
BESIDE = {"ws/here.txt": "", "beside/note.txt": "noted\n", "beside/other/x": "", "beside/.ssh/id_rsa": "private"}


@rows("PRM-03", "SBX-01", "SBX-05", own=True)
def check_a_yes_is_worth_what_was_asked(build):
    """Outside of the workspace: who says yes gives this call that place, and no other call anything."""
    for over in ("http", "stdio"):
        fixture = Fixture(build, script=OUTSIDE, over=over, files=BESIDE, home=PLACE)
        try:
            give_places(fixture)
        finally:
            fixture.close()


def give_places(fixture):
    session = fixture.call("create_session", cwd=fixture.path("ws"))["sessionId"]

    def allow(prompt, **more):
        reply, action = fixture.asked(prompt, sessionId=session)
        fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow", **more)
        return action["payload"], [e for e in fixture.until("its end", lambda: fixture.ended(reply)) if e.get("turnId") == reply["turnId"]]

    asked, events = allow("see")
    same((asked["actionType"], asked["override"]), ("tool_permission", {"readFiles": [fixture.path("beside/note.txt")]}), "what is asked for")
    need("to read " + fixture.path("beside/note.txt") in asked["prompt"], asked["prompt"])
    same(asked["decisions"][0]["scopes"], ["once"], "a grant would not open the sandbox again")
    need("noted" in one(events, "tool.result")["payload"]["displayPreview"], "it was not read")
    roots = one(events, "sandbox.applied")["sandboxProfile"]["readRoots"]
    need(fixture.path("beside/note.txt") in roots and fixture.path("beside") not in roots, f"the event: {roots}")
    asked, events = allow("say")
    said = one(events, "tool.result")["payload"]["displayPreview"]
    need(said.startswith("noted\n") and "beside/other" not in said, f"that file and nothing around it: {said}")
    asked, events = allow("put")
    same((asked["override"], fixture.text("beside/new.txt")), ({"writeFiles": [fixture.path("beside/new.txt")]}, "put\n"), "written")
    # A script does what it likes: it is given no place to write, and the question says so.
    asked, events = allow("run")
    same((asked.get("override"), fixture.text("beside/note.txt")), (None, "noted\n"), "by a script")
    need("keeps it from writing " + fixture.path("beside/note.txt") in asked["prompt"], asked["prompt"])
    # A command that touches nothing but what it names is given the directory, once.
    asked, events = allow("add")
    same((asked.get("override"), fixture.text("beside/note.txt")), ({"writeRoots": [fixture.path("beside")]}, "noted\nmore\n"), "by a command")
    same(asked["decisions"][0]["scopes"], ["once"], "a grant would not open the sandbox again")
    need("to write in " + fixture.path("beside") in asked["prompt"], asked["prompt"])
    # Another input is another call: it is evaluated and sandboxed as if the first had not been approved.
    _, events = allow("put", input={"path": fixture.path("beside/other/x"), "content": "edited\n"})
    same((fixture.text("beside/other/x"), one(events, "tool.failed")["payload"]["category"]), ("", "sandbox_denied"), "an edited input gets no more")
    # An approval does not open what is closed to all.
    _, events = allow("key")
    need("private" not in str(events), "the key was read")
    asked, events = allow("own")
    need("override" not in asked, f"an approval cannot open the kernel's and the runtime's own files: {asked.get('override')}")
    need(not [r for r in one(events, "sandbox.applied")["sandboxProfile"]["readRoots"] if r.startswith("/proc")], "another process's status")
    need("token" not in one(events, "tool.result")["payload"]["displayPreview"], "the runtime's own state was listed")
    reply, action = fixture.asked("see", sessionId=session)
    fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision="deny")
    events = fixture.until("its end", lambda: fixture.ended(reply))
    same(one(events, "tool.failed")["payload"]["category"], "permission", "a no is a no")


@rows("PRM-03", "SBX-05", own=True)
def check_a_yes_reaches_the_host(build):
    with Listener() as outside:
        fixture = Fixture(build, script=story(get=("shell", {"command": f"curl -s -m 5 http://localhost:{outside.port}/"})), files={"ws/a": ""})
        try:
            session = fixture.call("create_session", cwd=fixture.path("ws"))["sessionId"]
            for decision, comes in (("deny", False), ("allow", True)):
                reply, action = fixture.asked("get", sessionId=session)
                same(action["payload"]["override"].get("hosts"), ["localhost:*"], "what is asked for")
                fixture.call("respond_action", sessionId=session, actionId=action["actionId"], decision=decision)
                fixture.until("its end", lambda: fixture.ended(reply))
                same(bool(outside.came), comes, decision)
            applied = one(fixture.events(session), "sandbox.applied")["sandboxProfile"]["network"]
            same((applied["mode"], applied["allow"]), ("restricted", ["localhost:*"]), "and no other host")
        finally:
            fixture.close()
