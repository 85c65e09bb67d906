import type { SnapParameters } from "@snap/protocol";
import type { FilterList } from "../../../filter-lists/compile.ts";
import type { ServedDocument } from "../../../ports/renderer.ts";
import type { RequestedChanges } from "../requested-changes.ts";
import type { Tab } from "../tab.ts";

/** A page that has loaded, and what to make of it. */
export interface LoadedPage {
  readonly tab: Tab;
  readonly parameters: SnapParameters;
  /** What the parameters ask for beyond a plain render. */
  readonly changes: RequestedChanges;
  /** Those that the parameters ask for. */
  readonly filterLists: readonly FilterList[];
  /** What the page is a part of, if it is not on the network. */
  readonly document: ServedDocument | undefined;
}

export interface PageToCapture extends LoadedPage {
  /** The largest file that the render may return. */
  readonly maxBytes: number;
}

/**
 * A step between the load of a page and its capture. Resolves with notes for the caller. Does nothing, and sends no
 * command, if no parameter asks for it. Has its own time limit unless the render's is enough.
 */
export type Step = (page: PageToCapture, signal: AbortSignal) => Promise<readonly string[]>;
