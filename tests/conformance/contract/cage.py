"""The cage: what it says is what holds, and what it stops is told as that."""
import json
import os
import socket
import tempfile
import threading

from lab import Lab, all_of, having, need, one, order, rows, same, story

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


def at_work(lab, prompt, **params):
    session = lab.call("create_session", cwd=lab.path("ws"))["sessionId"]
    return lab.turn(prompt, sessionId=session, **params)[1]


@rows("SBX-01", "SBX-03", "SBX-07", "EVT-062", script=TRIES, options=BYPASS, files={"ws/a": ""}, both=True)
def check_the_profile_comes_first(lab):
    events = at_work(lab, "write")
    order(events, "permission.evaluated", "sandbox.applied", "process.started", "process.completed")
    applied, started = one(events, "sandbox.applied"), one(events, "process.started")
    having(applied, "threadId", "turnId", "toolCallId")
    having(applied["sandboxProfile"], "mode", "tier", "cwd", "readRoots", "writeRoots", "network", "environmentRef", "processLimits", "violationRefs")
    same((applied["processId"], started["payload"]["sandboxMode"]), (started["processId"], applied["sandboxProfile"]["mode"]), "both say the same")
    same(applied["sandboxProfile"]["cwd"], lab.path("ws"), "where")
    same((lab.text("ws/inside"), lab.text("outside")), ("in\n", None), "and it is so")
    need("PATH" in json.loads(lab.output(applied["sandboxProfile"]["environmentRef"]))["env"], "names of its variables")


@rows("SBX-02", own=True)
def check_each_mode(build):
    for mode, inside, outside in (("read_only", None, None), ("workspace_write", "in\n", None), ("danger_full_access", "in\n", "out\n"),
                                  ("external_sandbox", "in\n", "out\n")):
        lab = Lab(build, script=TRIES, options=BYPASS + ("sandbox.mode=" + mode,), files={"ws/a": ""})
        try:
            events = at_work(lab, "write")
            same(one(events, "sandbox.applied")["payload"]["mode"], mode, "what holds")
            same((lab.text("ws/inside"), lab.text("outside")), (inside, outside), mode)
        finally:
            lab.close()


@rows("SBX-05", "NEG-12", "EVT-063", "ACC-10", script=TRIES, options=BYPASS, files={"ws/a": "", "secret": "hidden"}, both=True)
def check_a_boundary_that_is_hit(lab):
    events = at_work(lab, "save")
    order(events, "permission.evaluated", "sandbox.applied", "sandbox.violation", "tool.failed")
    violation, failed = one(events, "sandbox.violation"), one(events, "tool.failed")
    same((violation["payload"]["kind"], violation["payload"]["path"], violation["payload"]["blocked"]), ("filesystem", lab.path("outside"), True), "the path")
    same((failed["payload"]["category"], failed["payload"]["violationRefs"]), ("sandbox_denied", [violation["eventId"]]), "the end")
    read = lab.read(failed["sessionId"], failed["threadId"])["toolCalls"][0]
    same(read["category"], "sandbox_denied", "in the thread's read")
    same(lab.text("outside"), None, "outside")


class Listener:
    """Somebody outside, on the host's loopback; remembers who came."""

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
            lab = Lab(build, script=script, options=BYPASS + ("sandbox.network=" + network,), files={"ws/a": ""})
            try:
                events = at_work(lab, "connect")
                if hears:
                    lab.until("the call outside", lambda: outside.came)
                    same(all_of(events, "sandbox.violation"), [], "violations")
                elif network == "off":
                    v = one(events, "sandbox.violation")["payload"]
                    same((v["kind"], v["host"], v["port"]), ("network", "127.0.0.1", outside.port), "the address")
                    same(one(events, "tool.failed")["payload"]["category"], "sandbox_denied", "the end")
                same(len(outside.came), hears, f"network {network}: who came")
            finally:
                lab.close()


