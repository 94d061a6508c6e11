#!/usr/bin/env python3
"""The Telegram bridge as a real process, between the real daemon and a server that answers as Telegram's Bot API does.

usage: telegram_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a daemon, a server and a bridge of its own.
"""
import http.server
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import threading

from bridge_fixture import ANN, BLANKS, BOB, COMMAND, DEADLINE_S, EVE, LINES, LONG, PLAN, ROOT, World, Wrong, until

from tap import long, play

World.build = str(pathlib.Path(sys.argv[1]).resolve())
GROUP = -100777
COUNT = 2000 if os.environ.get("THOLE_DEEP") else 100  # messages across kills
tests = []


def test(f):
    tests.append(f)
    return f


def equal(got, want, what=""):
    if got != want:
        raise Wrong(f"{what}: {json.dumps(got)[:1500]} instead of {json.dumps(want)[:700]}")


def holds(truth, what):
    if not truth:
        raise Wrong(str(what)[:1500])


class Telegram(World):
    def __init__(self, **more):
        super().__init__("telegram", **more)

    def write(self, text, user=ANN, chat=None, **more):
        return self.control("push", chat=chat or user, user=user, text=text, **more)["update_id"]

    def messages(self, chat=ANN):
        """What the bot's messages in a chat say now."""
        return [m for m in self.control("state")["messages"].values() if m["from_bot"] and m["chat"] == chat and not m.get("deleted")]

    def texts(self, chat=ANN):
        return [m["text"] for m in self.messages(chat)]

    def sees(self, text, chat=ANN):
        """The first message that contains the text."""
        return until(lambda: f"{text!r} in {self.texts(chat)}; bridge: {self.bridge_log()[-1500:]}",
                     lambda: next((m for m in self.messages(chat) if text in m["text"]), None))

    def press(self, message, label, user=ANN, chat=None):
        data = [b["callback_data"] for row in message["keyboard"] for b in row if b["text"] == label]
        holds(data, f"no button {label}: {message}")
        self.control("push", chat=chat or message["chat"], user=user, data=data[0], message=message["id"])

    def pressed(self):
        return [p["text"] for p in self.control("state")["pressed"]]


@test
def a_message_is_a_turn_and_its_answer_a_message():
    with Telegram() as w:
        w.write("hello")
        equal(w.sees("answer to hello")["reply_to"], 501)
        # The conversation continues in the same session.
        w.write("again")
        w.sees("answer to again")
        sessions = w.sessions()
        equal(len(sessions), 1)
        session = sessions[0]["sessionId"]
        tasks = [e["task"] for e in w.events(session, "task.created")]
        by = tasks[0]["requestedBy"]
        equal([by["principal"], by["onBehalfOf"]], ["telegram", "telegram:11 Ann"])
        channels = w.events(session, "channel.connected")
        equal([channels[0]["channel"][k] for k in ("peerRole", "nativeProtocol", "capabilities")], ["client", "telegram", ["permissions"]])
        equal(by["channelId"], channels[0]["channelId"])
        # What shows progress is gone.
        until("the progress messages are removed", lambda: w.texts() == ["answer to hello", "answer to again"])
        w.write("/new")
        w.sees("new conversation")
        w.write("other")
        w.sees("answer to other")
        equal(len(w.sessions()), 2)
        w.write("/status")
        w.sees("Turns that run or wait: 0")
        w.write("/help")
        w.sees("/stop")


