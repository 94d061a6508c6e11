#!/usr/bin/env python3
"""A file that the sandbox refused leaves a sandbox.violation, whatever program tried it, and on_failure asks about it.

usage: reported_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  SBX-05, NEG-12, EVT-063, PRM-06.
"""
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
sys.path.insert(0, str(HERE))
from tool_fixture import Fixture, last  # noqa: E402
from tap import play  # noqa: E402
from tree import below  # noqa: E402
from cases import SILENT  # noqa: E402

Fixture.build = str(pathlib.Path(sys.argv[1]).resolve())
tests = []


def test(f):
    tests.append(f)
    return f


class Place(Fixture):
    def __init__(self, files, calls, rules=(), mode="bypass", options=()):
        self.files = files
        super().__init__(calls=[("shell", {"command": c}) for c in calls],
                         options=[f"permission.mode={mode}", f"permission.rules={json.dumps(list(rules))}", *options])

    def prepare(self, calls, options):
        self.out = self.dir / "outside"
        self.out.mkdir()
        (self.out / "kept").write_text("kept")
        for path, text in self.files.items():
            (self.work / path).parent.mkdir(parents=True, exist_ok=True)
            (self.work / path).write_text(text.replace("{out}", str(self.out)))
        return json.loads(json.dumps(calls).replace("{out}", str(self.out))), options

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def violations(events):
    return [e["payload"] for e in events if e["type"] == "sandbox.violation"]


# the attempt, and the path that must be reported; {w} is the workspace
REFUSED = {
    "redirect": ("echo x >/etc/told", "/etc/told"),
    "append": ("echo x >>/usr/told", "/usr/told"),
    "copy": ("cp s/x /usr/share/told", "/usr/share/told"),
    "mkdir": ("mkdir /opt/told", "/opt/told"),
    "remove": ("rm -f /etc/passwd", "/etc/passwd"),
    "rename_out": ("mv s/x /usr/told-2", "/usr/told-2"),
    "rename_in": ("mv /usr/share/doc here", "/usr/share/doc"),
    "symlink": ("ln -s x /usr/told-3", "/usr/told-3"),
    "hard_link": ("ln s/x /usr/told-4", "/usr/told-4"),
    "truncate": ("truncate -s 0 /etc/passwd", "/etc/passwd"),
    "python_truncate": ("python3 -c \"import os; os.truncate('/usr/bin/env',0)\"", "/usr/bin/env"),
    "chmod": ("chmod 777 /usr/bin/env", "/usr/bin/env"),
    "fifo": ("mkfifo /usr/told-5", "/usr/told-5"),
    "through_a_link": ("echo x >to-usr/told-6", "/usr/told-6"),
    "by_descriptor": ("python3 -c \"import os; d=os.open('/usr',os.O_PATH); os.mkdir('told-7',dir_fd=d)\"", "/usr/told-7"),
    "relative": ("cd /usr/share && echo x >told-8", "/usr/share/told-8"),
    "dots": ("echo x >../../../../../../usr/told-9", "/usr/told-9"),
    "sed_in_place": ("sed -i s/a/b/ /etc/profile", "/etc/"),
    "hidden": ("echo x >/var/lib/told", "/var/lib/told"),
    "protected": ("mkdir -p .thole && echo x >.thole/rules.json", "{w}/.thole/rules.json"),
    "protected_remove": ("rmdir .husky", "{w}/.husky"),
    "grandchild": ("sh -c 'sh -c \"(echo x >/etc/told-10) &\"; wait'; sleep 0.1", "/etc/told-10"),
    "remove_hidden": ("rm -f {h}/kept", "{h}/kept"),
    "truncate_hidden": ("truncate -c -s 0 {h}/kept; python3 -c \"import os; os.truncate('{h}/kept',0)\"", "{h}/kept"),
    "rename_hidden": ("mv {h}/kept here; python3 -c \"import os; os.rename('{h}/kept','here')\"", "{h}/kept"),
    "through_a_link_to_what_is_hidden": ("ln -s {h} hidden; echo x >hidden/new", "{h}/new"),
    "a_link_that_leads_out": ("ln -s {h}/made out; echo x >out", "{h}/made"),
    "a_chain_of_links": ("ln -s {h} one; ln -s one two; echo x >two/new-2", "{h}/new-2"),
    "through_proc": ("echo x >/proc/self/root{h}/new-3", "{h}/new-3"),
    "device": ("mknod dev c 1 3", "{w}/dev"),
    "static_thread": ("python3 -c \"import threading; t=threading.Thread(target=lambda: open('/etc/told-11','w')); t.start(); t.join()\"", "/etc/told-11"),
}


