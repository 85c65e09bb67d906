import type { SnapParameters } from "@snap/protocol";
import type { FilterList } from "../../filter-lists/compile.ts";
import type { ServedDocument } from "../../ports/renderer.ts";
import type { RequestedChanges } from "./requested-changes.ts";
import type { Tab } from "./tab.ts";

/** A page, and how to configure, load, prepare and capture it. */
export interface PageToRender {
  readonly tab: Tab;
  readonly parameters: SnapParameters;
  /** How the parameters change a plain render. */
  readonly changes: RequestedChanges;
  /** The filter lists that the parameters select. */
  readonly filterLists: readonly FilterList[];
  /** The page's document, if the page is not on the network. */
  readonly document: ServedDocument | undefined;
  /** Maximum size of the rendering. */
  readonly maxBytes: number;
}
