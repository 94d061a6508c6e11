#!/usr/bin/env python3
"""Two daemons on one PostgreSQL that keep large outputs in a bucket.

usage: object_store_test.py BUILD_DIR [WORD...]     prints TAP

WORD: only tests whose name contains one of them.  The bucket is s3rver behind a receiver that checks signatures (bucket.mjs).
"""
import functools
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "nodes"), os.path.join(os.path.dirname(HERE), "lib"), HERE]
import nodes_test as nodes  # noqa: E402
import tap  # noqa: E402
from bucket import KEY, SECRET, WITHOUT, Bucket, is_there  # noqa: E402
from machine_role import PASS, MachineRole  # noqa: E402
from nodes_test import ask, check, count, log_of, postgres, scenario, submit, until  # noqa: E402
from ports import free_port  # noqa: E402
from wait import DEADLINE_S  # noqa: E402

PART = 8 << 20
LINE = "line {{n}}: the river flows\n"
PIECE = "a piece of the river, and then another one. " * 1400  # 60 KiB


def tool(name, **result):
    return {"name": name, "policy": "allowed", "result": result}


def calls(word, name):
    return {"when": {"text": word, "request": 1}, "reply": {"toolCalls": [{"name": name, "args": {}}]}}


nodes.SCRIPT = json.dumps({
    "version": 1,
    "tools": [tool("read_much", text={"repeat": LINE, "bytes": 20_000_000}), tool("read_some", text={"repeat": LINE, "bytes": 3_000_000}),
              tool("read_on", text={"repeat": LINE, "bytes": 18_000_000}, hang=True), tool("read_slowly", pieces=[PIECE] * 60, outputEveryMs=100)],
    "rules": [calls("much", "read_much"), calls("some", "read_some"), calls("on", "read_on"), calls("slowly", "read_slowly"),
              {"when": {"text": "later"}, "reply": {"text": "done", "firstDelayMs": 1500}}],
    "default": {"text": "done"}})


@functools.cache
def repeated(size):
    """What the tools write: the template with a number, as often as it fits."""
    text, n = [], 0
    length = 0
    while length < size:
        n += 1
        text.append(LINE.replace("{{n}}", str(n)))
        length += len(text[-1])
    return "".join(text)[:size].encode()


class Place(nodes.World):
    """Two daemons and a bucket; PostgreSQL is shared by all tests."""

    def __init__(self, build, cluster, bucket=None):
        super().__init__(build, cluster)
        self.bucket = bucket or Bucket(self.dir)

    def two(self, *options):
        return self.node("a", *self.bucket.options(), *options), self.node("b", *self.bucket.options(), *options)

    def close(self):
        self.bucket.close()
        self.done()

    def last_words(self):
        of_nodes = [f"{d.name}: {line.rstrip()}" for d in self.daemons for line in getattr(d, "log", [])[-6:]]
        return of_nodes + (self.bucket.last_words() if hasattr(self.bucket, "last_words") else [])

    def rows(self, sql):
        return self.cluster.sql(sql.replace("@", self.schema + "."))

    def objects(self, ref):
        """The names of the objects of an output, with their sizes."""
        return {key.split("/")[-1]: size for key, size in self.bucket.keys().items() if f"/{ref}/" in key}

    def growing(self):
        """The ref of the one output that grows."""
        ref, = until("an output to grow", lambda: self.rows("SELECT ref FROM @output_growing"))
        return ref

    def refused(self, code, *options, env=None, store=True):
        """A start that must fail with this code; nothing that it says is a secret."""
        args = [os.path.join(self.build, "thole"), "serve", "--data", os.path.join(self.dir, f"refused{free_port()}")]
        args += ["--store", self.cluster.url(), "-c", "store.schema=" + self.schema] if store else []
        for option in options:
            args += ["-c", option]
        done = subprocess.run(args, capture_output=True, text=True, timeout=DEADLINE_S,
                              env={**os.environ, "XDG_CONFIG_HOME": self.dir, **(env or {})})
        said = done.stdout + done.stderr
        check(done.returncode not in (0, -9) and code in said, f"{code} is not in what a start said that ended with {done.returncode}: {said}")
        check(SECRET not in said and "wrongwrong" not in said, f"a secret is shown: {said}")