@test
def every_denied_write_is_reported():
    files = {"s/x": "x", **{f"t-{n}.sh": c.replace("{h}", "{out}") for n, (c, _) in REFUSED.items()}}
    with Place(files, [f"ln -sf /usr to-usr; sh t-{n}.sh" for n in REFUSED]) as p:
        for name, (_, path) in REFUSED.items():
            events = p.run()
            told = violations(events)
            wanted = path.format(w=p.work, h=p.out)
            hits = [v for v in told if v.get("path", "").startswith(wanted)]
            assert hits, (name, told)
            assert hits[0]["kind"] == "filesystem" and hits[0]["operation"] == "write" and hits[0]["blocked"], (name, hits)
            failed = [e for e in events if e["type"] == "tool.failed"]
            assert not failed or failed[0]["payload"]["category"] == "sandbox_denied", (name, failed)


# a system call, and how it must be reported: kind, system call, error, and whether programs have another way
PYTHON = "import ctypes,os,socket,struct,sys; c=ctypes.CDLL(None,use_errno=True); "
CALLS = {
    "openat2": ("b=struct.pack('QQQ',os.O_WRONLY|os.O_CREAT,0o644,0); c.syscall(437,-100,b'/etc/told-20',b,24)", "filesystem", "openat2", "ENOSYS", True),
    "openat2_in_root": ("d=os.open('/etc',os.O_PATH); b=struct.pack('QQQ',os.O_WRONLY|os.O_CREAT,0o644,0x10); c.syscall(437,d,b'//told-21',b,24)", "filesystem", "openat2", "ENOSYS", True),
    "openat2_setuid": ("b=struct.pack('QQQ',os.O_WRONLY|os.O_CREAT,0o4755,0); c.syscall(437,-100,b's/suid',b,24)", "permission", "openat2", "ENOSYS", True),
    "clone3_user": ("b=struct.pack('11Q',0x10000000,0,0,0,17,0,0,0,0,0,0); c.syscall(435,b,88)", "syscall", "clone3", "ENOSYS", True),
    "unshare_user": ("c.unshare(0x10000000)", "syscall", "unshare", "EPERM", False),
    "io_uring": ("b=bytes(120); c.syscall(425,8,b)", "syscall", "io_uring_setup", "ENOSYS", True),
    "netlink": ("socket.socket(16,3,9)", "network", "socket", "EACCES", True),
    "times": ("os.utime('/usr/bin/env')", "filesystem", "utimensat", "EROFS", False),
    "owner": ("os.chown('/usr/bin/env',1000,1000)", "filesystem", "fchownat|chown", "EROFS", False),
    "attribute": ("os.setxattr('/usr/bin/env','user.told',b'x')", "filesystem", "setxattr", "EROFS", False),
    "no_attribute": ("os.removexattr('/usr/bin/env','user.told')", "filesystem", "removexattr", "EROFS", False),
    "capability": ("os.setxattr('s/x','security.capability',bytes(20))", "permission", "setxattr", "EPERM", False),
    "hard_link_of_the_host": ("os.link('/usr/bin/env','linked')", "filesystem", "linkat|link", "EXDEV", True),
    "hard_link_of_what_is_hidden": ("os.link('{h}/kept','linked')", "filesystem", "linkat|link", "ENOENT", False),
    "root": ("os.setresuid(0,0,0)", "permission", "setresuid", "EPERM", False),
    "signal": ("os.kill(3999999,9)", "process", "kill", "ESRCH", False),
    "limits": ("import resource; resource.prlimit(3999999,resource.RLIMIT_CORE,(0,0))", "process", "prlimit64", "ESRCH", False),
    "priority": ("os.setpriority(os.PRIO_PROCESS,3999999,5)", "process", "setpriority", "ESRCH", False),
    "pidfd": ("os.pidfd_open(3999999)", "process", "pidfd_open", "ESRCH", False),
    "device": ("os.open('/dev/full0',os.O_RDWR) if os.path.exists('/dev/full0') else os.open('/dev/ptmx0',os.O_RDWR)", None, None, None, None),
}


