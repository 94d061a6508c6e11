"""Run a command and add a line to a table: wall seconds, processor seconds, exit code, the command.

usage: measure.py TABLE COMMAND...     exits as the command does
       measure.py --slowest N TABLE    print the N lines with the most processor time, and the sums

Processor time is that of all descendants: orphans, daemons for instance, become children of this program and are
waited for as they end.  A daemon that outlives the command is not counted.
"""
import ctypes
import os
import signal
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def wait_for(child):
    """Wait for the child, and for every orphan that ends before it."""
    cpu = 0.0
    while True:
        pid, status, usage = os.wait3(0)
        cpu += usage.ru_utime + usage.ru_stime
        if pid == child:
            return cpu, os.waitstatus_to_exitcode(status)


def run(table, command):
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    start = time.monotonic()
    # Python ignores these; the command begins with what a shell would give it.
    child = os.posix_spawnp(command[0], command, os.environ, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    # A signal ends the command; this program waits for it and reports.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda n, _: os.kill(child, n))
    cpu, code = wait_for(child)
    wall = time.monotonic() - start
    with open(table, "a", encoding="utf-8") as f:
        f.write(f"{wall:.1f}\t{cpu:.1f}\t{code}\t{' '.join(command)}\n")
    return code if code >= 0 else 128 - code


def slowest(many, table):
    with open(table, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t", 3) for line in f]
    rows.sort(key=lambda row: -float(row[1]))
    print(f"{'wall s':>8} {'CPU s':>8} {'exit':>4}  command")
    for wall, cpu, code, command in rows[:many]:
        print(f"{wall:>8} {cpu:>8} {code:>4}  {command}")
    wall, cpu = (sum(float(row[n]) for row in rows) for n in (0, 1))
    print(f"{wall:8.1f} {cpu:8.1f}       {len(rows)} programs")


if __name__ == "__main__":
    if sys.argv[1] == "--slowest":
        slowest(int(sys.argv[2]), sys.argv[3])
    else:
        sys.exit(run(sys.argv[1], sys.argv[2:]))
