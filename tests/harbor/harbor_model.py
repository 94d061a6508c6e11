"""A model of the documented interface of Harbor 0.22, as far as an agent sees it, around a real root directory.

install() makes the modules that an agent imports.  Environment runs commands in a root directory with mounts and process ids of its
own (tests/portable/in_root.py), with the trial's folder mounted at /logs, as Harbor's containers have it.  Trial calls an agent in
Harbor's order: setup, run with a timeout, populate_context_post_run.
"""
import asyncio
import dataclasses
import logging
import os
import pathlib
import shutil
import signal
import sys
import types

IN_ROOT = pathlib.Path(__file__).resolve().parent.parent / "portable" / "in_root.py"


@dataclasses.dataclass
class ExecResult:
    return_code: int
    stdout: str | None = None
    stderr: str | None = None


@dataclasses.dataclass
class AgentContext:
    n_input_tokens: int | None = None
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None

    def is_empty(self):
        return all(v is None for v in dataclasses.asdict(self).values())


@dataclasses.dataclass
class MCPServerConfig:
    name: str
    transport: str = "sse"
    url: str | None = None
    command: str | None = None
    args: list = dataclasses.field(default_factory=list)


class NonZeroAgentExitCodeError(RuntimeError):
    pass


class ApiError(NonZeroAgentExitCodeError):
    pass


class ApiUsageLimitError(ApiError):
    pass


class AgentAuthenticationError(NonZeroAgentExitCodeError):
    pass


class BaseInstalledAgent:
    SUPPORTS_ATIF = False
    SUPPORTS_RESUME = False
    _resume = False

    def __init__(self, logs_dir, model_name=None, logger=None, mcp_servers=None, skills_dir=None, *, extra_env=None, **kwargs):
        assert not kwargs, f"unknown options: {kwargs}"
        self.logs_dir, self.model_name, self.mcp_servers, self.skills_dir = pathlib.Path(logs_dir), model_name, mcp_servers or [], skills_dir
        self.logger = logger or logging.getLogger("harbor")
        self._extra_env = dict(extra_env or {})
        self._version = None

    def version(self):
        return self._version

    async def setup(self, environment):
        await self.install(environment)
        result = await environment.exec(command=self.get_version_command())
        self._version = self.parse_version(result.stdout)

    async def resume(self, instruction, environment, context):
        self._resume = True
        try:
            await self.run(instruction, environment, context)
        finally:
            self._resume = False

    def render_instruction(self, instruction):
        return instruction


def install():
    for name in ("harbor", "harbor.agents", "harbor.agents.installed", "harbor.agents.installed.base"):
        sys.modules[name] = types.ModuleType(name)
    base = sys.modules["harbor.agents.installed.base"]
    for each in (BaseInstalledAgent, NonZeroAgentExitCodeError, ApiError, ApiUsageLimitError, AgentAuthenticationError):
        setattr(base, each.__name__, each)
    sys.modules["harbor.agents.installed"].base = base


class Environment:
    """A container: a root directory, and the trial's folder at /logs."""

    default_user = None

    def __init__(self, root, trial_dir, env=None):
        self.root, self.trial_dir, self.env = pathlib.Path(root), pathlib.Path(trial_dir), dict(env or {})
        self.commands = []
        for part in ("agent", "verifier", "artifacts"):
            (self.trial_dir / part).mkdir(parents=True, exist_ok=True)
        for part in ("proc", "dev", "tmp", "root", "logs", "opt", "app"):
            (self.root / part).mkdir(parents=True, exist_ok=True)

    def inside(self, path):
        """Where a path of the container is on the host."""
        path = pathlib.PurePosixPath(path)
        assert path.is_absolute() and ".." not in path.parts, path
        if path.parts[1] == "logs":
            return self.trial_dir.joinpath(*path.parts[2:])
        return self.root.joinpath(*path.parts[1:])

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        self.commands.append(command)
        given = [f"--env={k}={v}" for k, v in {**self.env, **(env or {})}.items()]
        p = await asyncio.create_subprocess_exec(
            sys.executable, str(IN_ROOT), *given, "--bind", f"{self.trial_dir}:/logs", str(self.root), cwd or "/app", "/bin/sh", "-c", command,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True)
        try:
            out, err = await asyncio.wait_for(p.communicate(), timeout_sec)
        except (asyncio.CancelledError, asyncio.TimeoutError):
            os.killpg(p.pid, signal.SIGKILL)  # the pid namespace goes with its first process
            await p.wait()
            raise
        return ExecResult(p.returncode, out.decode(errors="replace"), err.decode(errors="replace"))

    async def upload_file(self, source_path, target_path):
        shutil.copy(source_path, self.inside(target_path))

    async def upload_dir(self, source_dir, target_dir):
        shutil.copytree(source_dir, self.inside(target_dir), dirs_exist_ok=True)


async def stop(task, when):
    """Harbor's timeout, at a moment that the test chooses: the task is cancelled."""
    while not task.done():
        try:
            if when():
                task.cancel()
                return
        except FileNotFoundError:
            pass
        await asyncio.sleep(0.01)


async def trial(agent, environment, instruction, resume=False, stop_when=None):
    """One trial in Harbor's order.  Returns the context and what was raised, or None."""
    context, raised = AgentContext(), None
    if not agent.version():
        await agent.setup(environment)
    task = asyncio.ensure_future((agent.resume if resume else agent.run)(instruction, environment, context))
    if stop_when:
        await stop(task, stop_when)
    try:
        await task
    except (Exception, asyncio.CancelledError) as e:  # Harbor records it and continues with the verifier
        raised = e
    if context.is_empty():
        agent.populate_context_post_run(context)
    return context, raised
