import type { NetworkFilter, RequestType } from "@ghostery/adblocker";
import { isCatastrophicExpression } from "./catastrophic-expression.ts";

/** A page can request URLs of several megabytes, and some filters are regular expressions. */
const URL_CHARACTERS_MAX = 4_096;

/**
 * Elements are hidden only with CSS. Scripts, filters that rewrite responses, and selectors that need a
 * script are not used.
 */
export const COMPILER_OPTIONS = {
  enableHtmlFiltering: false,
  loadCSPFilters: false,
  loadExtendedSelectors: false,
  enableCompression: false,
} as const;

export interface FilteredRequest {
  readonly url: string;
  /** URL of the page's document. */
  readonly documentUrl: string;
  readonly type: RequestType;
}

/** The parts of a document that element hiding filters match. */
export interface FilteredDocument {
  readonly url: string;
  readonly classes: string[];
  readonly ids: string[];
  readonly hrefs: string[];
}

/** The compiled filter lists for one purpose. */
export interface CompiledList extends FilterList {
  /** Regular expressions that are skipped because they can take exponential time. */
  readonly skippedFilters: readonly string[];
}

/** Decides what a page may load and show. */
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

/** Whether a filter is skipped because its regular expression can take exponential time. */
export function isSkipped(filter: NetworkFilter): boolean {
  return filter.isFullRegex() && isCatastrophicExpression(filter.getFilter().slice(1, -1));
}
