import { FaultList, type SnapParameters } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import type { Renderer } from "../ports/renderer.ts";
import type { FilterListPurpose } from "./purposes.ts";

type Report = (name: string, message: string) => void;

/** Reports parameters whose filter lists are not installed. */
export function checkFilterLists(
  { blockAds, blockTrackers }: SnapParameters,
  { filterLists = [] }: Pick<Renderer, "filterLists">,
  report: Report,
): void {
  if (blockAds && !filterLists.includes("ads")) report("blockAds", missing("ads"));
  if (blockTrackers && !filterLists.includes("trackers")) report("blockTrackers", missing("trackers"));
}

function missing(purpose: FilterListPurpose): string {
  return `requires filter lists for ${purpose}, which are not installed; the operator must set SNAP_FILTER_LISTS (or filterLists, for an embedded renderer)`;
}

/** @throws SnapError `validation_failed` that names the parameters whose filter lists are missing. */
export function requireFilterLists(
  parameters: SnapParameters,
  renderer: Pick<Renderer, "filterLists">,
): void {
  const faults = new FaultList();
  checkFilterLists(parameters, renderer, (name, message) => faults.add(name, message));
  const failure = faults.toFailure();
  if (failure !== null) throw new SnapError(failure.code, failure.message, { errors: failure.errors });
}
