#!/usr/bin/env python3
"""A deny rule on a path closes the file, whatever reads or writes it: commands, tools, hooks, tool servers, in every mode.

usage: deny_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  What a command does is in a script that the judge of command lines does not see, so that the sandbox alone decides.
Judged by what comes out and by what the files outside hold afterwards.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mcp"))
from tool_fixture import Fixture, Wrong, last  # noqa: E402
from tap import play  # noqa: E402
from tree import below  # noqa: E402
from wait import DEADLINE_S  # noqa: E402

Fixture.build = BUILD = str(pathlib.Path(sys.argv[1]).resolve())
SECRET = "tr0ub4dor-and-3"
tests = []


def test(f):
    tests.append(f)
    return f


class Place(Fixture):
    def __init__(self, files, rules, calls=(), options=(), links=(), before=None, **more):
        self.files, self.links, self.before = files, links, before
        self.rules = rules
        super().__init__(calls=calls, options=[f"permission.rules={json.dumps(rules)}", "permission.mode=bypass", *options], **more)

    def prepare(self, calls, options):
        for path, text in self.files.items():
            (self.work / path).parent.mkdir(parents=True, exist_ok=True)
            (self.work / path).write_text(text)
        for new, old in self.links:
            (self.work / new).parent.mkdir(parents=True, exist_ok=True)
            os.link(self.work / old, self.work / new)
        if self.before:
            self.before(self)
        return calls, options

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def output(self, events):
        """All that the model is shown, with what was stored elsewhere."""
        text = json.dumps(events)
        for e in events:
            if e.get("outputRef"):
                status, data = self.http.request("GET", f"/v1/outputs/{e['outputRef']}")
                text += data.decode(errors="replace") if status == 200 else ""
        return text


def shell(command):
    return ("shell", {"command": command})


DENY = [{"id": "env", "effect": "deny", "path": ".env"}, {"id": "dir", "effect": "deny", "path": "secrets"},
        {"id": "pem", "effect": "deny", "path": "**/*.pem"}, {"id": "conf", "effect": "deny", "path": "conf/api.key"}]
FILES = {".env": SECRET, "secrets/deep/a": SECRET, "a/b/c/site.pem": SECRET, "top.pem": SECRET, "conf/api.key": SECRET, "open.txt": "open"}

READS = {
    "cat": "cat .env secrets/deep/a a/b/c/site.pem top.pem conf/api.key",
    "copy": "cp .env x; cat x; cp -r secrets y; cat y/deep/a; cp a/b/c/*.pem z; cat z",
    "dd": "dd if=.env; dd if=top.pem",
    "hard_link_inside": "ln .env l1; cat l1; ln a/b/c/site.pem l2; cat l2; ln -L conf/api.key l3; cat l3",
    "soft_link": "ln -s .env s1; cat s1; ln -s secrets s2; cat s2/deep/a; ln -s $PWD/conf/api.key s3; cat s3",
    "rename": "mv .env r1; cat r1; mv secrets r2; cat r2/deep/a; mv top.pem r3; cat r3",
    "rename_the_parent": "mv conf c2; cat c2/api.key; mv a a2; cat a2/b/c/site.pem; mv a/b b2; cat b2/c/site.pem",
    "exchange": "python3 -c \"import ctypes,os; l=ctypes.CDLL(None); print(l.renameat2(-100,b'.env',-100,b'open.txt',2))\"; cat open.txt",
    "proc_cwd": "cat /proc/self/cwd/.env; cat /proc/self/root$PWD/top.pem; cat /proc/1/root$PWD/.env",
    "dot_dot": "cat a/../.env; cat conf/../conf/./api.key; cd a/b; cat ../../.env",
    "walk": "grep -rn . . ; find . -type f -exec cat {} +",
    "archive": "tar cf - . | strings; cpio -o < /dev/null; find . | cpio -o 2>/dev/null | strings",
    "mmap": "python3 -c \"import mmap; f=open('.env'); print(mmap.mmap(f.fileno(),0,prot=1)[:])\"",
    "sendfile": "python3 -c \"import os; f=os.open('top.pem',0); os.sendfile(1,f,0,100)\"",
    "by_handle": "python3 -c \"import ctypes; l=ctypes.CDLL(None); b=ctypes.create_string_buffer(200); b[0]=b'\\x80'; m=ctypes.c_int();"
                 "print(l.name_to_handle_at(-100,b'.env',b,ctypes.byref(m),0), l.open_by_handle_at(-100,b,0))\"",
    "unmount": "umount .env; umount -l secrets; cat .env secrets/deep/a",
    "new_namespace": "unshare -rm sh -c 'umount .env; cat .env'; unshare -r cat .env",
    "chmod": "chmod 777 .env secrets top.pem; cat .env secrets/deep/a top.pem",
    "git_no_index": "git grep --no-index . ; git diff --no-index /dev/null .env; git hash-object -w .env 2>/dev/null; git init -q g; cd g; git add ../top.pem",
    "python_import": "cp -a . /tmp/all; cat /tmp/all/.env /tmp/all/top.pem; rsync -a . /tmp/r 2>/dev/null; cat /tmp/r/.env",
}


@test
def commands_read_nothing():
    with Place({**FILES, **{f"t-{n}.sh": t for n, t in READS.items()}}, DENY, [shell(f"sh t-{n}.sh 2>&1") for n in READS]) as p:
        for name in READS:
            events = p.run()
            assert last(events, "sandbox.applied"), name
            assert SECRET not in p.output(events), f"{name} read it"
            for path, text in FILES.items():
                if text == SECRET:
                    assert (p.work / path).read_text() == SECRET, f"{name} changed {path}"


@test
def the_same_commands_read_it_without_a_rule():
    with Place({**FILES, "t.sh": READS["cat"]}, [], [shell("sh t.sh 2>&1")]) as p:
        assert SECRET in p.output(p.run())


@test
def hard_links_that_are_there_already():
    with Place({".env": SECRET, "x/one.pem": SECRET + "2", "t.sh": "cat notes.txt deep/down/other; ls -l; cat more.txt"}, DENY, [shell("sh t.sh 2>&1")],
               links=[("notes.txt", ".env"), ("deep/down/other", ".env"), ("more.txt", "x/one.pem")]) as p:
        assert SECRET not in p.output(p.run())


@test
def hard_links_come_and_go_between_calls():
    with Place({".env": SECRET, "d/x": "1", "t.sh": "cat d/* 2>&1"}, DENY, [shell("sh t.sh")] * 3) as p:
        assert SECRET not in p.output(p.run())
        os.link(p.work / ".env", p.work / "d" / "late")
        assert SECRET not in p.output(p.run())
        os.unlink(p.work / "d" / "late")
        os.link(p.work / ".env", p.work / "d" / "later")
        assert SECRET not in p.output(p.run())


@test
def files_that_come_between_calls_are_found_by_pattern():
    with Place({"t.sh": "grep -rn . . 2>&1"}, DENY, [shell("sh t.sh")] * 4) as p:
        p.run()
        (p.work / "new" / "deep").mkdir(parents=True)
        (p.work / "new" / "deep" / "k.pem").write_text(SECRET)
        assert SECRET not in p.output(p.run()), "a new directory"
        os.rename(p.work / "new", p.work / "moved")
        assert SECRET not in p.output(p.run()), "a moved directory"
        os.rename(p.work / "moved" / "deep" / "k.pem", p.work / "moved" / "k.txt")
        assert SECRET in p.output(p.run()), "under another name no rule speaks of it"


@test
def built_in_tools_read_nothing():
    calls = [("search", {"pattern": "tr0ub"}), ("search", {"pattern": "tr0ub", "ignored": True}), ("glob", {"pattern": "**/*"}),
             ("read_file", {"path": "alias"}), ("read_file", {"path": "alias-dir/deep/a"}), ("read_file", {"path": "hard"}),
             ("list_dir", {"path": "alias-dir"}), ("read_file", {"path": "a/b/../../top.pem"})]

    def before(p):
        (p.work / "alias").symlink_to(".env")
        (p.work / "alias-dir").symlink_to("secrets")
    with Place(FILES, DENY, calls, links=[("hard", "top.pem")], before=before) as p:
        for name, args in calls:
            assert SECRET not in p.output(p.run()), (name, args)


@test
def a_listing_leaves_out_what_a_sandbox_made():
    """A command's sandbox makes directories for denied paths that are missing, and they stay for a moment after it."""
    rules = [{"effect": "deny", "path": ".env"}, {"effect": "deny", "path": "conf/deep/key"}, {"effect": "deny", "path": "out", "access": "write"},
             {"effect": "deny", "path": "secrets/**"}]
    with Place({"a.txt": "a", "secrets/k": SECRET, "mine/x": "x"}, rules, [shell("true"), ("list_dir", {"path": "."})]) as p:
        p.run()
        assert (p.work / ".env").is_dir() and (p.work / "conf").is_dir() and (p.work / "out").is_dir(), os.listdir(p.work)
        shown = last(p.run(), "tool.result")["payload"]
        assert shown["displayPreview"].split() == ["a.txt", "data.json", "data/", "mine/", "secrets/"], shown


