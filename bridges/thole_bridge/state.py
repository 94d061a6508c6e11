"""What a bridge must not forget, in one SQLite file.

Everything that was received is in `inbox` before the bridge confirms it to the messenger, and everything that will
be sent is in `outbox` before the place in Thole's log moves on.  A kill at any moment therefore
loses nothing; keys keep a repeated delivery from having a second effect.
"""
from __future__ import annotations

import json
import os
import sqlite3
import threading
from contextlib import contextmanager
from typing import Any, Iterator

SEEN_KEPT = 20000
ENDED_KEPT = 5000
TABLES = """
create table if not exists kept(name text primary key, value text);
create table if not exists inbox(n integer primary key autoincrement, key text unique, body text, prepared text);
create table if not exists seen(n integer primary key autoincrement, key text unique);
create table if not exists places(place text primary key, session text);
create table if not exists turns(turn text primary key, session text, place text, task text, message text, asker text, ended integer default 0);
create table if not exists actions(n integer primary key autoincrement, session text, action text, place text, body text,
                                   ended integer default 0, unique(session, action));
create table if not exists outbox(n integer primary key autoincrement, key text unique, place text, op text, body text,
                                  tried integer default 0, floor text);
create table if not exists messages(key text primary key, place text, remote text);
create index if not exists places_session on places(session);
create index if not exists actions_place on actions(place, ended);
"""


class State:
    def __init__(self, path: str):
        old = os.umask(0o077)
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        finally:
            os.umask(old)
        self._db.row_factory = sqlite3.Row
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = full")
        # Two bridges with one file would answer everything twice.
        self._db.execute("pragma locking_mode = exclusive")
        self._db.executescript(TABLES)
        self.lock = threading.RLock()
        self.filled = threading.Condition(self.lock)  # inbox or outbox has grown

    @contextmanager
    def change(self) -> Iterator[None]:
        """One transaction."""
        with self.lock:
            self._db.execute("begin immediate")
            try:
                yield
            except BaseException:
                self._db.execute("rollback")
                raise
            self._db.execute("commit")
            self.filled.notify_all()

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with self.lock:
            return self._db.execute(query, values).fetchall()

    def row(self, query: str, *values: Any) -> sqlite3.Row | None:
        found = self.rows(query, *values)
        return found[0] if found else None

    def run(self, query: str, *values: Any) -> int:
        """The number of the row that was inserted last."""
        with self.lock:
            return self._db.execute(query, values).lastrowid or 0

    # ---- single values ----

    def get(self, name: str) -> str | None:
        found = self.row("select value from kept where name = ?", name)
        return found["value"] if found else None

    def put(self, name: str, value: str) -> None:
        self.run("insert into kept values(?, ?) on conflict(name) do update set value = excluded.value", name, value)

    # ---- what was received ----

    def receive(self, items: list[dict[str, Any]], **places: str) -> None:
        """In one transaction: what is new of the items, and how far the messenger was read."""
        with self.change():
            for item in items:
                if self._db.execute("insert or ignore into seen(key) values(?)", (item["key"],)).rowcount:
                    # Half of a pair of surrogates is no text; everything else is.
                    body = json.dumps(item, ensure_ascii=False).encode(errors="replace").decode()
                    self.run("insert into inbox(key, body) values(?, ?)", item["key"], body)
            self.run("delete from seen where n <= (select max(n) from seen) - ?", SEEN_KEPT)
            for name, value in places.items():
                self.put(name, value)

    def forget_old(self) -> None:
        """Within a transaction: what ended long ago.  A button that is pressed after that is not known any more."""
        self.run("delete from turns where ended and rowid <= (select max(rowid) from turns) - ?", ENDED_KEPT)
        self.run("delete from messages where key in (select 'action:' || n from actions where ended and n <= (select max(n) from actions) - ?)", ENDED_KEPT)
        self.run("delete from actions where ended and n <= (select max(n) from actions) - ?", ENDED_KEPT)

    # ---- what will be sent ----

    def send(self, key: str, place: str, op: str, **body: Any) -> None:
        """Within a transaction.  The same key is sent once."""
        self.run("insert or ignore into outbox(key, place, op, body) values(?, ?, ?, ?)", key, place, op, json.dumps(body))