def spilled(node, session):
    return [e["output"] for e in log_of(node, session) if e["type"] == "output.spilled"]


def part_of(node, ref, first, last):
    """A range by HTTP, as a browser asks for it."""
    status, data = scenario.Http(node).request("GET", f"/v1/outputs/{ref}", headers={"Range": f"bytes={first}-{last}"})
    check(status == 206, f"a range of {ref}: {status} {data[:300]}")
    return data


def check_ranges(node, ref, content):
    for _ in range(12):
        first = random.randrange(len(content))
        last = min(first + random.randrange(300_000), len(content) - 1)
        check(part_of(node, ref, first, last) == content[first:last + 1], f"bytes {first} to {last} of {ref} differ")
    check(part_of(node, ref, 0, 0) == content[:1] and part_of(node, ref, len(content) - 1, len(content) - 1) == content[-1:], "an end differs")


def ready(node):
    status, data = scenario.Http(node).request("GET", "/readyz")
    return status, json.loads(data)


def until_waits(node, code):
    until(lambda: f"/readyz of {node.name} to name {code}: {ready(node)}", lambda: code in ready(node)[1].get("waits", ""))
    check(ready(node)[0] == 200, "a node whose outputs wait is not ready")


def until_ended(node, session, turns=1):
    until(f"turn {turns} to end", lambda: count(node, session, "turn.completed") == turns)


# ---- outputs that another node reads --------------------------------------------------------------

def a_large_output_of_one_node_is_read_by_ranges_on_the_other(w):
    a, b = w.two()
    outputs = []
    for word, size in (("much", 20_000_000), ("some", 3_000_000)):
        session = submit(a, word)
        until_ended(a, session)
        output, = spilled(a, session)
        check(output["sizeBytes"] == size and output["sha256"] == hashlib.sha256(repeated(size)).hexdigest(), f"the output is another one: {output}")
        outputs.append((session, output, repeated(size)))
        check(w.objects(output["outputRef"]) == {"sha256-" + output["sha256"]: size}, f"other objects are there: {w.objects(output['outputRef'])}")
        check_ranges(b, output["outputRef"], repeated(size))
    check(w.bucket.uploads() == 0, "an upload is not over")
    check(w.rows("SELECT count(*) FROM @output_chunk") == ["0"] and w.rows("SELECT count(*) FROM @output_growing") == ["0"], "the database has a part")
    check(w.bucket.parts_sent() == 3, "the large one was not sent in parts")
    a.stop()
    shutil.rmtree(a.data)
    for session, output, content in outputs:
        check_ranges(b, output["outputRef"], content)
        check(ask(b, "get_output", outputRef=output["outputRef"], sessionId=session, offset=-10)["text"].encode() == content[-10:], "its end differs")
    check(w.bucket.has_read(outputs[0][1]["outputRef"]), "the bucket was not asked")
    w.verify(b)


def outputs_that_were_in_the_database_are_read_beside_those_of_the_bucket(w):
    a = w.node("a")
    session = submit(a, "some")
    until_ended(a, session)
    before, = spilled(a, session)
    a.stop()
    shutil.rmtree(a.data)
    b = w.node("b", *w.bucket.options())
    submit(b, "some", session)
    until_ended(b, session, 2)
    check_ranges(b, before["outputRef"], repeated(3_000_000))
    check_ranges(b, spilled(b, session)[1]["outputRef"], repeated(3_000_000))
    b.stop()
    shutil.rmtree(b.data)
    # A node without the bucket says where the output is.
    c = w.node("c")
    code, reply = scenario.Http(c).call("get_output", {"outputRef": spilled(c, session)[1]["outputRef"], "sessionId": session})
    check(code and "object store" in json.dumps(reply), f"it is not said where the output is: {reply}")
    check_ranges(c, before["outputRef"], repeated(3_000_000))


# ---- a node that dies -----------------------------------------------------------------------------