@test
def built_in_tools_write_nothing_that_is_denied():
    """Also where nothing is yet: a name that a pattern covers, below a link, as the target of a patch's move."""
    def patch(text):
        return ("apply_patch", {"patch": f"*** Begin Patch\n{text}\n*** End Patch\n"})

    rules = [{"id": "e", "effect": "deny", "path": ".env"}, {"id": "s", "effect": "deny", "path": "secrets/**"}, {"id": "p", "effect": "deny", "path": "**/*.pem"}]
    files = {".env": SECRET, "secrets/a": SECRET, "x/y.pem": SECRET, "open.txt": "open", "vault/k": "v"}
    calls = [("write_file", {"path": path, "content": "bad"}) for path in
             (".env", "new.pem", "secrets/n", "to-vault/n.pem", "to-secrets/n", "x/../.env", "./secrets/./b", "/proc/self/cwd/.env")]
    calls += [("edit_file", {"path": ".env", "oldText": SECRET, "newText": "bad"}), ("edit_file", {"path": "x/y.pem", "oldText": "tr", "newText": "bad"}),
              patch("*** Add File: q.pem\n+bad"), patch("*** Delete File: .env"), patch("*** Add File: secrets/z\n+bad"), patch("*** Add File: to-vault/w.pem\n+bad"),
              patch("*** Update File: open.txt\n*** Move to: mv.pem\n@@\n-open\n+bad"), ("apply_patch", {"patch": "--- a/open.txt\n+++ b/r.pem\n@@ -1 +1 @@\n-open\n+bad\n"})]

    def before(p):
        (p.work / "to-vault").symlink_to("vault")
        (p.work / "to-secrets").symlink_to("secrets")
    with Place(files, rules, calls, before=before) as p:
        for name, args in calls:
            assert last(p.run(), "tool.failed"), (name, args)
            there = {str(f.relative_to(p.work)): f for f in below(p.work) if f.is_file() and not str(f.relative_to(p.work)).startswith("data")}
            assert set(there) == set(files), (name, args, set(there) ^ set(files))
            assert {n: f.read_text() for n, f in there.items()} == files, (name, args)