@rows("SBX-05", "EVT-063", script=TRIES, options=BYPASS, files={"ws/a": ""})
def check_a_call_is_a_boundary(lab):
    events = at_work(lab, "trace")
    v = one(events, "sandbox.violation")["payload"]
    same((v["kind"], v["syscall"]), ("syscall", "ptrace"), "the call")
    same(one(events, "tool.failed")["payload"]["category"], "sandbox_denied", "the end")


@rows("SBX-06", script=TRIES, options=BYPASS + ("sandbox.max_processes=32", "sandbox.max_output_bytes=100000"), files={"ws/a": ""})
def check_limits_hold(lab):
    events = at_work(lab, "tell")
    limits = one(events, "sandbox.applied")["sandboxProfile"]["processLimits"]
    having(limits, "timeoutMs", "maxOutputBytes", "maxProcesses", "tty", "stdin")
    need("limitsReached" not in one(events, "process.completed")["payload"], "nothing was reached")
    events = at_work(lab, "bomb")
    same(one(events, "process.completed")["payload"]["limitsReached"][0], "maxProcesses", "a bomb")
    events = at_work(lab, "flood")
    end = one(events, "process.failed")["payload"]
    same((end["category"], end["limitsReached"]), ("timeout", ["maxOutputBytes"]), "an endless stream")
    spilled = one(events, "output.spilled")["payload"]
    same((spilled["sizeBytes"], spilled["complete"]), (100000, False), "what is kept of it")
    need(end["droppedBytes"] > 0, "and what is not")
    failed = one(at_work(lab, "slow"), "process.failed")
    same((failed["payload"]["category"], failed["status"]), ("timeout", "timed_out"), "too long")


WEAK = """#!/bin/sh
exec unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh {hand} "$@"
"""


@rows("SBX-04", "SBX-03", own=True)
def check_a_machine_without_the_mechanism(build):
    """A supervisor that may make no namespaces: what holds is told as less, and with fail_closed nothing runs."""
    with tempfile.TemporaryDirectory() as place:
        hand = os.path.join(place, "thole-supervisor")
        with open(hand, "w") as f:
            f.write(WEAK.format(hand=os.path.join(build, "thole-supervisor")))
        os.chmod(hand, 0o755)
        for closed in (False, True):
            lab = Lab(build, script=TRIES, options=BYPASS + ("hand=" + hand, f"sandbox.fail_closed={str(closed).lower()}"), files={"ws/a": ""})
            try:
                events = at_work(lab, "write")
                if closed:
                    need(not all_of(events, "process.started"), "it ran")
                    same(one(events, "tool.failed")["payload"]["category"], "sandbox_unavailable", "the end")
                    same(lab.text("ws/inside"), None, "inside")
                else:
                    applied = one(events, "sandbox.applied")
                    need(not applied["payload"]["tier"].startswith("namespaces"), f"the tier: {applied['payload']}")
                    same(applied["payload"]["degraded"], True, "it is less than was asked for")
                    need(applied["payload"]["reason"], "and why")
                    same((lab.text("ws/inside"), lab.text("outside")), ("in\n", None), "what is left of it holds")
            finally:
                lab.close()


OUTSIDE = story(see=("read_file", {"path": "$dir/beside/note.txt"}), say=("shell", {"command": "cat $dir/beside/note.txt; ls $dir/beside/*"}),
                put=("write_file", {"path": "$dir/beside/new.txt", "content": "put\n"}), add=("shell", {"command": "echo more >>$dir/beside/note.txt"}),
                key=("read_file", {"path": "$dir/beside/.ssh/id_rsa"}), own=("shell", {"command": "cat /proc/self/status /dev/tty; touch x; ls $dir/data"}))
# not /tmp, and the checkout may be there
PLACE = "/srv" if os.access("/srv", os.W_OK) else os.path.expanduser("~")
BESIDE = {"ws/here.txt": "", "beside/note.txt": "noted\n", "beside/other/x": "", "beside/.ssh/id_rsa": "private"}


