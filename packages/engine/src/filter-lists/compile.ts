import type { NetworkFilter, RequestType } from "@ghostery/adblocker";
import { isCatastrophicExpression } from "./catastrophic-expression.ts";

/** A page-controlled URL may have megabytes, and some filters are regular expressions. */
const URL_CHARACTERS_MAX = 4_096;

/**
 * Elements are hidden by CSS only. Scripts of lists, filters that rewrite responses, and selectors that need a script are
 * not loaded.
 */
export const COMPILER_OPTIONS = {
  enableHtmlFiltering: false,
  loadCSPFilters: false,
  loadExtendedSelectors: false,
  enableCompression: false,
} as const;

export interface FilteredRequest {
  readonly url: string;
  /** The document of the page. */
  readonly documentUrl: string;
  readonly type: RequestType;
}

/** What a document contains that element hiding filters refer to. */
export interface FilteredDocument {
  readonly url: string;
  readonly classes: string[];
  readonly ids: string[];
  readonly hrefs: string[];
}

/** The compiled filter lists for one purpose. */
export interface CompiledList extends FilterList {
  /** Regular expressions that are not used, because they may take exponential time. */
  readonly skippedFilters: readonly string[];
}

/** What decides what a page may load and show. */
export interface FilterList {
  blocks(request: FilteredRequest): boolean;
  /** Returns the style sheet that hides elements of the document; may be empty. */
  styleSheet(document: FilteredDocument): string;
}

/** Compiles the text of filter lists, at about 200,000 filters a second. */
export async function compileFilterList(text: string): Promise<CompiledList> {
  // loaded only where there are lists
  const { Config, FiltersEngine, parseFilters, Request } = await import("@ghostery/adblocker");
  const config = new Config(COMPILER_OPTIONS);
  const filters = parseFilters(text, config);
  const networkFilters = filters.networkFilters.filter((filter) => !isSkipped(filter));
  const engine = new FiltersEngine({ ...filters, networkFilters, config });
  return {
    skippedFilters: filters.networkFilters.filter(isSkipped).map((filter) => filter.getFilter()),
    blocks({ url, documentUrl: sourceUrl, type }) {
      const request = Request.fromRawDetails({ url: url.slice(0, URL_CHARACTERS_MAX), sourceUrl, type });
      return engine.match(request).match;
    },
    styleSheet(document) {
      const { hostname, domain } = Request.fromRawDetails({ url: document.url, type: "main_frame" });
      const rules = { getInjectionRules: false, getExtendedRules: false };
      return engine.getCosmeticsFilters({ ...document, hostname, domain, ...rules }).styles;
    },
  };
}

/** Whether a filter is not used, because its regular expression may take exponential time. */
export function isSkipped(filter: NetworkFilter): boolean {
  return filter.isFullRegex() && isCatastrophicExpression(filter.getFilter().slice(1, -1));
}
