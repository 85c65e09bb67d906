import { afterAll, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";

/** Throws from a listener, as a defect in the service would. */
const DEFECT = `process.on("SIGUSR2", () => { throw new Error("simulated defect"); });`;

const workspace = openWorkspace({
  SNAP_BROWSER_URL: "ws://127.0.0.1:9",
  SNAP_BROWSER_EGRESS: "direct",
  SNAP_PORT: "0",
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(DEFECT)}`,
});
afterAll(() => workspace.cleanUp());

it("a defect that ends the service is in its log", async () => {
  const running = workspace.start(["serve"]);
  await running.whenPrinted(/"msg":"listening"/);
  running.child.kill("SIGUSR2");
  const { code, stdout } = await running.ended;
  expect(code).toBe(1);
  const lines = stdout.split("\n").filter((line) => line.includes('"fatal"'));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      msg: "ending after a defect",
      err: expect.objectContaining({ message: "simulated defect" }),
    }),
  ]);
});
