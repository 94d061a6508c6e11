#!/usr/bin/env python3
"""A worker on the Python client: claims tasks of a kind, reports progress, completes them.

usage: work.py DATA_DIR [KIND] [SECONDS PER WORD] [LEASE SECONDS]     counts the words of each objective, slowly
"""
import sys
import time

from thole import Client

data, kind, pace, lease = (sys.argv[1:] + ["count", "0.1", "2"][len(sys.argv) - 2:])[:4]


def count(job):
    print("claimed", job.task_id, flush=True)
    for done, word in enumerate(words := job.objective.split(), 1):
        time.sleep(float(pace))
        job.progress(100 * done // len(words))
    return f"{len(words)} words"


print("reported", Client.local(data).work(count, kind=kind, lease_s=float(lease), once=True), flush=True)
