"""Mutants of the golden logs: each breaks one requirement at one event.

mutants() yields Mutant(row, check, line, text, canary): the log as text, and the finding that `thole conform log` must report first:
the row, the number of its check, the line.  Expectations are written down here, beside the damage; they are not computed by the program
that is tested.
"""
import collections
import copy
import itertools
import json
import marshal
import pathlib
import random

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
        other.events = marshal.loads(marshal.dumps(self.events))  # a tenth of deepcopy()'s time, and thousands are made
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


# ---- tasks, tools, permissions, processes: rows of 55-tasks.json and 56-tools.json ----

@breaks("TSK-07")
def a_task_with_another_visibility(log):
    yield from edits(log, ["task."], lambda e: "visibility" in e.get("task", {}), task__visibility="secret")


@breaks("TSK-08")
def a_task_with_a_priority_that_is_a_number(log):
    yield from edits(log, ["task."], lambda e: "priority" in e.get("task", {}), task__priority=5)


@breaks("TSK-09")
def a_task_that_a_word_requested(log):
    for key in ("requestedBy", "owner"):
        yield from edits(log, ["task."], lambda e: "requestedBy" in e.get("task", {}), **{"task__" + key: "ann"})


@breaks("TSK-12")
def a_task_whose_acceptance_is_no_list(log):
    yield from edits(log, ["task."], lambda e: "acceptance" in e.get("task", {}), task__acceptance={"good": True})


@breaks("TSK-16")
def a_task_that_was_created_at_no_time(log):
    yield from edits(log, ["task."], lambda e: "createdAt" in e.get("task", {}), task__createdAt="yesterday")


@breaks("TSK-22")
def an_edge_without_its_state(log):
    for key in ("status", "createdAt", "updatedAt"):
        yield from edits(log, ["task.dependency.updated"], **{"taskRelationship__" + key: None})


@breaks("TSK-26")
def a_delivery_in_another_state(log):
    for i in log.where("task.completed"):
        yield i, log.edited(i, deliveryState={"state": "somewhere"})


@breaks("TSK-27")
def an_attempt_without_its_id(log):
    for i in log.where("task.attempt.failed", "task.attempt.completed"):
        yield from lacks(log, i, "attemptId")


@breaks("SUB-03")
def a_child_with_another_policy_of_models(log):
    yield from edits(log, ["subagent.spawned"], payload__modelPolicy="guess")


@breaks("ACT-03")
def an_action_without_its_call(log):
    for i in log.where("action.required"):
        yield from lacks(log, i, "toolCallId")


def tool_edits(log, **fields):
    """The last tool of a list, with other members; None removes one."""
    for i in log.where("tool.catalog.resolved", test=lambda e: e["payload"].get("tools")):
        other = log.copy()
        tool = other.events[i]["payload"]["tools"][-1]
        for name, value in fields.items():
            if value is None:
                tool.pop(name, None)
            else:
                tool[name] = value
        yield i, other


@breaks("TOL-01")
def a_tool_without_its_description(log):
    yield from tool_edits(log, description=None)
    yield from tool_edits(log, inputSchemaRef=None, inputSchema=None)


@breaks("TOL-02")
def a_tool_with_another_policy(log):
    yield from tool_edits(log, policy="perhaps")


@breaks("TOL-03")
def a_tool_of_another_owner(log):
    yield from tool_edits(log, runtimeOwner="elsewhere")


@breaks("TOL-04")
def a_tool_with_another_capability(log):
    yield from tool_edits(log, capabilities=["telepathy"])


@breaks("TOL-05")
def a_tool_that_does_not_say_what_it_does(log):
    for key in ("isReadOnly", "isConcurrencySafe", "isDestructive", "interruptBehavior"):
        yield from tool_edits(log, **{key: None})


@breaks("CTX-01")
def a_context_without_its_instructions(log):
    yield from edits(log, ["context.resolved"], payload__instructionRefs=None)
    yield from edits(log, ["context.resolved"], payload__policyFacts=None, payload__policyRefs=None)


@breaks("CTX-02")
def a_compaction_that_nothing_continues(log):
    yield from edits(log, ["context.compaction.completed"], payload__continuationRef=None, refs__continuation=None)


