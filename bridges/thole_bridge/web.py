"""Requests to the HTTP API of a messenger."""
from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlencode, urlsplit

from .messenger import Unsure

REPLY_MAX = 16 * 1024 * 1024


def ask(url: str, body: Any, headers: dict[str, str] | None = None, timeout_s: float = 30, is_form: bool = False) -> tuple[int, http.client.HTTPMessage, Any]:
    """POSTs JSON, or the fields of a form.  Status, headers and the JSON of the reply; an empty object if it is none.  Raises Unsure without a reply."""
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout_s)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    data = urlencode(body).encode() if is_form else json.dumps(body).encode()
    kind_of = "application/x-www-form-urlencoded" if is_form else "application/json; charset=utf-8"
    try:
        connection.request("POST", path, data, {"Content-Type": kind_of} | (headers or {}))
        reply = connection.getresponse()
        data = reply.read(REPLY_MAX)
    except (OSError, http.client.HTTPException) as e:
        # The address holds the token of some messengers.
        raise Unsure(f"{parts.hostname}: {e!r}") from None
    finally:
        connection.close()
    try:
        found = json.loads(data)
    except ValueError:
        found = {}
    return reply.status, reply.headers, found if isinstance(found, dict) else {}
