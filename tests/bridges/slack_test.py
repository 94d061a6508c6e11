#!/usr/bin/env python3
"""The Slack bridge as a real process, between the real daemon and a server that answers as Slack's Web API and Socket Mode do.

usage: slack_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  What all bridges share is tested in telegram_test.py.
"""
import json
import pathlib
import random
import sys

from bridge_fixture import COMMAND, DEADLINE_S, LONG, World, Wrong, until

from tap import long, play

World.build = str(pathlib.Path(sys.argv[1]).resolve())
ANN, BOB, EVE = "U11", "U22", "U66"
DM, CHANNEL = "DANN", "C1"
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


class Slack(World):
    def __init__(self, **more):
        super().__init__("slack", **{"chats": [CHANNEL], **more})

    def write(self, text, user=ANN, channel=DM, **more):
        return self.control("push", channel=channel, user=user, text=text, **more)

    def messages(self, channel=DM):
        return [m for m in self.control("state")["messages"] if m.get("bot_id") and m["channel"] == channel and not m.get("deleted")]

    def texts(self, channel=DM):
        return [m["text"] for m in self.messages(channel)]

    def sees(self, text, channel=DM):
        return until(lambda: f"{text!r} in {self.texts(channel)}; bridge: {self.bridge_log()[-1500:]}",
                     lambda: next((m for m in self.messages(channel) if text in m["text"]), None))

    @staticmethod
    def buttons(message):
        return {e["text"]["text"]: e["value"] for b in message["blocks"] if b["type"] == "actions" for e in b["elements"]}

    def press(self, message, label, user=ANN):
        self.control("push", channel=message["channel"], user=user, ts=message["ts"], value=self.buttons(message)[label])


@test
def a_direct_message_is_a_turn():
    with Slack() as w:
        w.write("hello &lt;you&gt;")
        m = w.sees("answer to hello")
        equal([m["text"], m["mrkdwn"], m["unfurl"]], ["answer to hello &lt;you&gt;", False, False])
        session = w.sessions()[0]["sessionId"]
        equal(w.events(session, "task.created")[0]["task"]["requestedBy"]["onBehalfOf"], "slack:U11 Ann")
        equal(w.events(session, "channel.connected")[0]["channel"]["nativeProtocol"], "slack")
        w.write("again")
        w.sees("answer to again")
        w.write("!new")
        w.sees("new conversation")
        w.write("other")
        w.sees("answer to other")
        equal(len(w.sessions()), 2)
        until("every envelope is acknowledged", lambda: len(w.control("state")["acked"]) == 4)


@test
def a_thread_of_a_channel_is_a_session():
    with Slack() as w:
        w.write("not for the bot", channel=CHANNEL)
        first = w.write("<@UBOT> one", channel=CHANNEL)
        equal(w.sees("answer to one", CHANNEL)["thread_ts"], first)
        # In its thread the bot need not be named; who may not ask is not heard.
        w.write("two", user=BOB, channel=CHANNEL, more={"thread_ts": first})
        equal(w.sees("answer to two", CHANNEL)["thread_ts"], first)
        w.write("three", user=EVE, channel=CHANNEL, more={"thread_ts": first})
        w.write("<@UBOT> elsewhere", channel="C9")
        second = w.write("<@UBOT> four", channel=CHANNEL)
        equal(w.sees("answer to four", CHANNEL)["thread_ts"], second)
        equal(len(w.sessions()), 2)
        equal(w.messages("C9"), [])
        w.write("look", channel=DM, more={"files": [{"id": "F1"}], "subtype": "file_share"})
        w.sees("takes text only")


@test
def an_approval_is_decided_by_a_button():
    with Slack() as w:
        w.write("<@UBOT> publish", user=BOB, channel=CHANNEL)
        asked = w.sees("Approval: publish", CHANNEL)
        pre = [b for b in asked["blocks"] if b["type"] == "rich_text"][0]["elements"][0]
        equal([pre["type"], pre["elements"][0]["text"]], ["rich_text_preformatted", COMMAND])
        w.press(asked, "Allow once", user=BOB)
        until("Bob is refused", lambda: [e["text"] for e in w.control("state")["ephemeral"]] == ["You may not decide this."])
        w.press(asked, "Allow once")
        w.sees("The tool said: published", CHANNEL)
        decided = w.sees("Allowed (once) by slack:U11 Ann.", CHANNEL)
        equal([decided["ts"], w.buttons(decided)], [asked["ts"], {}])
        session = w.sessions()[0]["sessionId"]
        resolved = w.events(session, "action.resolved")[0]["payload"]
        equal([resolved["scope"], resolved["decidedBy"]["onBehalfOf"]], ["once", "slack:U11 Ann"])


