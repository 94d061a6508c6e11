"""Processes: they outlive their call, and their end is recorded, also when no client is connected."""
import json
import os

from contract_fixture import Wrong, all_of, having, need, one, order, rows, same, story

BYPASS = ("permission.mode=bypass",)
WORK = story(
    three=("shell", {"command": "cd sub && rm -rf gone; echo out; echo err >&2; exit 3"}),
    chain=("shell", {"command": "cd x && rm -rf y; curl z"}),
    stay=("shell", {"command": "touch began; exec tail -f $dir/began"}),
    slow=("shell", {"command": "sleep 600", "timeoutMs": 200}),
    nowhere=("shell", {"command": "ls", "cwd": "not-there"}),
    elsewhere=("shell", {"command": "pwd >where", "cwd": "sub"}),
    killed=("shell", {"command": "kill -SEGV $$"}),
    reader=("start_process", {"command": "while read -r n; do seq 1 $n; echo end; done; exit 4"}),
    back=("start_process", {"command": "touch begun; exec tail -f $dir/begun"}),
    python=("start_process", {"command": "python3 -q -i", "pty": True}),
    full=("shell", {"command": "yes xxxxxxx | head -c 104857600"}))
SUB = {"sub/gone/kept.txt": "x"}


def alive(fixture, name):
    """Whether a process on this machine still follows that file."""
    words = ["tail", "-f", fixture.path(name)]
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as f:
                if f.read().rstrip("\0").split("\0") == words:
                    return True
        except OSError:
            pass
    return False


@rows("PRC-03", "EVT-068", "EVT-069", "EVT-071", "STA-22", script=WORK, options=BYPASS, files=SUB, both=True)
def check_a_process_has_its_own_events(fixture):
    reply, events = fixture.turn("three")
    order(events, "tool.started", "sandbox.applied", "process.started", "process.output", "process.completed", "tool.result")
    started, ended = one(events, "process.started"), one(events, "process.completed")
    having(started["payload"], "commandSummary", "subcommands", "cwd", "tty", "destructive", "sandboxMode", "network", "justification")
    need(started["processId"].startswith("proc_") and started["toolCallId"], "ids")
    same((ended["payload"]["exitCode"], ended["processId"]), (3, started["processId"]), "the end")
    having(ended["payload"], "durationMs", "outputRefs")
    chunks = all_of(events, "process.output")
    same(sum(e["payload"]["bytes"] for e in chunks), len("out\nerr\n"), "bytes told")
    same([e["payload"]["offset"] for e in chunks][:1], [0], "from the start")
    need(not [e for e in chunks if "out" in json.dumps(e["payload"].get("text", ""))], "bytes in the event")
    same(fixture.output(ended["payload"]["outputRefs"][0]), "out\nerr\n", "by ref")
    same(one(events, "tool.result")["payload"]["isError"], True, "the call")
    read = fixture.read(reply["sessionId"])["processes"][0]
    same((read["status"], read["exitCode"]), ("exited", 3), "in the read")
    same(fixture.text("sub/gone/kept.txt"), None, "it ran")


@rows("PRC-04", script=WORK, options=BYPASS)
def check_what_is_known_before(fixture):
    _, events = fixture.turn("chain")
    judged, started = one(events, "permission.evaluated"), one(events, "process.started")
    d = judged["permissionDecision"]
    same([c["argv"] for c in d["subcommands"]], [["cd", "x"], ["rm", "-rf", "y"], ["curl", "z"]], "its commands")
    same(started["payload"]["subcommands"], [c["argv"] for c in d["subcommands"]], "the same in the process")
    same((d["destructive"], [c["destructive"] for c in d["subcommands"]]), (True, [False, True, False]), "what destroys")
    same(d["pathCheck"]["resolved"], [fixture.path("x"), fixture.path("x/y")], "paths")
    same((d["networkDecision"], d["impact"]["hosts"]), ("restricted", ["z"]), "network")
    having(started["payload"], "commandSummary", "cwd", "justification", "sandboxMode")
    need(judged["sequence"] < one(events, "sandbox.applied")["sequence"] < started["sequence"], "order")