@test
def every_mode_asks_the_same_sandbox():
    for mode in ("default", "on_request", "untrusted", "on_failure", "auto"):
        with Place(FILES, DENY, [("search", {"pattern": "tr0ub"}), shell("git grep --no-index -n tr0ub . 2>&1")],
                   options=[f"permission.mode={mode}"]) as p:
            for _ in range(2):
                assert SECRET not in p.output(p.run()), mode


@test
def a_background_process_reads_nothing():
    with Place({**FILES, "t.sh": READS["cat"]}, DENY, [("start_process", {"command": "sh t.sh; sleep 0.2"})]) as p:
        events = p.run()
        ref = p.until("its output", lambda: [x for x in p.call("list_processes", sessionId=p.session)["processes"] if x["status"] != "running"])
        assert SECRET not in p.output(p.events()) and ref, events


@test
def a_rule_of_the_session_and_of_the_project():
    with Place({**FILES, "t.sh": "cat open.txt 2>&1; cat p.txt 2>&1", "p.txt": SECRET + "p",
                ".thole/rules.json": json.dumps({"rules": [{"id": "p", "effect": "deny", "path": "p.txt"}]})}, [],
               [shell("sh t.sh")] * 2) as p:
        (p.work / "open.txt").write_text(SECRET)
        first = p.output(p.run())
        assert SECRET in first and SECRET + "p" not in first, "the project's rule"
        p.call("set_policy", sessionId=p.session, rules=[{"id": "s", "effect": "deny", "path": "open.txt"}])
        assert SECRET not in p.output(p.run()), "the session's rule"


@test
def what_does_not_exist_is_not_created():
    script = "echo x >.env; mkdir secrets; touch secrets/a; ln -s /etc/hostname .env; mv open.txt .env; mkdir -p conf && echo y >conf/api.key; ls -a"
    with Place({"open.txt": "open", "t.sh": script}, DENY, [shell("sh t.sh 2>&1"), shell("sleep 1; sh t.sh 2>&1")]) as p:
        for _ in range(2):
            p.run()
            p.until("the placeholders to go", lambda: not (p.work / ".env").exists() and not (p.work / "secrets").exists())
            assert (p.work / "open.txt").exists()
            assert not (p.work / "conf" / "api.key").is_file()


@test
def placeholders_are_listed_and_go_with_their_last_user():
    with Place({}, DENY, [("start_process", {"command": "while [ ! -e go ]; do sleep 0.05; done"})]) as p:
        p.run()
        rows = p.call("list_processes")["placeholders"]
        assert str(p.work / ".env") in rows, rows
        shown = subprocess.run([BUILD + "/thole", "process", "ls", "--data", p.daemon.data], capture_output=True, text=True, timeout=DEADLINE_S)
        assert ".env" in shown.stdout + shown.stderr, shown
        (p.work / "go").touch()
        p.until("the end", lambda: not (p.work / ".env").exists())
        p.until("the list to be empty", lambda: not p.call("list_processes").get("placeholders"))


WRITE = [{"id": "w", "effect": "deny", "path": "package.json", "access": "write"}, {"id": "l", "effect": "deny", "path": "**/*.lock", "access": "write"},
         {"id": "d", "effect": "deny", "path": "dist", "access": "write"}]
