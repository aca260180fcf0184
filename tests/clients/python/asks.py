"""The Python client is asked by opgate, declines, confirms, and offers no way to be asked.

python asks.py MODE SERVER [ARGS...]   with FIXTURE_LOG set; the entry lists the fixture's `remove` alone.
MODE is the client's: `auto` goes through `input_required`, `legacy` through an elicitation.
"""

import asyncio
import json
import os
import sys

from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.types import ElicitResult


def check(found, expected):
    if found != expected:
        raise SystemExit(f"expected {expected!r}, found {found!r}")


async def main(mode, command, *args):
    server = StdioServerParameters(command=command, args=list(args), env={"FIXTURE_LOG": os.environ["FIXTURE_LOG"]})

    async def remove(answer):
        asked = []

        async def callback(context, params):
            asked.append(params.message)
            return answer

        async with Client(stdio_client(server), mode=mode, elicitation_callback=callback if answer else None) as client:
            try:
                result = await client.call_tool("operation_0", {"id": "thing"})
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
