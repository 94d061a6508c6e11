#!/usr/bin/env python3
"""Follow all events, and resume after a disconnect and after a restart of this program.

usage: follow.py CURSOR_FILE [DATA_DIR]      one line per event, until it is stopped
"""
import os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sdk", "python"))
from thole import Client, Gap

place = sys.argv[1]
thole = Client.local(sys.argv[2] if len(sys.argv) > 2 else None, patience_s=None)
after = open(place).read() if os.path.exists(place) else None

stream = thole.events(after=after)
while True:
    try:
        event = next(stream)
        print(event["timestamp"], event["sessionId"], event["sequence"], event["type"], flush=True)
    except Gap as gap:
        print("gone:", gap.first, "to", gap.last, flush=True)
    # Processed: the next start continues after this event.
    with open(place + ".new", "w") as f:
        f.write(stream.cursor)
    os.replace(place + ".new", place)
