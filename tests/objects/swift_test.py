#!/usr/bin/env python3
"""The stories of object_store_test.py, and further ones, with OpenStack Swift and its S3 layer as the bucket.

usage: swift_test.py BUILD_DIR [WORD...]     prints TAP; SKIP without the packages of Swift

WORD: only tests whose name contains one of them.
"""
import hashlib
import os
import subprocess
import sys

import object_store_test as objects
import swift_servers
import tap
from bucket import SECRET
from nodes_test import FAKETIME, check, postgres, submit
from object_store_test import PART, Place, check_ranges, repeated, spilled, until, until_ended, until_waits
from swift_servers import GUEST, KEY

NAME = "outputs in Swift"


# ---- refusals -------------------------------------------------------------------------------------

def a_start_names_what_swift_refuses(w):
    good = w.bucket.options()
    w.refused("object_store_credentials", *good, env={"AWS_SECRET_ACCESS_KEY": "wrongwrongwrongwrong"})
    w.refused("object_store_credentials", *good, env={"AWS_ACCESS_KEY_ID": "test:unknown"})
    w.refused("object_store_credentials", *good, env={"AWS_ACCESS_KEY_ID": "AKIANOTKNOWN"})
    w.refused("object_store_rights", *good, env={"AWS_ACCESS_KEY_ID": GUEST})
    w.refused("object_store_region", *w.bucket.options(region="us-east-1"))
    w.refused("object_store_bucket", *w.bucket.options(bucket="not-there"))
    w.refused("object_store_bucket", *w.bucket.options(bucket="Not_There"))
    check(not w.bucket.keys(), "a start that was refused wrote something")


def a_start_with_a_wrong_clock_is_refused(w):
    if not FAKETIME:
        raise tap.Skip("libfaketime is not installed (scripts/setup --test)")
    w.refused("object_store_clock", *w.bucket.options(), env={
        "LD_PRELOAD": FAKETIME[0], "FAKETIME": "+3600", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"})


def a_secret_that_becomes_wrong_is_waited_for(w):
    path = os.path.join(w.dir, "keys")

    def write(secret):
        with open(path + ".new", "w") as f:
            f.write(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {secret}\n")
        os.replace(path + ".new", path)

    write(SECRET)
    a = w.node("a", *w.bucket.options(credentials_file=path))
    session = submit(a, "some")
    until_ended(a, session)
    write("wrongwrongwrongwrong")
    submit(a, "much", session)
    until_waits(a, "object_store_credentials")
    write(SECRET)
    until_ended(a, session, 2)
    check(len(spilled(a, session)) == 2, "an output is missing")
    a.stop()
    said = a.whole_log()
    check(SECRET not in said and "wrongwrong" not in said, "the log has a secret")


# ---- a store that is half there -------------------------------------------------------------------

def a_store_without_its_disks_is_waited_for(w):
    """The proxy answers, and the server that has the objects does not."""
    a, b = w.two()
    session = submit(a, "on")
    ref = w.growing()
    until(lambda: f"two parts and the tail in the bucket: {w.objects(ref)}", lambda: w.objects(ref).get(f"tail-{2 * PART}"))
    w.bucket.servers.stop("object")
    other = submit(b, "some")
    until_waits(b, "object_store_server")
    a.kill()
    b.kill()
    b.start()  # a failure of the store ends no start
    until_waits(b, "object_store_server")
    check(not spilled(b, session) and not spilled(b, other), "an output was sealed in a store without disks")
    w.bucket.servers.start("object")
    for s, size in ((session, 18_000_000), (other, 3_000_000)):
        output, = until("the output", lambda s=s: spilled(b, s))
        check(output["sha256"] == hashlib.sha256(repeated(size)).hexdigest(), f"the output is another one: {output}")
        check(w.objects(output["outputRef"]) == {"sha256-" + output["sha256"]: size}, f"other objects are there: {w.objects(output['outputRef'])}")
        check_ranges(b, output["outputRef"], repeated(size))
    check(w.bucket.uploads() == 0, "a part is left")
    w.verify(b)


# ---- all that outputs ask of a bucket -------------------------------------------------------------

def the_unit_tests_of_outputs_pass(w):
    program = os.path.join(w.build, "tests", "unit", "test_blobs")
    if not os.path.exists(program):
        raise tap.Skip("test_blobs is not built (scripts/build)")
    bucket = w.bucket.servers.bucket("outputs")
    done = subprocess.run([program], capture_output=True, text=True, env={
        **os.environ, "THOLE_TEST_POSTGRES": w.cluster.url(), "THOLE_TEST_BUCKET": f"http://127.0.0.1:{bucket.port}"})
    check(done.returncode == 0, f"they ended with {done.returncode}: {done.stderr[-4000:]}")


TESTS = [objects.a_large_output_of_one_node_is_read_by_ranges_on_the_other, objects.outputs_that_were_in_the_database_are_read_beside_those_of_the_bucket,
         objects.an_output_that_grew_on_a_killed_node_is_sealed_by_the_other, objects.a_kill_while_an_output_grows_loses_its_tail_alone,
         objects.a_node_that_starts_again_sends_its_output_again, a_start_names_what_swift_refuses, a_start_with_a_wrong_clock_is_refused,
         a_secret_that_becomes_wrong_is_waited_for, objects.a_bucket_that_is_down_is_waited_for, objects.an_output_that_waits_is_sealed_after_a_restart,
         objects.a_node_works_on_a_job_when_the_bucket_with_its_items_is_back, a_store_without_its_disks_is_waited_for,
         objects.objects_of_a_deleted_session_are_removed, objects.an_output_that_is_too_old_is_removed,
         objects.an_upload_that_is_not_over_is_removed_with_its_session, the_unit_tests_of_outputs_pass]


def skip(why):
    print(f"ok 1 - {NAME} # SKIP {why}\n1..1")
    return 0


def main():
    build, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if swift_servers.missing():
        return skip(swift_servers.missing())
    os.environ.update(AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET)
    os.environ.pop("AWS_SESSION_TOKEN", None)
    with postgres.maybe(build, NAME) as cluster:
        place = swift_servers.make_place(build) if cluster else None
        if not place:
            return skip(swift_servers.NO_ATTRIBUTES) if cluster else 0
        with swift_servers.Servers(place) as servers:
            return tap.play(TESTS, words, fixture=lambda: Place(build, cluster, servers.bucket()))


if __name__ == "__main__":
    sys.exit(main())
