"""Runs a program and records the lines of both directions: tee.py FILE PROGRAM ARGS..."""
import json
import subprocess
import sys
import threading

out = open(sys.argv[1], "w")
lock = threading.Lock()
p = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def copy(name, source, to):
    for line in source:
        with lock:
            out.write(json.dumps({"from": name, "line": line.decode()}) + "\n")
            out.flush()
        to.write(line)
        to.flush()


def upward():
    copy("editor", sys.stdin.buffer, p.stdin)
    p.stdin.close()


threading.Thread(target=upward, daemon=True).start()
copy("agent", p.stdout, sys.stdout.buffer)
sys.exit(p.wait())