def an_output_that_grew_on_a_killed_node_is_sealed_by_the_other(w):
    a, b = w.two()
    session = submit(a, "on")
    size, content = 18_000_000, repeated(18_000_000)
    ref = w.growing()
    until(lambda: f"two parts and the tail in the bucket: {w.objects(ref)}", lambda: w.objects(ref).get(f"tail-{2 * PART}") == size - 2 * PART)
    check(w.bucket.uploads() == 1 and w.rows("SELECT count(*) FROM @output_part") == ["2"], "the parts are not noted")
    read = ask(a, "get_output", sessionId=session, outputRef=ref, offset=size - 90, length=80)
    check(read["text"].encode() == content[size - 90:size - 10] and not read["eof"], "the node that writes it cannot read it")
    code, reply = scenario.Http(b).call("get_output", {"outputRef": ref})
    check(code == "store_unavailable" and reply["retryable"], f"the other node says of it: {code} {reply}")
    a.kill()
    shutil.rmtree(a.data)
    output, = until("the output at the other node", lambda: spilled(b, session))
    check(output["sizeBytes"] == size and output["sha256"] == hashlib.sha256(content).hexdigest(), f"the output is another one: {output}")
    check(w.objects(ref) == {"sha256-" + output["sha256"]: size} and w.bucket.uploads() == 0, f"other objects are there: {w.objects(ref)}")
    check_ranges(b, ref, content)
    w.verify(b)


def a_kill_while_an_output_grows_loses_its_tail_alone(w):
    a, b = w.two()
    session = submit(a, "slowly")
    ref = w.growing()
    content = PIECE.encode() * 60
    until("a tail of some size", lambda: w.objects(ref).get("tail-0", 0) > 500_000)
    a.kill()
    killed = time.monotonic()
    output, = until("the output at the other node", lambda: spilled(b, session))
    print(f"# {output['sizeBytes']} bytes were kept, {time.monotonic() - killed:.1f} s after the kill", flush=True)
    check(500_000 < output["sizeBytes"] < len(content), f"its size is {output['sizeBytes']}")
    check(output["sha256"] == hashlib.sha256(content[:output["sizeBytes"]]).hexdigest(), "it is no beginning of what was written")
    check_ranges(b, ref, content[:output["sizeBytes"]])
    # The one that died comes back with a longer file, and reads what was sealed.
    a.start()
    until("the node that came back to be ready", lambda: scenario.Http(a).request("GET", "/readyz")[0] == 200)
    check_ranges(a, ref, content[:output["sizeBytes"]])
    w.verify(a)


def a_node_that_starts_again_sends_its_output_again(w):
    a = w.node("a", *w.bucket.options())
    session = submit(a, "on")
    ref = w.growing()
    until("the tail in the bucket", lambda: f"tail-{2 * PART}" in w.objects(ref))
    a.kill()
    a.start()
    output, = until("the output", lambda: spilled(a, session))
    check(output["sha256"] == hashlib.sha256(repeated(18_000_000)).hexdigest(), "the output is another one")
    until("what led there to be removed", lambda: w.objects(ref) == {"sha256-" + output["sha256"]: 18_000_000} and w.bucket.uploads() == 0)


# ---- a bucket that is not as it should be ---------------------------------------------------------

def a_start_names_what_is_wrong_with_the_bucket(w):
    good = w.bucket.options()
    w.refused("object_store_credentials", *good, env={"AWS_SECRET_ACCESS_KEY": "wrongwrongwrongwrong"})
    w.refused("object_store_credentials", *good, env={"AWS_ACCESS_KEY_ID": "AKIANOTKNOWN"})
    w.refused("object_store_credentials", *good, env={"AWS_ACCESS_KEY_ID": ""})
    w.refused("object_store_credentials", *w.bucket.options(credentials_file=os.path.join(w.dir, "none")))
    w.refused("object_store_credentials", *good, env={"AWS_SESSION_TOKEN": "wrongwrong"})
    w.refused("object_store_bucket", *w.bucket.options(bucket="not-there"))
    w.refused("object_store_region", *w.bucket.options(region="us-east-1"))
    w.refused("object_store_settings", *w.bucket.options(bucket=""))
    w.refused("object_store_settings", *w.bucket.options(bucket="a/b"))
    w.refused("object_store_settings", *w.bucket.options(prefix="a/../b"))
    w.refused("object_store_settings", *w.bucket.options(endpoint="ftp://localhost"))
    w.refused("object_store_settings", *good, store=False)