@test
def questions_with_choices_have_buttons():
    with Slack() as w:
        w.write("choose")
        asked = w.sees("Red or blue?")
        equal(sorted(w.buttons(asked)), ["Decline", "blue", "red"])
        w.press(asked, "blue")
        w.sees("You chose blue")
        w.write("which")
        w.sees("Which one?")
        w.write("that one")
        w.sees("You chose that one")


@test
def long_answers_and_markup():
    with Slack() as w:
        w.write("long")
        w.sees("Line 599 ")
        until("the progress message is removed", lambda: "".join(w.texts()).rstrip() == LONG.rstrip())
        w.write("markup", channel="DBOB", user=BOB)
        equal(w.sees("bold", "DBOB")["text"], "&lt;b&gt;bold&lt;/b&gt; &amp;amp; *stars* &lt;@U1&gt; &lt;!channel&gt; \\u{202e}back")


@test
@long
def faults_of_slack_lose_and_double_nothing():
    with Slack() as w:
        for method in ("chat.postMessage", "chat.update", "chat.delete", "apps.connections.open", "users.info", "conversations.history"):
            w.control("fault", method=method, kind="error", code=429)
            w.control("fault", method=method, kind="drop_after")
        for method in ("chat.postMessage", "chat.update"):
            w.control("fault", method=method, kind="error", code=503)
            w.control("fault", method=method, kind="error", code=200, body={"ok": False, "error": "internal_error"})
            w.control("fault", method=method, kind="drop_before")
        w.write("publish", twice=True)
        w.press(w.sees("Approval"), "Allow once")
        w.sees("The tool said: published")
        w.sees("Allowed (once)")
        until(lambda: f"each message is there once: {w.texts()}",
              lambda: sorted(t.split("\n")[0] for t in w.texts()) == ["Approval: publish", "The tool said: published"])
        equal(len(w.sessions()), 1)


@test
def a_socket_that_ends_is_replaced_and_what_was_missed_is_read():
    with Slack() as w:
        w.write("one")
        w.sees("answer to one")
        for i, mute in enumerate((False, True)):
            before = w.control("state")["link"]
            w.control("drop", mute=mute)
            until("there is a new socket", lambda: w.control("state")["link"] > before)
            w.write(f"after {i}.")
            w.sees(f"answer to after {i}.")
        # Slack gives up envelopes after a while: the history has them.
        w.kill_bridge()
        for i in range(7):
            w.write(f"missed {i}.", lost=True)
        w.start_bridge()
        for i in range(7):
            w.sees(f"answer to missed {i}.")
        equal(len([t for t in w.texts() if t.startswith("answer")]), 10)


@test
def envelopes_of_an_unexpected_form_are_skipped():
    with Slack() as w:
        press = {"type": "block_actions", "user": {"id": ANN}, "channel": {"id": DM}, "message": {"ts": "1.1"}}
        for raw in ({}, {"type": "events_api"}, {"type": "events_api", "payload": {"event": {"type": "message", "ts": "1.2"}}},
                    {"type": "events_api", "payload": {"event": {"type": "message", "ts": "1.3", "user": ANN, "channel": 5}}},
                    {"type": "events_api", "payload": {"event": {"type": "message", "ts": "1.4", "user": ANN, "channel": DM, "text": 7}}},
                    {"type": "events_api", "payload": {"event": {"type": "message", "ts": "1.5", "user": ANN, "channel": DM, "subtype": "message_changed"}}},
                    {"type": "interactive", "payload": {"type": "view_submission"}}, {"type": "interactive", "payload": press | {"actions": []}},
                    {"type": "interactive", "payload": press | {"actions": [{"value": "77:once"}]}}, {"type": "interactive", "payload": press | {"actions": [5]}},
                    {"type": "slash_commands", "payload": {"text": "x"}}):
            w.control("push", raw=raw)
        w.write("still here")
        w.sees("answer to still here")
        until("all are acknowledged", lambda: len(w.control("state")["acked"]) == 12)
        equal(w.bridge.poll(), None)
        until("the unknown button is answered", lambda: [e["text"] for e in w.control("state")["ephemeral"]] == ["This button is not known any more."])


