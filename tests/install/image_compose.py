"""Several nodes in containers: packaging/compose.yaml, the page about it, and the pods of packaging/kubernetes.

The last part of image_test.py, which has made the image `thole` and hands its place to these checks, in this order.  The compose
file is run by podman-compose.  Its image of PostgreSQL is made of Debian's packages, under the name that the file has: no
registry of images is asked.  The containers have a network of their own, which ends with the test.
"""
import ctypes
import http.client
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "lib"))
from wait import DEADLINE_S, slowdown, until  # noqa: E402

COMPOSE = os.path.join(ROOT, "packaging", "compose.yaml")
MANIFESTS = os.path.join(ROOT, "packaging", "kubernetes")
PAGE = os.path.join(ROOT, "docs", "how-to", "compose.md")
PROJECT = "thole"
PORTS = {"a": 7433, "b": 7434}
TAKEOVER_S = 2
CLONE_NEWNET = 0x40000000
NULL = os.stat(os.devnull)
# As the official image has it, as far as the compose file uses it.
POSTGRES = """FROM localhost/debian:12
RUN apt-get update \\
	&& apt-get install -y --no-install-recommends postgresql-common \\
	&& sed -i 's/^#*create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \\
	&& apt-get install -y --no-install-recommends postgresql-15 \\
	&& install -d -o postgres -g postgres -m 1777 /var/lib/postgresql/data \\
	&& install -d -o postgres -g postgres -m 3777 /var/run/postgresql
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/15/bin
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
"""

checks = []


def check(f):
    checks.append(f)
    return f


