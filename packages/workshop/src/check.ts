import { STEPS } from "./checks/steps.ts";
import { widenPath } from "./machine/run.ts";

widenPath();
const asked = process.argv.slice(2);
const steps = STEPS.filter(({ name }) => asked.length === 0 || asked.includes(name));
const rows: string[] = [];
for (const { name, what, run: runStep } of steps) {
  const startedMs = performance.now();
  // A check that can't run fails like one that found something; the others still run.
  const { ok, output } = await runStep().catch((error: unknown) => ({ ok: false, output: String(error) }));
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const row = `${ok ? "ok    " : "FAILED"}  ${name.padEnd(9)} ${seconds.padStart(6)} s  ${what}`;
  console.log(ok ? row : `${output}\n${row}`);
  rows.push(row);
  if (!ok) process.exitCode = 1;
}
if (steps.length === 0) {
  console.error(`No such check. There are: ${STEPS.map(({ name }) => name).join(", ")}`);
  process.exitCode = 1;
} else {
  console.log(`\n${rows.join("\n")}`);
}