@rows("PRC-01", "CTL-36", "SNP-09", script=WORK, options=BYPASS, files=SUB)
def check_the_environment(fixture):
    session = fixture.turn("elsewhere")[0]["sessionId"]
    reply = fixture.call("submit_turn", sessionId=session, input="stay")
    fixture.wait(session, "process.started", count=2)
    for scope in ({}, {"turnId": reply["turnId"]}):
        read = fixture.call("get_execution_environment", sessionId=session, **scope)
        e = read["executionEnvironment"]
        having(e, "workspaceId", "cwd", "additionalRoots", "shell", "os", "arch", "envRef", "sandboxProfile", "networkProfile", "resourceLimits")
        same((e["cwd"], e["os"], e["arch"]), (fixture.dir, "linux", os.uname().machine), "what it is")
        running = [p for p in read["processes"] if p["status"] == "running"]
        same([p["commandSummary"] for p in running], [f"touch began; exec tail -f {fixture.path('began')}"], "who runs")
        having(read["sandboxProfile"], "readRoots", "writeRoots", "network", "processLimits")
    pid = one(fixture.events(session), "process.started")["payload"]["pid"]
    fixture.until("it to run", lambda: fixture.text("began") is not None)
    same(e["shell"], "/bin/bash" if os.access("/bin/bash", os.X_OK) else "/bin/sh", "the shell that commands get")
    need(pid, "its number")
    need({"PATH", "HOME"} <= set(json.loads(fixture.output(e["envRef"]))["config"]["sandboxEnv"]), "names of variables behind the ref")
    limits = one(fixture.events(session), "sandbox.applied")["sandboxProfile"]["processLimits"]
    for name in ("timeoutMs", "inactivityMs", "maxOutputBytes", "maxProcesses"):
        same(e["resourceLimits"][name], limits[name], f"{name}, and the limits of the sandbox")
    fixture.call("interrupt_turn", sessionId=session)
    fixture.wait(session, "turn.failed")
    need(not alive(fixture, "began"), "something is left")


@rows("PRC-02", script=WORK, options=BYPASS, files=SUB)
def check_another_directory_has_a_reason(fixture):
    _, events = fixture.turn("elsewhere")
    started = one(events, "process.started")["payload"]
    same(started["cwd"], fixture.path("sub"), "where")
    same(fixture.text("sub/where"), fixture.path("sub") + "\n", "and it is so")
    same(started.get("overrideReason"), "the call asks for the directory sub", "why")
    _, events = fixture.turn("three")
    need("overrideReason" not in one(events, "process.started")["payload"], "no reason where there is no override")


@rows("CTL-37", "EVT-070", "EVT-073", "PRC-05", script=WORK, options=BYPASS, both=True)
def check_known_and_unknown(fixture):
    session = fixture.turn("reader")[0]["sessionId"]
    before = len(fixture.events(session))
    for command, more in (("write_process_stdin", {"data": "x"}), ("terminate_process", {})):
        fixture.refused("process_not_found", command, sessionId=session, processId="proc_none", **more)
    events = fixture.wait(session, "runtime.warning", count=2)
    same([e["type"] for e in events[before:]], ["runtime.warning"] * 2, "and nothing else")
    process = fixture.call("list_processes", sessionId=session)["processes"][0]["processId"]
    fixture.call("write_process_stdin", sessionId=session, processId=process, data="3\n")
    events = fixture.wait(session, "process.input")
    e = one(events, "process.input")
    same((e["processId"], e["payload"]["bytes"]), (process, 2), "input")
    need("outputOffset" in e["payload"], f"the window: {e['payload']}")
    ref = e["outputRef"]
    try:
        fixture.until("what it answers", lambda: fixture.output(ref) == "1\n2\n3\nend\n")
    except Wrong as e:
        raise Wrong(f"{e}: {fixture.output(ref)!r}, {fixture.call('list_processes', sessionId=session)}, {[x['type'] for x in fixture.events(session)]}")
    fixture.call("terminate_process", sessionId=session, processId=process, reason="enough")
    e = one(fixture.wait(session, "process.terminated"), "process.terminated")
    same((e["payload"]["by"], e["payload"]["survivors"], e["statusReason"]), ("user", 0, "enough"), "the end")


@rows("PRC-05", "STA-22", script=WORK, options=BYPASS)
def check_a_terminal(fixture):
    reply, events = fixture.turn("python")
    session = reply["sessionId"]
    started = one(events, "process.started")
    same((started["payload"]["tty"], started["payload"]["onTurnEnd"]), (True, "keep"), "what the end of a turn does is said")
    need(all_of(events, "turn.completed"), "the turn is over")
    row = fixture.call("list_processes", sessionId=session)["processes"][0]
    same((row["processId"], row["status"]), (started["processId"], "running"), "and it runs, under the same id")
    fixture.until("its prompt", lambda: ">>>" in fixture.output(row["outputRef"]))
    at = fixture.call("write_process_stdin", sessionId=session, processId=row["processId"], data="6*7\n")["outputOffset"]
    fixture.until("the answer", lambda: "42" in fixture.call("get_output", outputRef=row["outputRef"], offset=at)["text"])
    fixture.call("write_process_stdin", sessionId=session, processId=row["processId"], data="exit(5)\n")
    ended = one(fixture.wait(session, "process.completed"), "process.completed")
    same(ended["payload"]["exitCode"], 5, "its end")
    same(fixture.read(session)["processes"][0]["status"], "exited", "in the read")


