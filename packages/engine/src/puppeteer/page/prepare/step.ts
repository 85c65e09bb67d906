import type { SnapParameters } from "@snap/protocol";
import type { FilterList } from "../../../filter-lists/compile.ts";
import type { ServedDocument } from "../../../ports/renderer.ts";
import type { RequestedChanges } from "../requested-changes.ts";
import type { Tab } from "../tab.ts";

/** A loaded page and how to render it. */
export interface LoadedPage {
  readonly tab: Tab;
  readonly parameters: SnapParameters;
  /** The parameters' changes to a plain render. */
  readonly changes: RequestedChanges;
  /** The filter lists that the parameters select. */
  readonly filterLists: readonly FilterList[];
  /** The page's document, if the page is not on the network. */
  readonly document: ServedDocument | undefined;
}

export interface PageToCapture extends LoadedPage {
  /** Maximum size of the rendering. */
  readonly maxBytes: number;
}

/**
 * A step between the load of a page and its capture. Resolves with notes for the caller. Does nothing, and sends no
 * command, if no parameter requests it. Has its own time limit unless the render's is enough.
 */
export type Step = (page: PageToCapture, signal: AbortSignal) => Promise<readonly string[]>;
