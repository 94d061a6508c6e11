#!/usr/bin/env python3
"""Runs a program with a PostgreSQL of its own, whose address is in THOLE_TEST_POSTGRES.

usage: with_postgres.py [--durable] BUILD_DIR PROGRAM [ARGS...]

--durable: commits reach the disk, for what is measured.  Exit 77, which meson counts as skipped, where PostgreSQL is not installed.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))
import postgres  # noqa: E402

SKIPPED = 77


def main():
    is_durable = sys.argv[1] == "--durable"
    build, *program = sys.argv[1 + is_durable:]
    if not postgres.find():
        print("SKIP " + postgres.WITHOUT)
        return SKIPPED
    with postgres.Cluster(build, {"fsync": "on", "shared_buffers": "128MB"} if is_durable else ()) as cluster:
        return subprocess.run(program, env={**os.environ, "THOLE_TEST_POSTGRES": cluster.url()}).returncode


if __name__ == "__main__":
    sys.exit(main())