@test
def a_kill_while_a_message_is_sent_neither_loses_nor_doubles_it():
    with Slack() as w:
        for kind in ("kill_after", "kill_before"):
            for i in range(2):
                w.control("fault", method="chat.postMessage", kind=kind, pid=w.bridge.pid)
                w.write(f"{kind} {i}")
                w.bridge.wait(DEADLINE_S)
                w.start_bridge()
                w.sees(f"answer to {kind} {i}")
        want = [f"answer to {k} {i}" for k in ("kill_after", "kill_before") for i in range(2)]
        until(lambda: f"only answers: {w.texts()}", lambda: w.texts() == want)


@test
@long
def sixty_messages_across_kills_of_bridge_and_daemon():
    with Slack(options=["recovery.resume=auto"]) as w:
        rng = random.Random(5)
        for i in range(60):
            w.write(f"message {i}.", user=rng.choice((ANN, BOB)), channel=rng.choice((DM, "DBOB")))
            if i % 9 == 4:
                until("some of it was answered", lambda: len(w.control("state")["calls"]) > i)
                if i % 27 == 13:
                    w.daemon.kill()
                    w.start_daemon()
                else:
                    w.kill_bridge()
                    w.start_bridge()
        want = sorted(f"answer to message {i}." for i in range(60))
        until(lambda: f"all answers: {set(w.texts() + w.texts('DBOB')) ^ set(want)} {w.bridge_log()[-800:]}", lambda: sorted(w.texts() + w.texts("DBOB")) == want, base_s=60)


def drop_link_and_wait(w):
    before = w.control("state")["link"]
    w.control("drop", mute=True)
    until("there is a new socket", lambda: w.control("state")["link"] > before)


@test
def an_address_with_a_ticket_is_not_in_the_log():
    with Slack() as w:
        w.write("one")
        w.sees("answer to one")
        w.control("fault", method="apps.connections.open", kind="error", code=200, body={"ok": True, "url": "ws://127.0.0.1:1/link?ticket=hush"})
        w.control("fault", method="apps.connections.open", kind="error", code=200, body={"ok": True, "url": "http://127.0.0.1:1/link?ticket=hush"})
        drop_link_and_wait(w)
        holds("127.0.0.1" in w.bridge_log() and "hush" not in w.bridge_log(), w.bridge_log())


@test
@long
def odd_replies_of_slack_do_not_end_the_bridge():
    with Slack() as w:
        for asked in ("Wed, 21 Oct 2015 07:28:00 GMT", "nan", "soon"):
            w.control("fault", method="chat.postMessage", kind="error", code=429, retry_after=asked)
        w.control("fault", method="chat.postMessage", kind="error", code=200, body={"ok": True})
        w.control("fault", method="apps.connections.open", kind="error", code=200, body={"ok": True, "url": 7})
        w.write("one")
        w.sees("answer to one")
        drop_link_and_wait(w)
        w.write("two")
        w.sees("answer to two")
        equal(w.bridge.poll(), None)


@test
def a_long_plan_is_shown_whole_or_cannot_be_allowed():
    with Slack(options=["permission.mode=plan", "tools.enabled=true"]) as w:
        w.write("plan")
        asked = w.sees("Step 89")
        equal([sorted(w.buttons(asked)), "First: wipe it." in "".join(w.texts())], [["Allow once", "Deny"], True])
        # A part that Slack refuses was not shown.
        w.control("fault", method="chat.postMessage", kind="error", code=200, body={"ok": True, "ts": "1.1"})
        w.control("fault", method="chat.postMessage", kind="error", code=200, body={"ok": False, "error": "msg_blocked"})
        w.write("plan", channel="DBOB", user=BOB)
        asked = w.sees("could not be shown here", "DBOB")
        equal(sorted(w.buttons(asked)), ["Deny"])


sys.exit(play(tests, sys.argv[2:]))
