import type { Scenario } from "./scenario.ts";
import { batch } from "./scenarios/batch.ts";
import { cached } from "./scenarios/cached.ts";
import { fairness } from "./scenarios/fairness.ts";
import { growth } from "./scenarios/growth.ts";
import { neighbors } from "./scenarios/neighbors.ts";
import { overload } from "./scenarios/overload.ts";
import { defaultWait, distance, idle, ways } from "./scenarios/renders.ts";
import { preparation } from "./scenarios/preparation.ts";
import { soak } from "./scenarios/soak.ts";
import { start } from "./scenarios/start.ts";

/** In the order in which they run and are reported, the most common requests first. */
export const SCENARIOS: readonly Scenario[] = [
  defaultWait,
  distance,
  start,
  ways,
  preparation,
  idle,
  batch,
  cached,
  growth,
  fairness,
  neighbors,
  overload,
  soak,
];
