"""web_search against a search service on loopback: requests, results, refusals, and no key."""
import http.server
import json
import threading

from cli_fixture import test

KEY = "search-key-0123456789abcdef"


class Service:
    """Answers like the three services, and keeps what it was asked."""

    def __init__(self, status=200, body=None):
        self.asked, self.status, self.body = [], status, body
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                outer.asked.append((self.command, self.path, dict(self.headers), self.rfile.read(length).decode()))
                rows = [{"title": f"Result <strong>{i}</strong>", "url": f"https://example.org/{i}", "description": f"text\n{i} " + "x" * 2000,
                         "content": f"text\n{i} " + "x" * 2000} for i in range(20)]
                rows.insert(1, {"title": "bad", "url": "javascript:alert(1)"})
                text = outer.body if outer.body is not None else json.dumps({"web": {"results": rows}, "results": rows})
                self.send_response(outer.status)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                try:
                    self.wfile.write(text.encode())
                except OSError:
                    pass  # the client has had enough

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


def serve(b, service, provider, *more, **env):
    b.env.update(env)
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [
        {"when": {"text": "find"}, "replies": [{"toolCalls": [{"name": "web_search", "args": {"query": "größe & weight?", "count": 3}}]}, {"text": "done"}]}]})
    b.start("serve", "-c", f"search.provider={provider}", "-c", f"search.url={service.url}", *more).stderr.readline()


def result(b, mode="bypass", code=0):
    b.run("run", "--mode", mode, "find it", code=code)
    events = b.run("log", "@last", "--json", "--type", "tool.*", code=0).lines()
    return events[-1]


@test
def a_search_is_asked_and_its_results_are_listed(b):
    for provider, key in (("brave", {"BRAVE_API_KEY": KEY}), ("tavily", {"TAVILY_API_KEY": KEY}), ("searxng", {})):
        service = Service()
        serve(b, service, provider, **key)
        end = result(b)
        text = end["payload"]["displayPreview"]
        assert end["type"] == "tool.result" and text.startswith("1. Result 0\n   https://example.org/0\n   text 0 x"), end
        assert "\n3. Result 2\n" in text and "4. " not in text and "javascript" not in text and len(text) < 3000, text
        (method, path, headers, body), = service.asked
        if provider == "tavily":
            assert method == "POST" and path == "/search" and json.loads(body) == {"query": "größe & weight?", "max_results": 3}, service.asked
            assert headers["authorization"] == f"Bearer {KEY}"
        else:
            assert method == "GET" and "?q=gr%C3%B6%C3%9Fe%20%26%20weight%3F&" in path, path
            assert ("count=3" if provider == "brave" else "format=json") in path
            assert headers.get("x-subscription-token") == (KEY if provider == "brave" else None), headers
        log = b.run("log", "@last", "--json", code=0).out
        assert KEY not in log, "the key is in no event"
        b.run("serve", "--stop", code=0)
        for name in key:
            del b.env[name]


@test
def without_a_key_the_model_does_not_see_the_search(b):
    service = Service()
    serve(b, service, "brave")
    b.run("run", "hello", code=0)
    assert "web_search" not in b.run("tools", code=0).out
    end = result(b)
    assert end["type"] == "tool.failed" and end["payload"]["category"] == "unknown_tool" and not service.asked, end
    b.run("serve", "--stop", code=0)
    # a key that `thole auth` keeps is enough
    b.run("auth", "add", "brave", stdin=KEY + "\n", code=0)
    serve(b, service, "brave")
    assert "web_search" in b.run("tools", code=0).out
    assert result(b)["type"] == "tool.result" and service.asked[0][2]["x-subscription-token"] == KEY


@test
def rules_on_hosts_hold_for_the_search(b):
    service = Service()
    serve(b, service, "searxng")
    b.run("run", "--mode", "default", "find it", code=4)
    assert not service.asked, "nothing is sent before the approval"
    turn = b.run("log", "@last", "--json", code=0).lines()[-1]["turnId"]
    b.run("approve", b.pending()[0], code=0)
    # By its own id: the turn may have ended before this command asks.
    assert b.run("attach", turn, code=0) and len(service.asked) == 1
    b.run("serve", "--stop", code=0)
    serve(b, service, "searxng", "-c", 'permission.rules=[{"id":"no-search","effect":"deny","host":"127.0.0.1"}]')
    end = result(b)
    assert end["type"] == "tool.failed" and end["payload"]["category"] == "permission" and len(service.asked) == 1, end


@test
def a_search_that_fails_says_why(b):
    for status, body, category in ((401, "{}", "auth"), (429, "{}", "rate_limited"), (503, "x", "server_error"), (200, "<html>", "protocol"),
                                   (200, json.dumps({"results": ["x" * 2_000_000]}), "output_limit")):
        service = Service(status, body)
        serve(b, service, "searxng")
        end = result(b)
        assert end["type"] == "tool.failed" and end["payload"]["category"] == category, (category, end)
        b.run("serve", "--stop", code=0)
    assert "search.url" in b.run("run", "--here", "-c", "search.provider=searxng", "x", code=3).err
