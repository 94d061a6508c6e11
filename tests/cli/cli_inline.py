"""The inline view: Markdown, the last line, attached turns, lists, tmux."""
import re
import shutil
import subprocess

from cli_fixture import THOLE, test, until

MARKED = "# Head\n\nSome **bold** words and `code` that run on for longer than forty columns do.\n\n- an item\n\n```sh\nmake *test*\n```\n"


def rower(b):
    return b.script({"rules": [{"when": {"text": "row"}, "replies": [
        {"text": "I row.", "toolCalls": [{"name": "row", "args": {"command": "row \x1b[2J hard"}}]}, {"text": "Rowed.", "delayMs": 1}]}],
        "default": {"text": MARKED, "chunk": 5, "delayMs": 2},
        "tools": [{"name": "row", "result": {"text": "there", "progress": [
            {"afterMs": 200, "message": "rowing", "completed": 1, "total": 2}, {"afterMs": 2500, "message": "rowing", "completed": 2, "total": 2}]}}]})


def shown(t):
    """The screen of a terminal that knows only lines, returns and blanks."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", t)
    assert "\x1b" not in text, repr(text)
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        row = ""
        for part in line.split("\r"):
            row = part + row[len(part):]
        lines.append(row.rstrip())
    return lines


@test
def markdown_is_shown_in_the_width_of_the_window(b):
    t = b.terminal("run", "--script", rower(b), "say it")
    t.size(40)
    t.wait()
    lines = shown(t.seen)
    at = lines.index("Head")
    assert lines[at:at + 10] == ["Head", "", "Some bold words and code that run on for", "longer than forty columns do.", "",
                                 "• an item", "", "```sh", "make *test*", "```"], lines
    assert "\x1b[1mHead\x1b[0m" in t.seen and "\x1b[36mcode\x1b[0m" in t.seen
    assert re.search(r" · [\d.]+k tokens in, 30 out · \$0\.\d+ thole log sess_\S+ · thole open sess_", " ".join(lines)), lines
    # a pipe gets the text byte for byte
    assert b.run("run", "say it", code=0).out == MARKED


@test
def running_work_is_shown_on_the_last_line_and_leaves_nothing(b):
    t = b.terminal("run", "--script", rower(b), "row there")
    t.size(160)
    t.expect("rowing, 1 of 2 · ")
    whole = t.seen
    t.wait()
    lines = shown(t.seen)
    assert [line for line in lines if line][-3:-1] == ["  ✓ row  " + next(x for x in lines if "✓" in x).split("  ")[2] + "  there", "Rowed."], lines
    assert not [line for line in lines if "⋯" in line], (whole, lines)
    out = b.run("run", "row", code=0)
    assert "→ row  row ^[[2J hard" in out.err and "rowing, 1 of 2" in out.err and out.out == "I row.\nRowed.\n"
    plain = b.terminal("run", "--plain", "row")
    plain.wait()
    assert "runs row" in plain.seen and "done row" in plain.seen and not re.search(r"[\x1b→✓⋯]", plain.seen), plain.seen


@test
def a_narrower_window_loses_no_text(b):
    t = b.terminal("run", "--script", rower(b), "row")
    t.size(100)
    t.expect("⋯ row")
    t.size(12)
    assert t.wait() == 0
    assert "✓ row" in t.seen and "Rowed." in t.seen and "\x1b[K" not in t.seen


@test
def a_turn_is_attached_to(b):
    b.run("run", "-d", "approve", code=0)
    assert "asks you first" in b.run("attach", code=4).out
    t = b.terminal("attach", "@last")
    t.expect("[y] once")
    t.type("y\n")
    assert t.wait() == 0
    assert "The note is in" in t.seen
    r = b.run("attach", code=1)
    assert "Nothing runs" in r.err and "thole send" in r.err
    turn = b.run("log", "--json", code=0).lines()[-1]["turnId"]
    r = b.run("attach", turn, code=0)
    assert "The note is in" in r.out and "to allow:" not in r.err, "what was decided is not asked again"
    b.run("attach", "--here", code=2)


@test
def lists_have_four_forms(b):
    for prompt in ("approve", "approve it again"):
        b.run("run", prompt, code=4)
    ids = b.run("approvals", "-o", "id", code=0).ids()
    assert ids == b.run("approvals", "-q", code=0).ids() and len(ids) == 2
    whole = b.run("approvals", "-o", "json", code=0).json()["actions"]
    assert whole == b.run("approvals", "-o", "jsonl", code=0).lines() and [a["actionId"] for a in whole] == ids
    assert b.run("approvals", "-o", "table", code=0).out.startswith("ACTION")
    assert len(b.run("ps", "-o", "jsonl", code=0).lines()) == 2 and len(b.run("ps", "-o", "json", code=0).json()["sessions"]) == 2
    assert b.run("channel", "-o", "jsonl", code=0).out == ""
    b.run("ps", "-o", "xml", code=2)


@test
def it_works_in_tmux(b):
    if not shutil.which("tmux"):
        return
    tmux = ["tmux", "-S", str(b.dir / "tmux"), "-f", "/dev/null"]
    script = rower(b)

    def screen():
        return subprocess.run([*tmux, "capture-pane", "-p", "-S", "-100"], capture_output=True, text=True, check=True).stdout

    subprocess.run([*tmux, "new-session", "-d", "-x", "60", "-y", "20", "sh"], env=b.env, cwd=b.work, check=True)
    try:
        subprocess.run([*tmux, "send-keys", f"{THOLE} run --script {script} row; {THOLE} run say; {THOLE} run --here approve", "Enter"], check=True)
        until("the tool", lambda: "⋯ row" in screen())
        subprocess.run([*tmux, "resize-window", "-x", "30", "-y", "20"], check=True)
        until("the question", lambda: "[y] once" in screen())
        subprocess.run([*tmux, "send-keys", "y", "Enter"], check=True)
        until("the end", lambda: "The note is in" in screen() and (b.work / "thole-note.txt").exists())
        text = screen()
        assert "I row." in text and "Rowed." in text and "• an item" in text and "make *test*" in text, text
        assert text.index("I row.") < text.index("✓ row") < text.index("Rowed.") < text.index("Head"), text
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