def a_bucket_that_is_down_is_waited_for(w):
    a, b = w.two()
    session = submit(a, "hello")
    until_ended(a, session)
    w.bucket.stop()
    submit(a, "much", session)
    until_waits(a, "object_store_unreachable")
    said = until("`thole why` to say it", lambda: "object_store_unreachable" in w.thole(a, "why", session) and w.thole(a, "why", session))
    check("outputs wait since" in said, said)
    check(any("outputs wait for the object store" in line for line in a.log), "the log does not say it")
    # Everything else works meanwhile, also the output of another node and a start.
    other = submit(b, "hello")
    until_ended(b, other)
    b.stop()
    b.start()
    until_waits(b, "object_store_unreachable")
    check(count(a, session, "turn.completed") == 1 and not spilled(a, session), "the turn ended without its output")
    w.bucket.start()
    until_ended(a, session, 2)
    output, = spilled(a, session)
    check(output["sha256"] == hashlib.sha256(repeated(20_000_000)).hexdigest(), "the output is another one")
    for node in (a, b):
        until("nothing to wait", lambda: "waits" not in ready(node)[1])
    w.bucket.stop()
    a.stop()
    shutil.rmtree(a.data)
    code, reply = scenario.Http(b).call("get_output", {"outputRef": output["outputRef"], "sessionId": session})
    check(code == "store_unavailable" and reply["retryable"], f"a read that the bucket does not answer: {code} {reply}")
    w.bucket.start()
    check_ranges(b, output["outputRef"], repeated(20_000_000))
    w.verify(b)


def an_output_that_waits_is_sealed_after_a_restart(w):
    a = w.node("a", *w.bucket.options())
    session = submit(a, "hello")
    until_ended(a, session)
    w.bucket.stop()
    submit(a, "some", session)
    until_waits(a, "object_store_unreachable")
    until("the file to be complete", lambda: any(files for _, _, files in os.walk(os.path.join(a.data, "blobs", "ref"))))
    a.kill()
    a.start()
    w.bucket.start()
    output, = until("the output", lambda: spilled(a, session))
    check(output["sha256"] == hashlib.sha256(repeated(3_000_000)).hexdigest(), f"the output is another one: {output}")
    check(w.objects(output["outputRef"]) == {"sha256-" + output["sha256"]: 3_000_000}, "it is not in the bucket")


def a_node_works_on_a_job_when_the_bucket_with_its_items_is_back(w):
    a = w.node("a", *w.bucket.options())
    session = submit(a, "some")
    until_ended(a, session)
    output, = spilled(a, session)
    job = ask(a, "create_job", sessionId=session, instruction="later", inputRef=output["outputRef"], concurrency=4)["jobId"]
    until("the first items", lambda: count(a, session, "job.item.completed"))
    w.bucket.stop()
    b = w.node("b", *w.bucket.options())

    def begun(at):
        places = [e["payload"].get("worker", {}).get("workerId", "owner:") for e in log_of(a, session) if e["type"] == "job.item.started"]
        return sum(place.startswith(at + ":") for place in places)

    # The owner has the file of its own; the other node cannot read it yet.
    before = begun("owner")
    until("the owner to continue alone", lambda: begun("owner") >= before + 8)
    check(not begun("node:b"), "an item was begun that cannot be read")
    w.bucket.start()
    until("items at the other node", lambda: begun("node:b"))
    check(not count(a, session, "job.failed") and not count(a, session, "job.item.failed"), "an item, or the job, has failed")
    ask(a, "cancel_job", sessionId=session, jobId=job)
    until("the job to end", lambda: count(a, session, "job.cancelled"))


