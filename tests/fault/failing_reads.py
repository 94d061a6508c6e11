#!/usr/bin/env python3
"""Reads of the log fail under the real daemon: tests/fault/failing_reads.py BUILD_DIR.  Prints TAP.

A few failures in a row are not noticed by anybody.  A disk that does not answer makes the sessions that have to be read answer
`session_unreadable`, with the file and the operation, until it does again; the daemon lives, and takes no harm.
"""
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import Daemon, Http, until_idle  # noqa: E402

SCRIPT = json.dumps({"version": 1, "rules": [], "default": {"text": {"repeat": "word {{n}} ", "count": 200}}})
number = failed = 0


def check(what, is_so, more=""):
    global number, failed
    number += 1
    failed += not is_so
    print(("ok" if is_so else "not ok"), number, "-", what, flush=True)
    if not is_so:
        print("# " + str(more)[:700].replace("\n", "\n# "), flush=True)


def main():
    build = os.path.abspath(sys.argv[1])
    lib = os.path.join(build, "tests", "fault", "libfail_read.so")
    if not os.path.exists(lib):
        print("ok 1 - failing reads # SKIP the library is not built with sanitizers\n1..1")
        return 0
    where = tempfile.mkdtemp(prefix="thole-unread-")
    data, control = os.path.join(where, "data"), os.path.join(where, "fail")
    daemon = Daemon(build, data, SCRIPT, [])
    try:
        daemon.start()
        http = Http(daemon)
        for i in range(30):
            http.call("submit_turn", {"sessionId": f"sess_{i}", "input": "hello " * 400})
        for i in range(30):
            until_idle(http, f"sess_{i}")
        before = http.events("sess_3", 0)
        daemon.stop()

        os.environ.update(LD_PRELOAD=lib, FAIL_READ_WHILE=control)
        daemon.start()
        for name in ("LD_PRELOAD", "FAIL_READ_WHILE"):
            del os.environ[name]
        http = Http(daemon)
        http.call("submit_turn", {"sessionId": "sess_warm", "input": "hello"})
        until_idle(http, "sess_warm")
        with open(control, "w") as f:
            f.write("2")
        code, reply = http.call("get_session", {"sessionId": "sess_5"})
        check("two failed reads in a row are not noticed", not code, reply)

        open(control, "w").close()
        code, reply = http.call("get_session", {"sessionId": "sess_7"})
        check("a session that cannot be read says so", code == "session_unreadable" and reply["status"] == 503, reply)
        check("file and operation are named", "log.db" in reply.get("detail", "") and "read" in reply.get("detail", ""), reply)
        status, body = http.request("GET", "/v1/events?session=sess_9&after=0&follow=0")
        check("a stream of it too", status == 503 and json.loads(body)["code"] == "session_unreadable", body)
        code, reply = http.call("get_session", {"sessionId": "sess_warm"})
        check("a session that is at hand answers", not code, reply)
        check("the daemon lives", daemon.process.poll() is None, "".join(daemon.log)[-400:])
        code, reply = http.call("submit_turn", {"sessionId": "sess_11", "input": "hello"})
        check("a turn of an unreadable session is refused, not lost", code == "session_unreadable", reply)

        os.unlink(control)
        code, reply = http.call("get_session", {"sessionId": "sess_7"})
        check("when the disk answers again so does the session", not code, reply)
        check("with the same events", http.events("sess_3", 0)[:len(before)] == before)
        code, reply = http.call("submit_turn", {"sessionId": "sess_11", "input": "hello"})
        check("and it continues", not code, reply)
        until_idle(http, "sess_11")
        code, about = http.call("get_capabilities", {})
        check("doctor reports what could not be read", any("cannot read" in d["reason"] for d in about["storage"]["damaged"]), about["storage"])
        words = "".join(daemon.log)
        check("the log says that a read failed, and blames no write", "cannot read" in words and "cannot write" not in words, words[-600:])
        daemon.stop()
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()
        shutil.rmtree(where, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
