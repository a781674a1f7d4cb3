"""The PyPI package mcp, version 2:  python_mcp2.py stdio|http legacy|REVISION"""

import asyncio
import sys

import exchange
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


def connect(transport):
    if transport == "stdio":
        return stdio_client(StdioServerParameters(command=exchange.MCP, env=exchange.ENVIRONMENT))
    return streamable_http_client(exchange.URL, http_client=httpx2.AsyncClient(headers=exchange.HEADERS))


async def main(transport, revision):
    mode = "legacy" if revision == "legacy" else "auto"
    async with Client(connect(transport), mode=mode) as client:
        if mode == "auto" and client.protocol_version != revision:
            exchange.fail(f"the client settled on {client.protocol_version}, not {revision}")
        exchange.check_tools([tool.name for tool in (await client.list_tools()).tools])
        for call in exchange.CALLS:
            result = await client.call_tool(call["tool"], call["arguments"])
            exchange.check_call(call, result.content[0].text, result.is_error)


asyncio.run(main(*sys.argv[1:]))
