export { createApp } from "./http/app.ts";
export type { AppOptions } from "./http/app.ts";
export { startService } from "./http/service.ts";
export type { Service, ServiceOptions } from "./http/service.ts";
export { openApiDocument } from "./openapi/document.ts";
export { postmanCollection } from "./openapi/postman.ts";
export { createLogger } from "./operations/logger.ts";
export { createMetrics } from "./operations/metrics.ts";
export type { CountedRequest, Metrics } from "./operations/metrics.ts";
