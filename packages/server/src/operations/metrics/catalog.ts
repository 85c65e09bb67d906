import { BATCH_METRICS } from "./batches.ts";
import { BROWSER_METRICS } from "./browsers.ts";
import { CREDIT_METRICS } from "./credits.ts";
import type { Metric } from "./define.ts";
import { RENDER_METRICS } from "./renders.ts";
import { REQUEST_METRICS } from "./requests.ts";
import { SERVICE_METRICS } from "./service.ts";
import { STORAGE_METRICS } from "./storage.ts";

/** The metrics that the service defines, by subject. Each subject is a heading in docs/reference/metrics.md. */
export const METRICS: Readonly<Record<string, Readonly<Record<string, Metric>>>> = {
  "The service": SERVICE_METRICS,
  Requests: REQUEST_METRICS,
  Renders: RENDER_METRICS,
  Browsers: BROWSER_METRICS,
  Credits: CREDIT_METRICS,
  "Batches and webhooks": BATCH_METRICS,
  "Cache and storage": STORAGE_METRICS,
};
