"""Texts for messengers: divided, and without characters that hide something."""
from __future__ import annotations

import json
import shlex
import unicodedata
from typing import Any

KEPT_CONTROLS = "\n\t"
HIDING = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")  # categories
# Characters of other categories that show nothing, as first and last of each range.
BLANK = ((0x34f, 0x34f), (0x115f, 0x1160), (0x17b4, 0x17b5), (0x180b, 0x180f), (0x2800, 0x2800), (0x3164, 0x3164),
         (0xfe00, 0xfe0f), (0xffa0, 0xffa0), (0xe0100, 0xe01ef))


def visible(text: str) -> str:
    """Control characters and those that change the direction or have no width are written as their codes."""
    return "".join(c if c in KEPT_CONTROLS or unicodedata.category(c) not in HIDING or c == "\u200d" else _code(c) for c in text)


def _code(c: str) -> str:
    return f"\\u{{{ord(c):x}}}"


def _is_plain(c: str) -> bool:
    return c in KEPT_CONTROLS or c == " " or (unicodedata.category(c) not in (*HIDING, "Zs", "Cn")
                                              and not any(first <= ord(c) <= last for first, last in BLANK))


def exact(text: str) -> str:
    """For approvals: also what joins or varies other characters, blanks, and spaces other than the usual one."""
    return "".join(c if _is_plain(c) else _code(c) for c in text)


def line(text: str) -> str:
    """For one line of an approval's head: a line break of it cannot begin another line."""
    return "".join(_code(c) if c in KEPT_CONTROLS else c for c in exact(text))


def units(text: str) -> int:
    """Its length as messengers count it, in UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _cut(text: str, limit: int) -> int:
    """How many characters fit: up to the end of a paragraph, a line or a word, if that leaves at least half."""
    fits, size = 0, 0
    for c in text:
        size += 2 if ord(c) > 0xFFFF else 1
        if size > limit:
            break
        fits += 1
    if fits == len(text):
        return fits
    for end in ("\n\n", "\n", " "):
        at = text.rfind(end, fits // 2, fits)
        if at > 0:
            return at + len(end)
    return fits


def divided(text: str, limit: int) -> list[str]:
    """Pieces of at most `limit` units that are the text when they are joined; at least one piece."""
    pieces = []
    while text:
        at = _cut(text, limit)
        pieces.append(text[:at])
        text = text[at:]
    return pieces or [""]


def arguments(value: Any) -> str:
    """The arguments of a call, complete: a lone text as it is, everything else as JSON."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(lone := next(iter(value.values())), str):
        return exact(lone)
    return exact(json.dumps(value, indent=1, ensure_ascii=False)) if value is not None else ""


def covered(match: dict[str, Any]) -> str:
    """What a grant covers, in one line."""
    what = [shlex.join(match["command"])] if match.get("command") else []
    what += [f"on {match['path']}"] if match.get("path") else []
    what += [f"which leads to {match['pathReal']}"] if match.get("pathReal") else []
    what += [f"to {match['host']}"] if match.get("host") else []
    words = [match.get("tool") or "any tool", *(what or ["with any arguments"])]
    words += [f"in {match['cwd']}"] if match.get("cwd") else []
    words += [f"while {match['script']} is unchanged"] if match.get("script") else []
    return line(" ".join(words))


def person(messenger: str, user: str, name: str) -> str:
    """Who it was, for the log."""
    words = " ".join(visible(name).split())
    return f"{messenger}:{user} {words}".strip().encode()[:200].decode(errors="ignore")
