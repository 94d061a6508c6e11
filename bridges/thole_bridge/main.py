"""The command line of a bridge: bridges/telegram FILE, bridges/slack FILE."""
from __future__ import annotations

import os
import signal
import sqlite3
import sys
from typing import Any

from thole import Problem

from .bridge import Bridge, log
from .config import Mistake, read
from .state import State

USAGE = 2
SETUP = 3


def main(kind: Any, keys: set[str]) -> int:
    """`kind`: the class of the messenger, `keys`: its own keys of the file."""
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(f"usage: {os.path.basename(sys.argv[0])} FILE     FILE: its settings as JSON (docs/how-to/bridge-{kind.name}.md)", file=sys.stderr)
        return USAGE
    # Everything is on disk before it counts, so an end at any moment is a good one.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
    try:
        config = read(sys.argv[1], keys)
        messenger = kind(config)
        try:
            state = State(config.state)
        except sqlite3.Error as why:
            raise Mistake(f"state: {config.state}: {why}; does another bridge use it?") from why
        Bridge(config, messenger, state).run()
    except Mistake as why:
        print(f"{os.path.basename(sys.argv[0])}: {why}", file=sys.stderr)
        return SETUP
    except Problem as why:
        print(f"{os.path.basename(sys.argv[0])}: Thole refuses the bridge: {why}", file=sys.stderr)
        return SETUP
    log("a part of the bridge has ended")
    return 1


def telegram() -> int:
    from .telegram import KEYS, Telegram
    return main(Telegram, KEYS)


def slack() -> int:
    from .slack import KEYS, Slack
    return main(Slack, KEYS)
