"""The loop of an external worker: claim a task, send heartbeats while it is worked on, report the end."""
from __future__ import annotations

import os
import socket
import threading
from typing import Any, Callable, Mapping

from .errors import Problem, TholeError, Unreachable

# What a handler returns: a summary, arguments of complete_task, or nothing.
Done = str | Mapping[str, Any] | None
# The run is not this worker's any more: another one has the task, or it has ended.
OVER = frozenset({"stale_run", "already_ended", "task_not_found", "session_not_found", "session_deleted"})


class Stopped(TholeError):
    """The task was cancelled, or the lease was lost.  A handler may let it pass."""


class Job:
    """A claimed task.  Heartbeats are sent by a thread of its own until the handler returns."""

    def __init__(self, client: Any, claim: Mapping[str, Any], worker: str, lease_s: float):
        self.task: Mapping[str, Any] = claim["task"]
        self.objective: str = self.task["objective"]
        self.session_id: str = claim["sessionId"]
        self.task_id: str = claim["taskId"]
        self.run_id: str = claim["runId"]
        self.cancelled = threading.Event()  # the handler should end soon
        self.lost = threading.Event()  # the result would be refused
        self._client, self._worker, self._lease_s = client, worker, lease_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    @property
    def _run(self) -> dict[str, Any]:
        return {"sessionId": self.session_id, "taskId": self.task_id, "runId": self.run_id}

    def _beat(self) -> None:
        while not self._over.wait(self._lease_s / 3):
            try:
                reply = self._client.call("heartbeat_task", self._run | {"workerId": self._worker, "leaseMs": int(self._lease_s * 1000)})
                if reply["status"] == "cancelling":
                    self.cancelled.set()
            except Problem as why:
                if why.code in OVER:
                    self.lost.set()
                    return
            except Unreachable:
                pass  # the next one may arrive; the runtime counts the time

    def check(self) -> None:
        """Raises Stopped if there is no point in going on."""
        if self.cancelled.is_set() or self.lost.is_set():
            raise Stopped("the task was cancelled" if self.cancelled.is_set() else "the lease was lost")

    def progress(self, percent: int | None = None, summary: str | None = None) -> None:
        """Reports progress; raises Stopped if there is no point in going on."""
        self.check()
        try:
            self._client.call("append_task_progress", self._run | {"percent": percent, "summary": summary})
        except Problem as why:
            if why.code not in OVER:
                raise
            self.lost.set()
            self.check()

    def _end(self) -> None:
        self._over.set()
        self._thread.join()

    def _report(self, command: str, **args: Any) -> bool:
        """False: the report came too late, and the runtime has not taken it."""
        self._end()
        if self.lost.is_set():
            return False
        try:
            self._client.call(command, self._run | args)
            return True
        except Problem as why:
            if why.code not in OVER:
                raise
            return False

    def _complete(self, done: Done) -> bool:
        return self._report("complete_task", **({"summary": done} if isinstance(done, str) else dict(done or {})))

    def _fail(self, category: str, message: str) -> bool:
        return self._report("fail_task", error={"category": category, "message": message[:2000]})


def name_of_worker() -> str:
    return f"{socket.gethostname()}-{os.getpid()}"


def work(client: Any, handler: Callable[[Job], Done], *, kind: str | None = None, session: str | None = None, worker: str | None = None,
         lease_s: float = 30, poll_s: float = 1, once: bool = False, stop: threading.Event | None = None) -> int:
    """Claims tasks and passes them to the handler, one at a time; returns how many it has reported.

    What the handler returns completes the task: a summary, or arguments of complete_task.  An exception
    fails it, Stopped as cancelled.  A worker that dies loses its lease, and the task is retried or lost as
    its retry policy says.  `once` ends when no task waits, `stop` between two tasks.
    """
    name, reported, ended = worker or name_of_worker(), 0, stop or threading.Event()
    wish = {"workerId": name, "leaseMs": int(lease_s * 1000), "taskKind": kind, "sessionId": session}
    while not ended.is_set():
        claim = client.call("claim_task", wish)
        if not claim.get("taskId"):
            if once:
                break
            ended.wait(poll_s)
            continue
        job = Job(client, claim, name, lease_s)
        try:
            reported += job._complete(handler(job))
        except Stopped as why:
            reported += job._fail("cancelled", str(why))
        except Exception as why:  # of the handler: the task failed, the worker continues
            reported += job._fail("tool_failed", f"{type(why).__name__}: {why}")
        finally:
            job._end()
    return reported
