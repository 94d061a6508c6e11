"""Jobs: one instruction and many items, each with its own state; and schedules."""
import json

from contract_fixture import having, need, one, order, rows, same
from tasks import task_of

SCRIPT = json.dumps({"version": 1, "default": {"text": "\"counted\""}, "rules": [
    {"when": {"text": "wrong"}, "reply": {"error": {"category": "auth", "message": "never", "retryable": False}}},
    {"when": {"text": "twice"}, "replies": [{"error": {"status": 400, "message": "first", "retryable": False}}, {"text": "now"}]},
    {"when": {"text": "hang"}, "reply": {"text": "late", "firstDelayMs": 3600000}}]})


def job_of(fixture, job):
    return fixture.call("get_job", sessionId=job["sessionId"], jobId=job["jobId"])["job"]


def items_of(fixture, job, **more):
    return fixture.call("list_job_items", sessionId=job["sessionId"], jobId=job["jobId"], **more)["items"]


def until_job(fixture, job, *words):
    return fixture.until(f"job {words}", lambda: (j := job_of(fixture, job))["status"] in words and j)


@rows("CTL-38", "JOB-01", "JOB-02", "NEG-33", "STA-21", "EVT-096", "EVT-097", "EVT-098", "EVT-099", "EVT-100", "EVT-101", "EVT-102",
      script=SCRIPT, both=True)
def check_a_job_and_its_items(fixture):
    job = fixture.call("create_job", instruction="Count it.", items=["one", {"n": 2}, "wrong", "four", "five"], concurrency=2,
                   outputSchema=True, maxRuntimeMs=600000)
    record = until_job(fixture, job, "completed")
    having(record, "jobId", "status", "instructionRef", "inputRefs", "outputSchemaRef", "maxRuntimeMs", "itemCursor", "progress", "assignedThreadIds")
    same((record["progress"]["completed"], record["progress"]["failed"], record["progress"]["pending"], record["itemCursor"]), (4, 1, 0, 5), "progress")
    items = items_of(fixture, job)
    same([i["status"] for i in items], ["completed", "completed", "failed", "completed", "completed"], "each by itself")
    bad = items[2]
    same((bad["attemptCount"], bad["lastError"]["message"], bad["retryable"]), (1, "never", False), "the one that failed")
    having(bad, "threadId")
    events = fixture.events(job["sessionId"])
    order(events, "job.created", "job.started", "job.item.started", "job.item.completed", "job.progress", "job.completed")
    having(one(events, "job.created")["payload"], "itemCount")
    for e in events:
        if e["type"].startswith("job."):
            having(e, "jobId")
        if e["type"].startswith("job.item."):
            having(e, "jobItemId", "jobItem")
    started = one(events, "job.item.started")
    having(started["payload"], "attempt", "index")
    need(started.get("threadId"), "an item without a thread")
    failed = one(events, "job.item.failed")
    having(failed["payload"], "category", "message", "willRetry")
    need(one(events, "job.item.completed")["refs"]["output"], "an item without its output")
    same(sum(e["type"] == "job.item.failed" for e in events), 1, "failed")
    counts = one(events, "job.progress")["payload"]["progress"]
    having(counts, "pending", "running", "completed", "failed")
    same([j["jobId"] for j in fixture.call("list_jobs", sessionId=job["sessionId"])["jobs"]], [job["jobId"]], "list_jobs")
    for i in items:
        need(i["status"] in ("pending", "running", "completed", "failed", "reported"), i["status"])
    fixture.refused("already_ended", "cancel_job", sessionId=job["sessionId"], jobId=job["jobId"])


@rows("CTL-39", "JOB-04", "ACC-16", script=SCRIPT)
def check_one_item_is_tried_again(fixture):
    job = fixture.call("create_job", instruction="Count.", items=["a", "wrong", "c"])
    until_job(fixture, job, "completed")
    before = items_of(fixture, job)
    fixture.refused("not_retryable", "retry_job_item", sessionId=job["sessionId"], jobId=job["jobId"], jobItemId=before[0]["jobItemId"])
    fixture.call("retry_job_item", sessionId=job["sessionId"], jobId=job["jobId"], jobItemId=before[1]["jobItemId"], reason="fixed")
    fixture.wait(job["sessionId"], "job.completed", 2)
    started = [e["payload"]["index"] for e in fixture.events(job["sessionId"]) if e["type"] == "job.item.started"]
    same(sorted(started), [0, 1, 1, 2], "only that item ran again")
    after = items_of(fixture, job)
    same([after[0], after[2]], [before[0], before[2]], "the others are as they were")
    same((after[1]["attemptCount"], after[1]["lastError"]["message"]), (2, "never"), "attempts and the last error")
    outputs = [i["outputRef"] for i in after if "outputRef" in i]
    same(len(set(outputs)), 2, "one output per item")
    worker = fixture.call("create_job", instruction="Count.", items=["x", "y"], start=False)
    same(job_of(fixture, worker)["status"], "pending", "not begun")
    x, y = items_of(fixture, worker)
    args = {"sessionId": worker["sessionId"], "jobId": worker["jobId"], "jobItemId": x["jobItemId"], "workerId": "w"}
    fixture.call("assign_job_item", **args)
    same(fixture.call("report_job_item", output={"n": 1}, **args)["status"], "reported", "reported")
    fixture.refused("already_ended", "report_job_item", output={"n": 2}, **args)
    same([i["status"] for i in items_of(fixture, worker)], ["reported", "pending"], "each by itself")


