"""Thole as an agent of Harbor.

    harbor run -d terminal-bench@2.0 --agent-import-path thole_harbor:Thole -m anthropic/NAME

One file, without dependencies of its own.  THOLE_PORTABLE (or the option tarball=) names the portable tarball of Thole, or a
directory with one for each machine type (scripts/portable makes it).

Inside a task's container the container is the sandbox: Thole runs with full access and asks nobody.  Its events say so.  The log
of the run is in /logs/agent/thole, and the trajectory is made from it, also after a timeout or kill -9.
docs/how-to/harbor.md describes it.
"""
import asyncio
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import tarfile
import tempfile

from harbor.agents.installed import base
from harbor.agents.installed.base import BaseInstalledAgent

HOME = "/opt/thole"
LOGS = "/logs/agent"
DATA = f"{LOGS}/thole"
TRAJECTORY = f"{LOGS}/trajectory.json"
TRIAL = "/tmp/thole-trial.json"
CONFIG = f"{HOME}-config"
PID = "/tmp/thole.pid"  # outside of the logs: it is no result
EXPORT_SEC = 120
LONGEST_SEC = 7 * 24 * 3600  # of a trial: Harbor has its own timeout

# The variables that a provider's key may be in; others are named by the option env=.
KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "google": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openrouter": ("OPENROUTER_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "xai": ("XAI_API_KEY",),
    "groq": ("GROQ_API_KEY",),
    "bedrock": ("AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION"),
}

# Exit codes of thole and Harbor's errors.  A version of Harbor may lack one; then its general error is raised.
ERRORS = {3: "AgentAuthenticationError", 6: "ApiUsageLimitError", 7: "ApiError"}
# 4 and 5: what needed an approval was refused.  124: the turn reached timeout_sec.  The work may still be done, so the verifier decides.
FINISHED = (0, 4, 5, 124)


# Harbor names the provider of Gemini google; Thole's own name is gemini.
PROVIDERS = {"google": "gemini"}


def error_of(code):
    general = getattr(base, "NonZeroAgentExitCodeError", RuntimeError)
    return getattr(base, ERRORS.get(code, ""), general)


