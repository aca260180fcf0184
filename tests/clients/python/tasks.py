"""The Python client starts the Tasks entry as a host does and goes through its four tools.

python tasks.py MODE SERVER [ARGS...]   with TASK_DATABASE and TASK_SESSION set; no worker may be running.
MODE is the client's: `auto`, its default, which finds the stateless revision, or `legacy`, the handshake.
"""

import asyncio
import json
import os
import sys

from mcp import Client, MCPError, StdioServerParameters, stdio_client

TITLES = ["tasks.submit", "tasks.query", "tasks.cancel", "tasks.retry"]
REVISION = {"auto": "2026-07-28", "legacy": "2025-11-25"}


def check(found, expected):
    if found != expected:
        raise SystemExit(f"expected {expected!r}, found {found!r}")


async def main(mode, command, *args):
    environment = {name: os.environ[name] for name in ("TASK_DATABASE", "TASK_SESSION")}
    server = StdioServerParameters(command=command, args=list(args), env=environment)
    async with Client(stdio_client(server), mode=mode) as client:
        check(client.protocol_version, REVISION[mode])
        print(f"connected in {client.protocol_version}")

        tools = (await client.list_tools()).tools
        check([tool.name for tool in tools], [f"operation_{index}" for index in range(len(TITLES))])
        check([tool.title for tool in tools], TITLES)
        print(f"listed {len(tools)} tools")

        async def call(title, arguments):
            return await client.call_tool(tools[TITLES.index(title)].name, arguments)

        async def output(title, arguments):
            result = await call(title, arguments)
            check((result.is_error or False, len(result.content)), (False, 1))
            return json.loads(result.content[0].text)

        report = f"python-{mode}"
        job = await output("tasks.submit", {"reportId": report, "rows": [1, 2.5, -3]})
        check(type(job), str)
        print("submitted a report")
        check((await output("tasks.query", {"jobId": job}))["state"], "queued")
        print("queried the job")
        check(await output("tasks.cancel", {"jobId": job}), "cancelled")
        check(await output("tasks.cancel", {"jobId": job}), "terminal")
        check((await output("tasks.query", {"jobId": job}))["state"], "cancelled")
        print("cancelled the job")
        check(await output("tasks.retry", {"jobId": job}), False)
        print("retried the job: refused, as it did not fail")

        refused = await call("tasks.submit", {"reportId": report, "rows": [1], "owner": "mallory"})
        check(refused.is_error, True)
        diagnostic = json.loads(refused.content[0].text)
        check((diagnostic["code"], diagnostic["outcome"]), ("invalid-input", "not-started"))
        print("an unknown member is refused")
        try:
            await client.call_tool("operation_9", {})
        except MCPError as error:
            check(error.error.code, -32602)
        else:
            raise SystemExit("an unknown tool was called")
        print("an unknown tool is refused")
    print("closed")


asyncio.run(main(*sys.argv[1:]))
