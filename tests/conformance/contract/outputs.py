"""Outputs: records, ranges, growth."""
from lab import need, one, rows, same


@rows("OUT-01", "OUT-05")
def check_ranges(lab):
    reply, events = lab.turn("dump")
    ref = one(events, "tool.result")["refs"]["rawOutput"]
    tail = lab.call("get_output", outputRef=ref, offset=-20)
    same((tail["bytes"], tail["eof"]), (20, True), "the last twenty")
    whole, at = "", 0
    while True:
        piece = lab.call("get_output", outputRef=ref, offset=at, length=1048576)
        whole += piece["text"]
        at += piece["bytes"]
        if piece["eof"]:
            break
    same(len(whole), 10485760, "all of it, piece by piece")
    need(whole.startswith("line 1 of a long output\nline 2 of"), whole[:60])
    lab.restart()
    same(lab.call("get_output", outputRef=ref, offset=500, length=50)["text"], whole[500:550], "after a restart")
