#!/usr/bin/env python3
"""Mutants: behaviour is removed to see whether the check of its row notices.

usage: mutants.py BUILD_DIR [--seed N] [--count N] [ROW ...]

Each row below has a mutant: a class of events that is not told, a field that a reply lacks, a value
that is wrong, a command that is refused.  It stands between the daemon and the checks (fixture.py), so
what a check sees is a runtime without that behaviour.  A check that still passes proves nothing:
then this program says "survived" and ends with 1.  Rows are drawn by seed unless they are named.
"""
import json
import os
import random
import subprocess
import sys

MUTANT = json.loads(os.environ.get("THOLE_MUTANT", "null"))


def no_event(kind):
    return {"what": "no_event", "kind": kind}


def no_field(command, *paths):
    """Paths have dots; * is every element.  command *: of every reply."""
    return {"what": "no_field", "command": command, "paths": paths}


def no_event_field(kind, *paths):
    return {"what": "no_event_field", "kind": kind, "paths": paths}


def value(command, path, new):
    return {"what": "value", "command": command, "path": path, "new": new}


def event_value(kind, path, new):
    return {"what": "event_value", "kind": kind, "path": path, "new": new}


def refuse(command):
    return {"what": "refuse", "command": command}


def accept(command):
    """A refusal is reported as acceptance."""
    return {"what": "accept", "command": command}


