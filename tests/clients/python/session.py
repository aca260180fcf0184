"""A Python client starts an entry as a host does and goes through a session: list, call, a tool error, a busy answer, a
cancellation, the end.

python session.py CLIENT MODE SERVER [ARGS...]   the entry lists the fixture's `echo` and `wait`, in this order
CLIENT is `mcp` or `fastmcp`; MODE is the client's: `auto`, its default, `legacy`, the handshake, or `modern`.
"""

import asyncio
import json
import sys

REVISION = {"auto": "2026-07-28", "legacy": "2025-11-25", "modern": "2026-07-28"}


def check(found, expected):
    if found != expected:
        raise SystemExit(f"expected {expected!r}, found {found!r}")


class Mcp:
    """The client of the Python SDK."""

    def __init__(self, mode, command, args):
        from mcp import Client, StdioServerParameters, stdio_client

        server = StdioServerParameters(command=command, args=args)
        self.client = Client(stdio_client(server), mode=mode)

    async def revision(self):
        return self.client.protocol_version

    async def tools(self):
        return (await self.client.list_tools()).tools

    async def call(self, name, arguments, progress=None):
        result = await self.client.call_tool(name, arguments, progress_callback=progress)
        return result.is_error or False, result.content


class FastMcp:
    """The client of fastmcp."""

    def __init__(self, mode, command, args):
        from fastmcp import Client
        from fastmcp.client.transports import StdioTransport

        self.client = Client(StdioTransport(command=command, args=args, keep_alive=False), mode=mode)

    async def revision(self):
        return self.client.protocol_version

    async def tools(self):
        return await self.client.list_tools()

    async def call(self, name, arguments, progress=None):
        result = await self.client.call_tool(name, arguments, raise_on_error=False, progress_handler=progress)
        return result.is_error or False, result.content


async def main(kind, mode, command, *args):
    named = "2026-07-28" if mode == "modern" else mode
    session = {"mcp": Mcp, "fastmcp": FastMcp}[kind](named, command, list(args))
    async with session.client:
        check(await session.revision(), REVISION[mode])
        print(f"connected in {REVISION[mode]}")
        tools = await session.tools()
        check([tool.title for tool in tools], ["fixture.echo", "fixture.wait"])
        print("listed 2 tools")
        echo, wait = (tool.name for tool in tools)

        async def call(name, arguments, progress=None):
            is_error, content = await session.call(name, arguments, progress)
            check(len(content), 1)
            return is_error, json.loads(content[0].text)

        def outcome(answer):
            is_error, output = answer
            return is_error, output["code"], output["outcome"]

        check(await call(echo, {"text": "hello"}), (False, "hello"))
        print("called")
        check(outcome(await call(echo, {"text": 7})), (True, "invalid-input", "not-started"))
        print("a tool error")

        waiting = asyncio.create_task(call(wait, {"ms": 700}))
        await asyncio.sleep(0.2)
        check(outcome(await call(echo, {"text": "busy"})), (True, "adapter-busy", "not-started"))
        check(await waiting, (False, "waited"))
        print("a busy answer")

        beating = asyncio.Event()

        async def progress(*_):
            beating.set()

        cancelled = asyncio.create_task(call(wait, {"ms": 2000}, progress))
        await asyncio.wait_for(beating.wait(), 10)
        cancelled.cancel()
        try:
            await cancelled
        except asyncio.CancelledError:
            pass
        else:
            raise SystemExit("a cancelled call was answered")
        # The work goes on, and keeps its place, until it is done.
        while (again := await call(echo, {"text": "free"}))[0]:
            check(again[1]["code"], "adapter-busy")
            await asyncio.sleep(0.05)
        print("a cancellation")
    print("closed")


asyncio.run(main(*sys.argv[1:]))