@breaks("CTX-04")
def a_routing_decision_without_its_limits(log):
    for key in ("fallbackChain", "limitStateSnapshot", "candidateCount"):
        yield from edits(log, ["routing.decided"], **{"routingDecision__" + key: None})


@breaks("RTE-02")
def a_profile_of_other_words(log):
    for key in ("latencyTarget", "budgetClass", "fallbackPolicy"):
        yield from edits(log, ["task.profile.resolved"], **{"taskProfile__" + key: "whatever"})


@breaks("RTE-03")
def a_candidate_without_its_cost(log):
    for i in log.where("routing.candidates.resolved", test=lambda e: e["candidateModelSet"]["candidates"]):
        for key in ("provider", "costClass", "limitState"):
            other = log.copy()
            del other.events[i]["candidateModelSet"]["candidates"][0][key]
            yield i, other


@breaks("RTE-04")
def a_model_that_is_excluded_without_a_reason(log):
    yield from edits(log, ["routing.candidates.resolved"], candidateModelSet__excluded=[{"provider": "beta", "model": "small"}])


@breaks("RTE-06")
def a_decision_of_another_source(log):
    yield from edits(log, ["routing.decided"], routingDecision__decisionSource="dice")


@breaks("RTE-10")
def an_unknown_cost_with_an_amount(log):
    yield from edits(log, ["cost.recorded"], lambda e: "amountUsd" in e["payload"], costState__state="unknown")
    yield from edits(log, ["cost.estimated"], lambda e: "estimatedUsd" in e["payload"], costState__state="unknown")


@breaks("RTE-11")
def a_limit_of_another_kind(log):
    yield from edits(log, [], lambda e: "limitEvent" in e, limitEvent__kind="tired")


@breaks("PRM-11")
def destruction_without_its_impact(log):
    yield from edits(log, ["permission.evaluated"], lambda e: e.get("permissionDecision", {}).get("destructive"), permissionDecision__impact=None)


@breaks("PRM-15")
def an_answer_without_its_call(log):
    for i in log.where("permission.resolved"):
        yield from lacks(log, i, "toolCallId")


@breaks("SBX-02")
def a_sandbox_of_another_mode(log):
    yield from edits(log, ["sandbox.applied"], sandboxProfile__mode="soft")


@breaks("SBX-03")
def a_process_without_its_sandbox(log):
    yield from edits(log, ["process.started"], payload__sandboxMode=None)


@breaks("SBX-04")
def a_sandbox_that_does_not_say_what_enforces_it(log):
    yield from edits(log, ["sandbox.applied"], sandboxProfile__tier=None, payload__tier=None)
    yield from edits(log, ["sandbox.applied"], payload__degraded=None)


@breaks("SBX-06")
def a_sandbox_without_a_limit(log):
    for key in ("timeoutMs", "maxOutputBytes", "maxProcesses", "tty", "stdin"):
        yield from edits(log, ["sandbox.applied"], **{"sandboxProfile__processLimits__" + key: None})


@breaks("HOK-04")
def a_hook_that_decides_otherwise(log):
    yield from edits(log, ["hook.completed"], payload__decision="shrug")


@breaks("HOK-08")
def a_failed_hook_without_its_duration(log):
    yield from edits(log, ["hook.failed"], payload__durationMs=None, hookRun__durationMs=None)


@breaks("HOK-10")
def a_grant_that_does_not_say_what_was_before(log):
    for key in ("before", "after"):
        yield from edits(log, ["policy.changed"], lambda e: e["payload"]["change"] == "grant_added", **{"payload__" + key: None})


@breaks("PRC-01")
def an_environment_without_its_directory(log):
    for key in ("cwd", "shell", "networkProfile", "resourceLimits"):
        yield from edits(log, ["turn.started"], lambda e: "executionEnvironment" in e, **{"executionEnvironment__" + key: None})


@breaks("PRC-04")
def a_process_without_its_command(log):
    for key in ("commandSummary", "cwd", "destructive"):
        yield from edits(log, ["process.started"], **{"payload__" + key: None})


@breaks("OUT-01")
def an_output_without_its_owner(log):
    for key in ("owner", "mediaType", "encoding"):
        yield from edits(log, ["output.spilled"], **{"output__" + key: None})