WRITES = {
    "redirect": "echo x >package.json; echo x >>a/b.lock; echo x >dist/new",
    "replace": "echo x >n; mv n package.json; cp n a/b.lock; ln -f n package.json; install n a/b.lock",
    "remove": "rm -f package.json a/b.lock; rm -rf dist; rm -rf a",
    "in_place": "sed -i s/kept/lost/ package.json; perl -pi -e s/kept/lost/ a/b.lock",
    "truncate": "truncate -s 0 package.json; : >a/b.lock; python3 -c \"import os; os.truncate('package.json',0)\"",
    "hard_link": "echo x >other-name; echo y >>other-name",
    "rename_the_parent": "mv a a2; mkdir a; echo x >a/b.lock",
    "mode_and_times": "chmod 600 package.json; touch -d 2001-01-01 package.json; setfattr -n user.x -v 1 package.json",
    "mmap": "python3 -c \"import mmap; f=open('package.json','r+b'); m=mmap.mmap(f.fileno(),0); m[0]=65\"",
    "exchange": "echo x >n; python3 -c \"import ctypes; print(ctypes.CDLL(None).renameat2(-100,b'package.json',-100,b'n',2))\"",
}


@test
def commands_write_nothing_that_is_denied():
    files = {"package.json": "kept", "a/b.lock": "kept", "dist/old": "kept", **{f"t-{n}.sh": t for n, t in WRITES.items()}}
    with Place(files, WRITE, [shell(f"sh t-{n}.sh 2>&1") for n in WRITES] + [shell("cat package.json a/b.lock dist/old")],
               links=[("other-name", "package.json")]) as p:
        stamp = os.stat(p.work / "package.json")
        for name in WRITES:
            p.run()
            for path in ("package.json", "a/b.lock", "dist/old"):
                assert (p.work / path).read_text() == "kept", f"{name} changed {path}"
            assert not (p.work / "dist" / "new").exists(), name
            now = os.stat(p.work / "package.json")
            assert (now.st_ino, now.st_mode, now.st_mtime) == (stamp.st_ino, stamp.st_mode, stamp.st_mtime), name
        assert "keptkeptkept" in p.output(p.run()), "reading stays possible"


@test
def a_sandbox_without_mounts_is_refused():
    for option in ("sandbox.mode=danger_full_access", "sandbox.mode=external_sandbox"):
        with Place({**FILES, "t.sh": READS["cat"]}, DENY, [shell("sh t.sh 2>&1"), ("search", {"pattern": "tr0ub"})], options=[option]) as p:
            for _ in range(2):
                events = p.run()
                assert SECRET not in p.output(events)
                failed = last(events, "tool.failed")
                assert failed["payload"]["category"] == "sandbox_unavailable" and "remove the rule" in failed["statusReason"], failed


@test
def a_hook_with_the_agents_rights_reads_nothing():
    hooks = {"post_tool_use": [{"name": "h", "command": "cat >/dev/null; cat .env top.pem >took 2>&1; true"}]}
    with Place(FILES, DENY, [shell("true")], options=["hooks=" + json.dumps(hooks)]) as p:
        p.run()
        p.until("the hook", lambda: (p.work / "took").exists())
        assert SECRET not in (p.work / "took").read_text()


@test
def a_tool_server_reads_nothing():
    server = (HERE.parent / "mcp" / "server.py").read_text()
    leak = server.replace("import json", "import json\n__import__('os').system('cat .env top.pem >took 2>&1')", 1)
    project = json.dumps({"mcpServers": {"own": {"command": "python3", "args": ["server.py", "plain"]}}})
    with Place({**FILES, "server.py": leak}, DENY, [("mcp__own__echo", {"text": "x"})], project=project) as p:
        p.submit()
        row = p.servers()["own"]
        p.call("trust_tool_server", server="own", cwd=row["cwd"], contentHash=row["contentHash"])
        p.status("own", "ready")
        assert SECRET not in (p.work / "took").read_text()


def until_closed(*paths):
    """A script that ends when none of these shows anything any more, and no sooner."""
    return f"echo >ready; while [ ! -e go ]; do sleep 0.05; done; while cat {' '.join(paths)} 2>/dev/null | grep -q .; do sleep 0.05; done; "


@test
def what_is_replaced_or_made_outside_is_closed_in_a_process_that_runs():
    """An editor that saves by renaming takes the mount away with the old file."""
    script = until_closed(".env", "top.pem", "new.pem", "made/deep.pem", "conf/api.key") + "echo closed >took"
    with Place({**FILES, "t.sh": script}, DENY, [("start_process", {"command": "sh t.sh"})]) as p:
        p.run()
        p.until("the process", lambda: (p.work / "ready").exists())
        for name in (".env", "top.pem"):
            (p.work / "fresh").write_text(SECRET)
            os.rename(p.work / "fresh", p.work / name)
        (p.work / "new.pem").write_text(SECRET)
        (p.work / "made").mkdir()
        (p.work / "made" / "deep.pem").write_text(SECRET)
        os.rename(p.work / "conf", p.work / "conf-old")
        (p.work / "conf").mkdir()
        (p.work / "conf" / "api.key").write_text(SECRET)
        (p.work / "go").touch()
        p.until("everything to be closed", lambda: (p.work / "took").exists())


