import type { Row } from "./row.ts";
import { ACCESS_ROWS } from "./rows/access.ts";
import { APPEARANCE_ROWS } from "./rows/appearance.ts";
import { BLOCKING_ROWS } from "./rows/blocking.ts";
import { CACHE_ROWS } from "./rows/cache.ts";
import { CHANGES_ROWS } from "./rows/changes.ts";
import { CONTENT_ROWS } from "./rows/content.ts";
import { DELIVERY_ROWS } from "./rows/delivery.ts";
import { IMAGE_ROWS } from "./rows/image.ts";
import { PAGE_ROWS } from "./rows/page.ts";
import { PAPER_ROWS } from "./rows/paper.ts";
import { PRINT_ROWS } from "./rows/print.ts";
import { REGION_ROWS } from "./rows/region.ts";
import { VIEWPORT_ROWS } from "./rows/viewport.ts";
import { WAIT_ROWS } from "./rows/wait.ts";

/** The sections of the reference, the command-line help and forms, in order. */
const GROUPS = {
  Page: PAGE_ROWS,
  Viewport: VIEWPORT_ROWS,
  Appearance: APPEARANCE_ROWS,
  Access: ACCESS_ROWS,
  Region: REGION_ROWS,
  Image: IMAGE_ROWS,
  Wait: WAIT_ROWS,
  Blocking: BLOCKING_ROWS,
  Changes: CHANGES_ROWS,
  Content: CONTENT_ROWS,
  Paper: PAPER_ROWS,
  Print: PRINT_ROWS,
  Cache: CACHE_ROWS,
  Delivery: DELIVERY_ROWS,
};
export type ParameterGroup = keyof typeof GROUPS;

/** The names of the groups. */
export const PARAMETER_GROUPS = Object.keys(GROUPS) as readonly ParameterGroup[];

/** A parameter with its group. */
export type ParameterRow = Row & { readonly group: ParameterGroup };

/**
 * Every rendering parameter, defined once: validation, cache keys, OpenAPI, Postman, the Model Context Protocol, the
 * command line, the client's checks and types, and the reference are derived from it. Problems are reported in row order.
 * `.github/CONTRIBUTING.md` lists what else a new parameter needs.
 */
export const PARAMETER_TABLE: readonly ParameterRow[] = PARAMETER_GROUPS.flatMap((group) =>
  GROUPS[group].map((row) => Object.assign({ group }, row)),
);
