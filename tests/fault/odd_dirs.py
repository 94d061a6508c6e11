#!/usr/bin/env python3
"""A data directory with wrong modes or owners, and a daemon that runs out of descriptors: tests/fault/odd_dirs.py BUILD_DIR.

Others may write to it, or read the token; files of outputs are gone; the limit of open files is low.  Prints TAP.
"""
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import DEADLINE_S, Daemon, Http, Wrong, until, until_idle  # noqa: E402

SCRIPT = json.dumps({
    "version": 1,
    "tools": [{"name": "big", "policy": "allowed", "result": {"text": {"repeat": "line {{n}}\n", "bytes": 200000}}}],
    "rules": [{"when": {"afterTool": "big"}, "reply": {"text": "That was a lot."}},
              {"when": {"text": "big", "request": 1}, "reply": {"toolCalls": [{"name": "big", "args": {}}]}}],
    "default": {"text": "done"}})
number = failed = 0


def check(what, is_so, more=""):
    global number, failed
    number += 1
    failed += not is_so
    print(("ok" if is_so else "not ok"), number, "-", what, flush=True)
    if not is_so:
        print("# " + str(more)[-700:].replace("\n", "\n# "), flush=True)


def refused(build, data):
    """What the daemon says when it does not start; None: it does."""
    daemon = Daemon(build, data, SCRIPT, [])
    try:
        daemon.start()
    except Wrong:
        daemon.process.wait(DEADLINE_S)
        return "".join(daemon.log)
    daemon.stop()
    return None


def modes(build, where):
    data = os.path.join(where, "modes")
    for mode in (0o777, 0o702, 0o1777):
        os.makedirs(data, exist_ok=True)
        os.chmod(data, mode)
        words = refused(build, data)
        check(f"a directory of mode {mode:o} is refused with the remedy", words and "chmod 700" in words, words)
    os.chmod(data, 0o700)
    check("with the remedy it starts", refused(build, data) is None)
    for mode in (0o644, 0o666, 0o777):
        os.chmod(data + "/token", mode)
        words = refused(build, data)
        check(f"a token of mode {mode:o} is refused with the remedy", words and f"rm {data}/token" in words, words)
    os.unlink(data + "/token")
    check("with a new token it starts", refused(build, data) is None)
    for name, mode, mended in (("", 0o755, 0o700), ("", 0o711, 0o700), ("", 0o770, 0o700), ("log.db", 0o644, 0o600), ("log.db", 0o640, 0o600), ("blobs", 0o755, 0o700)):
        path = os.path.join(data, name)
        os.chmod(path, mode)
        daemon = Daemon(build, data, SCRIPT, [])
        daemon.start()
        now, said = os.stat(path).st_mode & 0o777, "".join(daemon.log)
        daemon.stop()
        check(f"{name or 'the directory'} of mode {mode:o} is mended", now == mended, oct(now))
        check(f"and that is reported ({mode:o})", "other users could read" in said and f"mode {mode:03o}" in said, said)
    foreign(build, where)


def foreign(build, where):
    """A directory of another user that others may read: not ours to change.  Only root can make one."""
    if os.getuid() != 0:
        return
    data = tempfile.mkdtemp(prefix="thole-odd-", dir="/var/tmp")
    os.chown(data, 0, 61990)
    os.chmod(data, 0o770)
    env = dict(os.environ, XDG_CONFIG_HOME=data + ".config", HOME=data)
    copy = tempfile.mkdtemp(prefix="thole-odd-bin-", dir="/var/tmp")
    os.chmod(copy, 0o755)
    for name in ("thole", "thole-supervisor"):
        shutil.copy(os.path.join(build, name), copy)
    shutil.copytree(os.path.join(build, "deps", "lib"), os.path.join(copy, "deps", "lib"), symlinks=True)
    try:
        done = subprocess.run(["setpriv", "--reuid=61990", "--regid=61990", "--clear-groups", os.path.join(copy, "thole"), "serve", "--data", data, "--listen", "127.0.0.1:0"],
                              capture_output=True, text=True, timeout=DEADLINE_S, env=env, stdin=subprocess.DEVNULL, cwd="/")
        check("one of another owner is refused with the remedy", done.returncode != 0 and "chmod 700" in done.stderr, done.stderr)
    finally:
        shutil.rmtree(data, ignore_errors=True)
        shutil.rmtree(copy, ignore_errors=True)


