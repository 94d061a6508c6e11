"""A TCP port for a program that is started later, perhaps more than once.

The kernel gives ports from ip_local_port_range to every connection and to everyone who asks for any port, so
one of those may be taken before the program listens.  These lie below that range.
"""
import random
import socket

FIRST, BEHIND = 20000, 32768


def free_port():
    while True:
        port = random.randrange(FIRST, BEHIND)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
