import { spawn } from "node:child_process";
import { on } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../src/workspace.ts";

it("pnpm site prints its address", async ({ signal }) => {
  const site = spawn(process.execPath, ["packages/workshop/src/site.ts", "dev", "--port", "0"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void site.kill());
  const output = on(site.stdout.setEncoding("utf8"), "data", { signal, close: ["close"] });
  let printed = "";
  for await (const [text] of output) {
    printed += String(text);
    if (/http:\S+\d/.test(printed)) break;
  }
  expect(printed).toMatch(/http:\/\/localhost:\d+/);
});
