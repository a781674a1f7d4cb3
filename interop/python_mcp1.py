"""The PyPI package mcp, version 1:  python_mcp1.py stdio|http"""

import asyncio
import sys

import exchange
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


def connect(transport):
    if transport == "stdio":
        return stdio_client(StdioServerParameters(command=exchange.MCP, env=exchange.ENVIRONMENT))
    return streamablehttp_client(exchange.URL, headers=exchange.HEADERS)


async def main(transport):
    async with connect(transport) as streams, ClientSession(streams[0], streams[1]) as session:
        greeting = await session.initialize()
        if greeting.serverInfo.name != "svc":
            exchange.fail(f"the server calls itself {greeting.serverInfo.name}")
        await session.send_ping()
        exchange.check_tools([tool.name for tool in (await session.list_tools()).tools])
        for call in exchange.CALLS:
            result = await session.call_tool(call["tool"], call["arguments"])
            exchange.check_call(call, result.content[0].text, result.isError)


asyncio.run(main(sys.argv[1]))