@breaks("OUT-02")
def an_output_of_another_owner(log):
    yield from edits(log, ["output.spilled"], output__owner="somewhere")


@breaks("OUT-02", 2)
def an_output_that_is_cut_in_another_way(log):
    yield from edits(log, ["output.truncated"], payload__truncation="folded")


@breaks("CHN-02")
def a_channel_of_another_transport(log):
    yield from edits(log, ["channel.connected"], channel__transport="pigeon")
    yield from edits(log, ["channel.connected"], channel__peerRole="friend")


@breaks("CHN-04")
def an_answer_over_a_channel_without_its_side(log):
    for i in log.where("action.resolved"):
        turn = {k: v for k, v in log.events[i].items() if k in ("schemaVersion", "runtimeId", "sessionId", "threadId", "turnId", "taskId", "runId", "attemptId", "actionId")}
        open_channel = {**turn, "type": "channel.connected", "channelId": "chan_x", "payload": {"cause": "bound", "transport": "http_json", "peerRole": "client"},
                        "channel": {"channelId": "chan_x", "transport": "http_json", "peerRole": "client", "accountRef": "account:x", "capabilities": ["permissions"],
                                    "lastSeenAt": "2026-01-01T00:00:00.000Z", "resumeTokenRef": "token:chan_x"}}
        returned = {**turn, "type": "channel.permission_returned", "channelId": "chan_x", "payload": {"decision": "allow", "source": "response", "channelScoped": False}}
        other = log.copy()
        other.events[i:i] = [{**open_channel, "eventId": "evt_channel"}, {**returned, "eventId": "evt_returned"}]
        yield i + 1, other.renumber()
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
    yield from edits(log, ["permission.evaluated", "permission.resolved"], permissionDecision__mode=None)
    for key in ("ruleRefs", "scope"):
        yield from edits(log, ["permission.resolved"], **{"permissionDecision__" + key: None})


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
    yield from edits(log, ["subagent.spawned"], payload__childThreadId=None, payload__threadId="thr_other")


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
    yield from edits(log, ["model.completed"], payload__durationMs=None)


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
            yield k, log.edited(k, type="task.completed", status="completed", task__status="completed", payload__reconciled={"output": "present"})
        for k in [k for k in log.where("turn.failed", test=lambda e: e.get("runId") == run) if k > i][:1]:
            yield k, log.edited(k, type="turn.completed", status="completed")


@breaks("PRF-07")
def an_artifact_without_owner_or_place(log):
    yield from edits(log, ["artifact.changed"], payload__owner=None)
    yield from edits(log, ["artifact.changed"], refs__read=None, refs__preview="out_preview")


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
    whole = {"change": "exported", "packRef": "out_pack"}
    yield i, other.edited(i, payload={**whole, "verificationOutcomes": [{"name": "tests", "status": "passed"}]})
    yield i, other.edited(i, payload={**whole, "verdict": "passed"})


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


# ---- begin: rows of 47-events.json and 48-reads.json ----

# ---- members of the other classes (rows of 47-events.json) ----

@breaks("EVT-006")
def a_turn_that_starts_twice(log):
    yield from twice(log, "turn.started")


@breaks("EVT-006")
def work_before_the_turn_starts(log):
    for i in log.where("turn.started"):
        turn, other = log.events[i]["turnId"], log.without(i)
        first = other.where("context.resolved", "model.requested", "tool.started", test=lambda e: e["turnId"] == turn)
        if first:
            yield first[0], other


@breaks("EVT-029", 2)
def a_piece_that_goes_back(log):
    for i in log.where("model.delta"):
        yield i + 1, log.inserted(i + 1, {**log.events[i], "payload": {**log.events[i]["payload"], "textOffset": -1}})


@breaks("EVT-036", 2)
def changed_arguments_that_do_not_say_what_they_replace(log):
    updated = lambda e: e["payload"].get("kind") == "updated"  # noqa: E731
    yield from edits(log, ["tool.args"], updated, payload__previousInputRef=None, refs__previousInput=None)
    yield from edits(log, ["tool.args"], updated, payload__updatedBy=None)


