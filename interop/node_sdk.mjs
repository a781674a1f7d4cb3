// The npm package @modelcontextprotocol/sdk:  node_sdk.mjs stdio|http
import { createRequire } from "node:module";
import { calls, checkCall, checkTools, db, fail, key, mcp, url } from "./node_exchange.mjs";

// The packages are installed under target/interop, where an import from here would not look.
const installed = createRequire(`${process.env.INTEROP_MODULES}/`);
const { Client } = installed("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = installed("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = installed("@modelcontextprotocol/sdk/client/streamableHttp.js");

const transport =
  process.argv[2] === "stdio"
    ? new StdioClientTransport({ command: mcp, env: { SVC_DB: db } })
    : new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { Authorization: `Bearer ${key}` } },
      });

const client = new Client({ name: "interop", version: "1" });
await client.connect(transport);
if (client.getServerVersion().name !== "svc") fail(`the server calls itself ${client.getServerVersion().name}`);
await client.ping();
await client.setLoggingLevel("info");
checkTools((await client.listTools()).tools.map((tool) => tool.name));
for (const call of calls) {
  const result = await client.callTool({ name: call.tool, arguments: call.arguments });
  checkCall(call, result.content[0].text, result.isError);
}
await client.close();