MUTANTS = {
    # tasks
    "CTL-08": no_event("task.accepted"), "CTL-09": no_event_field("task.updated", "payload.changed"), "CTL-10": no_event("task.attempt.started"),
    "CTL-11": no_event("task.progress"), "CTL-12": no_field("get_task", "task.relationships"), "CTL-13": no_event("task.cancel_requested"),
    "CTL-14": value("retry_task", "runId", "run_same"), "CTL-15": accept("complete_task"), "CTL-16": no_field("get_task", "task.lastError"),
    "CTL-17": value("list_tasks", "tasks", []), "CTL-18": no_event("task.dependency.updated"), "CTL-24": no_field("get_tool_inventory", "caller"),
    "EVT-013": no_event("task.updated"), "EVT-014": no_event("task.progress"), "EVT-016": no_event("task.blocked"), "EVT-017": no_event("task.paused"),
    "EVT-018": no_event("task.resumed"), "EVT-019": no_event("task.retrying"), "EVT-020": no_event("task.cancel_requested"),
    "EVT-021": no_event("task.cancelled"), "EVT-022": no_event("task.timed_out"), "EVT-023": no_event("task.failed"), "EVT-024": no_event("task.lost"),
    "EVT-026": no_event("task.archived"), "EVT-080": no_event("task.delegated"), "EVT-081": no_event("task.dependency.updated"),
    "IDN-05": no_field("get_task", "task.attempts"), "IDN-06": value("retry_task", "runId", "run_same"), "IDN-14": no_event("queue.changed"),
    "TSK-01": value("get_task", "task.status", "completed"), "TSK-02": no_field("get_task", "task.taskId"), "TSK-03": no_field("get_task", "task.rootTaskId"),
    "TSK-04": no_field("get_task", "task.turnId"), "TSK-05": value("get_task", "task.objective", "other"), "TSK-06": no_field("get_task", "task.taskFamily"),
    "TSK-07": value("get_task", "task.visibility", "foreground"), "TSK-08": no_field("get_task", "task.priority"),
    "TSK-09": value("get_task", "task.owner", "runtime"), "TSK-10": event_value("permission.evaluated", "permissionDecision.decision", "allow"),
    "TSK-11": no_event_field("task.profile.resolved", "taskProfile.continuity"), "TSK-12": value("get_task", "task.acceptance", []),
    "TSK-13": no_field("get_task", "task.progress.percent"), "TSK-14": value("get_task", "task.currentRunId", "run_none"),
    "TSK-15": value("get_task", "task.relationships", []), "TSK-16": no_field("get_task", "task.endedAt"),
    "TSK-17": no_event_field("task.attempt.started", "taskAttempt.checkpointRefs"), "TSK-18": event_value("task.attempt.started", "payload.cause", "first_attempt"),
    "TSK-19": no_field("get_task", "task.attempts.*.lastError"), "TSK-20": event_value("task.attempt.started", "payload.cause", "retry_task"),
    "TSK-21": no_field("get_task", "task.relationships"), "TSK-22": no_field("get_task", "task.relationships.*.createdAt"), "TSK-23": accept("create_task"),
    "TSK-24": value("start_task", "status", "preparing"), "TSK-25": no_field("get_task", "task.progress.validation"),
    "TSK-26": value("get_task", "task.deliveryState", {"state": "not_applicable"}), "TSK-28": no_field("get_session", "taskSummary.waiting"),
    "TSK-29": value("get_session", "blockedTasks", []), "TSK-30": value("list_tasks", "tasks", []), "TSK-31": value("get_task", "task.visibility", "internal"),
    "STA-01": no_event("task.lost"), "STA-07": no_event_field("task.blocked", "payload.blocker"), "STA-10": no_event("task.timed_out"),
    "STA-11": accept("complete_task"), "STA-16": event_value("thread.updated", "status", "timed_out"),
    "STA-17": no_field("get_task", "task.attempts.*.nativeStatus"), "STA-18": value("get_task", "task.status", "running"),
    "SNP-04": no_field("get_session", "taskSummary"), "SNP-17": no_field("get_session", "historyWindow.cursor"), "ACC-09": refuse("list_events"),
    "ACC-07": no_field("get_task", "task.attempts"), "NEG-01": value("get_task", "task.status", "completed"), "NEG-02": no_field("get_task", "task.attempts"),
    "NEG-03": refuse("get_task"), "NEG-04": accept("complete_task"), "NEG-06": no_event("model.delta"),
    "NEG-07": value("pause_schedule", "status", "active"), "NEG-08": no_event("task.lost"), "NEG-37": value("get_thread_read", "diagnostics.contextGaps", [{"ref": "x"}]),
    "HIS-06": no_field("get_session", "subagentJobSummary.jobs"), "PRF-04": refuse("rebuild_session"),
    # jobs
    "CTL-38": value("list_jobs", "jobs", []), "CTL-39": refuse("retry_job_item"), "JOB-01": no_field("get_job", "job.itemCursor"),
    "JOB-02": no_field("list_job_items", "items.*.lastError"), "JOB-03": value("list_job_items", "items", []), "JOB-04": no_field("list_job_items", "items.*.outputRef"),
    "JOB-05": no_field("list_job_items", "items.*.status"), "JOB-06": no_event("policy.changed"), "ACC-16": no_field("list_job_items", "items.*.attemptCount"),
    "NEG-33": value("list_job_items", "items", []), "STA-21": value("list_job_items", "items.*.status", "done"),
    "EVT-096": no_event("job.created"), "EVT-097": no_event("job.started"), "EVT-098": no_event("job.progress"), "EVT-099": no_event("job.item.started"),
    "EVT-100": no_event("job.item.completed"), "EVT-101": no_event("job.item.failed"), "EVT-102": no_event("job.completed"), "EVT-103": no_event("job.failed"),
    "EVT-104": no_event("job.cancelled"), "NEG-05": no_field("get_task", "task.relationships"),
    # child agents
    "CTL-25": no_field("spawn_subagent", "threadId"), "CTL-26": no_event("subagent.input"), "CTL-27": value("wait_subagents", "timedOut", False),
    "CTL-28": refuse("resume_subagent"), "CTL-29": accept("send_subagent_input"), "CTL-30": value("list_subagents", "subagents", []),
    "EVT-049": no_event("subagent.spawned"), "EVT-050": no_event("subagent.status"), "EVT-051": no_event("subagent.input"),
    "EVT-052": no_event("subagent.completed"), "EVT-053": no_event("subagent.failed"), "EVT-054": no_event("subagent.closed"),
    "IDN-10": no_event_field("subagent.spawned", "payload.parentThreadId"), "STA-20": value("list_subagents", "subagents.*.status", "sleeping"),
    "SUB-01": no_field("list_subagents", "subagents.*.lastMessageRef"), "SUB-02": event_value("permission.evaluated", "permissionDecision.decision", "allow"),
    "SUB-03": no_field("list_subagents", "subagents.*.modelPolicy"), "SUB-04": no_field("list_subagents", "subagents.*.parentSubagentId"),
    "SUB-05": refuse("get_thread_read"), "SUB-06": no_event("subagent.closed"), "SUB-07": no_field("list_actions", "actions.*.parentTaskId"),
    "ACC-06": no_event("subagent.failed"), "NEG-31": refuse("get_thread_read"), "NEG-32": value("list_subagents", "subagents", []),
    "NEG-34": no_event_field("subagent.spawned", "payload.isolation"),
    # promises
    "CTL-06": accept("resume_thread"), "EVT-002": value("update_session", "changed", []), "PRM-01": no_field("get_thread_read", "permissionState.rules"),
    "ENV-25": no_event_field("cost.recorded", "correlation"), "SNP-06": no_field("get_artifact_checkpoint_summary", "artifacts.*.issuesState"),
    "SNP-16": no_field("get_thread_read", "diagnostics.pendingRequests"), "CHN-03": no_event("runtime.warning"),
    "EVT-113": no_event("snapshot.repaired"),
}