@breaks("EVT-038")
def a_result_without_a_preview(log):
    yield from edits(log, ["tool.result"], lambda e: "outputRef" not in e, payload__displayPreview=None, payload__rawOutputRef=None)
    yield from edits(log, ["tool.result"], payload__durationMs=None)
    yield from edits(log, ["tool.result"], payload__durationMs="soon")


@breaks("EVT-061", 2)
def a_question_that_is_answered_twice(log):
    yield from twice(log, "permission.resolved")


@breaks("EVT-097")
def a_job_whose_items_start_before_it(log):
    for i in log.where("job.started"):
        other = log.without(i)
        yield other.where("job.item.started")[0], other


@breaks("EVT-102")
def a_completed_job_with_items_that_wait(log):
    yield from edits(log, ["job.completed"], payload__progress__pending=1)
    yield from edits(log, ["job.completed"], payload__progress=None)


# ---- items, words and ids (rows of 48-reads.json) ----

@breaks("ENV-21")
def an_item_without_its_kind(log):
    for n, i in enumerate(log.where(test=lambda e: "item" in e)):
        yield i, log.edited(i, **{"item__" + ("itemId", "kind", "status")[n % 3]: None})


@breaks("ENV-22")
def a_cost_of_no_request(log):
    yield from edits(log, ["cost.estimated"], modelRequestId=None)


@breaks("HIS-01")
def a_boundary_of_another_layer(log):
    yield from edits(log, [], lambda e: "historyBoundary" in e, historyBoundary__layer="memory")
    yield from edits(log, [], lambda e: "historyBoundary" in e, historyBoundary__layer=None)


@breaks("HIS-03")
def a_compaction_with_another_trigger(log):
    yield from edits(log, ["context.compaction.started", "context.compaction.completed"], payload__trigger="whim")


@breaks("IDN-07")
def a_step_of_two_kinds(log):
    for i in log.where(test=lambda e: "item" in e and "stepId" in e):
        step = log.events[i]["stepId"]
        if any(k < i for k in log.where(test=lambda e: "item" in e and e.get("stepId") == step)):
            yield i, log.edited(i, item__kind="other")


@breaks("IDN-07", 2)
def a_call_with_the_number_of_an_earlier_one(log):
    for i in log.where("tool.started"):
        turn = log.events[i]["turnId"]
        if any(k < i for k in log.where("tool.started", test=lambda e: e["turnId"] == turn)):
            yield i, log.edited(i, item__index=1)


@breaks("IDN-07", 3)
def a_step_that_changes_its_number(log):
    for i in log.where(test=lambda e: "item" in e and "stepId" in e and e["type"] != "tool.started"):
        step = log.events[i]["stepId"]
        if any(k < i for k in log.where(test=lambda e: "item" in e and e.get("stepId") == step)):
            yield i, log.edited(i, item__index=99)


@breaks("IDN-14")
def an_answer_of_no_request(log):
    yield from edits(log, ["model.delta", "model.completed"], modelRequestId=None)


@breaks("IDN-14", 2)
def a_change_of_no_queue(log):
    yield from edits(log, ["queue.changed"], queueId=None, payload__queueId=None)


@breaks("STA-19")
def a_native_status_alone(log):
    yield from edits(log, [], lambda e: "nativeStatus" in e, status=None)


@breaks("STA-20")
def a_subagent_with_another_status(log):
    yield from edits(log, ["subagent."], lambda e: "status" in e, status="asleep")


@breaks("STA-21")
def a_job_with_another_status(log):
    yield from edits(log, ["job."], lambda e: "status" in e.get("job", {}), job__status="waiting")


@breaks("STA-21", 2)
def an_item_with_another_status(log):
    yield from edits(log, ["job.item."], lambda e: "status" in e.get("jobItem", {}), jobItem__status="cancelled")


