"""Images by name, by pasted path and from the clipboard."""
import os
import struct
import zlib

from chat_fixture import TWICE_ESC, Chat
from chat_order import slow_daemon
from cli_fixture import test


def png(columns, rows, noise=0):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = b"".join(b"\0" + b"\xff\0\0" * columns for _ in range(rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)) + chunk(
        b"IDAT", zlib.compress(pixels)) + chunk(b"noIs", os.urandom(noise)) + chunk(b"IEND", b"")


def seeing(b, **size):
    script = b.script({"models": [{"model": "demo", "capabilities": ["tool_use", "vision"]}, {"model": "blind", "capabilities": ["tool_use"]}],
                       "default": {"text": "I see."}})
    return Chat(b, THOLE_SCRIPT=script, **size).prompt().sees("demo · ")


def parts(b):
    return b.run("log", "@last", "--type", "turn.submitted", "--json", code=0).lines()[-1]["payload"]["input"]


@test
def an_image_by_name_is_a_label_that_goes_like_one_character(b):
    (b.work / "pic.png").write_bytes(png(640, 480))
    chat = seeing(b, columns=100)
    chat.type("see @pic.png ")
    chat.sees(lambda: chat.input_line().startswith("› see [image 1: pic.png 640×480, "))
    chat.keys("backspace", "backspace")
    chat.sees(lambda: chat.input_line() == "› see")
    chat.keys("ctrl-_")
    chat.sees("[image 1: pic.png")
    chat.keys("enter")
    chat.sees("I see.")
    sent = parts(b)
    assert [p["type"] for p in sent] == ["text", "image"] and sent[1]["mediaType"] == "image/png", sent
    assert sent[1]["name"] == "pic.png", sent
    chat.prompt()
    chat.keys("up")
    chat.sees(lambda: chat.input_line() == f"› see @{b.work.resolve()}/pic.png")


@test
def a_completed_image_and_one_behind_the_last_word_are_sent(b):
    (b.work / "pic.png").write_bytes(png(3, 2))
    chat = seeing(b)
    chat.type("@pi")
    chat.sees("> pic.png")
    chat.keys("tab")
    chat.sees("[image 1: pic.png 3×2, 1 KB]")
    chat.type("and @pic.png")
    chat.sees("> pic.png")
    chat.keys("enter")
    chat.sees("I see.")
    assert [p["type"] for p in parts(b)] == ["text", "image", "image"], parts(b)


@test
def a_name_without_the_sign_stays_a_word(b):
    (b.work / "pic.png").write_bytes(png(3, 2))
    chat = seeing(b)
    chat.type("why is pic.png red\r")
    chat.sees("I see.")
    sent = parts(b)
    assert sent == "why is pic.png red" or [p["type"] for p in sent] == ["text"], sent


@test
def a_ninth_image_is_refused(b):
    (b.work / "p.png").write_bytes(png(1, 1))
    chat = seeing(b, columns=100)
    for number in range(1, 9):
        chat.type("@p.png ")
        chat.sees(f"[image {number}: p.png")
    chat.type("@p.png ")
    chat.sees("A message takes 8 images")
    chat.keys("enter")
    chat.sees("I see.")
    assert [p["type"] for p in parts(b)] == ["text"] + ["image"] * 8, parts(b)


@test
def pasted_paths_of_every_kind_are_attached(b):
    odd = b.work / "my pic's.png"
    odd.write_bytes(png(5, 4))
    (b.work / "b.PNG").write_bytes(png(1, 1))
    whole = str(odd.resolve())
    chat = seeing(b, columns=120)
    for number, text in enumerate([whole, '"' + whole + '"', whole.replace(" ", "\\ ").replace("'", "\\'") + " ",
                                   "file://" + whole.replace(" ", "%20").replace("'", "%27") + "\r\n"], 1):
        chat.type("\x1b[200~" + text + "\x1b[201~")
        chat.sees(lambda: f"[image {number}: my pic's.png 5×4, 1 KB]" in chat.text())
        chat.keys("ctrl-u")
        chat.prompt()
    chat.type(f"\x1b[200~'{b.work}/b.PNG' {b.work}/b.PNG\x1b[201~")
    chat.sees("[image 5: b.PNG 1×1, 1 KB] [image 6: b.PNG 1×1, 1 KB]")
    chat.keys("ctrl-u")
    chat.prompt()
    chat.type("\x1b[200~the file nosuch.png\x1b[201~")
    chat.sees(lambda: chat.input_line() == "› the file nosuch.png")


