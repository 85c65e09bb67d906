import { canonicalUrlPatterns } from "../url-patterns.ts";
import { canonicalList } from "../text.ts";
import { BOTH, type Row } from "../row.ts";

const RESOURCE_TYPES = ["image", "media", "font", "stylesheet", "script", "xhr", "websocket"];

export const BLOCKING_ROWS: readonly Row[] = [
  {
    name: "blockCookieBanners",
    modes: BOTH,
    kind: "flag",
    default: false,
    description: "Decline cookie banners, or hide them if they cannot be declined. Never accepts one.",
    example: true,
  },
  {
    name: "blockAds",
    modes: BOTH,
    kind: "flag",
    default: false,
    description: "Block ads with the service's filter lists, `SNAP_FILTER_LISTS`.",
    example: true,
  },
  {
    name: "blockTrackers",
    modes: BOTH,
    kind: "flag",
    default: false,
    description: "Block trackers with the service's filter lists, `SNAP_FILTER_LISTS`.",
    example: true,
  },
  {
    name: "blockUrls",
    modes: BOTH,
    kind: "text",
    maxCharacters: 2048,
    syntax:
      "a comma-separated list of up to 20 hosts, *.hosts or URL patterns; a path needs a pattern that starts with * or a scheme, as in *example.com/path*",
    placeholder: "list",
    canonicalize: canonicalUrlPatterns,
    description:
      "Up to 20 hosts (`ads.example.com`, `*.example.com`) or URL patterns with `*` to block, separated by commas. Never blocks the page itself.",
    example: "*.ads.example,https://example.com/video/*",
  },
  {
    name: "blockResources",
    modes: BOTH,
    kind: "text",
    maxCharacters: 128,
    syntax: `a comma-separated list, such as image,font, of ${RESOURCE_TYPES.join(", ")}`,
    placeholder: "list",
    canonicalize: (text) => canonicalList(text, (item) => (RESOURCE_TYPES.includes(item) ? item : null)),
    description: `Kinds of resources to block, separated by commas: any of \`${RESOURCE_TYPES.join(", ")}\`.`,
    example: "media,font",
  },
];
