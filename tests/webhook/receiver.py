#!/usr/bin/env python3
"""Receives notifications: prints its port, answers 200, and writes each webhook-id and the turn it is about as a line of FILE.

usage: receiver.py FILE
"""
import asyncio
import json
import sys

lines = open(sys.argv[1], "a", buffering=1)


async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            fields = dict(line.split(": ", 1) for line in head.decode().lower().split("\r\n")[1:] if ": " in line)
            body = json.loads(await reader.readexactly(int(fields["content-length"])))
            lines.write(f"{fields['webhook-id']} {body.get('taskId') or body['turnId']}\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


asyncio.run(main())
