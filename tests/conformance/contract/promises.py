"""Fields that replies, views and events promise: each has a value that follows from what happened."""
import json
import time

from lab import having, need, one, rows, same, story
from tasks import task_of

SHELL = story(tools=[{"name": "slow_tool", "policy": "allowed", "result": {"text": "x", "hang": True}},
                     {"name": "risky", "policy": "ask", "result": {"text": "done"}}],
              **{"use slow": ("slow_tool", {}), "use risky": ("risky", {})})


@rows("CTL-06", script=SHELL)
def check_a_resume_token_names_the_interruption(lab):
    reply = lab.call("submit_turn", input="use slow")
    session = reply["sessionId"]
    lab.wait(session, "tool.progress")
    lab.refused("not_resumable", "resume_thread", sessionId=session, resumeToken="resume.run_x")
    lab.restart()
    wait = lab.read(session)["wait"]
    first = one(lab.events(session), "run.status")["payload"]["wait"]["resumeToken"]
    same(wait["resumeToken"], first, "the read shows the token of the wait")
    lab.refused("not_resumable", "resume_thread", sessionId=session, resumeToken="resume.run_x")
    same(lab.call("resume_thread", sessionId=session, resumeToken=first)["status"], "resumed", "with its token")
    lab.refused("not_resumable", "resume_thread", sessionId=session, resumeToken=first)


@rows("EVT-002")
def check_update_session_names_what_changed(lab):
    reply, _ = lab.turn("hello")
    session = reply["sessionId"]
    told = lab.call("update_session", sessionId=session, title="A name", archived=True, pinnedThreadIds=[reply["threadId"]])
    same(sorted(told["changed"]), ["archived", "pinnedThreadIds", "title"], "the reply")
    same(sorted(one(lab.events(session), "session.updated")["payload"]["changed"]), ["archived", "pinnedThreadIds", "title"], "the event")
    lab.refused("missing_field", "update_session", sessionId=session)


@rows("SUB-07", "ACT-01", script=SHELL)
def check_a_childs_question_has_its_lineage(lab):
    task = lab.call("create_task", objective="parent work")
    child = lab.call("spawn_subagent", sessionId=task["sessionId"], parentThreadId=task["threadId"], parentTaskId=task["taskId"],
                     role="helper", input="use risky")
    lab.wait(task["sessionId"], "action.required")
    row = lab.call("list_actions", sessionId=task["sessionId"])["actions"][0]
    same((row["parentThreadId"], row["subagentId"], row["parentTaskId"]), (task["threadId"], child["subagentId"], task["taskId"]), "lineage")
    lab.restart()
    same(lab.call("list_actions", sessionId=task["sessionId"])["actions"][0]["subagentId"], child["subagentId"], "after a restart")


@rows("PRM-01", script=SHELL, options=['permission.rules=[{"id":"no-rm","effect":"deny","command":["rm"],"reason":"never"}]'])
def check_the_permission_state_shows_its_rules(lab):
    reply, _ = lab.turn("hello")
    session = reply["sessionId"]
    lab.call("set_policy", sessionId=session, rules=[{"id": "ask-make", "effect": "ask", "command": ["make"]}])
    for state in (lab.read(session)["permissionState"], lab.call("get_session", sessionId=session)["permissionState"]):
        same(state["ruleCount"], 2, "how many")
        effects = {(r["effect"], tuple(r["command"])) for r in state["rules"]}
        need(effects == {("deny", ("rm",)), ("ask", ("make",))}, f"rules: {state['rules']}")


