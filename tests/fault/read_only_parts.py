"""What the tests of data directories that cannot be written share."""
import hashlib
import json
import pathlib
import time

from run import PATIENCE


def picture(data):
    """Names, sizes and content of all that lies there."""
    return {str(p.relative_to(data)): (p.stat().st_size, hashlib.sha256(p.read_bytes()).hexdigest()) for p in pathlib.Path(data).rglob("*") if p.is_file()}


def one_session(http, text="hello there"):
    """(session, number of its events) after a turn that ended or asks."""
    code, reply = http.call("submit_turn", {"input": text})
    assert not code, reply
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        events = [json.loads(e) for e in http.events(reply["sessionId"], 0)]
        if any(e["type"] in ("turn.completed", "action.required") for e in events):
            return reply["sessionId"], len(events)
        time.sleep(0.05)
    raise AssertionError("the turn did not end")
