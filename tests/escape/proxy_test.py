#!/usr/bin/env python3
"""Hosts of a plan, through the proxy of a real sandbox; reports are compared with real servers outside.

usage: proxy_test.py BUILD_DIR      prints TAP
"""
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

HAND = os.path.abspath(os.path.join(sys.argv[1], "thole-supervisor"))
PATIENCE = 30


class Server:
    """Answers GET with its path and POST with the body; asked is what came, ended counts raw connections that ended."""

    def __init__(self):
        self.asked, self.ended = [], threading.Semaphore(0)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, body):
                outer.asked.append((self.command, self.path, dict(self.headers)))
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.answer(b"path " + self.path.encode())

            def do_POST(self):
                self.answer(self.rfile.read(int(self.headers["Content-Length"])))

            def do_WAIT(self):
                outer.asked.append(("WAIT", self.path, {}))
                self.wfile.write(b"waiting\n")
                while self.rfile.read(1):
                    pass
                outer.ended.release()
                self.close_connection = True

            def log_message(self, *args):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def paths(self):
        return [path for _, path, _ in self.asked]


class Result:
    def __init__(self, code, out, report):
        self.code, self.out, self.report = code, out, report
        self.violations = report.get("violations", [])
        self.hosts = report.get("process", {}).get("hosts", [])


work = pathlib.Path(tempfile.mkdtemp(prefix="thole-hosts-", dir="/var/tmp"))
(work / "ws").mkdir()


def command_line(command, allow, options=()):
    argv = [HAND, "sandbox-run", "--json", "-C", str(work / "ws"), *options]
    for host in allow:
        argv += ["--allow-host", host]
    return ["sh", "-c", 'exec 3>"$0"; exec "$@"', str(work / "report"), *argv, "--", "sh", "-c", command]


