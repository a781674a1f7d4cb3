// What every client does, read from exchange.json, and the settings that the runner passes on.
import { readFileSync } from "node:fs";

const exchange = JSON.parse(readFileSync(new URL("exchange.json", import.meta.url)));

export const calls = exchange.calls;
export const { INTEROP_MCP: mcp, INTEROP_URL: url, INTEROP_KEY: key, INTEROP_DB: db } = process.env;

export function fail(what) {
  console.error(`mismatch: ${what}`);
  process.exit(1);
}

export function checkTools(names) {
  if (names.length !== exchange.tools || !names.includes("remember")) {
    fail(`${names.length} tools are listed, not ${exchange.tools} with remember among them`);
  }
}

export function checkCall(call, text, error) {
  if (Boolean(error) !== call.error) fail(`${call.tool}: error is ${error}, not ${call.error}: ${text}`);
  if (!text.startsWith(call.begins ?? "")) fail(`${call.tool}: does not begin with '${call.begins}': ${text}`);
  if (!text.includes(call.holds ?? "")) fail(`${call.tool}: does not hold '${call.holds}': ${text}`);
}
