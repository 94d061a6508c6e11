"""Approvals and questions inside the chat."""
import json
import re

from chat_fixture import Chat
from cli_fixture import Skip, test


def asked(b, **env):
    chat = Chat(b, columns=100, **env).prompt()
    chat.type("approve\r")
    return chat.sees("[y] once").sees("one key answers")


@test
def an_approval_shows_what_and_why_and_one_key_answers(b):
    chat = asked(b)
    text = chat.text()
    assert "path: thole-note.txt" in text and " asks" in text and "policy requires" in text, text
    for choice in ("[t] turn", "[s] session", "[a] always here", "[e] edit", "[n] no"):
        assert choice in text, text
    chat.type("y")
    chat.sees("The note is in thole-note.txt")
    assert (b.work / "thole-note.txt").exists()


@test
def keys_that_were_on_their_way_do_not_answer(b):
    chat = Chat(b, columns=100).prompt()
    # Typing continues while the prompt appears and after it.
    chat.type("approve\ryyyy")
    chat.sees("[y] once")
    for _ in range(20):
        chat.type("y")
        chat.pump(0.02)
    chat.sees("Esc, then a key")
    assert not (b.work / "thole-note.txt").exists() and "yyyy" in chat.input_line()
    assert len(b.pending()) == 1
    chat.keys("esc")
    chat.sees(lambda: "Esc, then" not in chat.text())
    chat.type("n")
    chat.sees("why, if you want to say")


@test
def no_takes_a_reason_for_the_model(b):
    chat = asked(b)
    chat.type("n")
    chat.sees("why, if you want to say")
    chat.type("too early\r")
    chat.sees("Nothing was written")
    assert "too early" in b.run("log", "@last", "--type", "action.resolved", "--json", code=0).out


@test
def edited_input_is_what_runs(b):
    chat = asked(b, EDITOR="sed -i s/thole-note/edited/")
    chat.type("e")
    chat.sees("The note is in edited.txt")
    assert (b.work / "edited.txt").exists()
    chat.sees("✓ write_note  edited.txt")
    assert 'changed by a person: {"path":"edited.txt"' in chat.text(), chat.text()
    chat = asked(b)
    chat.type("e")
    chat.sees("the arguments as you want them")
    chat.keys("ctrl-u")
    chat.type('{"path":"typed.txt","text":"x"}\r')
    chat.sees("The note is in typed.txt")


@test
def an_approval_for_the_session_asks_once(b):
    chat = asked(b)
    chat.sees("turn, session, always: tool ")  # what a wider approval covers
    chat.type("s")
    chat.sees("in this session").keys("enter")
    chat.sees("The note is in")
    chat.prompt()
    before = chat.whole().count("The note is in thole-note.txt.")
    chat.type("approve\r")
    chat.sees(lambda: chat.whole().count("The note is in thole-note.txt.") > before)
    assert "[y] once" not in chat.text()


@test
def an_answer_from_elsewhere_closes_the_prompt(b):
    chat = asked(b)
    action, = b.pending()
    b.run("approve", action, code=0)
    chat.sees("The note is in")
    chat.prompt()
    assert "[y] once" not in chat.text()


@test
def a_question_is_answered_by_a_line(b):
    chat = Chat(b, columns=100).prompt()
    chat.type("question\r")
    chat.sees("a number, or nothing to decline").sees("Enter sends the answer")
    chat.type("9\r")
    chat.sees("does not fit")
    chat.type("up\r")
    chat.sees("Your answer was: up the river")


@test
def a_prompt_is_there_again_after_the_chat_was_closed(b):
    chat = asked(b)
    chat.keys("ctrl-d")
    assert chat.wait() == 0
    chat = Chat(b, "-c", columns=100)
    chat.sees("[y] once").sees("one key answers")
    chat.type("y")
    chat.sees("The note is in thole-note.txt")


@test
def a_window_that_is_not_in_focus_is_notified(b):
    chat = Chat(b).prompt()
    chat.keys("focus-out")
    chat.type("hello\r")
    chat.sees("You wrote: hello")
    chat.sees(lambda: b"\x1b]9;Thole has finished\x07" in chat.raw)
    chat.keys("focus-in")
    chat.prompt()
    count = chat.raw.count(b"\x1b]9;")
    chat.type("again\r")
    chat.sees("You wrote: again")
    chat.prompt()
    assert chat.raw.count(b"\x1b]9;") == count


