import type { SnapParameters } from "@snap/protocol";
import { compileFilterList, type FilterList } from "./compile.ts";
import { FILTER_LIST_PURPOSES, type FilterListPurpose, type FilterListTexts } from "./purposes.ts";

/** The filter lists of a renderer, compiled once, in the background. */
export interface CompiledLists {
  /** The purposes for which there are lists. */
  readonly purposes: readonly FilterListPurpose[];
  /** Resolves once every list is compiled. */
  readonly ready: Promise<unknown>;
  /** Returns the lists that the parameters ask for, each once. */
  select(parameters: SnapParameters): Promise<readonly FilterList[]>;
}

/** Starts to compile the lists. Purposes with the same text share one compiled list. */
export function compileLists(texts: FilterListTexts): CompiledLists {
  const byText = new Map<string, Promise<FilterList>>();
  for (const text of Object.values(texts)) if (!byText.has(text)) byText.set(text, compileFilterList(text));
  const ready = Promise.all(byText.values());
  ready.catch(() => {}); // reported where it is awaited
  return {
    purposes: FILTER_LIST_PURPOSES.filter((purpose) => texts[purpose] !== undefined),
    ready,
    select({ blockAds, blockTrackers }) {
      const asked = [blockAds ? texts.ads : undefined, blockTrackers ? texts.trackers : undefined];
      const lists = [...new Set(asked)].map((text) => byText.get(text ?? ""));
      return Promise.all(lists.filter((list) => list !== undefined));
    },
  };
}
