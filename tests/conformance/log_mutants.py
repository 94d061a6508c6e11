"""Mutants of the golden logs: each breaks one requirement at one event.

mutants() yields Mutant(row, check, line, text, canary): the log as text, and the finding that `thole conform log` must report first:
the row, the number of its check, the line.  Expectations are written down here, beside the damage; they are not computed by the program
that is tested.
"""
import collections
import copy
import json
import pathlib

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
Mutant = collections.namedtuple("Mutant", "row check line text canary name")

TURN_SCOPE = ("turn.", "model.", "reasoning.", "tool.", "action.", "permission.", "sandbox.", "hook.", "context.", "routing.", "cost.", "rate_limit.", "quota.")
RECORDS = ("task", "item", "costState", "limitState", "permissionDecision", "routingDecision", "candidateModelSet", "taskProfile", "hookRun", "refs")
# An earlier event asks for these; without one, the first finding is at that event.
COUNTED = ("cost.recorded", "routing.decided", "action.required", "runtime.warning")
IDS = ("threadId", "turnId", "taskId", "runId", "attemptId", "stepId", "toolCallId", "actionId", "modelRequestId", "processId", "requestId")


def dump(event):
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False)


class Log:
    """A golden log that is changed in memory."""

    def __init__(self, path):
        self.name = path.stem
        self.events = [json.loads(line) for line in path.read_text().splitlines()]

    def copy(self):
        other = copy.copy(self)
        other.events = copy.deepcopy(self.events)
        return other

    def where(self, *types, test=lambda e: True):
        """Indexes of events of these classes; "tool." is a family."""
        return [i for i, e in enumerate(self.events)
                if (not types or any(e["type"] == t or (t.endswith(".") and e["type"].startswith(t)) for t in types)) and test(e)]

    def renumber(self):
        """After an event was taken out or put in: sequence and time are right again."""
        for i, e in enumerate(self.events):
            e["sequence"] = i + 1
            e["timestamp"] = f"2026-01-01T{i // 3600:02}:{i // 60 % 60:02}:{i % 60:02}.000Z"
        return self

    def without(self, i):
        other = self.copy()
        del other.events[i]
        return other.renumber()

    def inserted(self, at, event):
        other = self.copy()
        other.events.insert(at, {**copy.deepcopy(event), "eventId": "evt_inserted"})
        return other.renumber()

    def edited(self, i, **fields):
        """None removes a member; a name with __ is a path."""
        other = self.copy()
        for name, value in fields.items():
            *path, last = name.split("__")
            at = other.events[i]
            for part in path:
                at = at.get(part, {})
            if value is None:
                at.pop(last, None)
            else:
                at[last] = value
        return other

    def text(self):
        return "".join(dump(e) + "\n" for e in self.events)


def with_null(log, i, name):
    other = log.copy()
    other.events[i][name] = None
    return other


OPERATORS = []


def breaks(row, check=1):
    """The function yields (index of the first offending event, log or text[, canary])."""
    def register(f):
        OPERATORS.append((row, check, f))
        return f
    return register


# ---- lines ----

@breaks("LOG-01")
def a_line_that_is_no_event(log):
    lines = log.text().splitlines()
    bad = ['{"type":', "[1,2]", "null", '"text"', "{}}", "\x00", "[" * 100 + "]" * 100, '{"a":1,}', "\udcff", lines[0][:-1]]
    for n, i in enumerate(range(0, len(lines), 7)):
        yield i, "".join(line + "\n" for line in lines[:i] + [bad[n % len(bad)]] + lines[i + 1:])


@breaks("LOG-02")
def a_key_twice(log):
    lines = log.text().splitlines()
    for i in range(2, len(lines), 9):
        kind = json.dumps(log.events[i]["type"])
        first = f'{{"type":{kind},{lines[i][1:]}'
        nested = lines[i].replace('"payload":{', '"payload":{"x":1,"x":2' + ("," if log.events[i]["payload"] else ""), 1)
        yield i, "".join(line + "\n" for line in lines[:i] + [first if i % 2 else nested] + lines[i + 1:])


@breaks("ENV-14")
def an_event_of_megabytes(log):
    for i in log.where("tool.result", "turn.completed"):
        yield i, log.edited(i, payload__text="x" * 1_100_000)


# ---- envelope ----

@breaks("ENV-01")
def a_class_that_does_not_exist(log):
    for i in log.where("turn.", "model.completed"):
        yield i, log.edited(i, type="vendor.thing")
        yield i, log.edited(i, type=None)
        yield i, log.edited(i, type=5)


@breaks("ENV-13")
def an_id_that_is_none(log):
    for n, i in enumerate(log.where()):
        held = [k for k in IDS if k in log.events[i]]
        if held and log.events[i]["type"] not in COUNTED:
            key = held[n % len(held)]
            yield i, with_null(log, i, key) if n % 3 == 0 else log.edited(i, **{key: "" if n % 3 == 1 else 7})


@breaks("ENV-02")
def no_event_id(log):
    for i in log.where("turn.", "tool."):
        yield i, log.edited(i, eventId=None)


@breaks("ENV-02", 2)
def the_event_id_of_another(log):
    for i in range(3, len(log.events), 5):
        yield i, log.edited(i, eventId=log.events[i - 2]["eventId"])


