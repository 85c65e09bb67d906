// @module-tag network

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("own-network.ts", import.meta.url));

it("blocks this machine's public addresses for pages and webhooks, unless they are allowed", async () => {
  const args = ["--user", "--map-root-user", "--net", process.execPath, PROGRAM];
  const { stdout } = await promisify(execFile)("unshare", args);
  expect(JSON.parse(stdout)).toEqual({
    address: "blocked",
    address6: "blocked",
    name: "blocked",
    webhook: "blocked",
    webhookByName: "blocked",
    allowed: "connected",
    allowedName: "connected",
    unassigned: "unreachable",
    assigned: "blocked",
  });
});
