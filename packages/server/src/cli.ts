#!/usr/bin/env node
import packageJson from "../package.json" with { type: "json" };

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

// An older Node.js fails on the first missing built-in module, without saying why.
if (major < 22 || (major === 22 && minor < 19)) {
  const { node } = packageJson.engines;
  process.stderr.write(`error: snap-server requires Node.js ${node}; this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  const { main } = await import("./cli/program.ts");
  await main();
}