def why_not():
    lacks = [tool for tool in ("podman-compose", "netavark", "aardvark-dns", "ip")
             if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/lib/podman:/usr/libexec/podman")]
    return "needs " + ", ".join(lacks) if lacks else None


# ---- the services ----

def services(p, *words, code=0):
    """podman-compose with the place's store.  Version 1.0 has no `kill` and does not know stop_grace_period."""
    program = os.path.join(p.work, "podman")
    if not os.path.exists(program):
        with open(program, "w") as f:
            f.write(f'#!/bin/sh\nexec {shlex.join(p.command())} "$@"\n')
        os.chmod(program, 0o755)
    if words[0] == "kill":
        return p.podman("kill", *map(container, words[1:]))
    if words[0] == "stop":
        words = ("stop", "-t", "40", *words[1:])
    if words[0] == "exec" and words[1] != "-T":
        words = ("exec", "-T", *words[1:])
    done = subprocess.run(["podman-compose", "--podman-path", program, "--podman-run-args=--cgroups=disabled --ulimit=nofile=4096 --ulimit=nproc=2048",
                           "-p", PROJECT, "-f", COMPOSE, *words], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    give_back_null()
    assert code is None or done.returncode == code, f"{' '.join(words)}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


def give_back_null():
    """Debian's crun gives the machine's /dev/null, the input of a container, to the container's user."""
    os.chown(os.devnull, NULL.st_uid, NULL.st_gid)


def remove(p):
    p.podman("rm", "--all", "--force", "--time", "0", code=None)
    give_back_null()


def container(service):
    return f"{PROJECT}_{service}_1"


def inside(p, service, *words, code=0):
    return p.podman("exec", container(service), *words, code=code).stdout


def logs(p, service):
    done = p.podman("logs", "--tail", "15", container(service), code=None)
    return done.stdout + done.stderr


def is_healthy(p, service):
    return p.podman("healthcheck", "run", container(service), code=None).returncode == 0


def until_ready(p, *names):
    for name in names:
        until(lambda: f"{name} to be ready: {logs(p, name)}", lambda: is_healthy(p, name), pause_s=0.2, base_s=90)


# ---- asking a node at its published port ----

def request(p, node, path, params=None, **headers):
    call = urllib.request.Request(f"http://127.0.0.1:{PORTS[node]}{path}", None if params is None else json.dumps(params).encode(),
                                  {"Authorization": "Bearer " + p.tokens[node], "Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(call, timeout=DEADLINE_S) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()
    except (OSError, http.client.HTTPException) as e:  # the node is being started
        return 503, json.dumps({"retryable": True, "detail": repr(e)}).encode()


def ask(p, node, command, **params):
    """Like a client that repeats what is retryable."""
    began, key = time.monotonic(), os.urandom(8).hex()
    while True:
        status, data = request(p, node, "/v1/commands/" + command, params, **{"Idempotency-Key": key})
        reply = json.loads(data)
        if status < 400 or not reply.get("retryable") or time.monotonic() - began > DEADLINE_S:
            assert status < 400, f"{command} at {node}: {reply}"
            return reply
        time.sleep(0.05)


def events(p, node, session):
    def read():
        status, data = request(p, node, f"/v1/events?session={session}&after=0&follow=0", Accept="application/x-ndjson")
        return data if status == 200 else None

    return [e for e in map(json.loads, until(f"the events of {session}", read).decode().splitlines()) if "sequence" in e]


def count(p, node, session, kind):
    return sum(e["type"] == kind for e in events(p, node, session))


def action_of(p, node, session):
    return until("the approval", lambda: [e["actionId"] for e in events(p, node, session) if e["type"] == "action.required"])[0]


def end_of_turn(p, node, session):
    """The type of event that ended it, or lost its request."""
    return max(until("the end of the turn", lambda: {"turn.completed", "model.failed"} & {e["type"] for e in events(p, node, session)}))


def is_one_log(p, node, session):
    """Each sequence once, and every chain whole."""
    sequences = [e["sequence"] for e in events(p, node, session)]
    assert sequences == list(range(1, len(sequences) + 1)), sequences
    assert "whole" in inside(p, node, "thole", "verify"), node


# ---- what is checked, in this order ----

@check
def a_postgresql_is_made_of_debians_packages(p):
    name = re.search(r"image: (.*postgres:.*)", open(COMPOSE).read())[1]
    file = os.path.join(p.work, "Dockerfile.postgres")
    with open(file, "w") as f:
        f.write(POSTGRES)
    p.podman("build", "--isolation=chroot", "--network=host", "--format=docker", "-f", file, "-t", name, p.work, seconds=1200)


@check
def the_compose_file_starts_two_nodes_and_two_servers(p):
    assert ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) == 0, "no network of our own"
    p.run("ip", "link", "set", "lo", "up")
    services(p, "up", "-d")
    until_ready(p, "primary", "standby", "a", "b")
    p.tokens = {node: inside(p, node, "thole", "token").strip() for node in PORTS}
    nodes = {n["name"]: n for n in ask(p, "a", "list_nodes")["nodes"]}
    assert set(nodes) == {"a", "b"} and all(n["state"] == "lives" for n in nodes.values()), nodes
    assert inside(p, "a", "id", "-u") == "10001\n"
    caps = [line.split()[1] for line in inside(p, "a", "cat", "/proc/self/status").splitlines() if line.startswith("Cap")]
    assert set(caps) == {"0" * 16}, caps


@check
def a_commit_is_on_both_servers(p):
    assert ask(p, "a", "get_capabilities")["settings"]["durability"] == "full"
    assert "standby|sync\n" in inside(p, "primary", "psql", "-Atc", "SELECT application_name, sync_state FROM pg_stat_replication")


@check
def the_password_is_of_the_daemons_and_of_no_command(p):
    said = inside(p, "a", "stat", "-c", "%a %u", "/run/database/thole", "/run/database/postgres").splitlines()
    assert said[0] == "600 10001" and said[1].startswith("600 ") and not said[1].endswith(" 10001"), said
    done = p.podman("exec", container("a"), "thole", "sandbox", "run", "--profile", "workspace-write", "-C", "/work", "--", "cat", "/run/database/thole", code=None)
    assert done.returncode and "thole:" not in done.stdout, done
    # From the host, by the address that every user of it reaches.
    address = p.podman("inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", container("primary")).stdout.strip()
    with socket.create_connection((address, 5432), 10):
        pass
    refused = p.podman("exec", container("standby"), "env", "PGPASSFILE=/dev/null", "psql", "-w", "-h", "primary", "-U", "thole", "-c", "SELECT 1", code=None)
    assert "no password supplied" in refused.stderr, refused


@check
def commands_get_the_strongest_sandbox_without_capabilities(p):
    assert json.loads(inside(p, "a", "thole", "sandbox", "probe"))["tier"] == "namespaces+landlock+seccomp", inside(p, "a", "thole", "doctor", code=None)


@check
def an_approval_of_a_killed_node_is_given_on_the_other_within_two_seconds(p):
    session = ask(p, "a", "submit_turn", input="approve")["sessionId"]
    action = action_of(p, "b", session)
    services(p, "kill", "a")
    killed = time.monotonic()
    ask(p, "b", "respond_action", sessionId=session, actionId=action, decision="allow", scope="once")
    took = time.monotonic() - killed
    print(f"# the other node took the answer after {took:.2f} s", flush=True)
    assert took <= TAKEOVER_S * slowdown(), f"the other node took {took:.2f} s"
    until("the end of the turn", lambda: count(p, "b", session, "turn.completed"))
    assert count(p, "b", session, "tool.started") == 1
    is_one_log(p, "b", session)
    # As docker, podman does not start again what its owner has killed.
    assert p.podman("inspect", "--format", "{{.State.Running}}", container("a")).stdout == "false\n"
    services(p, "start", "a")
    until_ready(p, "a")
    is_one_log(p, "a", session)
    p.known = {session: events(p, "a", session)}


@check
def a_node_that_is_stopped_loses_nothing(p):
    session = ask(p, "a", "submit_turn", input="slow")["sessionId"]
    until("the tool to run", lambda: count(p, "b", session, "tool.started"))
    parked = ask(p, "a", "submit_turn", input="approve")["sessionId"]
    action = action_of(p, "a", parked)
    services(p, "stop", "a")
    state = p.podman("inspect", "--format", "{{.State.ExitCode}}", container("a")).stdout
    assert state == "0\n", f"{state}{logs(p, 'a')}"
    until("the end of the turn", lambda: count(p, "b", session, "turn.completed"))
    assert count(p, "b", session, "tool.started") == 1 and "arrived" in json.dumps(events(p, "b", session)), "the tool was lost"
    ask(p, "b", "respond_action", sessionId=parked, actionId=action, decision="allow", scope="once")
    until("the end of the other turn", lambda: count(p, "b", parked, "turn.completed"))
    assert inside(p, "b", "cat", "/work/thole-note.txt").startswith("Written by a script")
    is_one_log(p, "b", session)
    services(p, "start", "a")
    until_ready(p, "a")


@check
def a_node_that_counted_as_dead_ends_with_70_and_is_started_again(p):
    pid = p.podman("inspect", "--format", "{{.State.Pid}}", container("a")).stdout.strip()
    before = p.podman("inspect", "--format", "{{.State.StartedAt}}", container("a")).stdout
    p.run("kill", "-STOP", pid)
    until("the node to count as dead", lambda: [n["name"] for n in ask(p, "b", "list_nodes")["nodes"]] == ["b"])
    p.run("kill", "-CONT", pid)
    until("the container to be started again", lambda: p.podman("inspect", "--format", "{{.State.StartedAt}}", container("a")).stdout != before, pause_s=0.2)
    until_ready(p, "a")
    give_back_null()
    assert "store_taken" in logs(p, "a"), logs(p, "a")


@check
def the_page_can_be_typed(p):
    with open(PAGE) as f:
        lines = [line for block in re.findall(r"^```sh\n(.*?)^```$", f.read(), re.M | re.S) for line in block.splitlines()]
    # What the verbs that it types must print.
    shown = {"node": r"(?m)^a\b(.|\n)*^b\b", "doctor": "store", "approvals": "write_note", "log": "action.resolved", "verify": "whole",
             "open": "http://127.0.0.1:7433"}
    typed = 0
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[0] == "export" or words[2] == "up":
            continue  # they are up
        assert words[:2] == ["docker", "compose"], line
        done = services(p, *words[2:], code=None)
        typed += 1
        if "thole" in words:
            verb = words[words.index("thole") + 1]
            assert re.search(shown.get(verb, ""), done.stdout), f"{line}: {done.stdout}{done.stderr}"
        if "--detach" in words:
            until("the approval", lambda: "write_note" in inside(p, "a", "thole", "approvals"))
        if words[2] == "start":
            until_ready(p, words[3])
    assert typed == 16, f"the page has {typed} commands"
    # Its last part has promoted the standby.  A node that finds it a lease later than the other counts as dead and is started
    # again, so a request may be lost; what was acknowledged is not.
    until("a turn on the promoted server", lambda: end_of_turn(p, "b", ask(p, "a", "submit_turn", input="hello")["sessionId"]) == "turn.completed")
    for session, known in p.known.items():
        assert events(p, "b", session) == known, session
        is_one_log(p, "b", session)


@check
def the_old_primary_does_not_start_beside_the_promoted_standby(p):
    services(p, "start", "primary", code=None)
    until("the refusal", lambda: "The standby takes writes" in logs(p, "primary"), pause_s=0.2)
    assert not is_healthy(p, "primary")
    p.podman("stop", "-t", "5", container("primary"), code=None)


# ---- the pods of the manifests ----

def manifests():
    import yaml  # of podman-compose
    found = {}
    for name in sorted(os.listdir(MANIFESTS)):
        with open(os.path.join(MANIFESTS, name)) as f:
            found.update({(d["kind"], d["metadata"]["name"]): d for d in yaml.safe_load_all(f)})
    return found


def pod_args(all, name, secret):
    """What podman needs to run the pod of the set as its node would: variables, user, rights, volumes, its name in the service."""
    set_of = all["StatefulSet", "thole"]["spec"]
    pod = set_of["template"]["spec"]
    node, = pod["containers"]
    args = ["--name", name, "--network-alias", f"{name}.{set_of['serviceName']}", "-w", node["workingDir"],
            "-u", f"{pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}", "--restart", "always"]
    args += [arg for c in node["securityContext"]["capabilities"]["drop"] for arg in ("--cap-drop", c)]
    if not node["securityContext"]["allowPrivilegeEscalation"]:
        args += ["--security-opt", "no-new-privileges"]
    values = {}
    for e in node["env"]:
        source = e.get("valueFrom", {})
        value = e.get("value") or (name if "fieldRef" in source else secret[source["secretKeyRef"]["key"]])
        values[e["name"]] = re.sub(r"\$\((\w+)\)", lambda m: values[m[1]], value)
    args += [arg for variable in values.items() for arg in ("-e", "=".join(variable))]
    shared = {"work": "pods-work", "data": f"data-{name}"}
    for mount in node["volumeMounts"]:
        source = shared.get(mount["name"])
        if not source:
            source = os.path.join(secret["dir"], mount["name"])
            os.makedirs(source, exist_ok=True)
            settings = next(v for v in pod["volumes"] if v["name"] == mount["name"])["configMap"]["name"]
            for file, text in all["ConfigMap", settings]["data"].items():
                with open(os.path.join(source, file), "w") as f:
                    f.write(text)
        args += ["-v", f"{source}:{mount['mountPath']}" + (":ro" if mount.get("readOnly") else "")]
    return args, node, pod


def probe(p, name, node, which):
    """As the kubelet does: to the address of the pod, with the header of the manifest."""
    get = node[which]["httpGet"]
    address = p.podman("inspect", "--format", f'{{{{(index .NetworkSettings.Networks "{PROJECT}_default").IPAddress}}}}', name).stdout.strip()
    call = urllib.request.Request(f"http://{address}:7433{get['path']}", headers={h["name"]: h["value"] for h in get["httpHeaders"]})
    try:
        return urllib.request.urlopen(call, timeout=5).status
    except urllib.error.HTTPError as e:
        return e.code
    except OSError:
        return None


@check
def the_pods_of_the_manifests_are_two_nodes(p):
    services(p, "stop", "a", "b")
    password = p.podman("exec", "-u", "postgres", container("standby"), "cut", "-d:", "-f5", "/run/database/postgres").stdout.strip()
    # Names that resolve here in the place of those of the example; without TLS.
    secret = {"url": "postgresql://thole@primary,standby/thole?sslmode=disable", "password": password, "dir": p.work}
    all, names = manifests(), ["thole-0", "thole-1"]
    for name in names:
        args, node, pod = pod_args(all, name, secret)
        p.podman("run", "-d", "--cgroups=disabled", "--ulimit=nofile=4096", "--ulimit=nproc=2048", "--network", f"{PROJECT}_default", *args, "thole")
        give_back_null()
    for name in names:
        for which in ("startupProbe", "livenessProbe", "readinessProbe"):
            until(lambda: f"the {which} of {name}: {p.podman('logs', name, code=None).stderr[-2000:]}", lambda: probe(p, name, node, which) == 200, pause_s=0.2)
    listed = json.loads(p.podman("exec", "thole-1", "thole", "node", "ls", "--json").stdout)["nodes"]
    assert {n["name"] for n in listed} == set(names), listed
    session = p.podman("exec", "thole-0", "thole", "run", "--detach", "approve").stdout
    until("the approval on the other pod", lambda: "write_note" in p.podman("exec", "thole-1", "thole", "approvals").stdout)
    # By the service: a client's Host is its name.
    said = p.podman("exec", "thole-1", "curl", "-s", "-H", "Host: thole", "http://thole-0.thole-nodes:7433/readyz").stdout
    assert '"ready"' in said, said
    p.podman("stop", "-t", str(pod["terminationGracePeriodSeconds"]), "thole-0", seconds=120)
    assert p.podman("inspect", "--format", "{{.State.ExitCode}}", "thole-0").stdout == "0\n"
    p.podman("exec", "thole-1", "sh", "-c", "thole approve $(thole approvals -q)")
    until("the end of the turn", lambda: "turn.completed" in p.podman("exec", "thole-1", "thole", "log", "@last").stdout)
    assert "whole" in p.podman("exec", "thole-1", "thole", "verify").stdout, session
    p.podman("rm", "-f", "-t", "0", *names)
