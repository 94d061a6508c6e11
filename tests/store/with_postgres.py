#!/usr/bin/env python3
"""Runs a program with a PostgreSQL of its own, whose address is in THOLE_TEST_POSTGRES.

usage: with_postgres.py BUILD_DIR PROGRAM [ARGS...]

Exit 77, which meson counts as skipped, where PostgreSQL is not installed.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))
import postgres  # noqa: E402

SKIPPED = 77


def main():
    build, *program = sys.argv[1:]
    if not postgres.find():
        print("SKIP " + postgres.WITHOUT)
        return SKIPPED
    with postgres.Cluster(build) as cluster:
        return subprocess.run(program, env={**os.environ, "THOLE_TEST_POSTGRES": cluster.url()}).returncode


if __name__ == "__main__":
    sys.exit(main())