@breaks("ENV-03")
def a_timestamp_that_is_none(log):
    for i in range(0, len(log.events), 6):
        yield i, log.edited(i, timestamp=(None, "yesterday", 1767225600, "2026-13-01T00:00:00Z")[i % 4])


@breaks("ENV-03", 2)
def time_runs_backwards(log):
    for i in range(4, len(log.events), 6):
        yield i, log.edited(i, timestamp="2025-12-31T23:00:00.000Z")


@breaks("ENV-04")
def another_version(log):
    for i in range(1, len(log.events), 8):
        yield i, log.edited(i, schemaVersion=(None, "1.0", 4)[i % 3])


@breaks("ENV-05")
def no_runtime_or_session(log):
    for i in range(1, len(log.events), 8):
        if log.events[i]["type"] not in COUNTED:
            yield i, log.edited(i, **{("runtimeId", "sessionId")[i // 8 % 2]: None})


@breaks("ENV-06")
def a_sequence_that_is_no_number(log):
    for i in range(1, len(log.events), 8):
        yield i, log.edited(i, sequence=(None, "7", -1, 1.5)[i // 8 % 4])


@breaks("ENV-07")
def an_event_is_missing(log):
    for i in range(5, len(log.events) - 1, 5):
        if log.events[i]["type"] not in COUNTED:
            other = log.copy()
            del other.events[i]
            yield i, other


@breaks("ENV-07")
def every_event_has_a_session_of_its_own(log):
    if len(log.events) > 4:
        other = log.copy()
        for n, e in enumerate(other.events):
            e["sessionId"] += f"_{n}"
        yield 3, other


@breaks("ENV-07")
def the_sequence_counts_per_turn(log):
    for i in log.where("turn.submitted")[1:]:
        other = log.copy()
        for n, e in enumerate(other.events[i:]):
            e["sequence"] = n + 1
        yield i, other


@breaks("ENV-08")
def a_payload_that_is_no_object(log):
    for i in range(0, len(log.events), 9):
        yield i, log.edited(i, payload=(None, [], "text", 1)[i // 9 % 4])


@breaks("ENV-25")
def a_record_that_is_no_object(log):
    for n, i in enumerate(log.where()):
        held = [k for k in RECORDS if k in log.events[i]]
        if held:
            yield i, log.edited(i, **{held[n % len(held)]: ("text", [], 3)[n % 3]})


@breaks("ENV-12")
def a_ref_that_is_a_number(log):
    for i in log.where(test=lambda e: "refs" in e):
        yield i, log.edited(i, refs__raw=5)


@breaks("ENV-24")
def a_status_that_is_no_text(log):
    for i in log.where("thread.updated", "turn."):
        yield i, log.edited(i, **{("status", "phase", "statusReason", "nativeStatus")[i % 4]: (5, {}, [])[i % 3]})


@breaks("ENV-11")
def a_span_without_a_trace(log):
    for i in log.where("model.requested"):
        yield i, log.edited(i, spanId="00f067aa0ba902b7")


# ---- scope ----

def lacks(log, i, key):
    """The member is missing, or is in the payload."""
    value = log.events[i].get(key)
    yield i, log.edited(i, **{key: None})
    if isinstance(value, str):
        yield i, log.edited(i, **{key: None, "payload__" + key: value})


@breaks("ENV-09")
def a_thread_without_its_id(log):
    for i in log.where("thread."):
        yield from lacks(log, i, "threadId")


@breaks("LIM-03")
def work_without_its_turn(log):
    for i in log.where(*TURN_SCOPE):
        yield from lacks(log, i, ("threadId", "turnId")[i % 2])


@breaks("LIM-04")
def a_call_without_its_id(log):
    for i in log.where("tool."):
        yield from lacks(log, i, ("stepId", "toolCallId")[i % 2])


@breaks("LIM-05")
def an_action_without_its_id(log):
    for i in log.where("action.resolved"):
        yield from lacks(log, i, "actionId")


@breaks("LIM-05", 2)
def a_task_without_its_id(log):
    for i in log.where("task."):
        yield from lacks(log, i, "taskId")


@breaks("LIM-05", 3)
def an_attempt_without_its_run(log):
    for i in log.where("task.attempt."):
        yield from lacks(log, i, "runId")


@breaks("LIM-05", 4)
def a_subagent_without_its_id(log):
    for i in log.where("subagent."):
        yield from lacks(log, i, "subagentId")


def appended(log, kind, **fields):
    envelope = {k: log.events[-1][k] for k in ("eventId", "sequence", "timestamp", "schemaVersion", "runtimeId", "sessionId")}
    return len(log.events), log.inserted(len(log.events), {"type": kind, **envelope, **fields, "payload": {}})


@breaks("LIM-05", 5)
def evidence_without_its_id(log):
    yield appended(log, "evidence.changed")


@breaks("LIM-06")
def a_benchmark_without_its_record(log):
    yield appended(log, "benchmark.dataset.resolved")


@breaks("LIM-06", 2)
def a_trial_without_its_run(log):
    yield appended(log, "benchmark.trial.completed", taskId="task_1", benchmark={}, refs={})


@breaks("LIM-06", 3)
def a_comparison_without_its_result(log):
    yield appended(log, "benchmark.comparison.completed", benchmark={}, refs={})


@breaks("ENV-10")
def a_call_without_its_task(log):
    for i in log.where("tool."):
        yield i, log.edited(i, **{("taskId", "runId")[i % 2]: None})


@breaks("IDN-13")
def one_id_for_two_things(log):
    for key in ("modelRequestId", "toolCallId", "actionId"):
        for i in log.where(test=lambda e: key in e and "turnId" in e)[:1]:
            old, new = log.events[i][key], log.events[i]["turnId"]
            yield i, log.text().replace(f'"{old}"', f'"{new}"')


@breaks("IDN-01")
def another_runtime_in_the_middle(log):
    for i in range(2, len(log.events), 15):
        yield i, log.edited(i, runtimeId="rt_other")


def seen_before(log, i, *keys):
    e = log.events[i]
    return all(k in e for k in keys) and any(all(b.get(k) == e[k] for k in keys) for b in log.events[:i])


@breaks("IDN-04")
def a_turn_in_two_threads(log):
    for i in range(0, len(log.events), 4):
        if seen_before(log, i, "turnId", "threadId"):
            yield i, log.edited(i, threadId="thr_other")


@breaks("IDN-06")
def a_run_of_two_tasks(log):
    for i in range(1, len(log.events), 4):
        if seen_before(log, i, "runId", "taskId"):
            yield i, log.edited(i, taskId="task_other")


@breaks("IDN-08")
def a_call_of_two_steps(log):
    for i in log.where("tool.args", "tool.result", "tool.failed"):
        yield i, log.edited(i, stepId="step_other")


@breaks("IDN-08", 2)
def a_call_of_two_turns(log):
    for i in log.where("tool.args", "tool.result", "tool.failed"):
        yield i, log.edited(i, turnId="turn_other")


@breaks("IDN-09")
def an_action_of_two_turns(log):
    for i in log.where("action.resolved"):
        yield i, log.edited(i, turnId="turn_other")


# ---- order ----

def twice(log, *kinds):
    """The same event once more, under an id of its own."""
    for i in log.where(*kinds):
        yield i + 1, log.inserted(i + 1, log.events[i])


@breaks("EVT-001")
def a_session_without_its_beginning(log):
    yield 0, log.without(0)


@breaks("EVT-001")
def a_session_that_begins_twice(log):
    yield from twice(log, "session.created")


@breaks("EVT-003")
def a_thread_that_did_not_start(log):
    other = log.without(log.where("thread.started")[0])
    first = [i for i in other.where("turn.submitted", "thread.updated", "queue.changed") if other.events[i]["threadId"] == log.events[1]["threadId"]]
    if first:
        yield first[0], other


@breaks("EVT-003")
def a_thread_that_starts_twice(log):
    yield from twice(log, "thread.started")


NEEDS_TURN = ("turn.started", "turn.completed", "turn.failed", "model.", "reasoning.", "tool.", "action.", "permission.", "context.", "routing.", "cost.estimated", "hook.started", "quota.", "rate_limit.hit")


@breaks("EVT-005")
def work_before_the_turn(log):
    for i in log.where("turn.submitted"):
        turn, other = log.events[i]["turnId"], log.without(i)
        first = other.where(*NEEDS_TURN, test=lambda e: e["turnId"] == turn)
        if first:
            yield first[0], other


@breaks("EVT-005")
def a_turn_that_ends_twice(log):
    yield from twice(log, "turn.completed", "turn.failed")


@breaks("EVT-005")
def work_after_the_turn(log):
    for end in log.where("turn.completed"):
        for i in log.where("context.resolved", test=lambda e: e["turnId"] == log.events[end]["turnId"]):
            yield end + 1, log.inserted(end + 1, log.events[i])


@breaks("LIM-10")
def a_turn_without_its_input(log):
    for i in log.where("turn.submitted", test=lambda e: e["payload"].get("kind") != "system"):
        yield i, log.edited(i, payload__inputRef=None, refs__input=None)


@breaks("EVT-028")
def an_answer_without_its_request(log):
    for i in log.where("model.requested"):
        request, other = log.events[i]["modelRequestId"], log.without(i)
        first = other.where("model.", "reasoning.", test=lambda e: e["modelRequestId"] == request)
        if first:
            yield first[0], other


@breaks("EVT-028")
def an_answer_that_ends_twice(log):
    yield from twice(log, "model.completed", "model.failed")


@breaks("EVT-035")
def a_call_that_did_not_start(log):
    for i in log.where("tool.started"):
        call, other = log.events[i]["toolCallId"], log.without(i)
        first = other.where("tool.", "permission.evaluated", "permission.requested", "sandbox.applied", test=lambda e: e["toolCallId"] == call)
        if first:
            yield first[0], other


@breaks("EVT-035")
def a_call_that_ends_twice(log):
    yield from twice(log, "tool.result", "tool.failed")


@breaks("EVT-040")
def an_action_that_is_resolved_twice(log):
    yield from twice(log, "action.required", "action.resolved")


def left_open(log, *ends):
    """The end of a part is missing; the turn ends all the same."""
    for i in log.where(*ends):
        turn, other = log.events[i].get("turnId"), log.without(i)
        end = other.where("turn.completed", "turn.failed", test=lambda e: e["turnId"] == turn)
        if end:
            yield end[0], other


@breaks("STA-11")
def a_turn_with_an_open_request(log):
    yield from left_open(log, "model.completed")


@breaks("STA-11", 2)
def a_turn_with_an_open_call(log):
    yield from left_open(log, "tool.result", "tool.failed")


@breaks("STA-11", 3)
def a_turn_with_an_open_action(log):
    yield from left_open(log, "action.resolved")


@breaks("TSK-19")
def a_task_that_was_not_created(log):
    for i in log.where("task.created"):
        task, other = log.events[i]["taskId"], log.without(i)
        first = other.where("task.", test=lambda e: e["taskId"] == task and e["type"] not in ("task.updated", "task.dependency.updated", "task.delegated"))
        if first and other.events[first[0]]["type"] == "task.accepted":
            yield first[0], other


@breaks("TSK-19")
def a_task_that_ends_twice(log):
    yield from twice(log, "task.completed", "task.failed", "task.cancelled", "task.lost")


@breaks("TSK-19")
def a_completed_task_that_continues(log):
    for i in log.where("task.completed"):
        yield i + 1, log.inserted(i + 1, {**log.events[i], "type": "task.retrying"})


@breaks("TSK-18")
def a_run_that_did_not_start(log):
    for i in log.where("task.attempt.started"):
        run, other = log.events[i]["runId"], log.without(i)
        first = other.where("model.requested", "tool.started", "routing.decided", "task.attempt.completed", "task.attempt.failed", test=lambda e: e.get("runId") == run)
        if first:
            yield first[0], other


@breaks("TSK-18")
def a_run_that_ends_twice(log):
    yield from twice(log, "task.attempt.completed", "task.attempt.failed")


@breaks("TSK-14")
def a_task_with_an_open_run(log):
    for i in log.where("task.attempt.completed"):
        task, other = log.events[i]["taskId"], log.without(i)
        end = other.where("task.completed", test=lambda e: e["taskId"] == task)
        if end:
            yield end[0], other


def runs_of(log, i):
    """The first event that shows that the call runs."""
    call = log.events[i].get("toolCallId")
    found = [k for k in log.where("sandbox.applied", "process.started", "tool.progress", test=lambda e: e.get("toolCallId") == call)
             if k > i and (log.events[k]["type"] != "tool.progress" or log.events[k]["payload"].get("kind") == "dispatched")]
    return found[:1]


@breaks("ACC-03")
def a_denied_call_that_runs(log):
    for i in log.where("permission.evaluated", "permission.resolved", test=lambda e: e["payload"]["decision"] == "allow"):
        for k in runs_of(log, i):
            yield k, log.edited(i, payload__decision="deny", permissionDecision__decision="deny")


@breaks("ACC-03")
def a_call_that_runs_before_the_answer(log):
    for i in log.where("permission.resolved", test=lambda e: e["payload"]["decision"] == "allow"):
        for k in runs_of(log, i):
            yield k - 1, log.without(i)


@breaks("PRM-01")
def a_question_without_its_action(log):
    for i in log.where("permission.requested"):
        yield i, log.edited(i, actionId=None)


@breaks("PRM-01", 2)
def a_question_that_is_not_asked(log):
    for i in log.where("action.required"):
        action = log.events[i]["actionId"]
        asked = log.where("permission.requested", test=lambda e: e["actionId"] == action)
        yield asked[0], log.without(i)


@breaks("SBX-07")
def a_process_without_a_sandbox(log):
    for i in log.where("sandbox.applied"):
        call, other = log.events[i]["toolCallId"], log.without(i)
        for k in other.where("process.started", test=lambda e: e["toolCallId"] == call):
            yield k, other


# ---- words and members ----

def edits(log, kinds, test=lambda e: True, **fields):
    for i in log.where(*kinds, test=test):
        yield i, log.edited(i, **fields)


@breaks("STA-16")
def a_thread_with_another_status(log):
    yield from edits(log, ["thread.updated"], status="timed_out")


@breaks("STA-18")
def a_task_with_another_status(log):
    yield from edits(log, ["task."], lambda e: "status" in e.get("task", {}), task__status="streaming")


@breaks("STA-17")
def an_attempt_with_another_status(log):
    yield from edits(log, ["task.attempt."], taskAttempt__status="lost")


@breaks("STA-12")
def a_completed_turn_that_failed(log):
    yield from edits(log, ["turn.completed"], status="failed")


@breaks("STA-12", 2)
def a_failed_turn_that_completed(log):
    yield from edits(log, ["turn.failed"], status="completed")


@breaks("EVT-008")
def a_failed_turn_without_a_reason(log):
    yield from edits(log, ["turn.failed"], payload__category=None, payload__reason=None)


@breaks("EVT-039")
def a_failed_call_without_a_reason(log):
    yield from edits(log, ["tool.failed"], payload__category=None, payload__reason=None)


@breaks("ACT-02")
def an_action_without_a_type(log):
    yield from edits(log, ["action.required"], payload__actionType=None)


@breaks("ACT-04")
def an_action_about_nothing(log):
    yield from edits(log, ["action.required"], payload__prompt=None, payload__schema=None)


@breaks("ACT-05")
def an_action_without_choices(log):
    yield from edits(log, ["action.required"], payload__decisions=None, payload__decisionKind=None)


@breaks("EVT-041")
def an_answer_without_a_decision(log):
    yield from edits(log, ["action.resolved"], payload__decision=None, status=None)


@breaks("PRM-12")
def a_decision_without_its_source(log):
    yield from edits(log, ["permission.evaluated"], payload__decisionSource=None, permissionDecision__decisionSource=None)
    yield from edits(log, ["permission.evaluated"], permissionDecision__decisionReason=None)


@breaks("PRM-13")
def a_decision_of_another_word(log):
    yield from edits(log, ["permission.evaluated"], permissionDecision__decision="maybe")
    yield from edits(log, ["permission.evaluated"], permissionDecision__decisionSource="model")


@breaks("SBX-01")
def a_sandbox_without_its_boundary(log):
    for key in ("cwd", "writeRoots", "network"):
        yield from edits(log, ["sandbox.applied"], **{"sandboxProfile__" + key: None})


@breaks("EVT-030")
def an_answer_without_usage(log):
    yield from edits(log, ["model.completed"], payload__usage=None, payload__usageState=None)


@breaks("OUT-06")
def a_secret_in_an_event(log):
    for i in range(3, len(log.events), 20):
        yield i, log.edited(i, payload__note="the key is s3cret-\u00e4-canary."), "s3cret-\u00e4-canary"


# ---- work ----

@breaks("EVT-068")
def a_process_without_its_id(log):
    yield from edits(log, ["process.completed", "process.terminated"], processId=None)


@breaks("EVT-068", 2)
def a_process_that_ends_twice(log):
    yield from twice(log, "process.completed", "process.terminated")


@breaks("EVT-105")
def an_output_without_its_ref(log):
    yield from edits(log, ["output."], outputRef=None)


@breaks("EVT-105", 2)
def an_output_without_its_size(log):
    yield from edits(log, ["output.spilled"], output__sizeBytes=None, payload__sizeBytes=None)


@breaks("HOK-05")
def a_hook_without_its_point(log):
    yield from edits(log, ["hook."], hookRun__point=None, payload__point=None)


@breaks("HOK-05", 2)
def a_hook_that_ends_twice(log):
    yield from twice(log, "hook.completed", "hook.failed")


@breaks("HOK-06")
def a_failed_hook_without_its_policy(log):
    yield from edits(log, ["hook.failed"], hookRun__failPolicy=None, payload__failPolicy=None)


@breaks("RTE-01")
def a_profile_without_its_source(log):
    yield from edits(log, ["task.profile.resolved"], taskProfile__source=None)


@breaks("RTE-05")
def a_routing_decision_without_its_reason(log):
    yield from edits(log, ["routing.decided"], routingDecision__decisionReason=None)


def decided(log, is_single):
    for i in log.where("routing.decided"):
        run = log.events[i]["runId"]
        single = log.where("routing.single_candidate", test=lambda e: e["runId"] == run)
        if bool(single) == is_single and len(log.where("routing.decided", test=lambda e: e["runId"] == run)) == 1:
            yield i, run, single


@breaks("EVT-076")
def a_request_without_a_routing_decision(log):
    for i, run, _ in decided(log, False):
        other = log.without(i)
        for k in other.where("model.requested", test=lambda e: e.get("runId") == run)[:1]:
            yield k, other


@breaks("RTE-07")
def a_single_candidate_without_a_decision(log):
    for i, _, single in decided(log, True):
        yield single[0], log.without(i)


@breaks("RTE-08")
def a_request_although_no_model_fits(log):
    for i in log.where("routing.decided"):
        run = log.events[i]["runId"]
        other = log.inserted(i + 1, {**log.events[i], "type": "routing.not_possible", "payload": {**log.events[i]["payload"], "candidateCount": 0, "capabilityGap": "none"}})
        for k in other.where("model.requested", test=lambda e: e.get("runId") == run)[:1]:
            yield k, other


@breaks("RTE-09")
def a_fallback_that_does_not_say_where_from(log):
    yield from edits(log, ["routing.fallback.applied"], payload__from=None, payload__fromModel=None, payload__fromCandidate=None)


@breaks("EVT-085")
def a_request_without_an_estimate(log):
    for i in log.where("cost.estimated"):
        request, other = log.events[i]["modelRequestId"], log.without(i)
        for k in other.where("model.requested", test=lambda e: e["modelRequestId"] == request):
            yield k, other


@breaks("EVT-086")
def a_request_without_its_cost(log):
    for i in log.where("cost.recorded"):
        request = log.events[i]["modelRequestId"]
        ends = log.where("model.completed", "model.failed", test=lambda e: e["modelRequestId"] == request)
        if ends and ends[0] < i:
            yield ends[0], log.without(i)


@breaks("SUB-01")
def a_subagent_that_was_not_spawned(log):
    for i in log.where("subagent.spawned"):
        child, other = log.events[i]["subagentId"], log.without(i)
        for k in other.where("subagent.input", "subagent.completed", "subagent.failed", "subagent.closed", test=lambda e: e["subagentId"] == child)[:1]:
            yield k, other


@breaks("NEG-34")
def a_subagent_without_isolation(log):
    yield from edits(log, ["subagent.spawned"], payload__isolation=None)


@breaks("JOB-01")
def a_job_without_its_id(log):
    yield from edits(log, ["job.progress", "job.completed", "job.item."], jobId=None)


@breaks("JOB-01", 2)
def an_item_without_its_id(log):
    yield from edits(log, ["job.item."], jobItemId=None)


@breaks("JOB-01", 3)
def a_job_that_was_not_created(log):
    for i in log.where("job.created"):
        other = log.without(i)
        yield other.where("job.")[0], other


@breaks("JOB-01", 4)
def an_item_that_ends_twice(log):
    yield from twice(log, "job.item.completed", "job.item.failed")


@breaks("CHN-01")
def a_channel_without_its_id(log):
    yield from edits(log, ["channel.connected", "channel.disconnected", "channel.resumed"], channelId=None)


@breaks("CHN-01", 2)
def a_channel_that_did_not_connect(log):
    for i in log.where("channel.connected"):
        other = log.without(i)
        for k in other.where("channel.disconnected", "channel.resumed")[:1]:
            yield k, other


@breaks("HIS-02")
def a_compaction_that_did_not_start(log):
    for i in log.where("context.compaction.started"):
        other = log.without(i)
        yield other.where("context.compaction.completed", "context.compaction.failed")[0], other


@breaks("HIS-02", 2)
def a_compaction_without_its_summary(log):
    yield from edits(log, ["context.compaction.completed"], payload__summaryRef=None, refs__summary=None)


@breaks("HIS-04")
def a_rollback_that_did_not_start(log):
    for i in log.where("history.rollback.started"):
        other = log.without(i)
        yield other.where("history.rollback.completed")[0], other


@breaks("HIS-04", 2)
def a_rollback_that_does_not_say_what(log):
    yield from edits(log, ["history.rollback.completed"], payload__removedTurns=None)


@breaks("HIS-07")
def a_recovery_that_does_not_say_how(log):
    yield from edits(log, ["history.reconstructed"], payload__degraded=None)


@breaks("IDN-11")
def an_artifact_without_its_id(log):
    yield from edits(log, ["artifact.changed"], artifactId=None)


# ---- what Thole promises ----

@breaks("THO-01")
def a_member_of_somewhere_else(log):
    for i in range(0, len(log.events), 10):
        yield i, log.edited(i, vendorField=1)


@breaks("THO-02")
def a_payload_without_its_fields(log):
    yield from edits(log, ["turn.started"], executionEnvironment=None)
    yield from edits(log, ["tool.started"], payload__toolName=None)


@breaks("THO-03")
def time_runs_backwards_a_little(log):
    for i in range(3, len(log.events), 12):
        yield i, log.edited(i, timestamp=log.events[i - 2]["timestamp"].replace(".000Z", ".999Z"))


@breaks("THO-04")
def a_step_with_another_item(log):
    yield from edits(log, [], lambda e: "item" in e and "stepId" in e, item__itemId="step_other")


@breaks("THO-05")
def a_record_of_another_task(log):
    yield from edits(log, ["task."], lambda e: "taskId" in e.get("task", {}), task__taskId="task_other")


@breaks("THO-05", 2)
def a_record_of_another_run(log):
    yield from edits(log, ["task.attempt."], taskAttempt__runId="run_other")


@breaks("THO-06")
def a_run_with_two_attempts(log):
    for i in range(0, len(log.events), 6):
        if seen_before(log, i, "runId", "attemptId") and not log.events[i]["type"].startswith("task."):
            yield i, log.edited(i, attemptId="att_other")


@breaks("THO-06", 2)
def an_attempt_with_two_runs(log):
    for i in log.where("context.resolved", "tool.args"):
        if seen_before(log, i, "runId", "attemptId"):
            yield i, log.edited(i, runId="run_other")


@breaks("THO-07")
def a_large_event(log):
    for i in log.where("turn.completed", "tool.result"):
        yield i, log.edited(i, **{f"payload__extra{n}": "x" * 9000 for n in range(8)})


# ---- what a runtime must not do, and proof (rows/57-negative.json, rows/58-proof.json) ----

def asked(e):
    return e["payload"]["decision"] == "ask"


@breaks("NEG-05")
def a_child_without_an_edge(log):
    for i in log.where("task.dependency.updated", test=lambda e: e["taskRelationship"]["kind"] == "spawned_subagent"):
        child, other = log.events[i]["taskRelationship"]["targetId"], log.without(i)
        for k in other.where("subagent.completed", "subagent.failed", "subagent.closed", test=lambda e: e["subagentId"] == child)[:1]:
            yield k, other


@breaks("NEG-10")
def a_decision_of_one_word(log):
    for key in ("ruleRefs", "scope", "mode"):
        yield from edits(log, ["permission.evaluated", "permission.resolved"], **{"permissionDecision__" + key: None})


@breaks("NEG-11")
def a_question_where_none_may_be_asked(log):
    yield from edits(log, ["permission.evaluated"], asked, permissionDecision__mode="never")


@breaks("NEG-12")
def a_denial_of_the_sandbox_that_has_no_event(log):
    for i in log.where("sandbox.violation"):
        call, other = log.events[i]["toolCallId"], log.without(i)
        for k in other.where("tool.failed", test=lambda e: e["toolCallId"] == call and e["payload"]["category"] == "sandbox_denied"):
            yield k, other


@breaks("NEG-16")
def a_hook_that_changes_the_input_in_silence(log):
    changed = log.where("hook.completed", test=lambda e: "updatedInputRef" in e["payload"])
    for i in changed:
        yield i, log.edited(i, refs__inputBefore=None, hookRun__inputRef=None)
        yield i, log.edited(i, refs__inputAfter=None)


@breaks("NEG-17")
def a_turn_that_completes_while_its_stop_hook_runs(log):
    for end in log.where("turn.completed"):
        for i in log.where("hook.started", test=lambda e: e["turnId"] == log.events[end]["turnId"])[:1]:
            stop = copy.deepcopy(log.events[i])
            stop["payload"]["point"] = stop["hookRun"]["point"] = "stop"
            stop["hookRun"]["hookRunId"] = "hook_stop"
            yield end + 1, log.inserted(end, stop)


@breaks("NEG-19")
def a_cut_result_without_its_original(log):
    for i in log.where("tool.result"):
        other = log.edited(i, payload__truncation="head_tail", payload__rawOutputRef=None, payload__outputRef=None, outputRef=None)
        yield i, other.edited(i, refs__rawOutput=None) if "refs" in log.events[i] else other


@breaks("NEG-25")
def an_approval_that_does_not_say_whose_it_is(log):
    yield from edits(log, ["action.resolved"], lambda e: e["payload"]["decision"] == "allow", payload__decidedBy=None)


@breaks("NEG-25", 2)
def a_permission_without_its_action(log):
    yield from edits(log, ["permission.resolved"], lambda e: e["payload"]["decisionSource"] == "human", actionId=None)


@breaks("NEG-30")
def lost_work_that_is_shown_as_running(log):
    for i in log.where("task.lost"):
        thread = log.events[i]["threadId"]
        for k in [k for k in log.where("thread.updated", test=lambda e: e["threadId"] == thread) if k > i][:1]:
            if not log.where("task.retrying", "task.attempt.started", test=lambda e: i < e["sequence"] - 1 < k):
                for word in ("running", "idle", "completed"):
                    yield k, log.edited(k, status=word)


@breaks("NEG-31")
def a_child_without_a_thread(log):
    yield from edits(log, ["subagent.spawned"], payload__childThreadId=None)


@breaks("NEG-32")
def a_child_without_its_parent(log):
    yield from edits(log, ["subagent.spawned"], payload__parentThreadId=None, payload__parentTurnId=None, payload__parentTaskId=None)


@breaks("NEG-33")
def a_job_without_items_that_ended(log):
    if log.where("job.completed"):
        other = log.copy()
        other.events = [e for e in other.events if e["type"] not in ("job.item.completed", "job.item.failed")]
        yield other.renumber().where("job.completed")[0], other


@breaks("NEG-35")
def work_that_does_not_say_how_long_it_took(log):
    yield from edits(log, ["model.completed", "tool.result"], payload__durationMs=None)


@breaks("NEG-42")
def a_trial_without_its_figures(log):
    yield from edits(log, ["benchmark.trial.completed", "benchmark.trial.failed"], payload__timedOut=None)
    yield from edits(log, ["benchmark.trial.completed", "benchmark.trial.failed"], payload__costUsd=None, payload__amountState=None)
    yield from edits(log, ["benchmark.trial.completed", "benchmark.trial.failed"], payload__tokens=None)


@breaks("NEG-43")
def a_trial_without_its_turn(log):
    for key in ("threadId", "turnId"):
        yield from edits(log, ["benchmark.trial.started"], **{key: None})


def judged_apart(e):
    return e["payload"].get("separateVerifier") is True


@breaks("NEG-44")
def a_verifier_apart_that_says_nothing_of_the_trajectory(log):
    yield from edits(log, ["benchmark.reward.recorded"], judged_apart, payload__trajectoryTransferred=None)


@breaks("NEG-44", 2)
def a_verifier_apart_without_a_warning(log):
    for i in log.where("runtime.warning", test=lambda e: e["payload"]["category"] == "verifier_trajectory_missing"):
        yield log.where("benchmark.reward.recorded", test=judged_apart)[0], log.without(i)


@breaks("NEG-45")
def a_failed_run_that_completes_its_turn(log):
    for i in log.where("task.attempt.failed"):
        run = log.events[i]["runId"]
        ends = [k for k in log.where("task.failed", test=lambda e: e.get("runId") == run) if k > i]
        for k in ends[:1]:
            yield k, log.edited(k, type="task.completed", status="completed", task__status="completed")
        for k in [k for k in log.where("turn.failed", test=lambda e: e.get("runId") == run) if k > i][:1]:
            yield k, log.edited(k, type="turn.completed", status="completed")


@breaks("PRF-07")
def an_artifact_without_owner_or_place(log):
    yield from edits(log, ["artifact.changed"], payload__owner=None)
    yield from edits(log, ["artifact.changed"], refs__read=None)


@breaks("PRF-07", 2)
def an_artifact_with_its_content(log):
    for key in ("content", "data", "bytes", "text"):
        yield from edits(log, ["artifact.changed"], **{"payload__" + key: "the report"})


@breaks("PRF-08")
def an_answer_without_the_record_of_the_provider(log):
    yield from edits(log, ["model.completed"], refs__raw=None)


@breaks("PRF-08", 2)
def an_answer_in_the_words_of_a_provider(log):
    for key in ("choices", "candidates", "finish_reason", "usageMetadata"):
        yield from edits(log, ["model.completed"], **{"payload__" + key: []})


@breaks("EVD-04")
def a_verdict_without_its_verifier(log):
    i, other = appended(log, "evidence.changed", evidenceId="evd_1")
    yield i, other.edited(i, payload={"verificationOutcomes": [{"name": "tests", "status": "passed"}]})
    yield i, other.edited(i, payload={"verdict": "passed"})


# ---- members that events of a class have ----

# The row, the class, and the places of which the row asks for one.
MEMBERS = (
    ("EVT-015", "task.waiting", ("payload.for", "payload.waitingFor", "statusReason")),
    ("EVT-019", "task.retrying", ("payload.reason", "statusReason")),
    ("EVT-023", "task.failed", ("payload.category", "payload.error.category", "task.lastError.category")),
    ("EVT-031", "model.failed", ("payload.category",)),
    ("EVT-031", "model.failed", ("payload.retryable",)),
    ("EVT-031", "model.failed", ("payload.attempt",)),
    ("EVT-034", "tool.catalog.resolved", ("payload.tools", "payload.toolCount", "payload.catalogRef", "refs.catalogRef")),
    ("EVT-042", "queue.changed", ("payload.change", "payload.action")),
    ("EVT-043", "context.resolved", ("payload.omissions",)),
    ("EVT-043", "context.resolved", ("payload.missing",)),
    ("EVT-044", "context.compaction.started", ("payload.trigger",)),
    ("EVT-044", "context.compaction.started", ("payload.affectedTurns", "payload.turns")),
    ("EVT-052", "subagent.completed", ("payload.lastMessageRef", "refs.lastMessageRef")),
    ("EVT-056", "snapshot.updated", ("payload.reflectsSequence", "payload.sequence")),
    ("EVT-057", "runtime.warning", ("payload.category",)),
    ("EVT-063", "sandbox.violation", ("payload.kind",)),
    ("EVT-063", "sandbox.violation", ("payload.path", "payload.host", "payload.address", "payload.syscall", "payload.operation")),
    ("EVT-065", "hook.completed", ("payload.durationMs", "hookRun.durationMs")),
    ("EVT-067", "policy.changed", ("payload.change",)),
    ("EVT-067", "policy.changed", ("payload.scope",)),
    ("EVT-070", "process.input", ("payload.bytes", "payload.inputRef", "refs.inputRef")),
    ("EVT-071", "process.completed", ("payload.exitCode",)),
    ("EVT-071", "process.completed", ("payload.durationMs",)),
    ("EVT-073", "process.terminated", ("payload.by", "payload.origin", "payload.cause")),
    ("EVT-075", "routing.candidates.resolved", ("payload.candidateCount", "candidateModelSet.candidates", "payload.candidates")),
    ("EVT-079", "routing.single_candidate", ("payload.capabilityGap",)),
    ("EVT-079", "routing.single_candidate", ("payload.costClass",)),
    ("EVT-079", "routing.single_candidate", ("payload.limitState", "limitState")),
    ("EVT-081", "task.dependency.updated", ("taskRelationship.targetId", "payload.targetId")),
    ("EVT-081", "task.dependency.updated", ("taskRelationship.kind", "payload.relationship", "payload.kind")),
    ("EVT-084", "task.attempt.failed", ("payload.retryable",)),
    ("EVT-084", "task.attempt.failed", ("payload.failureCategory", "payload.category")),
    ("EVT-087", "rate_limit.hit", ("payload.provider", "limitEvent.provider", "payload.source", "limitEvent.source")),
    ("EVT-089", "quota.blocked", ("payload.scope", "limitState.scope")),
    ("EVT-089", "quota.blocked", ("payload.reason", "statusReason")),
    ("EVT-092", "channel.resumed", ("payload.fromSequence", "payload.lastAckedSequence", "payload.cursor")),
    ("EVT-096", "job.created", ("payload.itemCount", "job.itemCount", "job.progress")),
    ("EVT-098", "job.progress", ("payload.progress", "job.progress")),
    ("EVT-101", "job.item.failed", ("payload.attempt", "jobItem.attemptCount")),
    ("EVT-101", "job.item.failed", ("payload.retryable", "jobItem.retryable")),
    ("EVT-106", "output.truncated", ("payload.policy",)),
    ("EVT-106", "output.truncated", ("payload.truncation",)),
    ("EVT-113", "snapshot.repaired", ("payload.reason",)),
    ("EVT-113", "snapshot.repaired", ("payload.stale", "payload.recoveryMode")),
    ("EVT-114", "benchmark.dataset.resolved", ("benchmark.datasetId", "payload.datasetId")),
    ("EVT-114", "benchmark.dataset.resolved", ("benchmark.datasetVersion", "payload.datasetVersion")),
    ("EVT-118", "benchmark.trial.failed", ("payload.failureCategory", "payload.category")),
    ("EVT-119", "benchmark.reward.recorded", ("payload.reward", "reward.value")),
    ("EVT-119", "benchmark.reward.recorded", ("payload.verifierRef", "refs.verifierRef", "refs.rewardRef")),
)


def without_members(row, kind, places):
    def f(log):
        for i in log.where(kind):
            yield i, log.edited(i, **{place.replace(".", "__"): None for place in places})
    f.__name__ = f"{row} without {places[0]}"
    return f


for each in MEMBERS:
    breaks(each[0])(without_members(*each))


def mutants():
    """Operator by operator, each over all golden logs."""
    logs = [Log(path) for path in sorted(GOLDEN.glob("*.ndjson"))]
    for row, check, operator in OPERATORS:
        yield (row, check, operator.__name__.replace("_", " ")), [
            Mutant(row, check, found[0] + 1, found[1] if isinstance(found[1], str) else found[1].text(),
                   found[2] if len(found) > 2 else None, f"{operator.__name__.replace('_', ' ')} ({log.name}, line {found[0] + 1})")
            for log in logs for found in operator(log)]
