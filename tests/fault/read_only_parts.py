"""Shared by the tests of data directories that cannot be written."""
import hashlib
import json
import pathlib

from run import until


def picture(data):
    """Names, sizes and content of all files there."""
    return {str(p.relative_to(data)): (p.stat().st_size, hashlib.sha256(p.read_bytes()).hexdigest()) for p in pathlib.Path(data).rglob("*") if p.is_file()}


def one_session(http, text="hello there"):
    """(session, number of its events) after a turn that ended or asks."""
    code, reply = http.call("submit_turn", {"input": text})
    assert not code, reply

    def events_at_the_end():
        events = [json.loads(e) for e in http.events(reply["sessionId"], 0)]
        return events if any(e["type"] in ("turn.completed", "action.required") for e in events) else None

    return reply["sessionId"], len(until("the turn to end or ask", events_at_the_end))
