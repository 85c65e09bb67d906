import { simulate } from "./simulate.ts";
import type { Violation } from "./world.ts";

/** How many lines of the trace to show. */
const MAX_LINES = 80;

/** Repeats a simulation; returns its violation, and the last lines of the trace that concern it. */
export async function explain(seed: number): Promise<string> {
  const trace: string[] = [];
  const violation = await simulate(seed, { trace });
  if (violation === null) return `seed ${seed} breaks no rule when repeated`;
  const lines = trace.filter((line) => concerns(line, violation));
  return [
    `seed ${seed}: ${violation.message} (${violation.ids.join(", ")})`,
    ...lines.slice(-MAX_LINES),
    `SIMULATION_SEED=${seed} prints the whole trace.`,
  ].join("\n");
}

/** Events that concern a whole process concern every violation. */
function concerns(line: string, { ids }: Violation): boolean {
  return line.includes(" * ") || ids.some((id) => new RegExp(`\\b${id}\\b`).test(line));
}