@test
def what_is_denied_for_writing_stays_closed_when_it_is_replaced_outside():
    script = "echo >ready; while [ ! -e go ]; do sleep 0.05; done; while sh -c 'echo bad >>package.json'; do sleep 0.05; done; echo closed >took"
    with Place({"package.json": "kept", "t.sh": script}, [{"id": "w", "effect": "deny", "path": "package.json", "access": "write"}],
               [("start_process", {"command": "sh t.sh 2>/dev/null"})]) as p:
        p.run()
        p.until("the process", lambda: (p.work / "ready").exists())
        (p.work / "fresh").write_text("mine")
        os.rename(p.work / "fresh", p.work / "package.json")
        (p.work / "go").touch()
        p.until("it to be closed", lambda: (p.work / "took").exists())


@test
def a_process_that_ran_before_the_rule_keeps_it_from_the_next_turn_on():
    script = until_closed(".env", "a/b/c/site.pem", "secrets/deep/a") + "while sh -c 'echo bad >>open.txt'; do sleep 0.05; done; echo closed >took"
    with Place({**FILES, "t.sh": script, "go": ""}, [], [("start_process", {"command": "sh t.sh 2>/dev/null"}), shell("true")]) as p:
        p.run()
        p.until("the process", lambda: (p.work / "ready").exists())
        p.call("set_policy", sessionId=p.session, rules=[*DENY, {"id": "w", "effect": "deny", "path": "open.txt", "access": "write"}])
        assert not (p.work / "took").exists()
        p.run()
        p.until("everything to be closed", lambda: (p.work / "took").exists())


@test
def hard_links_to_files_below_a_denied_directory():
    with Place({"secrets/deep/a": SECRET, "t.sh": "cat notes.txt; cat pub/late 2>&1"}, DENY, [shell("sh t.sh")] * 2, links=[("notes.txt", "secrets/deep/a")]) as p:
        assert SECRET not in p.output(p.run())
        (p.work / "pub").mkdir()
        os.link(p.work / "secrets" / "deep" / "a", p.work / "pub" / "late")
        assert SECRET not in p.output(p.run()), "one that came later"


@test
def a_pattern_below_a_link_to_a_directory():
    rules = [{"id": "k", "effect": "deny", "path": "keys/*.key"}, {"id": "d", "effect": "deny", "path": "deep/**/id_*"}]
    script = "cat keys/a.key vault/a.key deep/in/id_x store/id_x 2>&1; cat vault/open"

    def before(p):
        (p.work / "keys").symlink_to("vault")
        (p.work / "deep").mkdir()
        (p.work / "deep" / "in").symlink_to("../store")
        (p.work / "store" / "again").symlink_to("../store")
    with Place({"vault/a.key": SECRET, "vault/open": "may be read", "store/id_x": SECRET, "t.sh": script}, rules, [shell("sh t.sh")] * 2, before=before) as p:
        for _ in range(2):
            text = p.output(p.run())
            assert SECRET not in text and "may be read" in text, text[-2000:]
            (p.work / "store" / "id_y").write_text("later")


@test
def rules_that_cover_the_same_paths_do_not_get_in_each_others_way():
    with Place({"secrets/deep/x.pem": SECRET, "t.sh": "cat secrets/deep/x.pem 2>&1; echo it ran"}, DENY, [shell("sh t.sh")]) as p:
        text = p.output(p.run())
        assert SECRET not in text and "it ran" in text, text[-2000:]


@test
def a_directory_is_not_moved_to_where_its_files_are_denied():
    rules = [{"id": "l", "effect": "deny", "path": "dist/*.lock", "access": "write"}]
    exchange = "python3 -c \"import ctypes; print(ctypes.CDLL(None).renameat2(-100,b'%s',-100,b'%s',2))\"; "
    # Both ways of the exchange, with a directory and with a file at the denied place.
    for first, second in (("plain", "locked"), ("locked", "plain")):
        for other in ("mkdir locked", "echo x >locked"):
            script = f"mkdir plain; echo bad >plain/a.txt; {other}; " + exchange % (first, second)
            with Place({"t.sh": script}, [{"effect": "deny", "path": "**/locked/*.txt"}], [shell("sh t.sh 2>&1")]) as p:
                p.run()
                assert (p.work / "plain" / "a.txt").exists() and not (p.work / "locked" / "a.txt").exists(), (first, other)
    with Place({"t.sh": "mkdir x; echo bad >x/a.lock; mv x dist; mv x other; ls other"}, rules, [shell("sh t.sh 2>&1")]) as p:
        p.run()
        assert not (p.work / "dist").exists() and (p.work / "other" / "a.lock").exists()


@test
def instruction_files_do_not_hand_out_what_is_denied():
    """The daemon reads them with the user's rights.  The scripted model answers with what it was sent."""
    def before(p):
        (p.work / "AGENTS.md").symlink_to("top.pem")
        os.link(p.work / ".env", p.work / "CLAUDE.md")
    with Place(FILES, DENY, [shell("true")], before=before, options=['context.files=["AGENTS.md","CLAUDE.md"]']) as p:
        p.run()
        assert SECRET not in sent(p)
    with Place({**FILES, "AGENTS.md": SECRET + "plain"}, DENY, [shell("true")]) as p:
        p.run()
        assert SECRET + "plain" in sent(p), "an ordinary one is sent"