@test
def what_is_no_image_or_too_large_is_named(b):
    (b.work / "fake.png").write_text("text")
    (b.work / "big.png").write_bytes(png(4, 4, noise=21 << 20))
    (b.work / "half.png").write_bytes(png(4, 4, noise=11 << 20))
    os.mkfifo(b.work / "pipe.png")
    chat = seeing(b, columns=100)
    for name, why in (("fake", "no PNG, JPEG, GIF or WebP"), ("big", "20 MiB fit"), ("pipe", "no ordinary file")):
        chat.type(f"@{name}.png ")
        chat.sees(why)
        assert f"@{name}.png" in chat.text(), chat.text()
        chat.keys("ctrl-u")
        chat.prompt()
    chat.type("@half.png and ")
    chat.sees("[image 1: half.png 4×4, 11265 KB] and")
    chat.type("@half.png \r")
    chat.sees("the images have 22528 KB together")
    chat.sees(lambda: "[image 2: half.png" in chat.text().split("together")[1])


@test
def an_image_larger_than_a_command_is_uploaded(b):
    """It was refused: a command holds 720 KiB of images."""
    whole = png(4, 4, noise=3 << 20)
    (b.work / "big.png").write_bytes(whole)
    chat = seeing(b, columns=100)
    chat.type("look @big.png \r")
    chat.sees("I see.", seconds=60)
    part = parts(b)[1]
    assert part["type"] == "image" and part["bytes"] == len(whole) and part["ref"].startswith("out_upload_"), part


@test
def a_model_that_cannot_see_says_so_before_anything_is_sent(b):
    (b.work / "pic.png").write_bytes(png(3, 2))
    chat = seeing(b, columns=100)
    chat.type("/model blind\r")
    chat.sees("goes to blind")
    chat.prompt()
    chat.type("look @pic.png ")
    chat.sees("blind cannot see images")
    chat.keys("enter")
    chat.sees("Not sent: blind cannot see images.")
    chat.sees("› look [image 1")
    assert b.run("ps", "--all", "-q", code=0).ids() == []
    chat.keys("ctrl-u")
    chat.type("/model demo\r")
    chat.sees("goes to demo")
    chat.prompt()
    chat.type("look @pic.png\r")
    chat.sees("I see.")
    assert [p["type"] for p in parts(b)] == ["text", "image"]


@test
def an_image_for_a_model_that_cannot_see_is_refused_when_answers_are_late(b):
    """The chat asked what the model can see, and attached and sent images before it had the answer."""
    (b.work / "pic.png").write_bytes(png(3, 2))
    chat = seeing(b, columns=100)
    with slow_daemon(b):
        chat.type("/model blind\rlook @pic.png \r")
    chat.sees("Not sent: blind cannot see images.")
    assert b.run("ps", "--all", "-q", code=0).ids() == []


@test
def a_message_that_comes_back_keeps_its_image(b):
    (b.work / "pic.png").write_bytes(png(3, 2))
    chat = seeing(b)
    chat.type("look @pic.png \r")
    chat.sees("I see.")
    chat.prompt()
    (b.work / "pic.png").unlink()
    chat.keys(*TWICE_ESC)
    chat.sees(lambda: chat.input_line() == "› look [image 1: pic.png 3×2, 1 KB]")
    chat.type(" again\r")
    chat.sees(lambda: chat.whole().count("I see.") == 2)
    assert [p["type"] for p in parts(b)] == ["text", "image"]


@test
def an_image_of_the_clipboard_is_attached(b):
    tools = b.dir / "bin"
    tools.mkdir()
    (b.dir / "clip.png").write_bytes(png(7, 6))
    (tools / "wl-paste").write_text(f"#!/bin/sh\ncat {b.dir}/clip.png\n")
    (tools / "wl-paste").chmod(0o755)
    path = f"{tools}:{os.environ['PATH']}"
    b.env.pop("DISPLAY", None)
    chat = seeing(b, columns=100, PATH=path, WAYLAND_DISPLAY="wayland-0")
    chat.keys("ctrl-v")
    chat.sees("[image 1: clipboard 7×6, 1 KB]")
    (tools / "wl-paste").write_text("#!/bin/sh\nexit 1\n")
    chat.keys("ctrl-v")
    chat.sees("the clipboard holds no image")
    (tools / "wl-paste").write_text("#!/bin/sh\nexec cat /dev/zero\n")
    chat.keys("ctrl-v")
    chat.sees("20 MiB fit into a message")
    chat.keys("ctrl-u")
    plain = seeing(b, columns=100)
    plain.keys("ctrl-v")
    plain.sees("no desktop whose clipboard could be read")
