"""A Python client is asked by opgate, declines, confirms, and offers no way to be asked.

python asks.py CLIENT MODE SERVER [ARGS...]   with FIXTURE_LOG set; the entry lists the fixture's `remove` alone.
CLIENT is `mcp` or `fastmcp`; MODE is the client's: `auto` goes through `input_required`, `legacy` through an elicitation.
"""

import asyncio
import json
import os
import sys

from mcp import MCPError
from mcp.types import ElicitResult


def check(found, expected):
    if found != expected:
        raise SystemExit(f"expected {expected!r}, found {found!r}")


def mcp(mode, command, args, env, answer):
    """The client of the Python SDK."""
    from mcp import Client, StdioServerParameters, stdio_client

    async def callback(context, params):
        return answer(params.message)

    server = StdioServerParameters(command=command, args=args, env=env)
    return Client(stdio_client(server), mode=mode, elicitation_callback=callback if answer else None), {}


def fastmcp(mode, command, args, env, answer):
    """The client of fastmcp."""
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async def handler(message, response_type, params, context):
        return answer(message)

    transport = StdioTransport(command=command, args=args, env=env, keep_alive=False)
    return Client(transport, mode=mode, elicitation_handler=handler if answer else None), {"raise_on_error": False}


async def main(kind, mode, command, *args):
    env = {"FIXTURE_LOG": os.environ["FIXTURE_LOG"]}

    async def remove(result):
        asked = []

        def answer(message):
            asked.append(message)
            return result

        client, options = {"mcp": mcp, "fastmcp": fastmcp}[kind](
            mode, command, list(args), env, answer if result else None
        )
        async with client:
            try:
                result = await client.call_tool("operation_0", {"id": "thing"}, **options)
            except MCPError as error:
                return len(asked), True, {"code": error.error.code}
            return len(asked), all("fixture.remove" in text for text in asked), json.loads(result.content[0].text)

    asked, told, output = await remove(ElicitResult(action="decline"))
    check((asked, told, output["code"]), (1, True, "confirmation-required"))
    print("declined: refused")
    check(await remove(ElicitResult(action="accept", content={"approved": True})), (1, True, "thing"))
    print("confirmed: removed")
    asked, _, output = await remove(None)
    check((asked, output["code"]), (0, "confirmation-required" if mode == "legacy" else -32021))
    print("cannot be asked: refused")


asyncio.run(main(*sys.argv[1:]))
