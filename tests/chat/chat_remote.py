"""The chat on another machine, over ssh to a real sshd on loopback."""
from chat_fixture import Chat
from cli_fixture import test, until


def there(b):
    from cli_remote import Server  # its tests are those of the command line
    server = Server(b)
    (b.dir / "repo" / "src").mkdir(parents=True)
    (b.dir / "repo" / "src" / "harbour.c").write_text("int x;\n")
    (b.dir / "repo" / "build.log").write_text("")
    (b.dir / "repo" / ".gitignore").write_text("*.log\n")
    (b.work / "only-here.txt").write_text("")
    return server, Chat(b, "-H", f"{server.url}{b.dir}/repo", columns=120)


@test
def files_of_the_other_machine_are_completed(b):
    server, chat = there(b)
    try:
        chat.prompt()
        chat.type("see @")
        chat.sees("src/harbour.c")
        assert "only-here" not in chat.text() and "build.log" not in chat.text(), chat.text()
        chat.type("harb")
        chat.sees("> src/harbour.c")
        chat.keys("tab")
        chat.sees(lambda: chat.input_line() == "› see @src/harbour.c")
        assert f"{server.url[6:]}:{b.dir}/repo" in chat.text(), chat.text()
        assert sorted(b.run("files", "-C", str(b.dir / "repo"), code=0).out.split()) == [".gitignore", "src/harbour.c"]
        assert b.run("-H", server.url, "files").code == 2
    finally:
        server.close()


@test
def a_file_of_the_other_machine_is_sent_with_the_message(b):
    """Only its name was sent."""
    server, chat = there(b)
    try:
        chat.prompt()
        chat.type("see @")
        chat.sees("src/harbour.c")
        chat.type("src/harbour.c and @none.c please\r")
        chat.sees("please")
        sent = until("the turn", lambda: b.run("-H", server.url, "log", "@last", "--type", "turn.submitted", "--json").lines())[-1]
        assert [(p["type"], p.get("name")) for p in sent["payload"]["input"]] == [("text", None), ("file", "src/harbour.c")], sent
        context = until("its context", lambda: b.run("-H", server.url, "log", "@last", "--type", "context.resolved", "--json").out)
        assert "src/harbour.c" in context, context
    finally:
        server.close()


@test
def undo_puts_the_files_of_the_other_machine_back(b):
    """/undo looked for the files on this machine."""
    script = b.script({"rules": [{"when": {"request": 1}, "reply": {"toolCalls": [
        {"name": "write_file", "args": {"path": "src/harbour.c", "content": "int y;\n"}}]}}], "default": {"text": "written"}})
    b.start("serve", "-c", "permission.mode=bypass", "--script", script, "--data", str(b.dir / "far")).stderr.readline()
    server, chat = there(b)
    place = b.dir / "repo" / "src" / "harbour.c"
    try:
        chat.prompt()
        chat.type("write it\r")
        chat.sees(lambda: place.read_text() == "int y;\n" and "written" in chat.text())
        chat.prompt()
        chat.type("/undo\r")
        chat.sees("put back")
        assert place.read_text() == "int x;\n"
        # A change is undone once; what is made in its place is the person's own.
        place.write_text("int y;\n")
        r = b.run("-H", server.url, "undo", "@last", code=0)
        assert "nothing is left to undo" in r.err and place.read_text() == "int y;\n", r
        place.write_text("int x;\n")
        chat.type("write it again\r")
        chat.sees(lambda: place.read_text() == "int y;\n")
        chat.prompt()
        place.write_text("int z;\n")
        assert "stays as it is" in b.run("-H", server.url, "undo", "@last", code=1).err and place.read_text() == "int z;\n"
        b.run("-H", server.url, "undo", "@last", "--force", code=0)
        assert place.read_text() == "int x;\n"
    finally:
        server.close()


@test
def commands_of_the_user_run_on_the_other_machine(b):
    server, chat = there(b)
    try:
        chat.prompt()
        chat.type("!pwd; echo \"it's $((40+2))\"; exit 3\r")
        chat.sees("it's 42").sees("exit 3").sees(f"{b.dir}/repo")
        chat.prompt()
        chat.type("!echo be''gun; sleep 600\r")
        chat.sees("begun")
        chat.keys("ctrl-c")
        chat.sees(lambda: "exit 1" in chat.text().split("begun")[-1] or "exit 255" in chat.text())
        chat.prompt()
        chat.type("do you see?\r")
        chat.sees("do you see?")
        assert "command-output.txt" in until("the turn", lambda: b.run("-H", server.url, "log", "@last", "--type", "turn.submitted", "--json").out)
    finally:
        server.close()
