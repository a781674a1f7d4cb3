// The command line of the MCP Inspector:  inspector.mjs stdio|http
import { spawnSync } from "node:child_process";
import { calls, checkCall, checkTools, db, fail, key, mcp, url } from "./node_exchange.mjs";

const launcher = `${process.env.INTEROP_MODULES}/@modelcontextprotocol/inspector/clients/launcher/build/index.js`;
const server =
  process.argv[2] === "stdio"
    ? ["-e", `SVC_DB=${db}`, mcp]
    : [url, "--transport", "http", "--header", `Authorization: Bearer ${key}`];

function inspect(...asked) {
  const { stdout, stderr } = spawnSync(process.execPath, [launcher, "--cli", ...server, ...asked], {
    encoding: "utf8",
    timeout: 60_000,
  });
  try {
    return JSON.parse(stdout);
  } catch {
    return fail(`${asked.join(" ")}: no JSON came back: ${stdout}${stderr}`);
  }
}

checkTools(inspect("--method", "tools/list").tools.map((tool) => tool.name));
for (const call of calls) {
  // It looks a tool up before it calls it, and so never sends the call of one that is not listed.
  if (call.tool === "no_such_tool") continue;
  const given = Object.entries(call.arguments).flatMap(([name, value]) => ["--tool-arg", `${name}=${value}`]);
  const result = inspect("--method", "tools/call", "--tool-name", call.tool, ...given);
  checkCall(call, result.content[0].text, result.isError);
}