@rows("ENV-25")
def check_task_graph_and_correlation_stand_on_events(lab):
    a = lab.call("create_task", objective="a")
    b = lab.call("create_task", sessionId=a["sessionId"], objective="b", parentTaskId=a["taskId"])
    c = lab.call("create_task", sessionId=a["sessionId"], objective="c")
    lab.call("link_tasks", sessionId=a["sessionId"], fromTaskId=b["taskId"], toTaskId=c["taskId"], relationship="blocks")
    linked = one(lab.events(a["sessionId"]), "task.dependency.updated")
    same(linked["taskGraph"]["rootTaskId"], a["taskId"], "root")
    kinds = sorted(e["kind"] for e in linked["taskGraph"]["edges"])
    need("parent" in kinds and "blocks" in kinds, f"edges: {kinds}")
    reply, events = lab.turn("hello")
    told = one(events, "cost.recorded")["correlation"]
    same((told["turnId"], told["runId"]), (reply["turnId"], reply["runId"]), "correlation")


@rows("SNP-06", script=story(**{"write twice": [("write_file", {"path": "a.txt", "content": "one"}),
                                                ("write_file", {"path": "a.txt", "content": "two"})]}), options=["permission.mode=bypass"])
def check_the_artifact_summary_says_what_was_validated(lab):
    reply, _ = lab.turn("write twice")
    rows_ = lab.call("get_artifact_checkpoint_summary", sessionId=reply["sessionId"])["artifacts"]
    same((rows_[0]["path"], rows_[0]["versions"]), ("a.txt", 2), "versions")
    need(rows_[0]["diffRef"], "a diff")
    need("issues" in rows_[0] or rows_[0]["issuesState"] == "unknown", f"validation is not told: {rows_[0]}")


@rows("SNP-16", script=SHELL)
def check_diagnostics_list_stalled_tasks_and_pending_requests(lab):
    reply = lab.call("submit_turn", input="use risky")
    session = reply["sessionId"]
    action = one(lab.wait(session, "action.required"), "action.required")["actionId"]
    d = lab.read(session)["diagnostics"]
    same(d["pendingRequests"], [{"kind": "action", "id": action}], "pending")
    same(d["stalledTasks"], [], "nothing is stalled")
    need("stalledTasks" not in d.get("unavailable", []), "it is not unavailable")
    slow = lab.call("submit_turn", input="use slow")
    lab.wait(slow["sessionId"], "tool.progress")
    lab.restart()
    same(lab.read(slow["sessionId"])["diagnostics"]["stalledTasks"], [slow["taskId"]], "a lost one")


@rows("CHN-03")
def check_a_refused_login_leaves_an_event(lab):
    token, lab.face.token = lab.face.token, "wrong"
    for _ in range(20):
        lab.face.request("POST", "/v1/commands/submit_turn", '{"input":"x"}')
    lab.face.token = token
    told = lab.until("a login that was refused", lambda: [
        e for e in lab.events("sess_system") if e["type"] == "runtime.warning" and e["payload"]["category"] == "login_refused"])
    need(len(told) == 1, f"{len(told)} events for twenty attempts in a row")
    same(told[0]["payload"]["cause"], "http", "by which way")
    need(told[0]["payload"]["count"] >= 1 and "wrong" not in json.dumps(told), "how often, and never the token")


@rows("STA-18", "STA-09", script=SHELL)
def check_kill_shows_stale_and_unknown(lab):
    """stale: a lease past and not resolved; unknown: a worker gone with an effect in flight."""
    external = lab.call("create_task", objective="outside")
    lab.call("start_task", sessionId=external["sessionId"], taskId=external["taskId"], worker={"kind": "external"})
    run = lab.call("claim_task", sessionId=external["sessionId"], taskId=external["taskId"], workerId="w1", leaseMs=1000)
    agent = lab.call("create_task", objective="use slow", start=True)
    lab.wait(agent["sessionId"], "tool.progress")
    lab.daemon.kill()
    deadline = time.time() + 1.2  # the lease is wall time
    lab.until("the lease is past", lambda: time.time() > deadline)
    lab.start()
    task = task_of(lab, external)
    same((task["status"], task["nativeStatus"]), ("stale", "running"), "a worker that nobody has seen since")
    same([t["taskId"] for t in lab.call("list_tasks", sessionId=external["sessionId"], status="stale")["tasks"]], [external["taskId"]], "in the list")
    beat = lab.call("heartbeat_task", sessionId=external["sessionId"], taskId=external["taskId"], runId=run["runId"], workerId="w1")
    same(beat["status"], "running", "heard again")
    same(task_of(lab, external)["status"], "running", "and shown so")
    task = task_of(lab, agent)
    same((task["status"], task["nativeStatus"]), ("unknown", "lost"), "an effect that may have happened")
    same(one(lab.events(agent["sessionId"]), "task.lost")["payload"]["effectInFlight"], True, "the event")
    lab.call("resume_thread", sessionId=agent["sessionId"], threadId=agent["threadId"])
    lab.until("it goes on", lambda: task_of(lab, agent)["status"] not in ("unknown", "lost"))


