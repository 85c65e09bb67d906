import { run } from "@snap/workshop/machine/run";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { SELECTOR } from "../src/scenarios/preparation.ts";
import { PAGES } from "../src/site/pages.ts";

/**
 * Runs a scenario that fails while an orphan still writes to its scratch folder, then another.
 * `killTree` cannot find the orphan, because its parent has exited.
 */
const PROGRAM = `
  import { spawn } from "node:child_process";
  import { once } from "node:events";
  import { runScenarios } from "${import.meta.resolve("../src/bench.ts")}";
  const WRITE = "(echo started; for i in $(seq 8000); do : >$i; done) &";
  const failing = { name: "failing", title: "", about: "", async run({ scratch }) {
    const child = spawn("sh", ["-c", WRITE], { cwd: scratch, stdio: ["ignore", "pipe", "ignore"] });
    await Promise.all([once(child, "exit"), once(child.stdout, "data")]);
    throw new Error("as planned");
  } };
  const next = { name: "next", title: "", about: "", run: async () => ({ figures: [], tables: [] }) };
  const { failed, sections } = await runScenarios({ quick: true, scenarios: [failing, next] });
  console.log("failed", failed, "succeeded", sections.map(({ scenario }) => scenario.name));
`;

const MAIN = fileURLToPath(import.meta.resolve("../src/main.ts"));

it("runs the remaining scenarios after one has failed", async () => {
  const { ok, output } = await run(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    env: { SNAP_CHROMIUM_PATH: process.execPath },
  });
  expect(output).toContain("failed [ 'failing' ] succeeded [ 'next' ]");
  expect(ok).toBe(true);
});

it("exits after an error even if a child process is running", async () => {
  const { ok, output } = await run(process.execPath, [MAIN, "preparation"], {
    env: { SNAP_CHROMIUM_PATH: process.execPath, TMPDIR: "/nonexistent" },
  });
  expect(output).toContain("ENOENT: no such file or directory, mkdtemp '/nonexistent/");
  expect(ok).toBe(false);
});

it("uses a selector that matches the page of cards", () => {
  expect(PAGES["cards"]).toContain(`<${SELECTOR}>`);
});
