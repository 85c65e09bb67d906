import { build } from "@snap/workshop/build";
import { extendPath } from "@snap/workshop/machine/run";

// `pnpm bench [--quick] [--write] [NAME...]`: runs scenarios, prints a report, and with --write updates docs/benchmarks.md.
// Exit on a signal, so the exit handlers stop the child processes.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
extendPath();
try {
  await build();
  // bench.ts imports the built packages, so it must be imported after the build.
  const { bench } = await import("./bench.ts");
  if (!(await bench(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  // Child processes would keep this one alive; the exit handlers stop them.
  process.exit(1);
}
