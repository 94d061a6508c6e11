#!/usr/bin/env python3
"""Runs a program with a PostgreSQL and a bucket of its own.  Their addresses are in THOLE_TEST_POSTGRES and THOLE_TEST_BUCKET, its keys in AWS_*.

usage: with_bucket.py BUILD_DIR PROGRAM [ARGS...]

Exit 77, which meson counts as skipped, where PostgreSQL is not installed or npm has not fetched the bucket.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "lib"), HERE]
import postgres  # noqa: E402
from bucket import KEY, SECRET, WITHOUT, Bucket, is_there  # noqa: E402

SKIPPED = 77


def main():
    build, *program = sys.argv[1:]
    if not postgres.find() or not is_there():
        print("SKIP " + (WITHOUT if postgres.find() else postgres.WITHOUT))
        return SKIPPED
    with postgres.Cluster(build) as cluster, tempfile.TemporaryDirectory() as dir:
        bucket = Bucket(dir)
        try:
            return subprocess.run(program, env={**os.environ, "THOLE_TEST_POSTGRES": cluster.url(),
                                                "THOLE_TEST_BUCKET": f"http://127.0.0.1:{bucket.port}",
                                                "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}).returncode
        finally:
            bucket.stop()


if __name__ == "__main__":
    sys.exit(main())
