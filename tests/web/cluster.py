#!/usr/bin/env python3
"""A PostgreSQL for tests that are not in Python: prints its address, and ends when its input does.

usage: cluster.py BUILD_DIR     prints nothing where PostgreSQL is not installed
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))
import postgres  # noqa: E402

if postgres.find():
    with postgres.Cluster(sys.argv[1]) as cluster:
        print(cluster.url(), flush=True)
        sys.stdin.read()
