"use strict";
// Runs a program of this platform's own package, as if it had been started itself.

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

module.exports = function launch(name) {
  const wanted = `svc-memory-${process.platform}-${process.arch}`;
  let program;
  try {
    program = require.resolve(`${wanted}/${name}`);
  } catch {
    console.error(
      `${name}: the package ${wanted} is not installed. There may be none for this platform; otherwise install ` +
        "svc-memory again without --no-optional.",
    );
    process.exit(1);
  }
  const running = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => running.kill(signal));
  }
  running.on("error", (error) => {
    console.error(`${name}: cannot run ${program}: ${error.message}`);
    process.exit(1);
  });
  running.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
};