# ---- between the daemon and a check -----------------------------------------------------------

def walk(v, path, change):
    """Changes what the path leads to, wherever there is something."""
    if not path:
        return
    head, rest = path[0], path[1:]
    if head == "*" and isinstance(v, list):
        for each in v:
            walk(each, rest, change)
    elif isinstance(v, dict) and head in v:
        if rest:
            walk(v[head], rest, change)
        else:
            change(v, head)


def change_of(m):
    if m["what"] in ("no_field", "no_event_field"):
        return [p.split(".") for p in m["paths"]], lambda v, k: v.pop(k)
    return [m["path"].split(".")], lambda v, k: v.__setitem__(k, m["new"])


def spoil(v, m):
    paths, change = change_of(m)
    for path in paths:
        walk(v, path, change)


def without(lines):
    m = MUTANT
    if not m or "event" not in m["what"]:
        return lines
    out = []
    for line in lines:
        e = json.loads(line)
        if e.get("type") == m["kind"]:
            if m["what"] == "no_event":
                continue
            spoil(e, m)
            line = json.dumps(e)
        out.append(line)
    return out


def spoiled(command, params, code, reply):
    m = MUTANT
    if not m or m.get("command") not in (command, "*"):
        return code, reply
    if m["what"] == "refuse":
        return "unavailable", {"code": "unavailable", "detail": "taken away"}
    if m["what"] == "accept" and code:
        return None, {**params, "status": "accepted", "sequence": 1}
    if m["what"] in ("no_field", "value") and not code:
        spoil(reply, m)
    return code, reply


# ---- the program ------------------------------------------------------------------------------

def main():
    here = os.path.dirname(os.path.abspath(__file__))
    args, seed, count = sys.argv[2:], 13, 30
    for name in ("--seed", "--count"):
        if name in args:
            at = args.index(name)
            seed, count = (int(args[at + 1]), count) if name == "--seed" else (seed, int(args[at + 1]))
            del args[at:at + 2]
    chosen = args or sorted(random.Random(seed).sample(sorted(MUTANTS), min(count, len(MUTANTS))))
    survived = 0
    print(f"1..{len(chosen)}\n# seed {seed}", flush=True)
    for number, row in enumerate(chosen, 1):
        env = dict(os.environ, THOLE_MUTANT=json.dumps(MUTANTS[row]), THOLE_PATIENCE=os.environ.get("THOLE_PATIENCE", "6"))
        done = subprocess.run([sys.executable, os.path.join(here, "contract.py"), sys.argv[1], row], env=env, capture_output=True, text=True)
        noticed = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
        survived += not noticed
        print(f"{'ok' if noticed else 'not ok'} {number} - {row}: {MUTANTS[row]['what']} "
              f"{MUTANTS[row].get('kind') or MUTANTS[row]['command']} is {'noticed' if noticed else 'survived'}", flush=True)
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
