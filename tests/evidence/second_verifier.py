"""examples/verify_pack.py as a process that is forked, not started: Python's start takes longer than most packs."""
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import traceback

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples", "verify_pack.py")


def load():
    spec = importlib.util.spec_from_file_location("verify_pack", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


verify_pack = load()


def verify_and_exit(path, out, err):
    code = 1
    try:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        os.chdir("/")
        sys.argv = [PATH, path]
        code = verify_pack.main()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def run(path, timeout_s):
    """What it exits with and prints.  After timeout_s the kernel ends it by SIGALRM."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            signal.alarm(int(timeout_s) + 1)
            verify_and_exit(os.path.abspath(path), out, err)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess([PATH, path], os.waitstatus_to_exitcode(status), out.read(), err.read())
