import type { ParameterRow } from "./row.ts";
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

/**
 * Every rendering parameter, defined once: validation, cache keys, OpenAPI, Postman, the Model Context Protocol, the
 * command line, the client's checks and types, and the reference are derived from it. Problems are reported in row order.
 * A new parameter is a row in `rows/` and a step in the renderer.
 */
export const PARAMETER_TABLE: readonly ParameterRow[] = [
  ...PAGE_ROWS,
  ...VIEWPORT_ROWS,
  ...APPEARANCE_ROWS,
  ...ACCESS_ROWS,
  ...REGION_ROWS,
  ...IMAGE_ROWS,
  ...WAIT_ROWS,
  ...BLOCKING_ROWS,
  ...CHANGES_ROWS,
  ...CONTENT_ROWS,
  ...PAPER_ROWS,
  ...PRINT_ROWS,
  ...CACHE_ROWS,
  ...DELIVERY_ROWS,
];
