"""The bridge: messages become turns, answers become messages, approvals become buttons.

Four threads share one state:

    messenger ─► receive ─► inbox ─► work ─► commands of Thole
    messenger ◄─ send    ◄─ outbox ◄─ follow ◄─ events of Thole

`work` holds `self.mapping` from before a command until its result is recorded, and `follow` takes it for each
event: an event of a turn is never looked at before the bridge knows that the turn is its own.
"""
from __future__ import annotations

import threading
from typing import Any

from .following import Following
from .receiving import Receiving
from .sending import Sending
from .shared import log


class Bridge(Receiving, Following, Sending):
    def run(self) -> None:
        """Returns when one of the threads has ended, which only a defect causes."""
        self.channel.connect()
        log(f"connected as {self.channel.principal}, channel {self.channel.channel_id}, scopes {' '.join(self.channel.scopes)}")
        self.is_first = self.state.get("cursor") is None
        if self.is_first:
            with self.client.events(after="end", follow=False) as stream:
                for _ in stream:
                    pass
                with self.state.change():
                    self.state.put("cursor", stream.cursor or "")
        ended = threading.Event()

        def guarded(work: Any) -> None:
            try:
                work()
            finally:
                ended.set()

        for work in (self.work, self.follow, self.send, lambda: self.messenger.receive(self)):
            threading.Thread(target=guarded, args=(work,), daemon=True).start()
        ended.wait()
