import { COMPILER_OPTIONS, compileFilterList, isSkipped, type FilteredRequest } from "./compile.ts";

/** What a filter list contains, and how fast it is. */
export interface FilterListReport {
  /** Filters for requests, including exceptions, that are used. */
  readonly networkFilters: number;
  /** Filters that hide elements with CSS. */
  readonly cosmeticFilters: number;
  /**
   * Filters that are recognized but not used: scripts, rewritten requests and responses, selectors that CSS
   * does not support, and `skippedFilters`.
   */
  readonly unusedFilters: number;
  /** Regular expressions that are skipped because they can take exponential time. */
  readonly skippedFilters: readonly string[];
  /** Lines in a syntax that the compiler does not support. */
  readonly unsupportedLines: number;
  /** Time to parse and compile the list. */
  readonly compileMs: number;
  /** Average time to match one request. */
  readonly matchMicroseconds: number;
}

const SAMPLE_COUNT = 2_000;

/** Compiles a filter list and measures it. */
export async function inspectFilterList(text: string): Promise<FilterListReport> {
  const { parseFilters } = await import("@ghostery/adblocker");
  const { networkFilters, cosmeticFilters, notSupportedFilters } = parseFilters(text, COMPILER_OPTIONS);
  const usedNetwork = networkFilters.filter(
    (filter) => !filter.isCSP() && !filter.isReplace() && !filter.isRemoveParam() && !isSkipped(filter),
  );
  const usedCosmetic = cosmeticFilters.filter(
    (filter) => !filter.isScriptInject() && !filter.isExtended() && !filter.isHtmlFiltering(),
  );
  const startedMs = performance.now();
  const list = await compileFilterList(text);
  const compileEndedMs = performance.now();
  for (let index = 0; index < SAMPLE_COUNT; index += 1) list.blocks(sampleRequest(index));
  const matchEndedMs = performance.now();
  return {
    networkFilters: usedNetwork.length,
    cosmeticFilters: usedCosmetic.length,
    unusedFilters: networkFilters.length + cosmeticFilters.length - usedNetwork.length - usedCosmetic.length,
    skippedFilters: list.skippedFilters,
    unsupportedLines: notSupportedFilters.length,
    compileMs: Math.round(compileEndedMs - startedMs),
    matchMicroseconds: Math.round(((matchEndedMs - compileEndedMs) * 10_000) / SAMPLE_COUNT) / 10,
  };
}

function sampleRequest(index: number): FilteredRequest {
  return {
    url: `https://cdn${index % 50}.example.net/assets/${index}/banner-image.js?campaign=${index}&v=3`,
    documentUrl: "https://www.example.com/articles/today",
    type: index % 2 === 0 ? "script" : "image",
  };
}