# Events of classes that no golden log has: members beside those of the event before.
SAMPLES = {
    "session.updated": {"payload": {"changed": ["title"], "title": "other"}},
    "task.updated": {"payload": {"changed": ["title"]}},
    "task.blocked": {"payload": {"blocker": {"kind": "task", "taskId": "task_other"}}},
    "task.paused": {"payload": {"reason": "lunch"}},
    "task.timed_out": {"payload": {"limit": "time", "limitMs": 100}},
    "reasoning.delta": {"stepId": "step_thought", "payload": {"kind": "text", "text": "First"}},
    "reasoning.summary": {"stepId": "step_thought", "payload": {"source": "runtime", "preview": "First", "redaction": "none"}, "refs": {"text": "out_1"}},
    "context.compaction.failed": {"payload": {"category": "network", "retryable": True}},
    "evidence.changed": {"evidenceId": "evd_1", "payload": {"change": "exported", "kind": "pack", "packRef": "out_1"}},
    "subagent.failed": {"subagentId": "sub_1", "payload": {"category": "auth", "retryable": False}},
    "runtime.error": {"payload": {"category": "internal", "message": "no"}},
    "process.output": {"processId": "proc_1", "outputRef": "out_1", "payload": {"stream": "stdout", "offset": 0, "bytes": 3}},
    "process.failed": {"processId": "proc_1", "payload": {"category": "timeout", "reason": "timeout"}},
    "routing.not_possible": {"payload": {"candidateCount": 0, "capabilityGap": "none"}},
    "quota.low": {"payload": {"scope": "session", "thresholdPercent": 80}},
    "channel.message": {"channelId": "chan_1", "payload": {"kind": "peer_task.updated", "preview": "working"}},
    "channel.permission_forwarded": {"channelId": "chan_1", "actionId": "act_1", "payload": {"subject": {"actionId": "act_1"}}},
    "channel.permission_returned": {"channelId": "chan_1", "actionId": "act_1", "payload": {"decision": "allow", "decidedSide": "remote"}},
    "job.failed": {"jobId": "job_1", "payload": {"category": "timeout", "progress": {}}},
    "job.cancelled": {"jobId": "job_1", "payload": {"reason": "enough", "cancelledBy": {}, "progress": {}}},
    "output.redacted": {"outputRef": "out_1", "payload": {"reason": "secret", "redaction": "secret", "count": 1}},
    "output.expired": {"outputRef": "out_1", "payload": {"reason": "age", "sizeBytes": 3}},
}
ENVELOPE = ("timestamp", "schemaVersion", "runtimeId", "sessionId")


def with_sample(log, kind):
    """The log with such an event in the middle of its first turn, and the place of it."""
    at = log.where("task.accepted" if kind == "task.timed_out" else "model.requested")[0]
    before = log.events[at]
    return at + 1, log.inserted(at + 1, {"type": kind, **{k: before[k] for k in (*ENVELOPE, *IDS) if k in before}, **SAMPLES[kind]})


def without_members_of_sample(row, kind, places):
    def f(log):
        if log.name == "plain-turn":
            i, other = with_sample(log, kind)
            yield i, other.edited(i, **{place.replace(".", "__"): None for place in places})
    f.__name__ = f"{row} without {places[0]}"
    return f


@breaks("EVT-007")
def a_turn_that_ends_without_its_usage(log):
    def has_task(e):
        return "taskId" in e and e["payload"].get("outcome") != "merged" and "imported" not in e["payload"]
    yield from edits(log, ["turn.completed"], has_task, payload__usage=None, payload__usageState=None)
    yield from edits(log, ["turn.completed"], has_task, payload__outcome=None, status=None)


