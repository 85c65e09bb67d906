import type { SnapParameters } from "@snap/protocol";
import { compileFilterList, type CompiledList, type FilterList } from "./compile.ts";
import { limitMatching } from "./limit-matching.ts";
import { FILTER_LIST_PURPOSES, type FilterListPurpose, type FilterListTexts } from "./purposes.ts";

/** A renderer's filter lists, compiled once in the background. */
export interface CompiledLists {
  /** The purposes that have lists. */
  readonly purposes: readonly FilterListPurpose[];
  /** Resolves once every list is compiled. */
  readonly ready: Promise<unknown>;
  /**
   * Returns the lists that a render's parameters select, without duplicates. Calls `onLimit` if the page makes matching
   * take so long that the lists stop blocking.
   */
  select(parameters: SnapParameters, onLimit: () => void): Promise<readonly FilterList[]>;
}

type OnSkipped = (filters: readonly string[]) => void;

/** Starts compiling the lists. Purposes with the same text share one compiled list. */
export function compileLists(texts: FilterListTexts, onSkipped: OnSkipped): CompiledLists {
  const compile = async (text: string): Promise<CompiledList> => {
    const list = await compileFilterList(text);
    if (list.skippedFilters.length > 0) onSkipped(list.skippedFilters);
    return list;
  };
  const byText = new Map<string, Promise<CompiledList>>();
  for (const text of Object.values(texts)) if (!byText.has(text)) byText.set(text, compile(text));
  const ready = Promise.all(byText.values());
  ready.catch(() => {}); // reported where it is awaited
  return {
    purposes: FILTER_LIST_PURPOSES.filter((purpose) => texts[purpose] !== undefined),
    ready,
    async select({ blockAds, blockTrackers }, onLimit) {
      const selected = [blockAds ? texts.ads : undefined, blockTrackers ? texts.trackers : undefined];
      const lists = [...new Set(selected)].map((text) => byText.get(text ?? ""));
      return limitMatching(await Promise.all(lists.filter((list) => list !== undefined)), onLimit);
    },
  };
}
