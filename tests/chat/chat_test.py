#!/usr/bin/env python3
"""The chat in a terminal: what the screen shows after each key.  Prints TAP.

    chat_test.py BUILD_DIR [NAME...]
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
try:
    import pyte  # noqa: F401
except ImportError:
    # Debian's package belongs to Debian's Python, which need not be the first on PATH.
    if "THOLE_SYSTEM_PYTHON" not in os.environ and os.path.exists("/usr/bin/python3"):
        os.execve("/usr/bin/python3", ["/usr/bin/python3", *sys.argv], {**os.environ, "THOLE_SYSTEM_PYTHON": "1"})
    print("ok 1 - the chat in a terminal # SKIP python3-pyte is not installed\n1..1")
    sys.exit(0)

import chat_approvals  # noqa: E402,F401
import chat_commands  # noqa: E402,F401
import chat_editing  # noqa: E402,F401
import chat_extend  # noqa: E402,F401
import chat_hostile  # noqa: E402,F401
import chat_images  # noqa: E402,F401
import chat_life  # noqa: E402,F401
import chat_order  # noqa: E402,F401
import chat_remote  # noqa: E402,F401
import chat_servers  # noqa: E402,F401
import chat_shell  # noqa: E402,F401
import chat_spellings  # noqa: E402,F401
import chat_terminals  # noqa: E402,F401
import chat_width  # noqa: E402,F401
from cli_fixture import Fixture, tests  # noqa: E402
from tap import play  # noqa: E402

sys.exit(play(tests, sys.argv[2:], fixture=Fixture))
