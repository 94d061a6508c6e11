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


def choices(schema: Any) -> list[Any]:
    """The values that the only member of a schema may have."""
    members = list((schema or {}).get("properties", {}).values())
    if len(members) != 1:
        return []
    if members[0].get("type") == "boolean":
        return [True, False]
    values = members[0].get("enum", [])
    return values if len(values) <= 8 else []


def labels(schema: Any) -> list[str]:
    return [{True: "Yes", False: "No"}.get(v, str(v)) if isinstance(v, bool) else shown.visible(str(v))[:60] for v in choices(schema)]


def payload(schema: Any, text: str) -> Any:
    """The object that the schema describes: a text fills its only member, everything else is written as JSON."""
    members = list((schema or {}).get("properties", {}).items())
    if len(members) == 1:
        name, kind = members[0]
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
