import { build } from "@snap/workshop/build";
import { widenPath } from "@snap/workshop/machine/run";

// `pnpm bench [--quick] [--write] [NAME...]`: measures, prints, and with --write makes docs/benchmarks.md.
// A signal ends it as an exit does, which ends what it has started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
widenPath();
try {
  await build();
  // What is measured is imported as built.
  const { bench } = await import("./bench.ts");
  if (!(await bench(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
