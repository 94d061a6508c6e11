"""Requests to the HTTP API of a messenger."""
from __future__ import annotations

import email.utils
import http.client
import json
import math
import time
from typing import Any
from urllib.parse import urlencode, urlsplit

from .messenger import Unsure

PAUSE_S, PAUSE_LONGEST_S = 5.0, 3600.0
REPLY_MAX = 16 * 1024 * 1024


def pause_s(asked: Any) -> float:
    """How long a messenger asks to wait: seconds, or a date."""
    try:
        seconds = float(asked)
    except (TypeError, ValueError, OverflowError):
        try:
            seconds = email.utils.parsedate_to_datetime(str(asked)).timestamp() - time.time()
        except (TypeError, ValueError, IndexError, OverflowError):
            seconds = PAUSE_S
    return min(max(seconds, 0.0), PAUSE_LONGEST_S) if math.isfinite(seconds) else PAUSE_S


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
    except (ValueError, RecursionError):
        found = {}
    return reply.status, reply.headers, found if isinstance(found, dict) else {}