class Thole(BaseInstalledAgent):
    """Options: tarball (path), timeout_sec (of a turn), env (names of variables to pass), settings (of Thole, by name),
    configuration (what this run is called in comparisons; default: the model)."""

    SUPPORTS_ATIF = True
    SUPPORTS_RESUME = True

    def __init__(self, *args, tarball=None, timeout_sec=None, env=(), settings=None, configuration=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.tarball = tarball or os.environ.get("THOLE_PORTABLE")
        self.timeout_ms = milliseconds(timeout_sec)
        self.variables = (env,) if isinstance(env, str) else tuple(env)
        self.settings = dict(settings or {})
        self.configuration = configuration

    @staticmethod
    def name():
        return "thole"

    def get_version_command(self):
        return f"{HOME}/thole version"

    def parse_version(self, stdout):
        return stdout.split()[-1]

    # ---- installing ----

    def find_tarball(self, machine):
        if not self.tarball:
            raise ValueError("Set THOLE_PORTABLE to the portable tarball of Thole (scripts/portable makes it).")
        place = pathlib.Path(self.tarball).expanduser()
        found = sorted(place.glob(f"thole-*-linux-{machine}.tar.gz")) if place.is_dir() else [place]
        if not found or not found[-1].is_file() or not found[-1].name.endswith(f"-{machine}.tar.gz"):
            raise ValueError(f"There is no portable tarball for {machine} at {place}.")
        return found[-1]

    async def install(self, environment):
        machine = (await self.must(environment, "uname -m")).strip()
        tarball = self.find_tarball(machine)
        has_tar = (await environment.exec(command="command -v tar && command -v gzip", user="root")).return_code == 0
        await self.must(environment, f"mkdir -p {HOME} {CONFIG}/thole", user="root")
        with tempfile.TemporaryDirectory() as work:
            if has_tar:
                await environment.upload_file(tarball, "/tmp/thole.tar.gz")
                await self.must(environment, f"tar xzf /tmp/thole.tar.gz -C {HOME} --strip-components=1 && rm /tmp/thole.tar.gz", user="root")
            else:
                await environment.upload_dir(unpack(tarball, pathlib.Path(work)), HOME)
                await self.must(environment, f"chmod 755 {HOME}/thole {HOME}/lib/thole-supervisor {HOME}/lib/ld-linux*", user="root")
            config = pathlib.Path(work) / "config.json"
            config.write_text(json.dumps(self.config(), indent=2))
            await environment.upload_file(config, f"{CONFIG}/thole/config.json")
        if getattr(self, "skills_dir", None):
            await self.must(environment, f"cp -R {shlex.quote(str(self.skills_dir))} {CONFIG}/thole/skills", user="root")
        await self.must(environment, f"chmod -R a+rX {HOME} {CONFIG}", user="root")
        await self.must(environment, f"{HOME}/thole version")

    def config(self):
        """Settings of Thole for this task.  No key is in it."""
        servers = {}
        for server in getattr(self, "mcp_servers", None) or []:
            if server.transport == "stdio":
                servers[server.name] = {"command": server.command, "args": list(server.args or []), "network": "full"}
            elif server.transport == "streamable-http":
                servers[server.name] = {"type": "http", "url": server.url}
            else:
                raise ValueError(f"Thole does not support tool servers with transport {server.transport}: {server.name}.")
        return {"permission.mode": "bypass", "sandbox.mode": "danger_full_access", "context.extensions": True,
                **({"mcp.servers": servers} if servers else {}), **self.settings}

    async def must(self, environment, command, **options):
        result = await environment.exec(command=command, **options)
        if result.return_code != 0:
            raise RuntimeError(f"{command} failed with exit {result.return_code}: {result.stderr or result.stdout or ''}"[:2000])
        return result.stdout or ""

    # ---- running ----

    def variables_of_model(self):
        """The keys that the chosen provider needs, from the agent's own variables or from ours."""
        provider = (self.model_name or "").split("/")[0]
        given = {**os.environ, **getattr(self, "_extra_env", {})}
        return {name: given[name] for name in (*KEYS.get(provider, ()), *self.variables) if given.get(name)}

    def model(self):
        """The model as Thole names it."""
        provider, slash, name = (self.model_name or "").partition("/")
        if provider in (self.settings.get("providers") or {}):
            return self.model_name
        return PROVIDERS.get(provider, provider) + slash + name

    def command(self):
        words = [f"{HOME}/thole", "run", "--here", "--unattended", "--data", DATA, "--atif", TRAJECTORY, "--mode", "bypass"]
        if self.model_name:
            words += ["-m", self.model()]
        if self.timeout_ms:
            words += ["--timeout", f"{self.timeout_ms}ms"]
        if getattr(self, "_resume", False):
            words += ["-s", "@last"]  # the trial has begun
        else:
            words += ["--trial", TRIAL]
        run = shlex.join([*words, "-"])
        return f"mkdir -p {DATA} && rm -f {TRAJECTORY} && echo $$ >{PID} && exec {run} </tmp/thole-instruction.txt >{LOGS}/thole.txt 2>&1"

    def trial(self):
        """What Harbor's folder of the trial says about it.  Its files are named and left as they are."""
        folder = pathlib.Path(self.logs_dir).parent
        config = read_object(folder / "config.json")
        task = config.get("task") or {}
        path = str(task.get("path") or "")
        job = f"jobs/{folder.parent.name}"
        seconds = -(-self.timeout_ms // 1000) if self.timeout_ms else LONGEST_SEC
        return {
            "benchmark": {
                "datasetId": str(task.get("source") or task.get("git_url") or "local"),
                "datasetVersion": str(task.get("ref") or task.get("git_commit_id") or "unknown"),
                "taskId": str(task.get("name") or pathlib.PurePath(path).name or folder.name),
                "trialId": identifier(str(config.get("trial_name") or folder.name)),
                "configurationId": str(self.configuration or self.model_name or "default"),
                "harborJobRef": job, "harborTrialRef": f"{job}/{folder.name}",
            },
            "timeoutSec": min(seconds, LONGEST_SEC),
            "profiles": {"agent": "thole"},
            "refs": {"trajectoryRef": TRAJECTORY, "artifactManifestRef": "/logs/artifacts/manifest.json",
                     "harborTrialResultRef": f"{job}/{folder.name}/result.json", **({"taskTomlRef": f"{path}/task.toml"} if path else {})},
        }

    async def run(self, instruction, environment, context):
        await environment.exec(command=f"rm -f {PID}")  # of a run before this one
        with tempfile.TemporaryDirectory() as work:
            described = pathlib.Path(work) / "trial.json"
            described.write_text(json.dumps(self.trial()))
            await environment.upload_file(described, TRIAL)
            text = pathlib.Path(work) / "instruction.txt"
            rendered = self.render_instruction(instruction) if hasattr(self, "render_instruction") else instruction
            text.write_bytes(rendered.encode("utf-8", errors="replace"))  # half of a surrogate pair is no text
            await environment.upload_file(text, "/tmp/thole-instruction.txt")
        env = {**self.variables_of_model(), "XDG_CONFIG_HOME": CONFIG}
        try:
            result = await environment.exec(command=self.command(), env=env)
        except asyncio.CancelledError:
            # Harbor's timeout.  The program is killed; its log is on disk, event by event.
            await self.after_a_kill(environment)
            raise
        try:
            await self.export(environment)
        except Exception as e:  # how the program ended counts more; the host makes the trajectory
            self.logger.warning("The trajectory was not made in the container: %r", e)
        if result.return_code not in FINISHED:
            said = await environment.exec(command=f"tail -c 2000 {LOGS}/thole.txt")
            raise error_of(result.return_code)(f"thole ended with exit {result.return_code}: {said.stdout or ''}")

    async def after_a_kill(self, environment):
        """What fails here is logged: Harbor has to see its own timeout and not an error of the clean-up."""
        try:
            await asyncio.shield(self.kill_and_export(environment))
        except (Exception, asyncio.CancelledError) as e:
            self.logger.warning("The trial was not cleaned up: %r", e)

    async def kill_and_export(self, environment):
        try:
            await environment.exec(command=f"kill -9 $(cat {PID})", timeout_sec=EXPORT_SEC)
        finally:
            await self.export(environment)

    async def export(self, environment):
        """Makes the trajectory from the log if the program could not write it.  The host may be another user, who reads it too."""
        make = f"[ -s {TRAJECTORY} ] || {HOME}/thole export atif @last --data {DATA} -o {TRAJECTORY}"
        await environment.exec(command=f"rm -f {PID}; {make}; chmod a+r {TRAJECTORY}", timeout_sec=EXPORT_SEC)

    # ---- afterwards, on the host ----

    def populate_context_post_run(self, context):
        path = pathlib.Path(self.logs_dir) / "trajectory.json"
        totals = read_totals(path)
        if totals is None:  # there is none, or the container died while it was copied
            self.export_on_host(path)
            totals = read_totals(path)
        if totals is None:
            self.logger.warning("There is no trajectory in %s.", path)
            return
        context.n_input_tokens = totals.get("total_prompt_tokens")
        context.n_cache_tokens = totals.get("total_cached_tokens")
        context.n_output_tokens = totals.get("total_completion_tokens")
        context.cost_usd = totals.get("total_cost_usd")

    def export_on_host(self, path):
        """The container is gone; the log is in the mounted folder."""
        data = pathlib.Path(self.logs_dir) / "thole"
        if not (data / "log.db").is_file():
            return
        with tempfile.TemporaryDirectory() as work:
            try:
                program = unpack(self.find_tarball(platform.machine()), pathlib.Path(work)) / "thole"
                done = subprocess.run([program, "export", "atif", "@last", "--data", data, "-o", path], capture_output=True, text=True, timeout=EXPORT_SEC)
            except (ValueError, OSError, subprocess.TimeoutExpired) as e:
                self.logger.warning("The trajectory was not made: %s", e)
                return
        if done.returncode:
            self.logger.warning("The trajectory was not made: %s", done.stderr)


def milliseconds(seconds):
    """An option of the command line is text.  None: no timeout."""
    if seconds in (None, ""):
        return None
    try:
        ms = round(float(seconds) * 1000)
    except (TypeError, ValueError, OverflowError):
        ms = 0
    if ms < 1:
        raise ValueError(f"timeout_sec is a number of seconds above 0, not {seconds!r}.")
    return ms


def identifier(text):
    """The name of a trial as an id of Thole."""
    kept = re.sub(r"[^A-Za-z0-9_.:-]", "-", text)
    return (kept if kept[:1].isalnum() else f"t{kept}")[:256]


def read_object(path):
    """A JSON object; {}: there is none."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def read_totals(path):
    """The final metrics of a trajectory; None: it is missing or cut."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return (document.get("final_metrics") or {}) if isinstance(document, dict) else None


def unpack(tarball, into):
    """The directory of the tarball, unpacked."""
    with tarfile.open(tarball) as tar:
        tar.extractall(into, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return next(p for p in into.iterdir() if p.is_dir() and p.name.startswith("thole-"))