@rows("JOB-03", "EVT-104", script=SCRIPT)
def check_a_cancelled_job_keeps_what_is_done(fixture):
    job = fixture.call("create_job", instruction="Count.", items=["a", "b", "hang", "d"])
    fixture.until("two are done", lambda: job_of(fixture, job)["progress"]["completed"] == 2 and job_of(fixture, job)["progress"]["running"] == 1)
    done = items_of(fixture, job)[:2]
    fixture.call("cancel_job", sessionId=job["sessionId"], jobId=job["jobId"], reason="enough")
    fixture.until("it ends", lambda: job_of(fixture, job)["status"] == "cancelled" and job_of(fixture, job)["progress"]["running"] == 0)
    same(items_of(fixture, job)[:2], done, "finished items")
    same(one(fixture.events(job["sessionId"]), "job.cancelled")["payload"]["reason"], "enough", "job.cancelled")


@rows("EVT-103", "NEG-05", script=SCRIPT)
def check_a_job_of_a_task_fails_by_time(fixture):
    task = fixture.call("create_task", objective="the whole")
    job = fixture.call("create_job", sessionId=task["sessionId"], instruction="Count.", items=["hang"], taskId=task["taskId"], maxRuntimeMs=300)
    until_job(fixture, job, "failed")
    same(one(fixture.events(job["sessionId"]), "job.failed")["payload"]["category"], "timeout", "job.failed")
    delegated = one(fixture.events(job["sessionId"]), "task.delegated")
    same((delegated["taskId"], delegated["payload"]["jobId"]), (task["taskId"], job["jobId"]), "recorded on the task")
    same(job_of(fixture, job)["taskId"], task["taskId"], "the job names its task")
    child = fixture.call("spawn_subagent", sessionId=task["sessionId"], parentThreadId=task["threadId"], parentTaskId=task["taskId"], role="x")
    edges = {(e["kind"], e["targetId"]) for e in task_of(fixture, task)["relationships"]}
    need(("spawned_subagent", child["subagentId"]) in edges, f"a child without an edge: {edges}")
    need(any(target == job["jobId"] for _, target in edges), f"a job without an edge: {edges}")


@rows("JOB-05", script=SCRIPT)
def check_a_killed_job_goes_on_from_its_cursor(fixture):
    job = fixture.call("create_job", instruction="Count.", items=["a", "b", "hang", "d", "e"], maxAttempts=2)
    fixture.until("it is at the third", lambda: job_of(fixture, job)["progress"]["running"] == 1 and job_of(fixture, job)["itemCursor"] == 3)
    fixture.restart()
    fixture.until("the third again", lambda: items_of(fixture, job)[2]["attemptCount"] == 2)
    started = [e["payload"]["index"] for e in fixture.events(job["sessionId"]) if e["type"] == "job.item.started"]
    same(started[:4], [0, 1, 2, 2], "what was done is not done again")
    same([i["status"] for i in items_of(fixture, job)][:2], ["completed", "completed"], "and stays done")


@rows("JOB-06", script=SCRIPT, options=['hooks={"delivery":[{"name":"ops","command":"false","match":"job"}]}'])
def check_missed_runs_and_failed_deliveries_are_events(fixture):
    made = fixture.call("create_schedule", everyMs=1000, overlap="skip", task={"objective": "hang"})
    skipped = fixture.until("a run that was left out", lambda: [e for e in fixture.events(made["sessionId"]) if e["type"] == "policy.changed"
                                                           and e["payload"]["change"] == "schedule_skipped"])
    same(skipped[0]["payload"]["schedule"]["scheduleId"] if "schedule" in skipped[0]["payload"] else skipped[0]["payload"]["scheduleId"],
         made["scheduleId"], "which schedule")
    job = fixture.call("create_job", instruction="Count.", items=["a"])
    until_job(fixture, job, "completed")
    told = fixture.until("a delivery that failed", lambda: [e for e in fixture.events(job["sessionId"]) if e["type"] == "session.updated"
                                                       and e.get("deliveryState", {}).get("state") == "queued"])
    need(told[0]["deliveryState"]["reason"], "why")