@test
def an_accepted_plan_returns_to_the_mode_before_it(b):
    """It ended in the mode default, whatever was chosen before the plan."""
    plan = {"toolCalls": [{"name": "exit_plan", "args": {"plan": "1. read 2. write"}}]}
    script = b.script({"rules": [{"when": {"text": "plan it"}, "replies": [plan, {"text": "Planned."}]}], "default": {"text": "ok"}})
    chat = Chat(b, columns=100, THOLE_SCRIPT=script).prompt().sees("demo · ")
    for mode in ("untrusted", "on_request", "default"):
        chat.type(f"/mode {mode}\r")
        chat.sees(f"demo · {mode}")
        chat.type("/mode plan\r")
        chat.sees("demo · plan")
        before = chat.whole().count("Planned.")
        chat.type("plan it\r")
        chat.sees("1. read 2. write").sees("one key answers").sees(f"once the plan is accepted, the mode is {mode}")
        chat.type("y")
        chat.sees(lambda: chat.whole().count("Planned.") > before)
        chat.sees(f"demo · {mode}")
        chat.prompt()
    # No answer of the user: nothing is carried out, and the mode stays.
    chat.type("/mode on_request\r")
    chat.sees("demo · on_request")
    chat.type("/mode plan\r")
    chat.sees("demo · plan")
    chat.type("plan it\r")
    chat.sees("one key answers")
    chat.type("n")
    chat.sees("what to change")
    chat.type("later\r")
    chat.prompt()
    assert "demo · plan" in chat.text(), chat.text()


@test
def an_answer_that_comes_too_late_is_no_message(b):
    """The key n, pressed after the approval was answered elsewhere, began a message."""
    chat = asked(b)
    b.run("approve", b.pending()[0], code=0)
    chat.sees(lambda: "one key answers" not in chat.text())
    chat.type("n")
    chat.sees(lambda: "it was answered elsewhere" in chat.text() or chat.input_line() == "› n")
    if chat.input_line() == "› n":
        raise Skip("the key came later than a person who sees the prompt would press it")
    chat.sees("The note is in thole-note.txt")
    chat.prompt()
    chat.type("new text")
    chat.sees(lambda: chat.input_line() == "› new text")
    chat.keys("ctrl-u")
    chat.prompt()
    chat.type("approve\r")
    chat.sees("one key answers")
    chat.type("n")
    chat.sees("why, if you want")
    chat.type("not now")
    chat.sees("› not now")
    b.run("approve", b.pending()[0], code=0)
    chat.sees("The question is closed; not sent: not now")
    chat.prompt()


def kept(b):
    """Grants that were made, by scope."""
    out = b.run("log", "@last", "--type", "action.resolved", "--json", code=0).out
    return [json.loads(line)["payload"].get("scope") for line in out.splitlines() if line]


@test
def a_faulty_edit_stays_in_the_input_until_it_is_right(b):
    """The text was gone, and what was typed next answered: the a of "command" granted the call for ever."""
    chat = asked(b)
    chat.type("e")
    chat.sees("the arguments as you want them")
    chat.type("x\r")
    chat.sees("That is no JSON object")
    chat.sees(lambda: chat.input_line().endswith("}x"))
    chat.type('{"always')
    chat.sees(lambda: chat.input_line().endswith('{"always'))
    assert len(b.pending()) == 1 and "no JSON object" in chat.text()
    # Escape goes back to the choices and stops nothing.
    chat.keys("esc")
    chat.sees("one key answers")
    assert len(b.pending()) == 1
    chat.type("e")
    chat.sees("the arguments as you want them")
    chat.keys("ctrl-u")
    chat.type('{"path":"right.txt","text":"x"}\r')
    chat.sees("The note is in right.txt")


@test
def an_edit_that_the_tool_does_not_take_is_there_to_be_changed(b):
    """The runtime refused it, and the prompt was gone with the text."""
    chat = asked(b)
    chat.type("e")
    chat.sees("the arguments as you want them")
    chat.keys("ctrl-u")
    chat.type('{"path":5}\r')
    chat.sees("the arguments as you want them, JSON").sees(lambda: chat.input_line() == '› {"path":5}')
    assert len(b.pending()) == 1
    chat.keys("ctrl-u")
    chat.type('{"path":"right.txt","text":"x"}\r')
    chat.sees("The note is in right.txt")


@test
def a_faulty_edit_of_an_editor_is_opened_again(b):
    editor = b.work.parent / "editor.sh"
    editor.write_text('#!/bin/sh\ngrep -q broken "$1" && echo \'{"path":"twice.txt","text":"x"}\' > "$1" || echo broken > "$1"\n')
    editor.chmod(0o755)
    chat = asked(b, EDITOR=str(editor))
    chat.type("e")
    chat.sees("That is no JSON object").sees("one key answers")
    chat.type("e")
    chat.sees("The note is in twice.txt")


@test
def a_wider_approval_says_what_it_covers_and_takes_a_second_key(b):
    chat = asked(b)
    chat.type("a")
    chat.sees("Enter grants it").sees("always in this workspace: tool ")
    assert len(b.pending()) == 1
    chat.keys("esc")
    chat.sees("one key answers")
    assert len(b.pending()) == 1
    chat.type("t")
    chat.sees("in this turn")
    chat.keys("enter")
    chat.sees("The note is in thole-note.txt")
    assert kept(b) == ["turn"]