@test
def an_approval_is_decided_by_a_button_and_says_who_decided():
    with Telegram() as w:
        w.write("publish", user=BOB)
        asked = w.sees("Approval: publish", BOB)
        holds(COMMAND in asked["text"] and "telegram:22" in asked["text"], asked)
        equal([e["type"] for e in asked["entities"]], ["pre"])
        equal([b["text"] for row in asked["keyboard"] for b in row], ["Allow once", "Allow in this session", "Deny"])
        # Bob asked; he is no approver.
        w.press(asked, "Allow once", user=BOB)
        until("Bob is refused", lambda: w.pressed() == ["You may not decide this."])
        w.press(asked, "Allow once", user=ANN)
        w.sees("The tool said: published", BOB)
        decided = w.sees("Allowed (once) by telegram:11 Ann.", BOB)
        equal([decided["id"], decided["keyboard"]], [asked["id"], []])
        session = w.sessions()[0]["sessionId"]
        resolved = w.events(session, "action.resolved")[0]["payload"]
        equal([resolved["decision"], resolved["scope"], resolved["decidedBy"]["principal"], resolved["decidedBy"]["onBehalfOf"]],
              ["allow", "once", "telegram", "telegram:11 Ann"])
        equal(len(w.events(session, "channel.permission_returned")), 1)
        # A second press finds it decided.
        w.press(asked, "Deny", user=ANN)
        until("the second answer is refused", lambda: len(w.pressed()) == 3)
        holds("decided before" in w.pressed()[-1], w.pressed())
        equal(len(w.events(session, "action.resolved")), 1)


@test
def a_denial_and_a_decision_elsewhere_are_shown():
    with Telegram() as w:
        w.write("publish")
        w.press(w.sees("Approval: publish"), "Deny")
        w.sees("Denied by telegram:11 Ann.")
        w.sees("The tool said")
        w.write("publish again")
        until("the second approval", lambda: len([t for t in w.texts() if "Approval" in t]) == 2)
        action = until("it waits", lambda: w.call("list_actions")["actions"])[0]
        w.call("respond_action", sessionId=action["sessionId"], actionId=action["actionId"], decision="allow")
        w.sees("Allowed (once) by owner.")


@test
def approvals_of_other_sessions_appear_in_the_chat_that_was_named():
    with Telegram(approvals_chat=ANN) as w:
        session = w.call("submit_turn", input="publish")["sessionId"]
        asked = w.sees("Approval: publish")
        holds(session in asked["text"], asked)
        w.press(asked, "Allow once")
        until("the turn ends", lambda: w.events(session, "turn.completed"))
        by = w.events(session, "action.resolved")[0]["payload"]["decidedBy"]
        equal([by["principal"], by["onBehalfOf"]], ["telegram", "telegram:11 Ann"])


@test
def a_question_of_another_session_does_not_take_the_next_message():
    with Telegram(approvals_chat=ANN) as w:
        session = w.call("submit_turn", input="which")["sessionId"]
        w.sees("Answer it where the session was begun")
        w.write("hello")
        w.sees("answer to hello")
        equal(w.events(session, "action.resolved"), [])
        chosen = w.call("submit_turn", input="choose")["sessionId"]
        w.press(w.sees("Red or blue?"), "red")
        until("the choice is the answer", lambda: w.events(chosen, "turn.completed"))


@test
def what_is_hidden_in_a_command_is_shown_and_what_is_too_long_cannot_be_allowed():
    with Telegram() as w:
        w.write("hidden")
        holds("echo \\u{202e}good\\u{200b}" in w.sees("Approval")["text"], w.texts())
        w.write("/stop")
        w.sees("Stopping.")
        w.write("huge", user=BOB)
        asked = w.sees("too long for this chat", BOB)
        equal([b["text"] for row in asked["keyboard"] for b in row], ["Deny"])


@test
def without_the_scope_approve_there_are_no_buttons_and_questions_are_answered():
    with Telegram(scopes=("read", "write"), sessions="own") as w:
        w.write("publish")
        asked = w.sees("Decide it in the console")
        equal(asked["keyboard"], [])
        w.write("which", user=BOB)
        w.sees("Which one?", BOB)
        w.write("the red one", user=BOB)
        w.sees("You chose the red one", BOB)


