"""`thole` with options and without a command: which of them open a chat, and what the others say."""
import json

from chat_fixture import Chat, test
from cli_fixture import until


def answered(chat, text):
    chat.type(text + "\r")
    chat.sees("You wrote: " + text)
    return chat.prompt()


def events(b, *types):
    lines = b.run("log", "@last", "--json", "--type", ",".join(types), code=0).out.splitlines()
    return [json.loads(line)["payload"] for line in lines]


@test
def options_alone_open_a_chat(b):
    more = b.dir / "more"
    more.mkdir()
    for words in (["-m", "scripted/demo"], ["-mscripted/demo"], ["--model", "scripted/demo"], ["--model=scripted/demo"], ["--mode", "plan"],
                  ["--mode=plan"], ["--effort", "high"], ["--add-dir", str(more)], ["--add-dir=" + str(more), "-m", "scripted/demo"],
                  ["-C", str(more)], ["--no-color", "-m", "scripted/demo"], ["-m", "scripted/demo", "-c"], ["-c", "-m", "scripted/demo"],
                  ["-c", "--mode", "plan", "--effort=low"], ["--data", str(b.data), "-m", "scripted/demo"], ["-c", "action.timeout_s=9", "-m",
                  "scripted/demo", "--here"], ["-m", "scripted/demo", "chat"], ["--mode", "plan", "chat", "--effort", "low"]):
        chat = Chat(b, *words)
        try:
            chat.prompt()
        except AssertionError as e:
            raise AssertionError(f"thole {' '.join(words)}: {e}") from None
        chat.keys("ctrl-d")
        assert chat.wait() == 0, words


@test
def the_options_of_a_chat_have_effect(b):
    more = b.dir / "more"
    more.mkdir()
    chat = Chat(b, "--mode", "plan", "--effort", "high", "-m", "scripted/demo", columns=120).sees("plan").prompt()
    assert "[]" in b.run("ps", "--all", "--json", code=0).out, "a chat without a message leaves no session"
    answered(chat, "hello")
    assert " plan " in [line for line in chat.lines() if line][-1], chat.text()
    assert b.run("show", "@last", "--json", code=0).json()["permissionState"]["mode"] == "plan"
    assert "high" in json.dumps(events(b, "turn.submitted")), events(b, "turn.submitted")
    chat.keys("ctrl-d")
    chat.wait()
    chat = Chat(b, "-c", "--mode", "default", "--add-dir", str(more), columns=120).sees("hello").prompt()
    until("the mode", lambda: b.run("show", "@last", "--json", code=0).json()["permissionState"]["mode"] == "default")
    chat.sees(str(more))
    plain = b.run("chat", "--mode", "plan", "--effort", "low", stdin="one\ntwo\n", code=0)
    assert "You wrote: one" in plain.out and "turn 2 of this thread" in plain.out, plain
    assert b.run("show", "@last", "--json", code=0).json()["permissionState"]["mode"] == "plan"
    again = b.run("chat", "-c", "--mode", "default", stdin="three\n", code=0)
    assert "turn 3 of this thread" in again.out, again
    assert b.run("show", "@last", "--json", code=0).json()["permissionState"]["mode"] == "default"


@test
def wrong_options_without_a_command_are_explained(b):
    for words, said in ((["-m"], "--model wants MODEL"), (["--mode", "wild"], "--mode is one of: "), (["--effort", "wild"], "--effort is one of: "),
                        (["--add-dir", "/nonexistent"], "/nonexistent is no directory"), (["--wild"], "no option --wild"),
                        (["-c", "fix it"], "`thole -c` alone continues"), (["--detach"], "Give a prompt"),
                        (["-m", "scripted/demo", "ps"], "`thole ps` has no option"), (["-c", "-m", "scripted/demo", "--detach"], "--continue"),
                        (["-m", "scripted/demo", "--help"], "thole run PROMPT")):
        t = b.terminal(*words)
        code = t.wait()
        assert said in t.seen, (words, t.seen)
        assert code == (0 if "--help" in words else 2), (words, code)
    assert not b.data.exists(), "a mistake starts nothing"
    assert "You wrote: from a pipe" in b.run("-m", "scripted/demo", stdin="from a pipe", code=0).out, "without a terminal it is a prompt"
