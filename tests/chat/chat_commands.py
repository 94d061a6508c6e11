"""The slash commands."""
from chat_fixture import Chat
from chat_life import answered, status_line
from cli_fixture import test


def two_models(b):
    return b.script({"models": [{"model": "demo"}, {"model": "second"}], "default": {"text": "You wrote: {{input}}"}})


def models_of(b):
    return [e["payload"]["selectedModel"] for e in b.run("log", "@last", "--type", "routing.decided", "--json", code=0).lines()]


@test
def the_model_of_a_session_is_remembered(b):
    b.env["THOLE_SCRIPT"] = two_models(b)
    chat = Chat(b).prompt().sees("demo · ")
    chat.type("/model second\r")
    chat.sees("goes to second")
    answered(chat, "chosen before the session")
    chat.keys("ctrl-d")
    chat.wait()
    chat = Chat(b, "-c").prompt().sees("second · ")
    answered(chat, "continued")
    chat.type("/model scripted/demo\r")
    chat.sees("goes to scripted/demo")
    chat.keys("ctrl-d")
    chat.wait()
    chat = Chat(b, "-c").prompt().sees("scripted/demo · ")
    answered(chat, "continued again")
    assert models_of(b) == ["second", "second", "demo"], models_of(b)
    chat.type("/new\r")
    chat.sees("a new session begins")
    chat.keys("ctrl-d")
    chat.wait()
    assert status_line(Chat(b).prompt().sees("demo · ")).startswith("demo · ")


@test
def a_model_that_does_not_exist_is_not_chosen(b):
    chat = Chat(b).prompt().sees("demo · ")
    for name in ("nothing/here", "nothing", "demo extra", "\u202edemo"):
        chat.type(f"/model {name}\r")
        chat.sees("There is no model")
        chat.prompt()
        chat.type("/new\r")
        chat.sees("a new session begins")
    answered(chat, "still the first one")
    assert models_of(b) == ["demo"]
