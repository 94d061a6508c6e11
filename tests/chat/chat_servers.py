"""Tool servers in the chat."""
import json
import pathlib
import shutil

from chat_fixture import Chat
from chat_life import answered
from cli_fixture import Skip, test, until

SERVER = pathlib.Path(__file__).resolve().parent.parent / "mcp" / "server.py"


def entry():
    return {"command": "/usr/bin/python3", "args": [str(SERVER)], "read": [str(SERVER.parent)]}


@test
def a_tool_server_is_listed_and_switched_for_the_session(b):
    script = b.script({"rules": [{"when": {"text": "echo"}, "replies": [{"toolCalls": [{"name": "mcp__own__echo", "args": {"text": "ahoy"}}]}, {"text": "Over."}]}],
                       "default": {"text": "ok"}})
    servers = json.dumps({"own": entry(), "gone": {"command": "/usr/bin/false"}})
    chat = Chat(b, columns=120, rows=40, THOLE_SCRIPT=script, THOLE_MCP_SERVERS=servers).prompt()

    def both():
        before = chat.whole().count("gone ")
        chat.type("/mcp\r")
        chat.sees(lambda: chat.whole().count("gone ") > before)
        return "ready" in chat.text() and "down" in chat.text()
    # One that failed is started again from time to time, and shows "starting" then.
    until("both servers", both)
    chat.prompt()
    chat.type("/mcp off own\r")
    chat.sees("own is off in").sees("from the next turn on")
    chat.prompt()
    answered(chat, "echo")
    assert "[y] once" not in chat.whole() and "mcp__own__echo" in chat.whole(), chat.whole()
    chat.type("/mcp status own\r")
    chat.sees("off; thole mcp on own").sees("unavailable    mcp__own__echo")
    chat.type("/mcp status gone\r")
    chat.sees("detail")
    chat.prompt()
    chat.keys("ctrl-d")
    chat.wait()
    assert "off here" in b.run("mcp", "ls", "-s", "@last", code=0).out
    assert "off here" not in b.run("mcp", "ls", code=0).out
    chat = Chat(b, "-c", columns=120, rows=40, THOLE_SCRIPT=script, THOLE_MCP_SERVERS=servers).prompt()
    chat.type("/mcp on own\r")
    chat.sees("own is on in")
    chat.prompt()
    chat.type("echo it\r")
    chat.sees("[y] once").sees("one key answers")
    chat.type("y")
    chat.sees("Over.")
    for line, answer in (("/mcp nonsense own", 'does not know "nonsense"'), ("/mcp add own -- true", "in a shell: thole mcp add"), ("/mcp off", "/mcp status NAME"), ("/mcp off nosuch", 'no tool server "nosuch"')):
        chat.prompt()
        chat.type(line + "\r")
        chat.sees(answer)


@test
def prompts_of_a_tool_server_are_commands_and_their_arguments_are_completed(b):
    folder = SERVER.parent
    if not (folder / "node_modules" / "@modelcontextprotocol" / "sdk").exists() or not shutil.which("node"):
        raise Skip("npm has not fetched the SDK into tests/mcp")
    servers = json.dumps({"own": {"command": shutil.which("node"), "args": [str(folder / "offer_server.mjs")], "read": [str(folder)]}})
    chat = Chat(b, columns=120, rows=40, THOLE_MCP_SERVERS=servers).prompt()

    def listed():
        chat.keys("ctrl-u")
        chat.prompt()
        chat.type("/own:re")
        try:
            return chat.sees("Reviews a file", 1)
        except AssertionError:
            return False
    until("the prompt", listed)
    chat.keys("ctrl-u")
    chat.type("/own:review al")
    chat.sees("alpha.c")
    chat.keys("tab")
    chat.type("kind")
    chat.keys("enter")
    chat.sees("You wrote: Review alpha.c in a kind tone.")
    chat.prompt()
    assert "/own:review: mcp:own" in chat.whole().replace("\n", ""), chat.whole()
    chat.type("look at @own:memo://one and @someone:here\r")
    chat.sees("You wrote: look at")
    chat.prompt()
    refs = [s["ref"] for s in json.loads(b.run("log", "--json", "--type", "context.resolved", code=0).out.strip().splitlines()[-1])["payload"]["sources"]]
    assert "mcp:own:memo://one" in refs, refs
    chat.type("/own:review\r")
    chat.sees("the argument file is missing")
    chat.prompt()
    assert "here: /trust" not in chat.whole()


@test
def switching_on_starts_no_server_of_a_project_that_is_not_trusted(b):
    mark = b.work / "started"
    (b.work / ".mcp.json").write_text(json.dumps({"mcpServers": {"theirs": {"command": "/bin/sh", "args": ["-c", f"touch {mark}; sleep 9"]}}}))
    chat = Chat(b, columns=120, rows=40).prompt()
    answered(chat, "hello")
    chat.type("/mcp\r")
    chat.sees("theirs").sees("untrusted")
    chat.type("/mcp on theirs\r")
    chat.sees("not trusted and does not run")
    answered(chat, "again")
    chat.type("/mcp\r")
    chat.prompt()
    assert not mark.exists() and b.run("mcp", "ls", code=0).out.count("untrusted") == 1