def sent(p):
    """Everything that the session's model was sent."""
    text = ""
    for e in p.events():
        if e["type"] == "model.requested":
            for m in json.loads(p.call("get_output", outputRef=e["refs"]["input"])["text"])["messages"]:
                text += m["text"] + (p.call("get_output", outputRef=m["ref"])["text"] if "ref" in m else "")
    assert text
    return text


@test
def a_rule_on_shell_holds_for_its_background_form():
    rules = [{"id": "s", "effect": "deny", "tool": "shell", "path": ".env"}, {"id": "q", "effect": "deny", "tool": "sh?ll", "path": "top.pem"}]
    with Place({**FILES, "t.sh": "cat .env top.pem >took 2>&1"}, rules, [("start_process", {"command": "sh t.sh"}), ("read_file", {"path": "top.pem"})]) as p:
        p.run()
        p.until("its end", lambda: [x for x in p.call("list_processes", sessionId=p.session)["processes"] if x["status"] != "running"])
        assert SECRET not in (p.work / "took").read_text()
        assert SECRET in p.output(p.run()), "the rule names another tool"


@test
def a_rule_on_a_tool_server_is_in_its_sandbox():
    server = (HERE.parent / "mcp" / "server.py").read_text()
    leak = server.replace("import json", "import json\n__import__('os').system('cat .env >took 2>&1; cat top.pem >>took 2>&1')", 1)
    project = json.dumps({"mcpServers": {"own": {"command": "python3", "args": ["server.py", "plain"]}}})
    rules = [{"id": "m", "effect": "deny", "mcp": "own", "path": ".env"}]
    with Place({**FILES, ".env": SECRET + "m", "server.py": leak}, rules, [("mcp__own__echo", {"text": "x"})], project=project) as p:
        p.submit()
        row = p.servers()["own"]
        p.call("trust_tool_server", server="own", cwd=row["cwd"], contentHash=row["contentHash"])
        p.status("own", "ready")
        took = (p.work / "took").read_text()
        assert SECRET in took and SECRET + "m" not in took, took


def git_in(dir, *commands):
    for more in commands:
        subprocess.run(["git", "-c", "user.email=a@b", "-c", "user.name=a", "-C", str(dir), *more], check=True, capture_output=True)


def reports_of(p, cwd=None):
    """What `policy show` and `doctor` say of these rules."""
    config = p.dir / "config" / "thole" / "config.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(json.dumps({"permission": {"rules": DENY}}))
    for words in (["policy", "show"], ["doctor"]):
        shown = subprocess.run([BUILD + "/thole", *words, "--data", p.daemon.data], cwd=cwd or p.work, capture_output=True, text=True, timeout=DEADLINE_S,
                               env=dict(os.environ, XDG_CONFIG_HOME=str(p.dir / "config")))
        yield words, shown.stdout + shown.stderr


@test
def a_denied_file_in_a_commit_is_reported():
    def before(p):
        git_in(p.work, ["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"])
    with Place(FILES, DENY, before=before) as p:
        for words, text in reports_of(p):
            for path in (".env", "secrets/deep/a", "conf/api.key", "a/b/c/site.pem"):
                assert path in text, (words, path, text)
            assert "not searched" not in text, text
        p.until("a line of the log", lambda: [x for x in p.daemon.log if "committed" in x] or p.submit())


@test
def a_denied_file_in_the_history_of_git_is_reported():
    def before(p):
        git_in(p.work, ["init", "-q", "-b", "main"], ["add", "open.txt"], ["commit", "-qm", "first"])
        git_in(p.work, ["add", ".env"], ["commit", "-qm", "by mistake"], ["rm", "-q", "--cached", ".env"], ["commit", "-qm", "removed"])
        git_in(p.work, ["checkout", "-qb", "side"], ["add", "conf/api.key"], ["commit", "-qm", "on a branch"], ["rm", "-q", "--cached", "conf/api.key"],
               ["commit", "-qm", "gone again"], ["checkout", "-q", "main"])
        git_in(p.work, ["add", "top.pem"], ["commit", "-qm", "only the reflog knows it"], ["reset", "-q", "--soft", "HEAD~1"], ["reset", "-q", "top.pem"])
        git_in(p.work, ["add", "secrets/deep/a"])  # staged, in no commit
        git_in(p.work, ["worktree", "add", "-q", str(p.dir / "tree")])
    with Place(FILES, DENY, before=before) as p:
        for words, text in reports_of(p):
            for path in (".env", "conf/api.key", "top.pem", "secrets/deep/a"):
                assert path in text.split("committed")[-1], (words, path, text)
            assert "not searched" not in text and "site.pem" not in text.split("committed")[-1], text
        for words, text in reports_of(p, p.dir / "tree"):
            assert ".env" in text.split("committed")[-1] and "not searched" not in text, ("a worktree", words, text)