@test
def every_denied_call_is_reported():
    files = {"s/x": "x", **{f"t-{n}.py": PYTHON + c.replace("{h}", "{out}") for n, (c, *_) in CALLS.items()}}
    with Place(files, [f"/usr/bin/python3 t-{n}.py" for n in CALLS]) as p:
        for name, (_, kind, call, err, fallback) in CALLS.items():
            events = p.run()
            told = violations(events)
            if not kind:
                assert not told, (name, told)  # a device that the host does not have either
                continue
            hits = [v for v in told if v["kind"] == kind and v.get("syscall") in call.split("|")]
            assert hits, (name, told)
            assert hits[0]["errno"] == err and hits[0].get("fallback", False) == fallback and hits[0]["blocked"], (name, hits)
            failed = [e["payload"]["category"] for e in events if e["type"] == "tool.failed"]
            assert failed == [] or not fallback and failed == ["sandbox_denied"], (name, failed)


@test
def denied_unix_sockets_are_reported_but_not_the_lookup_of_a_user():
    script = "import socket\ntry: socket.socket(socket.AF_UNIX)\nexcept OSError as e: print(e.errno)\n"
    with Place({"t.py": script}, ["/usr/bin/python3 t.py", "id daemon; getent passwd root; ls -l t.py"], options=["sandbox.network=full"]) as p:
        told = violations(p.run())
        assert [(v["kind"], v["syscall"], v["errno"], v.get("fallback")) for v in told] == [("network", "socket", "EACCES", True)], told
        assert violations(p.run()) == []


@test
def an_ended_process_is_not_reported():
    with Place({"t.sh": "sleep 0 & p=$!; wait; kill $p; kill -0 1; kill -0 $$; python3 -c 'import os; os.utime(\"t.sh\"); os.link(\"t.sh\",\"u\")'; true"}, ["sh t.sh"]) as p:
        assert violations(p.run()) == []


@test
def ten_thousand_refused_calls_are_few_events():
    loop = PYTHON + "b=bytes(120)\nfor i in range(10000): c.syscall(425,8,b)\nfor i in range(300):\n  try: os.link('/usr/bin/env','l%d'%i)\n  except OSError: pass\n"
    loop += "for i in range(300):\n  try: os.utime('/usr/t%d'%i)\n  except OSError: pass\n  try: os.kill(3000000+i,9)\n  except OSError: pass\n"
    with Place({"t.py": loop}, ["/usr/bin/python3 t.py"]) as p:
        told = violations(p.run())
        assert len(told) <= 6, len(told)
        assert sum(v.get("count", 1) for v in told if v["syscall"] == "io_uring_setup") == 10000, told


@test
def allowed_operations_are_not_reported():
    script = ("echo x >a; mkdir -p b/c; mv a b/a; ln -s b l; rm -rf b l; : >/dev/null; echo x >/tmp/y; mkdir -p ~/.cache/z; chmod 600 s/x; cat nowhere; rm -f gone; echo x >/srv/no/such/f; echo x >no/such/f;"
              "mkdir -p /usr/share; python3 -c 'import json'; git init -q g; touch s/x; echo $? >/dev/stderr; true")
    with Place({"s/x": "x", "t.sh": script}, ["sh t.sh"]) as p:
        assert violations(p.run()) == []