FORM = [  # what is typed at each field of the form of server-everything, and a part of what the field shows
    ("\r", "Enter sends the answer", "[e] answer what is missing  [n] decline"),
    ("e", "one key answers", None),
    ("Ada Lovelace\r", "1 of 13", None),
    ("perhaps\r", "yes or no", "it must be yes or no"),
    ("yes\r", "Boolean", None),
    ("\r", "Enter: It was a dark and stormy night.", None),
    ("here\r", "an e-mail address", 'it must have the format "email"'),
    ("ada@example.org\r", "String with email format", None),
    ("\r", "Enter leaves it out", None),
    ("1815-12-10\r", "a date such as", None),
    ("101\r", "a whole number, 1 to 100", "it must be at most 100"),
    ("7\r", "Integer (Enter: 42)", None),
    ("\r", "Enter: 3.14", None),
    ("3\r", " 3  Joey", None),
    ("2, 1, piano\r", "1 to 3", None),
    ("wonder\r", " 3  Wonder Woman", None),
    ("fish\r", "Enter: Tuna", "each must be one of the list"),
    ("trout,1\r", " 3  Trout", None),
    ("birds\r", " 3  Birds", None),
]


@test
def a_form_of_a_tool_server_is_asked_field_by_field(b):
    program = SERVER.parent / "node_modules" / ".bin" / "mcp-server-everything"
    if not program.exists() or not shutil.which("node"):
        raise Skip("npm has not fetched server-everything into tests/mcp")
    servers = json.dumps({"every": {"command": shutil.which("node"), "args": [str(program.resolve())], "read": [str(SERVER.parent)]}})
    script = b.script({"rules": [{"when": {"text": "form"}, "replies": [
        {"toolCalls": [{"name": "mcp__every__trigger-elicitation-request", "args": {}}]}, {"text": "{{toolResult}}"}]}], "default": {"text": "ok"}})
    chat = Chat(b, "--mode", "bypass", columns=100, rows=50, THOLE_SCRIPT=script, THOLE_MCP_SERVERS=servers).prompt()
    chat.type("form\r")
    for typed, shown, refused in FORM:
        chat.sees(shown)
        chat.type(typed)
        if refused:
            chat.sees(refused)
    chat.sees("[y] send  [e] change  [n] decline").sees("Titled Multiple Select Enum: Trout, Tuna").sees("one key answers")
    chat.type("e")
    for n in range(13):  # Enter keeps each answer
        chat.sees(lambda: chat.whole().count(f"  {n + 1} of 13  ") == (2 if n else 3))
        chat.keys("enter")
    chat.sees("one key answers")
    chat.type("y")
    chat.sees("Name: Ada Lovelace")
    chat.prompt()
    result = json.loads(b.run("log", "@last", "--type", "tool.result", "--json", code=0).out.splitlines()[-1])
    sent = json.loads(result["payload"]["displayPreview"].split("Raw result: ")[1])["content"]
    assert sent == {"name": "Ada Lovelace", "check": True, "firstLine": "It was a dark and stormy night.", "email": "ada@example.org",
                    "birthdate": "1815-12-10", "integer": 7, "number": 3.14, "untitledSingleSelectEnum": "Joey",
                    "untitledMultipleSelectEnum": ["Piano", "Guitar"], "titledSingleSelectEnum": "hero-3",
                    "titledMultipleSelectEnum": ["fish-3", "fish-1"], "legacyTitledEnum": "pet-3"}, sent


@test
def small_forms_say_what_they_ask(b):
    script = b.script({"rules": [{"when": {"text": name}, "replies": [{"toolCalls": [{"name": f"mcp__own__{name}", "args": {}}]}, {"text": "{{toolResult}}"}]}
                                 for name in ("consent", "boolean", "numbers", "secret", "several")], "default": {"text": "ok"}})
    server = SERVER.parent / "form_server.py"
    servers = json.dumps({"own": {"command": "/usr/bin/python3", "args": [str(server)], "read": [str(server.parent)]}})
    chat = Chat(b, "--mode", "bypass", columns=100, rows=50, THOLE_SCRIPT=script, THOLE_MCP_SERVERS=servers).prompt()
    chat.type("consent\r")
    chat.sees("asked by mcp__own__consent").sees("[y] yes  [n] decline").sees("one key answers")
    chat.type("y")
    chat.sees('got {"action": "accept", "content": {}}')
    chat.prompt()
    chat.type("boolean\r")
    chat.sees("Really?").sees("yes or no").sees("Enter sends the answer")
    chat.type("maybe\r")
    chat.sees("it must be yes or no")
    chat.type("no\r")
    chat.sees('"content": {"ok": false}')
    chat.prompt()
    # Choices that are numbers are not numbered: 1 is the third of them.
    chat.type("numbers\r")
    chat.sees("one of these, or nothing to decline").sees("Enter sends the answer")
    chat.type("1\r")
    chat.sees('"content": {"year": "1"}')
    chat.prompt()
    # The log keeps answers, so a form is no place for a secret.
    chat.type("secret\r")
    chat.sees("Your API key").sees("type no password and no key here").sees("Enter sends the answer")
    chat.type("\r")
    chat.sees('"action": "decline"')
    chat.prompt()
    # An optional answer can be taken back.
    chat.type("several\r")
    chat.sees("1 of 2  First").sees("Enter sends the answer")
    chat.type("a\r")
    chat.sees("2 of 2  Second (may be left out)")
    chat.type("b\r")
    chat.sees("[y] send").sees("one key answers")
    chat.type("e")
    chat.sees("First (Enter: a) ")
    chat.keys("enter")
    chat.sees("Second (Enter: b; - leaves it out)")
    chat.type("-\r")
    chat.sees("Second: (left out)").sees("one key answers")
    chat.type("y")
    chat.sees('"content": {"first": "a"}')
    # The same without a terminal.
    chat.prompt()
    b.run("run", "--mode", "bypass", "boolean", code=4, THOLE_SCRIPT=script, THOLE_MCP_SERVERS=servers)
    action, = b.pending()
    r = b.run("approve", action, "--answer", "maybe", code=2)
    assert "it must be yes or no" in r.err and "Really?" in r.err, r
    b.run("approve", action, "--answer", "yes", code=0)
