#!/usr/bin/env python3
"""An external worker: claims tasks, beats while it works, reports under the run that it was given.

usage: worker.py URL TOKEN [KIND] [SECONDS PER WORD]      counts the words of each objective, slowly
"""
import json, os, sys, time, urllib.error, urllib.request

url, token, kind, pace = (sys.argv + ["", "0.1"])[1:5] if len(sys.argv) < 5 else sys.argv[1:5]
me = f"worker-{os.getpid()}"

def call(command, **args):
    request = urllib.request.Request(f"{url}/v1/commands/{command}", json.dumps(args).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))

while job := call("claim_task", workerId=me, leaseMs=1000, **({"taskKind": kind} if kind else {})):
    run = {key: job[key] for key in ("sessionId", "taskId", "runId")}
    print(me, "claimed", job["taskId"], flush=True)
    try:
        for done, word in enumerate(words := job["task"]["objective"].split(), 1):
            time.sleep(float(pace))
            if call("heartbeat_task", workerId=me, **run)["status"] == "cancelling":
                call("fail_task", error={"category": "cancelled", "message": "asked to stop"}, **run)
                break
            call("append_task_progress", percent=100 * done // len(words), **run)
        else:
            call("complete_task", summary=f"{len(words)} words, counted by {me}", **run)
            print(me, "finished", job["taskId"], flush=True)
    except urllib.error.HTTPError as refused:
        print(me, "was refused:", json.load(refused)["code"], flush=True)
