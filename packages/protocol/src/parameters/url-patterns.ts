import { canonicalList } from "./text.ts";

const PATTERNS_MAX = 20;

/** A host, or `*.` and a host, with or without a port. */
const HOST = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d{1,5})?$/i;
/** A URL in which `*` matches any text. It names its scheme, or starts with `*`. */
const URL_PATTERN = /^(\*|https?:\/\/|wss?:\/\/)[\x21-\x2b\x2d-\x7e]*$/i;

/** Returns a list of hosts and URL patterns in canonical form, or `null` if it is invalid or too long. */
export function canonicalUrlPatterns(text: string): string | null {
  const canonicalItem = (item: string): string | null => {
    if (isHostPattern(item)) return item.toLowerCase();
    return URL_PATTERN.test(item) && /[^*]/.test(item) ? item : null;
  };
  const list = canonicalList(text, canonicalItem);
  return list !== null && list.split(",").length <= PATTERNS_MAX ? list : null;
}

/** Returns whether an item of `blockUrls` is a host or `*.host`, and not a URL pattern. */
export function isHostPattern(item: string): boolean {
  return HOST.test(item) && !/^\d+$/.test(item);
}
