// A scenario of @modelcontextprotocol/conformance, through the proxy:  conformance.mjs REVISION SCENARIO
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, key, url } from "./node_exchange.mjs";

// Both call a diagnostic tool of the runner's own, which this server does not have, and want an error that only that
// tool could give. The first takes the error result of an unknown tool for a run of it.
const EXPECTED = ["sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"];

const [revision, scenario] = process.argv.slice(2);
const runner = `${process.env.INTEROP_MODULES}/@modelcontextprotocol/conformance/dist/index.js`;
const results = mkdtempSync(join(process.env.INTEROP_TEMP, "conformance-"));

const proxy = spawn(process.execPath, [new URL("proxy.mjs", import.meta.url).pathname, url, key]);
const [port] = await once(proxy.stdout, "data");
const server = `http://127.0.0.1:${String(port).trim()}/mcp`;
const asked = ["server", "--url", server, "--scenario", scenario, "--spec-version", revision, "-o", results];
const run = spawn(process.execPath, [runner, ...asked], { stdio: "ignore" });
await once(run, "exit");
proxy.kill();

const files = readdirSync(results, { recursive: true }).filter((name) => name.endsWith("checks.json"));
const checks = files.flatMap((name) => JSON.parse(readFileSync(join(results, name))));
if (checks.length === 0) fail(`${scenario}: the runner wrote no checks`);
for (const { id, status, errorMessage } of checks) {
  if (status === "FAILURE" && !EXPECTED.includes(id)) fail(`${scenario}: ${id}: ${errorMessage}`);
  if (status === "WARNING") fail(`${scenario}: ${id}: ${errorMessage}`);
}
const count = (wanted) => checks.filter(({ status }) => status === wanted).length;
console.log(`${count("SUCCESS")} checks, ${count("SKIPPED")} skipped, ${count("FAILURE")} expected to fail`);