def sandboxed(command, allow, options=()):
    p = subprocess.run(command_line(command, allow, options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, timeout=PATIENCE)
    text = (work / "report").read_text()
    return Result(p.returncode, p.stdout.decode(errors="replace"), json.loads(text) if text else {})


# Speaks with the proxy byte by byte; {} is what to send, and each answer's first line is printed.
RAW = """python3 - <<'X'
import socket
for text in {}:
    s = socket.create_connection(('127.0.0.1', 3128))
    s.sendall(text if isinstance(text, bytes) else text.encode())
    s.shutdown(socket.SHUT_WR) if text == '' else None
    got = b''
    while True:
        piece = s.recv(65536)
        if not piece:
            break
        got += piece
    print(got.split(b'\\r\\n')[0].decode())
X"""

number = failed = 0


def check(name, ok, why=""):
    global number, failed
    number += 1
    failed += not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {name}", flush=True)
    if not ok:
        print("\n".join("# " + line for line in str(why).splitlines()), flush=True)


def shown(r):
    return f"exit {r.code}\n{r.out}\n{r.violations} {r.hosts} {r.report.get('refused')}"


def test_reaching(here, there):
    url = f"http://127.0.0.1:{here.port}"
    r = sandboxed(f"curl -sSf {url}/plain && curl -sSfp {url}/tunnel && "
             f"python3 -c \"import urllib.request as u; print(u.urlopen('{url}/python').read().decode())\"",
             [f"127.0.0.1:{here.port}"])
    check("curl and Python reach a host that is named, by request and by tunnel",
          r.code == 0 and here.paths() == ["/plain", "/tunnel", "/python"] and not r.violations, shown(r))
    check("each host that was reached is counted",
          r.hosts == [{"host": "127.0.0.1", "port": here.port, "count": 3}], shown(r))
    check("the profile says what may be reached",
          r.report["sandboxProfile"]["network"] == {"mode": "restricted", "allow": [f"127.0.0.1:{here.port}"],
                                                   "loopback": False}, shown(r))
    sent = {k.lower(): v for k, v in here.asked[0][2].items()}
    check("what is for the proxy is not sent on", sent["host"] == f"127.0.0.1:{here.port}" and
          sent["connection"] == "close" and not any(k.startswith("proxy") for k in sent), sent)
    r = sandboxed(f"head -c 3000000 /dev/urandom > big; for how in '' -p; do "
             f"curl -sSf $how --data-binary @big {url}/echo | cmp - big && echo same; done", [f"127.0.0.1:{here.port}"])
    check("large bodies come and go whole", r.out == "same\nsame\n", shown(r))
    r = sandboxed(f"curl -sSf http://localhost:{here.port}/by-name", [f"localhost:{here.port}"])
    check("localhost means the host's loopback when it is named", r.code == 0 and here.paths()[-1] == "/by-name", shown(r))


def test_refusing(here, there):
    url = f"http://127.0.0.1:{there.port}"
    allow = [f"127.0.0.1:{here.port}"]
    r = sandboxed(f"curl -sSf {url}/a && echo got; curl -sSfp {url}/b && echo got; curl -sSf {url}/c && echo got; "
             "curl -sS http://name.invalid/; curl -sS https://name.invalid/", allow)
    said = sorted((v["host"], v["port"], v["rule"], v["count"], v["blocked"], "syscall" in v) for v in r.violations)
    check("another port is refused, and the server there hears nothing", there.asked == [] and "got" not in r.out, shown(r))
    ours = [v for v in r.violations if v["port"] == there.port]
    check("a refusal is a violation, at once and then counted",
          sum(v["count"] for v in ours) == 3 and len(ours) <= 2 and
          all(v["rule"] == "host_not_listed" and v["kind"] == "network" and "syscall" not in v for v in ours), said)
    check("a name is refused before it is resolved",
          [s for s in said if s[0] == "name.invalid"] == [("name.invalid", 80, "host_not_listed", 1, True, False),
                                                        ("name.invalid", 443, "host_not_listed", 1, True, False)], said)
    r = sandboxed(f"for p in '' -p; do curl -sSf $p --noproxy '' http://localhost:{there.port}/; done", ["*:*"])
    check("a name does not lead to a loopback that no rule names", there.asked == [] and r.violations and
          all(v["rule"] == "loopback_address" and v["address"] in ("127.0.0.1", "::1") for v in r.violations), shown(r))
    r = sandboxed(f"curl -sSf --noproxy '' http://127.0.0.1:{there.port}/", ["*:*"])
    check("nor does its address", there.asked == [] and [v["rule"] for v in r.violations] == ["loopback_address"], shown(r))


def test_spellings(here, there):
    names = ["127.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "0177.0.0.1", "017700000001", "127.0.0.01", "[::ffff:127.0.0.1]",
             "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "127.0.0.1.", "LOCALHOST", "localhost.", "user@127.0.0.1", "0", "0.0.0.0",
             "[::]", "[::1%lo]", "127.0.0.1%00.example.org", "127.0.0.1#.example.org", "[64:ff9b::7f00:1]"]
    asks = [f"CONNECT {n}:{there.port} HTTP/1.1\r\n\r\n" for n in names]
    asks += [f"GET http://{n}:{there.port}/{i} HTTP/1.1\r\n\r\n" for i, n in enumerate(names)]
    r = sandboxed(RAW.format(repr(asks)), [f"127.0.0.1:{here.port}", "*:*"])
    lines = r.out.splitlines()
    check("no spelling of the loopback gets past the proxy", there.asked == [] and len(lines) == len(asks) and
          all(line.split()[1] in ("400", "403") for line in lines), shown(r))


def test_framing(here, there):
    before = len(here.asked)
    second = f"GET http://127.0.0.1:{there.port}/second HTTP/1.1\r\nHost: x\r\n\r\n"
    first = f"GET http://127.0.0.1:{here.port}/first HTTP/1.1\r\nHost: other.example\r\n"
    smuggled = f"GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\n\r\n"
    asks = [first + "\r\n" + second, first + "\r\n" + smuggled,
            first + f"Content-Length: 0\r\nContent-Length: {len(smuggled)}\r\n\r\n" + smuggled,
            first + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
            first + "Content-Length: +1\r\n\r\nx", first + " folded: x\r\n\r\n", first + "na me: x\r\n\r\n",
            first + "X: a\rY: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET ftp://x/ HTTP/1.1\r\n\r\n",
            f"GET http://127.0.0.1:{here.port}/ HTTP/2.0\r\n\r\n", "CONNECT x HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n",
            "GET http://127.0.0.1/ HTTP/1.1\r\n" + "X: y\r\n" * 101 + "\r\n", "GET http://x/" + "a" * 20000 + " HTTP/1.1\r\n\r\n"]
    r = sandboxed(RAW.format(repr(asks)), [f"127.0.0.1:{here.port}"])
    status = [line.split()[1] for line in r.out.splitlines()]
    check("one connection is one request: what follows it reaches no server",
          here.paths()[before:] == ["/first", "/first"] and there.asked == [], f"{here.paths()[before:]}\n{shown(r)}")
    check("what is no request gets a status that says so",
          status == ["200", "200", "400", "411", "400", "400", "400", "400", "400", "400", "505", "400", "400", "431", "431"],
          f"{status}\n{shown(r)}")


HOLD = """python3 - <<'X'
import socket, time
s = socket.create_connection(('127.0.0.1', 3128))
s.sendall(b'CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n')
s.recv(100)
s.sendall(b'WAIT /{name} HTTP/1.1\\r\\n\\r\\n')
s.recv(100)
print('held', flush=True)
{rest}
X"""


def test_ending(here, there):
    allow = [f"127.0.0.1:{here.port}"]
    # the command ends while a child of it holds a tunnel: the server sees the end of that
    r = sandboxed(HOLD.format(port=here.port, name="left", rest="import os\nif os.fork() == 0: time.sleep(3600)"), allow)
    check("a tunnel ends with the command that it belongs to", r.out == "held\n" and here.ended.acquire(timeout=PATIENCE), shown(r))
    p = subprocess.Popen(command_line(HOLD.format(port=here.port, name="killed", rest="time.sleep(3600)"), allow),
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
    line = p.stdout.readline()
    proxies = [pid for pid in os.listdir("/proc") if pid.isdigit() and is_proxy_of(pid, p.pid)]
    os.kill(p.pid, signal.SIGKILL)
    p.wait()
    check("the proxy ends with the supervisor, however that ends",
          line == b"held\n" and len(proxies) == 1 and here.ended.acquire(timeout=PATIENCE), f"{line} {proxies}")
    for pid in proxies:
        for _ in range(1000):
            if not os.path.exists(f"/proc/{pid}"):
                break
            threading.Event().wait(0.01)
    check("and is gone", not any(os.path.exists(f"/proc/{pid}") for pid in proxies), proxies)


def is_proxy_of(pid, parent):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    name, rest = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:].split()
    return name == "thole-proxy" and int(rest[1]) == parent


def test_profile(here, there):
    for name, allow, options in (("a rule that is none", ["0x7f.1"], []), ("no network of its own", ["example.org"], ["--net", "off"]),
                                 ("the host's network", ["example.org"], ["--net", "full"])):
        (work / "ws" / "ran").unlink(missing_ok=True)
        r = sandboxed("touch ran", allow, options)
        check(f"hosts with {name} are refused, and nothing runs", r.code == 125 and "refused" in r.report and
              not (work / "ws" / "ran").exists(), shown(r))
    r = sandboxed("env; grep -c . /proc/net/tcp", [])
    check("without hosts there is no proxy, and no variable names one", "roxy" not in r.out and "PROXY" not in r.out and
          r.out.endswith("1\n"), shown(r))
    r = sandboxed("env", ["example.org"])
    check("variables name the proxy", all(f"{n}=http://127.0.0.1:3128\n" in r.out for n in (
        "http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")) and
        "no_proxy=localhost,127.0.0.1,::1\n" in r.out, shown(r))


def main():
    here, there = Server(), Server()
    try:
        for test in (test_reaching, test_refusing, test_spellings, test_framing, test_ending, test_profile):
            test(here, there)
            check(f"the other server heard nothing ({test.__name__})", there.asked == [], there.asked)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


sys.exit(main())