@rows("PRM-03", "SBX-01", "SBX-05", own=True)
def check_a_yes_is_worth_what_was_asked(build):
    """Outside of the workspace: who says yes gives this call that place, and no other call anything."""
    for over in ("http", "stdio"):
        lab = Lab(build, script=OUTSIDE, over=over, files=BESIDE, home=PLACE)
        try:
            give_places(lab)
        finally:
            lab.close()


def give_places(lab):
    session = lab.call("create_session", cwd=lab.path("ws"))["sessionId"]

    def allow(prompt, **more):
        reply, action = lab.asked(prompt, sessionId=session)
        lab.call("respond_action", sessionId=session, actionId=action["actionId"], decision="allow", **more)
        return action["payload"], [e for e in lab.until("its end", lambda: lab.ended(reply)) if e.get("turnId") == reply["turnId"]]

    asked, events = allow("see")
    same((asked["actionType"], asked["override"]), ("tool_permission", {"readFiles": [lab.path("beside/note.txt")]}), "what is asked for")
    need("to read " + lab.path("beside/note.txt") in asked["prompt"], asked["prompt"])
    same(asked["decisions"][0]["scopes"], ["once"], "a grant would not open the cage again")
    need("noted" in one(events, "tool.result")["payload"]["displayPreview"], "it was not read")
    roots = one(events, "sandbox.applied")["sandboxProfile"]["readRoots"]
    need(lab.path("beside/note.txt") in roots and lab.path("beside") not in roots, f"the fact: {roots}")
    asked, events = allow("say")
    said = one(events, "tool.result")["payload"]["displayPreview"]
    need(said.startswith("noted\n") and "beside/other" not in said, f"that file and nothing around it: {said}")
    asked, events = allow("put")
    same((asked["override"], lab.text("beside/new.txt")), ({"writeFiles": [lab.path("beside/new.txt")]}, "put\n"), "written")
    # A command does what it likes: it is given no place to write.
    asked, events = allow("add")
    same((asked.get("override"), lab.text("beside/note.txt")), (None, "noted\n"), "by a command")
    # Another input is another call: it is judged and caged as if nobody had said yes to the first.
    _, events = allow("put", input={"path": lab.path("beside/other/x"), "content": "edited\n"})
    same((lab.text("beside/other/x"), one(events, "tool.failed")["payload"]["category"]), ("", "sandbox_denied"), "an edited input gets no more")
    # What is closed to everybody is not given by a yes.
    _, events = allow("key")
    need("private" not in str(events), "the key was read")
    asked, events = allow("own")
    need("override" not in asked, f"the kernel's and the runtime's own are nobody's to give: {asked.get('override')}")
    need(not [r for r in one(events, "sandbox.applied")["sandboxProfile"]["readRoots"] if r.startswith("/proc")], "another process's status")
    need("token" not in one(events, "tool.result")["payload"]["displayPreview"], "the runtime's own state was listed")
    reply, action = lab.asked("see", sessionId=session)
    lab.call("respond_action", sessionId=session, actionId=action["actionId"], decision="deny")
    events = lab.until("its end", lambda: lab.ended(reply))
    same(one(events, "tool.failed")["payload"]["category"], "permission", "a no is a no")


@rows("PRM-03", "SBX-05", own=True)
def check_a_yes_reaches_the_host(build):
    with Listener() as outside:
        lab = Lab(build, script=story(get=("shell", {"command": f"curl -s -m 5 http://localhost:{outside.port}/"})), files={"ws/a": ""})
        try:
            session = lab.call("create_session", cwd=lab.path("ws"))["sessionId"]
            for decision, comes in (("deny", False), ("allow", True)):
                reply, action = lab.asked("get", sessionId=session)
                same(action["payload"]["override"].get("hosts"), ["localhost:*"], "what is asked for")
                lab.call("respond_action", sessionId=session, actionId=action["actionId"], decision=decision)
                lab.until("its end", lambda: lab.ended(reply))
                same(bool(outside.came), comes, decision)
            applied = one(lab.events(session), "sandbox.applied")["sandboxProfile"]["network"]
            same((applied["mode"], applied["allow"]), ("restricted", ["localhost:*"]), "and no other host")
        finally:
            lab.close()
