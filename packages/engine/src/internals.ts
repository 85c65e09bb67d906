/*
 * What the server needs beyond the engine itself. It may change with any release: embed the engine by its index.
 */

export { entitlementOf, usageReport } from "./accounts/entitlement.ts";
export type { Entitlement } from "./accounts/entitlement.ts";
export { isUnspecifiedAddress, parseBrowserUrls } from "./browser-endpoints.ts";
export type { BrowserEndpoint } from "./browser-endpoints.ts";
export type { CaptureOptions } from "./capture.ts";
export { toSnapError } from "./errors.ts";
export { steadySlots } from "./schedule/render-slots.ts";
export { abortable, withTimeout } from "./timeouts.ts";
export { markOfKey } from "./tokens/seal.ts";
export { ABILITIES } from "./tokens/tokens.ts";
export { findForeignSeals } from "./transfer/transfer.ts";
