"""Client of the Thole agent runtime; standard library only.

    from thole import Client

    thole = Client.local()                      # the daemon of this user, over its Unix socket
    print(thole.run("hello").result().text)
"""
from .channel import Channel
from .client import Client
from .errors import Gap, NoModel, Problem, TholeError, Unreachable
from .events import EventStream
from .run import Result, Run
from .websocket import WebSocket
from .work import Job, Stopped

__all__ = ["Channel", "Client", "EventStream", "Gap", "Job", "NoModel", "Problem", "Result", "Run", "Stopped", "TholeError", "Unreachable", "WebSocket"]