@test
def a_history_that_cannot_be_searched_is_reported():
    def before(p):
        git_in(p.work, ["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"])
        for f in (p.work / ".git" / "objects").rglob("*"):
            if f.is_file():
                f.chmod(0o644)
                f.write_bytes(b"damaged")
    with Place(FILES, DENY, before=before) as p:
        for words, text in reports_of(p):
            assert "not searched" in text, (words, text)


@test
def what_the_repository_makes_git_run_is_in_a_sandbox():
    def before(p):
        git_in(p.work, ["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"])
        git_in(p.work, ["config", "core.fsmonitor", "touch ../escaped; true"], ["config", "core.pager", "touch ../escaped"], ["config", "alias.log", "!touch ../escaped"],
               ["config", "log.showSignature", "true"], ["config", "gpg.program", "touch"], ["config", "diff.external", "touch ../escaped"])
    with Place(FILES, DENY, before=before) as p:
        for words, text in reports_of(p):
            assert ".env" in text, (words, text)
        assert not (p.dir / "escaped").exists() and not (p.work / "escaped").exists()


THREE = [{"id": "e", "effect": "deny", "path": ".env"}, {"id": "s", "effect": "deny", "path": "secrets/**"}, {"id": "p", "effect": "deny", "path": "**/*.pem"}]


def turn_in(p, cwd, **more):
    """A turn of a new session that works there."""
    reply = p.call("submit_turn", cwd=str(cwd), **{"input": "go", **more})
    p.session, p.turn = reply["sessionId"], reply["turnId"]
    return p.settle()


@test
def a_submodule_is_closed_from_above_and_from_inside():
    def before(p):
        origin = p.dir / "origin"
        origin.mkdir()
        (origin / "code.c").write_text("code")
        git_in(origin, ["init", "-q"], ["add", "-A"], ["commit", "-qm", "o"])
        git_in(p.work, ["init", "-q"], ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(origin), "sub"])
        for name in (".env", "deep/key.pem", "secrets/a"):
            (p.work / "sub" / name).parent.mkdir(exist_ok=True)
            (p.work / "sub" / name).write_text(SECRET + ("" if name.endswith("pem") else "-inside"))
    script = ("cat sub/deep/key.pem; cat deep/key.pem; git -C sub grep --no-index -n tr0ub -- '*.pem'; cd sub 2>/dev/null; cat .env secrets/a; git add -A; git show :.env; git show :deep/key.pem;"
              "git stash -u; git show 'stash@{0}^3:.env'; tar cf - . | strings")
    inside = shell("sh ../t.sh 2>&1")
    with Place({"t.sh": script}, THREE, [shell("sh t.sh 2>&1")], before=before) as p:
        shown = p.output(p.run())
        assert SECRET + "-inside" in shown and SECRET not in shown.replace(SECRET + "-inside", ""), shown[-2000:]
    with Place({"t.sh": script, "sub-t": ""}, THREE, [inside], before=lambda p: (before(p), (p.work / "sub" / "t.sh").write_text(script))) as p:
        assert SECRET not in p.output(turn_in(p, p.work / "sub"))


@test
def a_workspace_behind_a_link_is_closed_by_both_names():
    def calls(p):
        names = [f"{d}/{n}" for d in (".", p.dir / "alias", p.work) for n in (".env", "secrets/deep/a", "a/b/c/site.pem")]
        return [shell("sh t.sh 2>&1"), *[("read_file", {"path": n}) for n in names], ("search", {"pattern": "tr0ub"}),
                ("search", {"pattern": "tr0ub", "path": str(p.dir / "alias")}), ("search", {"pattern": "tr0ub", "path": str(p.work)}),
                *[("write_file", {"path": n, "content": "bad"}) for n in names]]

    class Linked(Place):
        def prepare(self, _, options):
            super().prepare([], options)
            (self.dir / "alias").symlink_to(self.work)
            text = " ".join(f"{d}/{n}" for d in (".", self.dir / "alias", self.work) for n in (".env", "secrets/deep/a", "a/b/c/site.pem", "top.pem"))
            (self.work / "t.sh").write_text(f"cat {text}; grep -rn tr0ub . {self.dir / 'alias'} {self.work}; echo bad >{self.dir / 'alias'}/.env; echo bad >{self.work}/top.pem; true")
            self.all = calls(self)
            return self.all, options
    with Linked(FILES, THREE + DENY[3:]) as p:
        events = turn_in(p, p.dir / "alias")
        for call in p.all:
            assert SECRET not in p.output(events), (call, p.output(events)[-1500:])
            for path in (".env", "secrets/deep/a", "a/b/c/site.pem", "top.pem"):
                assert (p.work / path).read_text() == SECRET, (call, path)
            events = p.run()


