"""The file that sets a bridge up.  A mistake stops the start: a bridge that admits the wrong people is noticed late."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

COMMON = {"thole", "state", "users", "approvers", "chats", "approvals_chat", "cwd", "model", "progress_seconds"}


class Mistake(Exception):
    """What is wrong with the file, in one sentence."""


@dataclass
class Config:
    url: str | None
    socket: str | None
    token: str | None
    state: str
    users: set[str]  # who may ask
    approvers: set[str]  # who of them may decide
    chats: set[str]  # groups in which they may; private chats need no entry
    approvals_chat: str | None  # where approvals of sessions appear that no chat has begun
    cwd: str | None
    model: str | None
    progress_s: float
    own: dict[str, Any] = field(default_factory=dict)  # keys of the messenger


def secret(given: dict[str, Any], name: str) -> str | None:
    """The value of the variable that NAME_env names, or the first line of the file that NAME_file names."""
    if (variable := given.get(name + "_env")) is not None:
        if not (value := os.environ.get(str(variable), "")):
            raise Mistake(f"{name}_env: the variable {variable} has no value")
        return value
    if (path := given.get(name + "_file")) is not None:
        try:
            with open(path) as f:
                return f.readline().strip()
        except OSError as e:
            raise Mistake(f"{name}_file: {e}") from e
    return None


def _ids(given: dict[str, Any], name: str) -> set[str]:
    value = given.get(name, [])
    if not isinstance(value, list) or not all(isinstance(v, (str, int)) and not isinstance(v, bool) for v in value):
        raise Mistake(f"{name}: a list of ids is wanted")
    return {str(v) for v in value}


def _text(given: dict[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise Mistake(f"{name}: a text is wanted")
    return value


def read(path: str, own: set[str]) -> Config:
    """`own`: further keys, of the messenger."""
    try:
        with open(path) as f:
            given = json.load(f)
    except (OSError, ValueError) as e:
        raise Mistake(f"{path}: {e}") from e
    if not isinstance(given, dict) or not isinstance(given.get("thole"), dict):
        raise Mistake("an object with the member thole is wanted")
    if unknown := sorted(set(given) - COMMON - own):
        raise Mistake(f"{unknown[0]}: this key is not known")
    thole = given["thole"]
    if unknown := sorted(set(thole) - {"url", "socket", "token_env", "token_file"}):
        raise Mistake(f"thole.{unknown[0]}: this key is not known")
    if ("url" in thole) == ("socket" in thole):
        raise Mistake("thole: either url or socket is wanted")
    token = secret(thole, "token")
    if "url" in thole and not token:
        raise Mistake("thole: token_env or token_file is wanted")
    users, approvers = _ids(given, "users"), _ids(given, "approvers")
    if not users:
        raise Mistake("users: name the ids of the people who may use this bridge")
    if not approvers <= users:
        raise Mistake(f"approvers: {sorted(approvers - users)[0]} is not one of the users")
    state = _text(given, "state")
    if not state or not os.path.isabs(state):
        raise Mistake("state: the absolute path of a file is wanted")
    chat = given.get("approvals_chat")
    pace = given.get("progress_seconds", 3)
    if not isinstance(pace, (int, float)) or isinstance(pace, bool) or pace < 0:
        raise Mistake("progress_seconds: a number is wanted")
    return Config(thole.get("url"), thole.get("socket"), token, state, users, approvers, _ids(given, "chats"),
                  None if chat is None else str(chat), _text(given, "cwd"), _text(given, "model"), float(pace),
                  {name: given[name] for name in own if name in given})