@test
def questions_are_answered_by_the_next_message_or_by_a_button():
    with Telegram() as w:
        w.write("which")
        w.sees("Which one?")
        w.write("the blue one")
        w.sees("You chose the blue one")
        session = w.sessions()[0]["sessionId"]
        equal(w.events(session, "action.resolved")[0]["payload"]["decidedBy"]["onBehalfOf"], "telegram:11 Ann")
        w.write("which", user=BOB)
        w.press(w.sees("Which one?", BOB), "Decline", user=BOB)
        w.sees("Declined by telegram:22", BOB)


@test
def strangers_get_nothing():
    with Telegram(chats=[]) as w:
        w.write("hello", user=EVE)
        w.write("hello", user=ANN, chat=GROUP)
        w.write("publish")
        asked = w.sees("Approval")
        w.press(asked, "Allow once", user=EVE)
        w.write("which", user=BOB)
        w.sees("Which one?", BOB)  # all of the above was read
        equal([w.messages(EVE), w.messages(GROUP), w.pressed()], [[], [], []])
        equal(len(w.sessions()), 2)
        holds("Eve" not in w.bridge_log(), w.bridge_log())


@test
def groups_topics_and_attachments():
    with Telegram(chats=[GROUP]) as w:
        w.write("one", chat=GROUP, more={"message_thread_id": 5, "is_topic_message": True})
        w.write("two", chat=GROUP, user=BOB, more={"message_thread_id": 6, "is_topic_message": True})
        equal(w.sees("answer to one", GROUP)["thread"], 5)
        equal(w.sees("answer to two", GROUP)["thread"], 6)
        equal(len(w.sessions()), 2)
        w.control("push", chat=ANN, user=ANN, more={"photo": [{"file_id": "1"}], "caption": "look"})
        w.sees("takes text only")
        w.control("push", chat=ANN, user=ANN, more={"new_chat_title": "x"})
        w.write("/status")
        w.sees("No conversation has begun")
        equal(len(w.texts()), 2)


@test
def long_answers_are_divided_and_markup_is_text():
    with Telegram() as w:
        w.write("long")
        w.sees("Line 599 ")
        until("the progress message is removed", lambda: "".join(w.texts()).rstrip() == LONG.rstrip())
        holds(len(w.texts()) > 2, len(w.texts()))
        w.write("markup", user=BOB)
        equal(w.sees("bold", BOB)["text"], "<b>bold</b> &amp; *stars* <@U1> <!channel> \\u{202e}back")
        holds(all("parse_mode" not in args for _, args in w.control("state")["calls"]), "a parse mode")
        w.write("broken", user=BOB)
        w.sees("The key is not valid.", BOB)


@test
def stop_ends_what_runs():
    with Telegram() as w:
        w.write("hang")
        w.sees("Working")
        w.write("second")
        w.sees("Waiting for what runs before")
        w.write("/stop")
        w.sees("Stopping.")
        w.sees("Stopped.")
        session = w.sessions()[0]["sessionId"]
        asked = [e for e in w.events(session, "run.status") if e["payload"]["kind"] == "interrupt_requested"]
        equal(asked[0]["payload"]["requestedBy"]["onBehalfOf"], "telegram:11 Ann")


@test
@long
def faults_of_telegram_lose_and_double_nothing():
    with Telegram() as w:
        for method in ("sendMessage", "getUpdates", "deleteMessage", "editMessageText", "answerCallbackQuery"):
            w.control("fault", method=method, kind="error", code=429, retry_after=1)
            w.control("fault", method=method, kind="error", code=502)
            w.control("fault", method=method, kind="drop_before")
            w.control("fault", method=method, kind="drop_after")
        w.write("publish", twice=True)
        w.press(w.sees("Approval"), "Allow once")
        w.sees("The tool said: published")
        w.sees("Allowed (once)")
        until("each message is there once", lambda: sorted(t.split("\n")[0] for t in w.texts()) == ["Approval: publish", "The tool said: published"])
        equal(len(w.sessions()), 1)
        # A chat that blocked the bot does not hold up the others.
        w.kill_bridge()
        w.config["users"] = [*w.config["users"], 403403]
        w.start_bridge()
        w.write("hello", user=403403)
        w.write("later")
        w.sees("answer to later")