@rows("PRC-06", "EVT-069", script=WORK, options=BYPASS)
def check_a_hundred_megabytes(fixture):
    reply, events = fixture.turn("full")
    spilled = one(events, "output.spilled")
    same((spilled["payload"]["sizeBytes"], spilled["payload"]["complete"], spilled["output"]["owner"]), (104857600, True, "process"), "spilled")
    need(max(len(json.dumps(e)) for e in events) < 65536, "an event is large")
    tail = fixture.call("get_output", outputRef=spilled["outputRef"], offset=-5)
    same((tail["text"], tail["eof"]), ("xxxx\n", True), "the end of it")


@rows("PRC-09", "EVT-071", "EVT-072", "EVT-073", script=WORK, options=BYPASS, files=SUB)
def check_ends_have_different_causes(fixture):
    def end(prompt):
        events = fixture.turn(prompt)[1]
        return [e for e in events if e["type"] in ("process.completed", "process.failed", "process.terminated")][-1]

    e = end("three")
    same((e["type"], e["payload"]["exitCode"]), ("process.completed", 3), "an exit code")
    e = end("nowhere")
    same((e["type"], e["payload"]["category"]), ("process.failed", "spawn_failed"), "never started")
    e = end("slow")
    same((e["type"], e["payload"]["category"], e["payload"]["reason"]), ("process.failed", "timeout", "timeout"), "too slow")
    e = end("killed")
    same((e["type"], e["payload"]["reason"], e["nativeStatus"]), ("process.failed", "signal", "signal:SIGSEGV"), "a signal")
    session = fixture.turn("back")[0]["sessionId"]
    fixture.until("it to run", lambda: alive(fixture, "begun"))
    process = fixture.call("list_processes", sessionId=session)["processes"][0]["processId"]
    fixture.call("terminate_process", sessionId=session, processId=process)
    e = one(fixture.wait(session, "process.terminated"), "process.terminated")
    same((e["payload"]["by"], e["payload"]["survivors"]), ("user", 0), "who wanted it")
    need(not alive(fixture, "begun"), "it is still there")


@rows("PRC-09", script=WORK, options=BYPASS + ("process.on_stop=terminate",))
def check_ends_by_others(fixture):
    session = fixture.turn("back")[0]["sessionId"]
    fixture.until("it to run", lambda: alive(fixture, "begun"))
    fixture.restart(kill=False)
    e = one(fixture.wait(session, "process.terminated"), "process.terminated")
    same(e["payload"]["by"], "shutdown", "the end of the runtime")
    need(not alive(fixture, "begun"), "it is still there")
    reply = fixture.call("submit_turn", sessionId=session, input="stay")
    fixture.wait(session, "process.started", count=2)
    fixture.until("it to run", lambda: alive(fixture, "began"))
    fixture.call("interrupt_turn", sessionId=session)
    events = fixture.wait(session, "process.terminated", count=2)
    same(one(events, "process.terminated")["payload"]["by"], "user", "an interrupt")
    fixture.until("its end", lambda: fixture.ended(reply))
    need(not alive(fixture, "began"), "it is still there")


@rows("PRC-07", "PRC-08", script=WORK, options=BYPASS, both=True)
def check_killed_with_a_child(fixture):
    reply = fixture.call("submit_turn", input="stay")
    session = reply["sessionId"]
    started = one(fixture.wait(session, "process.started"), "process.started")
    fixture.until("it to run", lambda: alive(fixture, "began"))
    fixture.restart()
    events = fixture.wait(session, "history.reconstructed")
    events = fixture.wait(session, "process.failed")
    told, failed = one(events, "history.reconstructed")["payload"], one(events, "process.failed")
    need(started["processId"] in json.dumps(told), f"it is not named: {told}")
    same((failed["processId"], failed["status"], failed["payload"]["reason"]), (started["processId"], "lost", "runtime_restart"), "its end")
    having(failed["payload"], "liveness", "durableOutputBytes")
    read = fixture.read(session)
    need(read["processes"][0]["status"] in ("lost", "failed"), f"in the read: {read['processes'][0]}")
    need(not all_of(events, "process.completed") and not all_of(events, "turn.completed"), "something reads as completed")
    need(read["status"] != "completed" and read["turns"][-1]["status"] != "completed", f"the thread: {read['status']}")
    fixture.until("its end", lambda: not alive(fixture, "began"))


@rows("ACC-12", script=WORK, options=BYPASS, both=True)
def check_input_and_spill(fixture):
    session = fixture.turn("reader")[0]["sessionId"]
    process = fixture.call("list_processes", sessionId=session)["processes"][0]["processId"]
    fixture.call("write_process_stdin", sessionId=session, processId=process, data="20000\n", eof=True)
    events = fixture.wait(session, "process.completed")
    order(events, "process.started", "process.input", "process.output", "output.spilled", "process.completed")
    spilled = one(events, "output.spilled")
    same((spilled["payload"]["sizeBytes"], one(events, "process.completed")["payload"]["exitCode"]), (108898, 4), "all of it")
    fixture.restart()
    same(fixture.call("get_output", outputRef=spilled["outputRef"], offset=-4)["text"], "end\n", "the ref is kept")