@test
def nothing_that_is_denied_comes_into_the_data_directory():
    """Not as a checkpoint, not as what an edit found, not by undoing."""
    def patch(text):
        return ("apply_patch", {"patch": f"*** Begin Patch\n{text}\n*** End Patch\n"})
    calls = [("write_file", {"path": "a.txt", "content": "new"}), ("edit_file", {"path": ".env", "oldText": "tr0ub", "newText": "x"}), patch("*** Delete File: top.pem"),
             patch("*** Update File: open.txt\n@@\n-open\n+changed\n*** Delete File: secrets/deep/a"), ("write_file", {"path": "a/b/c/site.pem", "content": "x"}),
             ("write_file", {"path": "alias", "content": "x"}), ("edit_file", {"path": "alias", "oldText": "tr0ub", "newText": "x"}),
             shell("rm a.txt; ln -s .env a.txt; cp .env copy; git init -q; git add -A; true")]
    with Place({**FILES, "a.txt": "old"}, THREE + DENY[3:], calls, before=lambda p: (p.work / "alias").symlink_to(".env")) as p:
        turns = []
        for _ in calls:
            p.run()
            turns.append(p.turn)
        for words in [[verb, t] for t in turns[::-1] for verb in ("diff", "undo")]:
            shown = subprocess.run([BUILD + "/thole", *words, "--data", p.daemon.data], cwd=p.work, input="y\n", capture_output=True, text=True, timeout=DEADLINE_S)
            assert SECRET not in shown.stdout + shown.stderr, words
        for path, text in FILES.items():
            assert text != SECRET or (p.work / path).read_text() == SECRET, path
        p.daemon.stop()
        for f in pathlib.Path(p.daemon.data).rglob("*"):
            assert not f.is_file() or SECRET.encode() not in f.read_bytes(), f
        p.daemon.start()


@test
def parts_of_an_input_that_name_a_denied_file_do_not_bring_it():
    shapes = [{"type": "file", "path": ".env"}, {"type": "file", "path": "{w}/.env"}, {"type": "file", "path": "alias"}, {"type": "file", "name": "x", "path": "secrets/deep/a"},
              {"type": "file", "uri": "file://{w}/top.pem", "name": "top.pem"}, {"type": "resource", "uri": "file://{w}/.env"}, {"type": "resource", "uri": "file:///proc/self/cwd/.env"},
              {"type": "resource", "uri": "{w}/a/b/c/site.pem"}, {"type": "image", "path": ".env"}, {"type": "image", "uri": "file://{w}/.env", "mediaType": "image/png"}]
    with Place(FILES, THREE, [("read_file", {"path": "open.txt"})], before=lambda p: (p.work / "alias").symlink_to(".env")) as p:
        taken = 0
        for part in shapes:
            part = json.loads(json.dumps(part).replace("{w}", str(p.work)))
            code, reply = p.http.call("submit_turn", {"input": [{"type": "text", "text": "look"}, part]})
            if code:
                continue
            taken += 1
            p.session, p.turn = reply["sessionId"], reply["turnId"]
            events = p.settle()
            assert SECRET not in p.output(events) and SECRET not in sent(p), part
        assert taken >= 3, "most of them are taken"


@test
def a_childs_worktree_is_closed_like_its_parents_directory():
    script = "cat .env secrets/deep/a top.pem a/b/c/site.pem; grep -rn tr0ub . ; cat {w}/.env {w}/top.pem; pwd; cat open.txt"

    def before(p):
        (p.work / "t.sh").write_text(script.replace("{w}", str(p.work)))
        (p.work / ".gitignore").write_text("data*\n")
        git_in(p.work, ["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"])
    with Place(FILES, THREE + DENY[3:], [shell("sh t.sh 2>&1")], before=before) as p:
        p.run()
        thread = p.events()[-1]["threadId"]
        child = p.call("spawn_subagent", sessionId=p.session, parentThreadId=thread, role="helper", input="go",
                       isolation={"prompt": "own", "workspace": "worktree", "tools": ["shell"], "permissionMode": "bypass", "memory": "none"})
        p.until("the end of the child", lambda: [e for e in p.events() if e["type"] in ("subagent.completed", "subagent.failed") and e["subagentId"] == child["subagentId"]])
        results = [e for e in p.events() if e["type"] in ("tool.result", "tool.failed") and e.get("threadId") not in (None, thread)]
        assert results, "the child called its tool"
        shown = p.output([e for e in p.events() if e.get("threadId") not in (None, thread)])
        assert "data-worktrees" in shown and "open" in shown, shown[-1500:]
        assert SECRET not in p.output(p.events()), shown[-1500:]


@test
def many_files_and_patterns_stay_cheap():
    rules = [{"id": f"g{n}", "effect": "deny", "path": f"**/*.secret{n}"} for n in range(20)]

    def before(p):
        for d in range(200):
            (p.work / f"d{d}").mkdir()
            for f in range(50):
                (p.work / f"d{d}" / f"f{f}").touch()
        (p.work / "d7" / "x.secret3").write_text(SECRET)
    with Place({"t.sh": "cat d7/x.secret3 2>&1"}, rules, [shell("sh t.sh")] * 3, before=before) as p:
        for _ in range(3):
            assert SECRET not in p.output(p.run())


if __name__ == "__main__":
    sys.exit(play(tests, sys.argv[2:]))
