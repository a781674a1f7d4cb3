"""The PyPI package fastmcp:  python_fastmcp.py stdio|http"""

import asyncio
import sys

import exchange
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport


def connect(transport):
    if transport == "stdio":
        return Client(StdioTransport(exchange.MCP, [], env=exchange.ENVIRONMENT))
    return Client(StreamableHttpTransport(exchange.URL, headers=exchange.HEADERS))


async def main(transport):
    async with connect(transport) as client:
        exchange.check_tools([tool.name for tool in await client.list_tools()])
        for call in exchange.CALLS:
            result = await client.call_tool(call["tool"], call["arguments"], raise_on_error=False)
            text = result.content[0].text
            exchange.check_call(call, text, result.is_error)
            # The client takes the reply out of the object that the protocol makes us wrap it in.
            if not call["error"] and result.data != text:
                exchange.fail(f"{call['tool']}: the unwrapped reply is {result.data!r}")


asyncio.run(main(sys.argv[1]))
