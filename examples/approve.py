#!/usr/bin/env python3
"""Approve from another program: answers every pending approval of all sessions as it appears.

usage: approve.py [DATA_DIR]      allows what is not destructive, denies the rest; runs until it is stopped
"""
import os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sdk", "python"))
from thole import Client, Problem

thole = Client.local(sys.argv[1] if len(sys.argv) > 1 else None)


def decide(action):
    try:
        if action.get("destructive"):
            thole.deny(action, "nothing destructive while I am away")
            print("denied", action["toolName"], flush=True)
        else:
            thole.allow(action)
            print("allowed", action["toolName"], flush=True)
    except Problem as problem:  # another client answered first, or the approval expired
        print(problem.code, action["actionId"], flush=True)


with thole.events(after="end", types=["action.required"]) as asked:  # subscribe first, so that no request is missed
    for action in thole.actions():
        decide(action)
    for event in asked:
        for action in thole.actions(sessionId=event["sessionId"]):
            decide(action)