def outputs(build, where):
    data = os.path.join(where, "outputs")
    daemon = Daemon(build, data, SCRIPT, [])
    daemon.start()
    http = Http(daemon)
    http.call("submit_turn", {"sessionId": "sess_big", "input": "big"})
    until_idle(http, "sess_big")
    refs = [json.loads(line)["output"]["outputRef"] for line in http.events("sess_big", 0) if '"output.spilled"' in line]
    check("an output is in a file", refs and not http.call("get_output", {"outputRef": refs[0]})[0], refs)
    code, reply = http.call("verify_log", {"sessionId": "sess_big"})
    check("verify looks for the files of outputs", reply.get("status") == "whole" and reply.get("outputs") == len(refs), reply)
    shutil.rmtree(data + "/blobs/sha256")
    os.mkdir(data + "/blobs/sha256")
    code, reply = http.call("get_output", {"outputRef": refs[0]})
    check("a file that is gone is missing, not expired", code == "output_missing" and "expired" not in reply["detail"], reply)
    code, reply = http.call("get_output", {"outputRef": "out_never"})
    check("what never was is not found", code == "output_not_found", reply)
    code, reply = http.call("verify_log", {"sessionId": "sess_big"})
    check("verify tells", reply.get("status") == "incomplete" and reply.get("missingOutputs") == refs, reply)
    done = subprocess.run([os.path.join(build, "thole"), "verify", "--data", data], capture_output=True, text=True, timeout=DEADLINE_S)
    check("thole verify fails and names it", done.returncode == 1 and refs[0] in done.stdout and "incomplete" in done.stdout, done.stdout)
    daemon.stop()


def descriptors(build, where):
    data = os.path.join(where, "descriptors")
    daemon = Daemon(build, data, SCRIPT, [])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    real = subprocess.Popen

    def few(*args, **kwargs):
        return real(*args, **kwargs, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)))

    subprocess.Popen = few
    try:
        daemon.start()
    finally:
        subprocess.Popen = real
    held, words = [], []
    for _ in range(300):
        s = socket.create_connection(("127.0.0.1", daemon.port), timeout=DEADLINE_S)
        held.append(s)
    for s in held:
        s.setblocking(False)

    def a_client_is_refused():
        for s in held:
            try:
                got = s.recv(4096)
                words.append(got or b"(closed without a word)")
            except BlockingIOError:
                pass
            except ConnectionResetError:
                words.append(b"(reset)")
        return words

    until("a connection that is refused", a_client_is_refused)
    check("a client above the limit gets the reason", words and all(b"503" in w and b"too many connections" in w for w in words), words[:3])
    until("the line in the log", lambda: "too many connections" in "".join(daemon.log))
    check("the log has a line, one", "".join(daemon.log).count("too many connections") == 1, "".join(daemon.log))
    for s in held:
        s.close()

    def is_accepted():
        try:
            return not Http(daemon).call("submit_turn", {"sessionId": "sess_a", "input": "big"})[0]
        except (OSError, ValueError):
            return False

    check("it continues when they are gone", until("a command to be accepted", is_accepted))
    until_idle(Http(daemon), "sess_a")
    daemon.stop()


def main():
    build = os.path.abspath(sys.argv[1])
    where = tempfile.mkdtemp(prefix="thole-odd-")
    try:
        for part in (modes, outputs, descriptors):
            part(build, where)
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
