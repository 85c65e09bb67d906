import type { Scenario } from "./scenario.ts";
import { batch } from "./scenarios/batch.ts";
import { cached } from "./scenarios/cached.ts";
import { defaultWait } from "./scenarios/default-wait.ts";
import { distance } from "./scenarios/distance.ts";
import { fairness } from "./scenarios/fairness.ts";
import { growth } from "./scenarios/growth.ts";
import { idle } from "./scenarios/idle.ts";
import { concurrency, formats, pages } from "./scenarios/matrix.ts";
import { machines } from "./scenarios/machines.ts";
import { overload } from "./scenarios/overload.ts";
import { sharedGrowth } from "./scenarios/shared-growth.ts";
import { sizing } from "./scenarios/sizing.ts";
import { soak } from "./scenarios/soak.ts";
import { start } from "./scenarios/start.ts";
import { ways } from "./scenarios/ways.ts";

/**
 * In the order in which they run and are reported: first what most users send. A new one is a file in
 * scenarios/ and a name here.
 */
export const SCENARIOS: readonly Scenario[] = [
  defaultWait,
  distance,
  start,
  sizing,
  ways,
  idle,
  concurrency,
  formats,
  pages,
  batch,
  cached,
  growth,
  fairness,
  overload,
  soak,
  machines,
  sharedGrowth,
];
