import { ProblemList, processingIn, type SnapParameters } from "@snap/protocol";
import { rejectProblems } from "../errors.ts";
import type { FilterListPurpose } from "../filter-lists/purposes.ts";
import type { Renderer } from "../ports/renderer.ts";

type Report = (name: string, message: string) => void;

/** The features that a renderer has only if the operator has installed what they require. */
export type InstalledFeatures = Pick<Renderer, "filterLists" | "processesImages">;

/** Reports parameters that require something not installed. */
export function checkInstalled(
  parameters: SnapParameters,
  { filterLists = [], processesImages = false }: InstalledFeatures,
  report: Report,
): void {
  const { blockAds, blockTrackers } = parameters;
  if (blockAds && !filterLists.includes("ads")) report("blockAds", missingLists("ads"));
  if (blockTrackers && !filterLists.includes("trackers")) report("blockTrackers", missingLists("trackers"));
  if (!processesImages) for (const name of processingIn(parameters)) report(name, MISSING_SHARP);
}

function missingLists(purpose: FilterListPurpose): string {
  return `requires filter lists for ${purpose}, which are not installed; the operator must set SNAP_FILTER_LISTS (or filterLists, for an embedded renderer)`;
}

const MISSING_SHARP =
  "requires sharp, which is not installed; the operator must install it with `npm install sharp`";

/** @throws SnapError `validation_failed` that names the parameters that require something not installed. */
export function requireInstalled(parameters: SnapParameters, installed: InstalledFeatures): void {
  const problems = new ProblemList();
  checkInstalled(parameters, installed, (name, message) => problems.add(name, message));
  rejectProblems(problems);
}
