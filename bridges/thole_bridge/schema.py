"""Schemas of answers: what buttons and texts of people mean."""
from __future__ import annotations

import json
from typing import Any

from . import shown


def number(text: str) -> int | None:
    """A number of a button: what SQLite can hold."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def is_question(payload: Any) -> bool:
    return payload["decisionKind"] in ("answer_or_decline", "provide_or_decline")


def only_member(schema: Any) -> str:
    return next(iter((schema or {}).get("properties", {})), "answer")


def titled(schema: Any) -> list[tuple[Any, str]]:
    """The values that the only member of a schema may have, with the texts that people see for them."""
    members = list((schema or {}).get("properties", {}).values())
    if len(members) != 1:
        return []
    one = members[0]
    if one.get("type") == "boolean":
        return [(True, "Yes"), (False, "No")]
    values, names = one.get("enum"), one.get("enumNames")
    if values:
        found = list(zip(values, names if isinstance(names, list) and len(names) == len(values) else map(str, values)))
    else:
        listed = one.get("oneOf") or one.get("anyOf") or []
        found = [(each["const"], each.get("title") or str(each["const"])) for each in listed if isinstance(each, dict) and "const" in each]
        found = found if len(found) == len(listed) else []
    return found if len(found) <= 8 else []


def choices(schema: Any) -> list[Any]:
    return [value for value, _ in titled(schema)]


def labels(schema: Any) -> list[str]:
    return [shown.visible(str(title))[:60] for _, title in titled(schema)]


def payload(schema: Any, text: str) -> Any:
    """The object that the schema describes: a text fills its only member, everything else is written as JSON."""
    members = list((schema or {}).get("properties", {}).items())
    if len(members) == 1:
        name, kind = members[0]
        for value, title in titled(schema):
            if text.strip().casefold() in (str(title).casefold(), str(value).casefold()):
                return {name: value}
        if kind.get("type", "string") == "string":
            return {name: text}
        try:
            return {name: json.loads(text.lower() if kind["type"] == "boolean" else text)}
        except (ValueError, RecursionError):
            return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {"answer": text} if not members else None
    return value if isinstance(value, dict) else None
