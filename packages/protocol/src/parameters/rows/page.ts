import { BOTH, type Row } from "../row.ts";

export const PAGE_ROWS: readonly Row[] = [
  {
    name: "url",
    modes: BOTH,
    kind: "url",
    description: "URL of the page to render. The host must be publicly reachable.",
    example: "https://example.com/",
  },
  {
    name: "pdf",
    modes: BOTH,
    kind: "flag",
    default: false,
    description: "`true` renders a PDF instead of an image.",
    example: false,
  },
];