EVENT_MEMBERS = (
    ("EVT-002", "session.updated", ("payload.changed", "payload.title", "payload.metadata")),
    ("EVT-004", "thread.updated", ("status", "payload.status", "payload.profileStatus")),
    ("EVT-004", "thread.updated", ("payload.cause", "payload.reason", "statusReason")),
    ("EVT-009", "task.created", ("payload.objective", "task.objective")),
    ("EVT-010", "task.accepted", ("payload.acceptedBy", "payload.owner", "task.owner")),
    ("EVT-011", "task.queued", ("payload.reason", "payload.behind", "statusReason")),
    ("EVT-012", "task.started", ("runId",)),
    ("EVT-013", "task.updated", ("payload.changed", "payload.fields")),
    ("EVT-014", "task.progress", ("taskProgress.phase", "taskProgress.counters", "taskProgress.percent", "taskProgress.summary", "taskProgress.outputRefs", "taskProgress.currentStepId", "deliveryState.state", "payload.deliveryState", "payload.phase", "payload.counters", "payload.summary", "payload.outputRefs")),
    ("EVT-016", "task.blocked", ("payload.blocker", "payload.blockedBy", "task.blocker")),
    ("EVT-017", "task.paused", ("payload.reason", "payload.pausedBy", "statusReason")),
    ("EVT-018", "task.resumed", ("payload.from",)),
    ("EVT-018", "task.resumed", ("payload.cause", "payload.reason", "statusReason")),
    ("EVT-020", "task.cancel_requested", ("payload.requestedBy", "payload.by")),
    ("EVT-020", "task.cancel_requested", ("payload.reason", "statusReason")),
    ("EVT-021", "task.cancelled", ("payload.cancelledBy", "payload.by")),
    ("EVT-021", "task.cancelled", ("payload.reason", "statusReason")),
    ("EVT-022", "task.timed_out", ("payload.limit", "payload.reason", "statusReason")),
    ("EVT-022", "task.timed_out", ("payload.limitMs", "payload.elapsedMs")),
    ("EVT-024", "task.lost", ("payload.reason", "statusReason")),
    ("EVT-024", "task.lost", ("payload.worker", "worker")),
    ("EVT-025", "task.completed", ("payload.reconciled", "deliveryState", "task.deliveryState")),
    ("EVT-026", "task.archived", ("payload.reason", "payload.archivedBy", "statusReason")),
    ("EVT-027", "run.status", ("payload.title",)),
    ("EVT-027", "run.status", ("payload.detail", "payload.phase", "phase")),
    ("EVT-029", "model.delta", ("payload.text", "payload.delta", "payload.content")),
    ("EVT-032", "reasoning.delta", ("stepId",)),
    ("EVT-032", "reasoning.delta", ("payload.text", "payload.delta", "payload.kind")),
    ("EVT-033", "reasoning.summary", ("payload.source",)),
    ("EVT-033", "reasoning.summary", ("payload.preview", "payload.text", "refs.text", "payload.redaction")),
    ("EVT-036", "tool.args", ("payload.safeArgs", "payload.args", "payload.inputRef", "payload.safeArgsRef", "refs.input", "refs.safeArgs")),
    ("EVT-037", "tool.progress", ("payload.kind", "payload.message", "payload.completed", "payload.progress")),
    ("EVT-045", "context.compaction.completed", ("payload.affectedTurns", "payload.replacedRange", "historyBoundary.affectedTurns")),
    ("EVT-045", "context.compaction.completed", ("payload.tokens", "payload.tokensBefore", "historyBoundary.tokens")),
    ("EVT-045", "context.compaction.completed", ("payload.preserved", "historyBoundary.preserved")),
    ("EVT-046", "context.compaction.failed", ("payload.category", "payload.error.category")),
    ("EVT-046", "context.compaction.failed", ("payload.retryable",)),
    ("EVT-047", "artifact.changed", ("payload.versionId", "payload.version")),
    ("EVT-047", "artifact.changed", ("refs.read", "payload.readRef", "refs.preview", "refs.diff", "refs.checkpoint")),
    ("EVT-048", "evidence.changed", ("payload.change", "payload.kind")),
    ("EVT-048", "evidence.changed", ("payload.packRef", "payload.replayRef", "payload.reviewRef", "payload.traceRef", "payload.verifierRef", "payload.note", "refs.pack", "refs.replay", "refs.review", "refs.trace")),
    ("EVT-049", "subagent.spawned", ("payload.childThreadId", "payload.threadId")),
    ("EVT-049", "subagent.spawned", ("payload.role",)),
    ("EVT-050", "subagent.status", ("status", "payload.status", "payload.outputRef", "payload.lastMessageRef")),
    ("EVT-051", "subagent.input", ("payload.inputRef", "refs.input")),
    ("EVT-051", "subagent.input", ("payload.from", "payload.by")),
    ("EVT-053", "subagent.failed", ("payload.category", "payload.error.category")),
    ("EVT-053", "subagent.failed", ("payload.retryable",)),
    ("EVT-054", "subagent.closed", ("payload.reason", "payload.closedBy", "statusReason")),
    ("EVT-055", "limit.changed", ("payload.kind", "limitEvent.kind")),
    ("EVT-055", "limit.changed", ("payload.scope", "limitState.scope")),
    ("EVT-055", "limit.changed", ("payload.after", "payload.value")),
    ("EVT-058", "runtime.error", ("payload.category",)),
    ("EVT-058", "runtime.error", ("payload.message",)),
    ("EVT-059", "permission.evaluated", ("payload.subject", "permissionDecision.subject")),
    ("EVT-059", "permission.evaluated", ("permissionDecision.ruleRefs", "payload.ruleRefs")),
    ("EVT-059", "permission.evaluated", ("permissionDecision.scope", "payload.scope")),
    ("EVT-060", "permission.requested", ("payload.from", "payload.to")),
    ("EVT-060", "permission.requested", ("payload.onExpiry", "payload.expiresAt")),
    ("EVT-061", "permission.resolved", ("permissionDecision.decision", "payload.decision")),
    ("EVT-061", "permission.resolved", ("permissionDecision.decisionSource", "payload.decisionSource")),
    ("EVT-062", "sandbox.applied", ("sandboxProfile",)),
    ("EVT-062", "sandbox.applied", ("toolCallId", "processId")),
    ("EVT-064", "hook.started", ("hookRun.handlerRef", "payload.handlerRef")),
    ("EVT-064", "hook.started", ("hookRun.timeoutMs", "payload.timeoutMs")),
    ("EVT-066", "hook.failed", ("payload.category", "hookRun.category")),
    ("EVT-066", "hook.failed", ("payload.retryable", "hookRun.retryable")),
    ("EVT-069", "process.output", ("payload.stream",)),
    ("EVT-069", "process.output", ("payload.offset", "outputRef")),
    ("EVT-069", "process.output", ("payload.bytes",)),
    ("EVT-072", "process.failed", ("payload.category",)),
    ("EVT-072", "process.failed", ("payload.reason", "statusReason")),
    ("EVT-074", "task.profile.resolved", ("taskProfile.requiredCapabilities", "payload.requiredCapabilities")),
    ("EVT-074", "task.profile.resolved", ("taskProfile.latencyTarget", "payload.latencyTarget")),
    ("EVT-074", "task.profile.resolved", ("taskProfile.budgetClass", "payload.budgetClass")),
    ("EVT-074", "task.profile.resolved", ("taskProfile.settingsSource", "payload.settingsSource")),
    ("EVT-077", "routing.fallback.applied", ("payload.cause", "payload.reason", "statusReason")),
    ("EVT-077", "routing.fallback.applied", ("payload.chainPosition", "payload.position")),
    ("EVT-078", "routing.not_possible", ("payload.candidateCount", "candidateModelSet.candidateCount")),
    ("EVT-078", "routing.not_possible", ("payload.capabilityGap", "payload.reason", "statusReason")),
    ("EVT-080", "task.delegated", ("payload.childTaskId", "payload.subagentId", "payload.jobId", "payload.remoteTask", "worker")),
    ("EVT-082", "task.attempt.started", ("worker", "taskAttempt.worker")),
    ("EVT-082", "task.attempt.started", ("payload.attempt", "taskAttempt.attempt")),
    ("EVT-083", "task.attempt.completed", ("taskAttempt.outputRefs", "payload.outputRefs", "taskAttempt.completionSummary")),
    ("EVT-088", "quota.low", ("payload.scope", "limitState.scope")),
    ("EVT-088", "quota.low", ("payload.thresholdPercent", "payload.remaining", "payload.remainingUsd")),
    ("EVT-090", "channel.connected", ("payload.transport", "channel.transport")),
    ("EVT-090", "channel.connected", ("payload.peerRole", "channel.peerRole")),
    ("EVT-090", "channel.connected", ("channel.capabilities", "payload.capabilities")),
    ("EVT-091", "channel.disconnected", ("payload.cause", "payload.reason", "statusReason")),
    ("EVT-093", "channel.message", ("payload.kind",)),
    ("EVT-093", "channel.message", ("payload.preview", "payload.messageRef", "refs.message", "payload.remoteTask")),
    ("EVT-094", "channel.permission_forwarded", ("actionId",)),
    ("EVT-094", "channel.permission_forwarded", ("payload.subject",)),
    ("EVT-095", "channel.permission_returned", ("actionId",)),
    ("EVT-095", "channel.permission_returned", ("payload.decision",)),
    ("EVT-095", "channel.permission_returned", ("payload.decidedSide", "payload.source")),
    ("EVT-099", "job.item.started", ("payload.assignedThreadId", "jobItem.assignedThreadId", "jobItem.threadId")),
    ("EVT-099", "job.item.started", ("payload.attempt", "jobItem.attemptCount")),
    ("EVT-100", "job.item.completed", ("jobItem.outputRef", "refs.output", "payload.outputRef")),
    ("EVT-103", "job.failed", ("payload.category",)),
    ("EVT-103", "job.failed", ("payload.progress", "job.progress")),
    ("EVT-104", "job.cancelled", ("payload.cancelledBy", "payload.by")),
    ("EVT-104", "job.cancelled", ("payload.reason", "statusReason")),
    ("EVT-104", "job.cancelled", ("payload.progress", "job.progress")),
    ("EVT-107", "output.redacted", ("payload.reason", "payload.redaction")),
    ("EVT-107", "output.redacted", ("payload.count",)),
    ("EVT-108", "output.expired", ("payload.reason",)),
    ("EVT-108", "output.expired", ("payload.sizeBytes", "output.sizeBytes")),
    ("EVT-109", "history.window.loaded", ("payload.fromSequence", "payload.cursor")),
    ("EVT-109", "history.window.loaded", ("payload.turns",)),
    ("EVT-110", "history.reconstructed", ("payload.cause", "payload.reason")),
    ("EVT-110", "history.reconstructed", ("payload.throughSequence", "historyBoundary.throughSequence")),
    ("EVT-110", "history.reconstructed", ("payload.lost",)),
    ("EVT-111", "history.rollback.started", ("payload.targetSequence", "payload.targetTurnId")),
    ("EVT-111", "history.rollback.started", ("payload.removedTurns",)),
    ("EVT-112", "history.rollback.completed", ("payload.affected",)),
    ("EVT-112", "history.rollback.completed", ("payload.repairedModels",)),
    ("EVT-112", "history.rollback.completed", ("payload.baselineRef", "payload.targetSequence", "historyBoundary")),
    ("EVT-115", "benchmark.configuration.resolved", ("benchmark.configurationId", "payload.configurationId")),
    ("EVT-115", "benchmark.configuration.resolved", ("payload.model",)),
    ("EVT-115", "benchmark.configuration.resolved", ("payload.configHash", "refs.config")),
    ("EVT-116", "benchmark.trial.started", ("payload.attempt",)),
    ("EVT-116", "benchmark.trial.started", ("payload.timeoutSec", "payload.timeoutMs")),
    ("EVT-117", "benchmark.trial.completed", ("payload.durationMs",)),
    ("EVT-117", "benchmark.trial.completed", ("trajectory", "refs.trajectoryRef")),
    ("EVT-117", "benchmark.trial.completed", ("payload.cleanup",)),
    ("EVT-120", "benchmark.comparison.completed", ("comparison.meanRewardDelta", "comparison.rewardDelta", "payload.meanRewardDelta")),
    ("EVT-120", "benchmark.comparison.completed", ("comparison.decision", "payload.decision")),
)

for each in EVENT_MEMBERS:
    breaks(each[0])((without_members_of_sample if each[1] in SAMPLES else without_members)(*each))

# ---- end: rows of 47-events.json and 48-reads.json ----


def mutants_of(row, check, operator, logs):
    name = operator.__name__.replace("_", " ")
    for log in logs:
        for line, changed, *canary in operator(log):
            yield Mutant(row, check, line + 1, changed if isinstance(changed, str) else changed.text(), canary[0] if canary else None,
                         f"{name} ({log.name}, line {line + 1})")


def mutants(most=None):
    """Operator by operator, each over all golden logs, or until there are enough of it: over logs in an order by chance."""
    logs = [Log(path) for path in sorted(GOLDEN.glob("*.ndjson"))]
    rng = random.Random(20)
    for row, check, operator in OPERATORS:
        order = rng.sample(logs, len(logs)) if most else logs
        yield (row, check, operator.__name__.replace("_", " ")), list(itertools.islice(mutants_of(row, check, operator, order), most))