@test
def reads_of_denied_paths_are_reported():
    rules = [{"id": "a", "effect": "deny", "path": ".env"}, {"id": "b", "effect": "deny", "path": "keys"}, {"id": "c", "effect": "deny", "path": "**/*.pem"}]
    shapes = {"cat": ("cat .env", ".env"), "grep": ("grep -r x .", ".env"), "python": ("python3 -c \"open('a/b.pem').read()\"", "a/b.pem"),
              "list": ("ls keys", "keys"), "copy": ("cp a/b.pem /tmp/x", "a/b.pem"), "link": ("ln -s .env l; cat l", ".env"),
              "dd": ("dd if=.env of=/dev/null", ".env"), "map": ("python3 -c \"import os; os.open('.env', os.O_RDONLY)\"", ".env")}
    files = {".env": "x", "keys/k": "x", "a/b.pem": "x", **{f"t-{n}.sh": c for n, (c, _) in shapes.items()}}
    with Place(files, [f"sh t-{n}.sh" for n in shapes], rules) as p:
        for name, (_, path) in shapes.items():
            told = violations(p.run())
            hits = [v for v in told if v.get("path") == str(p.work / path)]
            assert hits and hits[0]["operation"] in ("read", "list") and "wouldAllow" not in hits[0], (name, told)


@test
def a_name_that_a_pattern_denies_is_not_created():
    rules = [{"id": "c", "effect": "deny", "path": "**/*.pem"}]
    with Place({"t.sh": "echo x >new.pem; mkdir d; echo y >d/other.pem; cp t.sh d/c.pem; mv t.sh d/m.pem; ls; ls d"}, ["sh t.sh"], rules) as p:
        told = violations(p.run())
        assert not [f for f in below(p.work) if f.suffix == ".pem"], below(p.work)
        assert {os.path.basename(v["path"]) for v in told} >= {"new.pem", "other.pem", "c.pem", "m.pem"}, told


@test
def a_loop_is_reported_once_and_counted():
    with Place({"t.sh": "for i in $(seq 50); do echo x >/etc/again; done 2>/dev/null; true"}, ["sh t.sh"]) as p:
        told = violations(p.run())
        assert 1 <= len(told) <= 2 and sum(v.get("count", 1) for v in told) == 50, told


@test
def what_has_no_row_of_its_own_is_counted_apart():
    with Place({"t.sh": "for i in $(seq 100); do echo x >/etc/told-$i; done 2>/dev/null; true"}, ["sh t.sh"]) as p:
        told = violations(p.run())
        paths = [v["path"] for v in told if "path" in v]
        assert len(paths) == len(set(paths)) == 64, len(paths)
        assert all(v.get("count", 1) == 1 for v in told if "path" in v), told
        others = [v for v in told if "path" not in v]
        assert [(v["operation"], v["kind"], v["count"]) for v in others] == [("others", "filesystem", 36)], others


@test
def unreported_operations_are_listed():
    with Place({}, ["true"]) as p:
        profile = last(p.run(), "sandbox.applied")["sandboxProfile"]
        assert set(SILENT.values()) <= set(profile["unreported"]), profile
        words = (HERE.parent.parent / "docs" / "explanation" / "sandbox.md").read_text()
        assert all(f"| `{w}` |" in words for w in profile["unreported"]), profile


@test
def on_failure_asks_for_what_was_refused():
    with Place({"t.sh": "echo x >{out}/made"}, ["sh t.sh"], mode="on_failure") as p:
        events = p.submit()
        asked = last(events, "action.required")
        assert asked["payload"]["actionType"] == "escalation" and asked["payload"]["override"]["writeRoots"] == [str(p.out)], asked
        kinds = [e["type"] for e in events]
        assert kinds.index("sandbox.violation") < kinds.index("permission.requested"), kinds
        p.allow()
        assert (p.out / "made").read_text() == "x\n"


@test
def on_failure_does_not_ask_for_access_that_is_never_granted():
    rules = [{"id": "w", "effect": "deny", "path": "kept", "access": "write"}]
    with Place({"t.sh": "echo x >kept", "kept": "k"}, ["sh t.sh"], rules, mode="on_failure") as p:
        events = p.submit()
        assert not p.action and last(events, "tool.failed")["payload"]["category"] == "sandbox_denied", events[-4:]
        assert violations(events)


if __name__ == "__main__":
    sys.exit(play(tests, sys.argv[2:]))