@rows("CTL-02")
def check_errors_name_the_path(lab):
    reply, _ = lab.turn("hello")
    session = reply["sessionId"]
    wrong = [("create_task", {"objective": "x", "constraints": {"sandboxMode": "strong"}}, "constraints.sandboxMode"),
             ("create_task", {"objective": "x", "acceptance": [{"id": "a", "kind": "text"}, {"id": "b"}]}, "acceptance[1].kind"),
             ("create_task", {"objective": "x", "retryPolicy": {"maxAttempts": "two"}}, "retryPolicy.maxAttempts"),
             ("create_task", {"objective": "x", "scope": {"nowhere": 1}}, "scope.nowhere"),
             ("spawn_subagent", {"parentThreadId": reply["threadId"], "role": "x", "isolation": {"prompt": "own"}}, "isolation.workspace")]
    for command, params, path in wrong:
        code, problem = lab.face.call(command, {"sessionId": session, **params})
        need(code and path in problem["detail"], f"{command} {params}: {code}: {problem.get('detail')}")


@rows("TSK-31", both=True)
def check_background_makes_a_task_of_its_own(lab):
    front, _ = lab.turn("hello")
    session = front["sessionId"]
    reply = lab.call("submit_turn", sessionId=session, input="work in the background", background=True)
    need(reply["threadId"] != front["threadId"], "it shares the thread of the foreground")
    task = lab.until("its end", lambda: (t := task_of(lab, reply))["status"] == "completed" and t)
    same((task["visibility"], task["taskKind"]), ("background", "background_job"), "the record")
    events = lab.events(session)
    mine = [e for e in events if e.get("taskId") == reply["taskId"]]
    same(next(e for e in mine if e["type"] == "task.created")["payload"]["implicit"], False, "a real task")
    submitted = one(mine, "turn.submitted")
    same((submitted["turnId"], submitted["runId"]), (reply["turnId"], reply["runId"]), "the ids of the reply")
    lab.refused("not_retryable", "retry_task", sessionId=session, taskId=reply["taskId"], reason="x")
    failed = lab.call("submit_turn", sessionId=session, input="refuse", options={"background": True, "taskKind": "review"})
    lab.until("a failure", lambda: task_of(lab, failed)["status"] == "failed")
    same(lab.call("retry_task", sessionId=session, taskId=failed["taskId"], reason="again")["status"] in ("retrying", "preparing", "queued"), True, "retried")
    new = lab.call("submit_turn", input="hello", background=True)
    lab.until("its end", lambda: task_of(lab, new)["status"] == "completed")


@rows("CTL-01")
def check_options_of_submit_turn_are_one_object(lab):
    reply, events = lab.turn("hello", options={"taskKind": "review", "latency": "batch", "budgetUsd": 2.5, "metadata": {"ticket": 7}})
    options = one(events, "turn.submitted")["payload"]["options"]
    same((options["taskKind"], options["latency"], options["budgetUsd"], options["metadata"]), ("review", "batch", 2.5, {"ticket": 7}), "options")
    same(one(events, "task.profile.resolved")["taskProfile"]["kind"], "review", "they count")
    lab.refused("invalid_value", "submit_turn", input="x", latency="interactive", options={"latency": "batch"})
    lab.refused("unknown_field", "submit_turn", input="x", options={"speed": "fast"})