@test
def a_kill_while_a_message_is_sent_neither_loses_nor_doubles_it():
    with Telegram() as w:
        for kind in ("kill_after", "kill_before"):
            for i in range(2):
                w.control("fault", method="sendMessage", kind=kind, pid=w.bridge.pid)
                w.write(f"{kind} {i}")
                w.bridge.wait(DEADLINE_S)
                w.start_bridge()
                w.sees(f"answer to {kind} {i}")
        want = [f"answer to {k} {i}" for k in ("kill_after", "kill_before") for i in range(2)]
        until(lambda: f"only answers: {w.texts()}", lambda: w.texts() == want)
        equal(len(w.sessions()), 1)


@test
@long
def many_messages_across_kills_of_bridge_and_daemon():
    with Telegram(options=["recovery.resume=auto"]) as w:
        rng = random.Random(17)
        kills = 0
        for i in range(COUNT):
            w.write(f"message {i}.", user=rng.choice((ANN, BOB)))
            if i % (COUNT // 11) == 4:
                until("some of it was answered", lambda: len(w.control("state")["calls"]) > i)
                kills += 1
                if kills % 4 == 3:
                    w.daemon.kill()
                    w.start_daemon()
                else:
                    w.kill_bridge()
                    w.start_bridge()

        def answers():
            return sorted((t for chat in (ANN, BOB) for t in w.texts(chat)), key=lambda t: int(t.split()[-1].strip(".")) if t[-2:-1].isdigit() else -1)

        until(lambda: f"{len(answers())} messages: {answers()[:8]}; {w.bridge_log()[-800:]}", lambda: len([t for t in answers() if t.startswith("answer")]) == COUNT
              and len(answers()) == COUNT, base_s=COUNT)
        equal(answers(), [f"answer to message {i}." for i in range(COUNT)])
        equal(len(w.sessions()), 2)
        equal(sum(len(w.events(s["sessionId"], "turn.submitted")) for s in w.sessions()), COUNT)


@test
def a_turn_that_a_restart_interrupted_is_continued_or_stopped_by_a_button():
    with Telegram() as w:
        for n, (label, then) in enumerate((("Continue", "Continuing."), ("Stop", "Stopped.")), 1):
            w.write("hang")
            w.sees("Working")
            session = until("the model was asked", lambda: [s["sessionId"] for s in w.sessions() if w.events(s["sessionId"], "model.delta")])[0]
            w.daemon.kill()
            w.start_daemon()
            w.press(w.sees("was restarted"), label)
            w.sees(then)
            if label == "Continue":
                until("the model was asked again", lambda: len(w.events(session, "model.requested")) == 2)
                w.write("/stop")
                w.sees("Stopped.")
            until("the question is removed", lambda: "was restarted" not in str(w.texts()))
            w.write("/new")
            until("the bridge heard it", lambda: str(w.texts()).count("The next message") == n)


@test
def a_session_that_was_deleted_is_replaced():
    with Telegram() as w:
        w.write("hello")
        w.sees("answer to hello")
        w.call("delete_session", sessionId=w.sessions()[0]["sessionId"])
        w.write("once more")
        w.sees("answer to once more")
        equal(len(w.sessions()), 1)


@test
def over_the_port_and_with_a_revoked_token():
    with Telegram() as w:
        w.kill_bridge()
        w.config["thole"] = {"url": f"http://127.0.0.1:{w.daemon.port}", "token_env": "BRIDGE_TOKEN"}
        w.start_bridge()
        w.write("hello")
        w.sees("answer to hello")
        session = w.sessions()[0]["sessionId"]
        equal(w.events(session, "channel.connected")[0]["channel"]["transport"], "websocket")
        w.call("revoke_token", name="telegram")
        w.write("second")
        until("the bridge says why", lambda: "unauthorized" in w.bridge_log())
        # With a new token of the same name the message is not lost.
        w.kill_bridge()
        w.env["BRIDGE_TOKEN"] = w.call("create_token", name="telegram", scopes=["read", "write"], sessions="all")["token"]
        w.start_bridge()
        w.sees("answer to second")


@test
def updates_of_an_unexpected_form_are_skipped():
    with Telegram() as w:
        user, chat = {"id": ANN, "is_bot": False}, {"id": ANN, "type": "private"}
        for raw in ({}, {"message": None}, {"message": {"from": user}}, {"message": {"from": user, "chat": 5, "text": "x"}}, {"message": {"from": user, "chat": chat}},
                    {"message": {"from": user, "chat": chat, "message_id": 1, "text": 5}}, {"message": {"from": user, "chat": chat, "message_id": "x", "text": "x"}},
                    {"message": {"chat": chat, "message_id": 2, "text": "a channel"}}, {"message": [1]}, {"callback_query": {"id": "1"}},
                    {"callback_query": {"id": "1", "from": user, "message": {"chat": chat, "message_id": 3}, "data": "zz:once"}},
                    {"callback_query": {"id": "2", "from": user, "message": {"chat": chat, "message_id": 3}, "data": "9:=x"}},
                    {"callback_query": {"id": "3", "from": user, "message": {"chat": chat, "message_id": 3}, "data": ":::"}},
                    {"poll": {}}, {"message": {"from": user, "chat": chat, "message_id": 4, "text": "\x00\ud800"}}):
            w.control("push", raw=raw)
        w.write("x" * 100000)
        w.write("still here")
        w.sees("answer to still here")
        equal(w.bridge.poll(), None)
        until("unknown buttons are answered", lambda: w.pressed() == ["This button is not known any more."] * 3)


@test
@long
def mistakes_in_the_file_stop_the_start():
    with Telegram() as w:
        w.kill_bridge()
        good = w.config
        for wrong, said in (({"users": []}, "users"), ({"approvers": [EVE]}, "approvers: 66"), ({"token_env": "NOT_SET"}, "NOT_SET has no value"),
                            ({"state": "here"}, "absolute path"), ({"colour": 1}, "colour: this key is not known"), ({"users": [True]}, "a list of ids"),
                            ({"thole": {}}, "either url or socket"), ({"thole": {"url": "http://127.0.0.1:1"}}, "token_env"), ({"progress_seconds": "x"}, "number")):
            path = w.dir / "wrong.json"
            path.write_text(json.dumps(good | wrong))
            done = subprocess.run([str(ROOT / "bridges" / "telegram"), str(path)], env=w.env, capture_output=True, text=True, timeout=DEADLINE_S)
            equal(done.returncode, 3, (wrong, done.stderr))
            holds(said in done.stderr and "Traceback" not in done.stderr, done.stderr)
        # Two bridges with one state would answer twice.
        w.start_bridge()
        w.write("hello")
        w.sees("answer to hello")
        path.write_text(json.dumps(good))
        done = subprocess.run([str(ROOT / "bridges" / "telegram"), str(path)], env=w.env, capture_output=True, text=True, timeout=DEADLINE_S)
        equal(done.returncode, 3)
        holds("another bridge" in done.stderr, done.stderr)
        state = sqlite3.connect(f"file:{w.config['state']}?mode=ro&immutable=1", uri=True)
        state.close()
        equal(pathlib.Path(w.config["state"]).stat().st_mode & 0o077, 0)


def labels(message):
    return [b["text"] for row in message["keyboard"] for b in row]


@test
def what_can_be_allowed_was_shown_whole():
    for word, whole, options in (("plan", PLAN, ["permission.mode=plan", "tools.enabled=true"]),
                                 ("wide", "line 90 of", ["permission.mode=on_request", "tools.enabled=true"]), ("lines", LINES, [])):
        with Telegram(options=options) as w:
            w.write(word)
            asked = until("there are buttons", lambda: next((m for m in w.messages() if m["keyboard"]), None))
            equal(labels(asked), ["Allow once", *(["Allow in this session"] if word == "lines" else []), "Deny"])
            seen = "".join(w.texts())
            holds(whole in seen and "Asked by: telegram:11 Ann" in seen and "refused" not in w.bridge_log(), (word, seen, w.bridge_log()))
            holds(word != "wide" or ("It is needed. " * 35).strip() in seen, seen)
            w.press(asked, "Allow once")
            w.sees("Allowed (once) by telegram:11 Ann.")


@test
def a_grant_for_the_session_covers_what_was_shown_and_ends_the_questions():
    with Telegram() as w:
        w.write("publish")
        asked = w.sees("Approval: publish")
        holds("In this session: publish with any arguments" in asked["text"].splitlines(), asked)
        w.press(asked, "Allow in this session")
        w.sees("Allowed (session) by telegram:11 Ann.")
        w.sees("The tool said: published")
        session = w.sessions()[0]["sessionId"]
        granted = [e["payload"] for e in w.events(session, "policy.changed") if e["payload"]["change"] == "grant_added"]
        option = w.events(session, "action.required")[0]["payload"]["decisions"][0]
        equal([[g["match"] for g in granted], granted[0]["scope"]], [option["covers"], "session"])
        w.write("publish again")
        until("the second answer", lambda: sum("The tool said: published" in text for text in w.texts()) == 2)
        equal(len(w.events(session, "action.required")), 1)
        # A command: its words and its directory, nothing else.
    with Telegram(options=["permission.mode=untrusted", "tools.enabled=true"]) as w:
        w.write("remove")
        asked = w.sees("Approval: shell")
        holds(any(line.startswith("In this session: shell rm -rf 'two words' in /") for line in asked["text"].splitlines()), asked)
        # Only what was offered can be chosen.
        data = asked["keyboard"][0][0]["callback_data"].partition(":")[0]
        w.control("push", chat=ANN, user=ANN, data=f"{data}:workspace", message=asked["id"])
        until("a made-up scope is refused", lambda: w.pressed()[-1:] == ["This button is not known any more."])
        w.press(asked, "Deny")
        w.sees("Denied by telegram:11 Ann.")


@test
def a_line_break_of_a_model_cannot_look_like_a_line_of_the_head():
    with Telegram(options=["permission.mode=on_request", "tools.enabled=true"]) as w:
        w.write("break")
        asked = w.sees("Approval: shell")
        head = asked["text"].splitlines()
        equal([sum(line.startswith(word) for line in head) for word in ("Approval:", "Directory:", "Asked by:")], [1, 1, 1])
        holds("It is needed.\\u{a}Directory: /tmp\\u{a}Asked by: the owner" in asked["text"], asked)
        w.press(asked, "Deny")
        w.sees("Denied by telegram:11 Ann.")


@test
def a_long_question_that_was_not_shown_whole_takes_no_answer():
    for word in ("epic", "epic choice"):
        with Telegram() as w:
            # The first message is the progress, the second the first part of the question.
            w.control("fault", method="sendMessage", kind="pass")
            w.control("fault", method="sendMessage", kind="error", code=400, text="Bad Request: no")
            w.write(word)
            asked = w.sees("A part of this could not be shown here.")
            holds("The next message here is the answer." not in asked["text"], asked)
            equal(labels(asked), ["Decline"])
            data = asked["keyboard"][0][0]["callback_data"]
            w.control("push", chat=ANN, user=ANN, data=data.replace("decline", "=0"), message=asked["id"])
            until("a made-up button answers nothing", lambda: len(w.pressed()) == 1 and w.pressed() != ["Recorded."])
            w.write("red")
            until("a message is a turn of its own", lambda: any("Waiting for what runs before" in text for text in w.texts()))
            w.press(asked, "Decline")
            w.sees("answer to red")
            session = w.sessions()[0]["sessionId"]
            equal([e["payload"]["decision"] for e in w.events(session, "action.resolved")], ["decline"])


@test
def choices_are_shown_by_their_titles_and_answered_by_either():
    sys.path.insert(0, str(ROOT / "bridges"))
    from thole_bridge import schema

    def only(member):
        return {"properties": {"x": member}}
    for member in ({"enum": ["p1", "p2"], "enumNames": ["Cat", "Dog"]},
                   {"type": "string", "oneOf": [{"const": "p1", "title": "Cat"}, {"const": "p2", "title": "Dog"}]}):
        equal([schema.labels(only(member)), schema.choices(only(member))], [["Cat", "Dog"], ["p1", "p2"]])
        equal([schema.payload(only(member), text) for text in ("dog", "P1", "Fox")], [{"x": "p2"}, {"x": "p1"}, {"x": "Fox"}])
    equal(schema.labels(only({"enum": [1, 2], "enumNames": ["one"]})), ["1", "2"])
    equal(schema.payload(only({"enum": [1, 2]}), "2"), {"x": 2})
    for member in ({"oneOf": [{"type": "string"}, {"const": "a"}]}, {"oneOf": [7]}, {"enum": list(range(9))}, {"type": "string"}):
        equal(schema.choices(only(member)), [])
    equal(schema.labels(only({"type": "boolean"})), ["Yes", "No"])


@test
def what_telegram_refused_to_show_cannot_be_allowed():
    with Telegram(approvals_chat=ANN) as w:
        for word, said in (("lines", "A part of this could not be shown here."), ("publish", "Something waits for a decision and could not be shown here.")):
            w.control("fault", method="sendMessage", kind="error", code=400, text="Bad Request: no")
            session = w.call("submit_turn", input=word)["sessionId"]
            asked = w.sees(said)
            equal(labels(asked), ["Deny"])
            data = asked["keyboard"][0][0]["callback_data"]
            w.control("push", chat=ANN, user=ANN, data=data.replace("deny", "once"), message=asked["id"])
            until("a made-up button does not allow it", lambda: w.pressed()[-1:] == ["This was not shown here completely. Decide it in the console."])
            equal(w.events(session, "action.resolved"), [])
            w.press(asked, "Deny")
            until("it is denied", lambda: w.events(session, "action.resolved"))
            until("the message says so", lambda: not any(m["keyboard"] for m in w.messages()))
            w.control("push", chat=ANN, user=ANN, data="77:once", message=asked["id"])
            until("the answer came", lambda: w.pressed()[-1:] == ["This button is not known any more."])


@test
def what_cannot_be_used_does_not_end_the_bridge():
    with Telegram(approvals_chat=GROUP, chats=[GROUP]) as w:
        for word, question in (("many fields", "Two things?"), ("count", "How many?")):
            w.write(word, user=BOB)
            w.sees(question, BOB)
            w.write("[" * 4000, user=BOB)
            until("the answer is refused", lambda: w.texts(BOB)[-1].startswith("This question has several fields"))
            w.write("/stop", user=BOB)
            until("it is stopped", lambda: "Stopped." in w.texts(BOB)[-1])
            w.write("/new", user=BOB)
            until("a new conversation", lambda: "new conversation" in w.texts(BOB)[-1])
        for data in ("9" * 30 + ":once", "\u00b2:once", "\u0661:once", "1:=" + "9" * 30, "1:=\u00b2"):
            w.control("push", chat=BOB, user=BOB, data=data, message=501)
        until("each button is answered", lambda: w.pressed() == ["This button is not known any more."] * 5)
        # Something in the inbox that no version of the bridge can read.
        w.kill_bridge()
        state = sqlite3.connect(w.config["state"])
        state.execute("insert into inbox(key, body) values('odd', ?)", (json.dumps({"kind": "text", "text": "x", "place": str(BOB)}),))
        state.commit()
        state.close()
        w.start_bridge()
        w.sees("could not be used", BOB)
        # Replies without the id of the message, and pauses that are no number.
        w.control("fault", method="sendMessage", kind="odd")
        w.control("fault", method="getUpdates", kind="odd")
        w.control("fault", method="sendMessage", kind="error", code=429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT")
        w.write("hello", user=BOB)
        w.sees("answer to hello", BOB)
        equal(w.bridge.poll(), None)


class LoginServer(http.server.BaseHTTPRequestHandler):
    """A tool server whose tool wants a login at a page."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, code, body=None):
        data = json.dumps(body).encode() if body else b""
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.reply(405)

    do_DELETE = do_GET

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in asked:
            return self.reply(202)
        page = {"mode": "url", "url": "https://login.example/a", "message": "Please sign in", "elicitationId": "e1"}
        results = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}},
                   "tools/list": {"tools": [{"name": "go", "description": "x", "inputSchema": {"type": "object"}}]}}
        if asked["method"] in results:
            return self.reply(200, {"jsonrpc": "2.0", "id": asked["id"], "result": results[asked["method"]]})
        wanted = asked["method"] == "tools/call"
        return self.reply(200, {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32042 if wanted else -32601, "message": "no", "data": {"elicitations": [page]}}})


@test
def a_login_does_not_take_messages_and_can_be_declined():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), LoginServer)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    servers = {"own": {"url": f"http://127.0.0.1:{server.server_address[1]}/mcp"}}
    with Telegram(options=["permission.mode=bypass", "mcp.servers=" + json.dumps(servers)]) as w:
        until("the tool is there", lambda: "mcp__own__go" in json.dumps(w.call("list_tools")))
        w.write("login")
        asked = w.sees("Please sign in")
        w.write("my password is hunter2")
        w.sees("Waiting for what runs before")  # a turn, and no answer
        w.press(asked, "Decline")
        w.sees("answer to my password")
        session = w.sessions()[0]["sessionId"]
        equal([e["payload"]["decision"] for e in w.events(session, "action.resolved")], ["deny"])
    server.shutdown()


@test
def questions_of_other_sessions_are_for_approvers():
    with Telegram(approvals_chat=GROUP, chats=[GROUP]) as w:
        session = w.call("submit_turn", input="choose")["sessionId"]
        asked = w.sees("Red or blue?", GROUP)
        for label in ("red", "Decline"):
            w.press(asked, label, user=BOB)
        until("Bob is refused", lambda: w.pressed() == ["You may not decide this."] * 2)
        equal(w.events(session, "action.resolved"), [])
        w.press(asked, "blue", user=ANN)
        until("Ann is not", lambda: w.events(session, "turn.completed"))
        # In a conversation of his own Bob answers.
        w.write("choose", user=BOB)
        w.press(w.sees("Red or blue?", BOB), "red", user=BOB)
        w.sees("You chose red", BOB)


@test
def approvals_show_blanks_as_codes_and_who_named_another_person():
    with Telegram(approvals_chat=ANN) as w:
        session = w.call("submit_turn", input="blanks")["sessionId"]
        text = w.sees("Approval: publish")["text"]
        want = "".join(c if c == " " or c.isascii() else f"\\u{{{ord(c):x}}}" for c in BLANKS)
        holds(want in text, ascii(text))
        action = w.events(session, "action.required")[0]["actionId"]
        w.call("respond_action", sessionId=session, actionId=action, decision="allow", scope="once", onBehalfOf="telegram:11 Ann")
        w.sees("Allowed (once) by owner for telegram:11 Ann.")


sys.exit(play(tests, sys.argv[2:]))