@test
def a_message_typed_at_an_approval_answers_nothing(b):
    """The first letter of "actually" was a grant for the workspace."""
    chat = asked(b)
    for letter in "actually":
        chat.type(letter)
        chat.pump(0.02)
    chat.sees(lambda: chat.input_line() == "› actually").sees("Esc, then a key")
    assert len(b.pending()) == 1 and kept(b) == []
    chat.keys("ctrl-u")
    chat.sees("one key answers")
    # All at once, as a terminal without bracketed paste sends it.
    chat.type("yes please")
    chat.sees(lambda: chat.input_line() == "› yes please").sees("Esc, then a key")
    assert len(b.pending()) == 1
    chat.keys("esc")
    chat.sees(lambda: "Esc, then" not in chat.text())
    chat.type("y")
    chat.sees("The note is in thole-note.txt")
    assert kept(b) == ["once"]


@test
def text_that_is_pasted_at_an_approval_wants_escape_first(b):
    """After a paste y still answered."""
    chat = asked(b)
    chat.type("\x1b[200~look at this\x1b[201~")
    chat.sees("› look at this").sees("Esc, then a key")
    chat.type("y")
    chat.sees("› look at thisy")
    assert len(b.pending()) == 1


@test
def a_plan_is_shown_like_an_answer_and_accepted_or_revised(b):
    """A table was raw Markdown, and the choices were those of a call: "once"."""
    text = "# Steps\n\n| file | change |\n| --- | --- |\n| a.c | **more** |\n"
    plan = {"toolCalls": [{"name": "exit_plan", "args": {"plan": text}}]}
    script = b.script({"rules": [{"when": {"text": "plan it"}, "replies": [plan, {"text": "Planned."}]}], "default": {"text": "ok"}})
    chat = Chat(b, "--mode", "plan", columns=100, THOLE_SCRIPT=script).prompt()
    chat.type("plan it\r")
    chat.sees("[y] accept  [n] revise").sees("one key answers")
    assert "file │ change" in chat.text() and "a.c  │ more" in chat.text() and "| ---" not in chat.text(), chat.text()
    chat.type("n")
    chat.sees("what to change")
    chat.type("shorter\r")
    chat.sees("Planned.")


@test
def the_status_line_counts_what_child_agents_cost(b):
    script = b.script({
        "models": [{"provider": "alpha", "model": "m", "price": {"inputPerMTok": 1000, "outputPerMTok": 1000}}],
        "rules": [{"when": {"text": "delegate"}, "replies": [
            {"toolCalls": [{"name": "spawn_agent", "args": {"role": "adder", "input": "child one"}}]},
            {"toolCalls": [{"name": "wait_agents", "args": {}}]}, {"text": "All done."}]}],
        "default": {"text": "a long answer of the child " * 40}})
    chat = Chat(b, columns=120, THOLE_SCRIPT=script, THOLE_PERMISSION_MODE="bypass").prompt()
    chat.type("delegate\r")
    chat.sees("All done.")
    chat.prompt()
    whole = b.run("show", "@last", "--json", code=0).json()
    usd = whole["sessionCost"]["recordedUsd"]
    events = b.run("log", "@last", "--type", "cost.recorded", "--json", code=0).lines()
    assert len({e["threadId"] for e in events}) == 2, events
    chat.sees(lambda: any(abs(float(m) - usd) <= 0.006 for m in re.findall(r"\$([0-9.]+)", chat.lines()[-1] + chat.text()[-400:])))


@test
def the_clock_of_a_child_agent_runs_after_the_turn(b):
    """It showed the time of the last event."""
    script = b.script({
        "rules": [{"when": {"text": "delegate"}, "replies": [
            {"toolCalls": [{"name": "spawn_agent", "args": {"role": "adder", "input": "child one"}}]}, {"text": "It works on."}]},
            {"when": {"text": "child one"}, "reply": {"text": "never said", "delayMs": 600000}}]})
    chat = Chat(b, columns=120, THOLE_SCRIPT=script, THOLE_PERMISSION_MODE="bypass").prompt()
    chat.type("delegate\r")
    chat.sees("It works on.").prompt()

    def seconds():
        found = re.search(r"agent \S+ · (\d+)(?:\.\d+)? ?s", chat.text())
        return int(found[1]) if found else -1

    chat.sees(lambda: seconds() >= 0)
    first = seconds()
    chat.sees(lambda: seconds() >= first + 2)


@test
def a_long_question_is_broken_and_not_cut(b):
    """Its end, which says what an approval opens, was not on the screen."""
    command = "echo " + " ".join(f"word{n}" for n in range(30)) + " > /opt/x"
    script = b.script({"rules": [{"when": {"text": "do it"}, "replies": [{"toolCalls": [{"name": "shell", "args": {"command": command}}]}, {"text": "Done."}]}]})
    chat = Chat(b, columns=60, rows=50, THOLE_SCRIPT=script).prompt()
    chat.type("do it\r")
    chat.sees("[y] once")
    asked_for = b.run("log", "@last", "--type", "action.required", "--json", code=0).lines()[-1]["payload"]["prompt"]
    head = re.sub(r"\s+", "", asked_for)
    assert len(asked_for) > 80, asked_for
    shown = re.sub(r"[\s│┆↪›]+", "", chat.whole())
    assert head in shown, f"{head}\n{shown}"