def keys_in_a_file_are_replaced_while_a_node_runs(w):
    path = os.path.join(w.dir, "keys")

    def write(secret, token):
        with open(path + ".new", "w") as f:
            f.write(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {secret}\naws_session_token = {token}\n")
        os.replace(path + ".new", path)

    w.bucket.stop()
    w.bucket = Bucket(w.dir, "temporary/token+of/a+role==")
    write(SECRET, w.bucket.token)
    a = w.node("a", *w.bucket.options(credentials_file=path))
    session = submit(a, "some")
    until_ended(a, session)
    write("wrongwrongwrongwrong", w.bucket.token)
    submit(a, "some", session)
    until_waits(a, "object_store_credentials")
    write(SECRET, "old")
    until("the expired token to be named", lambda: "ExpiredToken" in ready(a)[1].get("waits", ""))
    write(SECRET, w.bucket.token)
    until_ended(a, session, 2)
    check(len(spilled(a, session)) == 2, "an output is missing")
    a.stop()
    said = a.whole_log()
    check(not any(secret in said for secret in (SECRET, "wrongwrong", w.bucket.token)), "the log has a secret")


def with_role(w, lasts_s=3600):
    w.bucket.stop()
    w.bucket = Bucket(w.dir, "temporary/token+of/a+role==")
    return MachineRole(w.bucket.token, lasts_s)


def an_output_at(w, node, number, session=None):
    session = submit(node, "some", session)
    until_ended(node, session, number)
    check(len(spilled(node, session)) == number, "an output is missing")
    return session


def keys_of_a_machines_role_are_asked_for_again_before_they_expire(w):
    role = with_role(w, lasts_s=301)  # new ones are due a second later
    with role.environment():
        a = w.node("a", *w.bucket.options(machine_role="true"))
        session, number = None, 0
        while role.given < 3:
            check(number < 200, "the keys are not asked for again")
            number += 1
            session = an_output_at(w, a, number, session)
        # Those that it has are valid for minutes.
        role.status = 503
        for _ in range(3):
            number += 1
            an_output_at(w, a, number, session)
        check(not role.wrong, f"requests that were refused: {role.wrong}")
        a.stop()
        said = a.whole_log()
        check(not any(secret in said for secret in (SECRET, PASS, w.bucket.token)), "the log has a secret")
    role.stop()


def a_metadata_service_that_does_not_answer_is_waited_for(w):
    role = with_role(w)
    with role.environment():
        role.status = 503
        a = w.node("a", *w.bucket.options(machine_role="true"))
        session = submit(a, "some")
        until_waits(a, "object_store_credentials")
        role.status = 200
        until_ended(a, session)
        check(len(spilled(a, session)) == 1 and role.given == 1, f"keys were given {role.given} times")
        role.has_role = False
        w.refused("object_store_credentials", *w.bucket.options(machine_role="true"))
        file = os.path.join(w.dir, "keys")
        w.refused("exclude each other", *w.bucket.options(machine_role="true", credentials_file=file))
    role.stop()


def keys_of_a_containers_role_want_what_authorizes(w):
    role = with_role(w)
    role.wants = "Bearer of-this-container"
    file = os.path.join(w.dir, "authorization")
    with open(file, "w") as f:
        f.write(role.wants + "\n")
    url = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": role.url + "/container"}
    for more in ({"AWS_CONTAINER_AUTHORIZATION_TOKEN": role.wants}, {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": file}):
        with role.environment(**url, **more):
            a = w.node("a", *w.bucket.options(machine_role="true"))
            an_output_at(w, a, 1)
            a.stop()
    check(role.given == 2 and not role.wrong, f"keys were given {role.given} times: {role.wrong}")
    with role.environment(**url):
        w.refused("object_store_credentials", *w.bucket.options(machine_role="true"))
    check(role.wrong, "it was not asked")
    with role.environment(AWS_CONTAINER_CREDENTIALS_FULL_URI="http://metadata.example/container"):
        w.refused("neither https nor an address of this machine", *w.bucket.options(machine_role="true"))
    role.stop()


def a_bucket_that_loses_writes_gets_no_seal(w):
    a = w.node("a", *w.bucket.options())
    for number, (word, size) in enumerate((("some", 3_000_000), ("much", 20_000_000)), 1):
        w.bucket.lose("sha256-")
        session = submit(a, word)
        until_waits(a, "object_store_lost_write")
        check(w.rows("SELECT count(*) FROM @output") == [str(number - 1)] and not spilled(a, session), "an output was sealed that is not there")
        w.bucket.lose("")
        until_ended(a, session)
        output, = spilled(a, session)
        check(w.objects(output["outputRef"]) == {"sha256-" + output["sha256"]: size}, f"other objects are there: {w.objects(output['outputRef'])}")


# ---- removal --------------------------------------------------------------------------------------

def objects_of_a_deleted_session_are_removed(w):
    a, b = w.two()
    refs = []
    for word in ("some", "much"):
        session = submit(a, word)
        until_ended(a, session)
        refs.append((session, spilled(a, session)[0]["outputRef"]))
    ask(b, "delete_session", sessionId=refs[0][0])
    until(lambda: f"the object to be removed: {w.bucket.keys()}", lambda: not w.objects(refs[0][1]))
    check(w.objects(refs[1][1]), "another output was removed")
    # A bucket that is down is remembered, also by a node that is killed.
    w.bucket.stop()
    ask(a, "delete_session", sessionId=refs[1][0])
    until("the removal to be noted", lambda: w.rows("SELECT ref FROM @output_gone") == [refs[1][1]])
    code, _ = scenario.Http(b).call("get_output", {"outputRef": refs[1][1]})
    check(code == "output_not_found", f"a removed output is read: {code}")
    a.kill()
    b.kill()
    w.bucket.start()
    check(w.objects(refs[1][1]), "the object was removed by a bucket that was down")
    b.start()
    until("the objects to be removed", lambda: not w.objects(refs[1][1]))
    until("nothing to be left", lambda: w.rows("SELECT count(*) FROM @output_gone") == ["0"])
    check(set(w.bucket.keys()) == {"test/a/format"}, f"objects are left: {w.bucket.keys()}")


def an_output_that_is_too_old_is_removed(w):
    """Two days pass on the clock that durations are counted by: the node continues in a time namespace."""
    a = w.node("a", *w.bucket.options(), "output.keep_days=1")
    session = submit(a, "much")
    until_ended(a, session)
    ref = spilled(a, session)[0]["outputRef"]
    check(w.objects(ref), "the output is not in the bucket")
    a.stop()
    a.before = ["unshare", "-UrT" if os.geteuid() else "-T", "--boottime", str(2 * 86400)]
    a.start()
    until("the output to expire", lambda: count(a, session, "output.expired") == 1)
    until(lambda: f"the object to be removed: {w.bucket.keys()}", lambda: not w.objects(ref))
    code, _ = scenario.Http(a).call("get_output", {"outputRef": ref})
    check(code == "expired", f"an expired output is read: {code}")


def an_upload_that_is_not_over_is_removed_with_its_session(w):
    """A bucket in which a node died while an output grew, whose parts it lost since."""
    a = w.node("a", *w.bucket.options())
    session = submit(a, "on")
    ref = w.growing()
    until("the tail in the bucket", lambda: f"tail-{2 * PART}" in w.objects(ref))
    w.rows(f"INSERT INTO @output_gone SELECT ref, object, upload FROM @output_growing WHERE ref = '{ref}'")
    a.kill()
    shutil.rmtree(a.data)
    w.rows("DELETE FROM @output_growing; DELETE FROM @output_part")
    w.node("b", *w.bucket.options())
    until("the objects to be removed", lambda: not w.objects(ref) and w.bucket.uploads() == 0)


def main():
    build, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if not is_there():
        print(f"ok 1 - outputs in an object store # SKIP {WITHOUT}\n1..1")
        return 0
    os.environ.update(AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET)
    os.environ.pop("AWS_SESSION_TOKEN", None)
    with postgres.maybe(build, "outputs in an object store") as cluster:
        return tap.play(TESTS, words, fixture=lambda: Place(build, cluster)) if cluster else 0


TESTS = [a_large_output_of_one_node_is_read_by_ranges_on_the_other, outputs_that_were_in_the_database_are_read_beside_those_of_the_bucket,
         an_output_that_grew_on_a_killed_node_is_sealed_by_the_other, a_kill_while_an_output_grows_loses_its_tail_alone,
         a_node_that_starts_again_sends_its_output_again, a_start_names_what_is_wrong_with_the_bucket, a_bucket_that_is_down_is_waited_for,
         an_output_that_waits_is_sealed_after_a_restart,
         a_node_works_on_a_job_when_the_bucket_with_its_items_is_back, keys_in_a_file_are_replaced_while_a_node_runs,
         keys_of_a_machines_role_are_asked_for_again_before_they_expire, a_metadata_service_that_does_not_answer_is_waited_for,
         keys_of_a_containers_role_want_what_authorizes, a_bucket_that_loses_writes_gets_no_seal,
         objects_of_a_deleted_session_are_removed, an_output_that_is_too_old_is_removed, an_upload_that_is_not_over_is_removed_with_its_session]

if __name__ == "__main__":
    sys.exit(main())
