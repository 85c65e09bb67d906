/*
 * Exports for the server. They can change with any release; to embed the engine, use the package's index.
 */

export { entitlementOf, usageReport } from "./accounts/entitlement.ts";
export { availablePlans } from "./accounts/plans.ts";
export { EMAIL_CHARACTERS_MAX, OVERRIDE_MAX } from "./accounts/accounts.ts";
export { createAuditLog } from "./audit/audit.ts";
export { batchNotFound } from "./batches/redeliver.ts";
export { responseLine } from "./batches/response-line.ts";
export { isHostName, isUnspecifiedAddress, parseBrowserUrls } from "./browser-endpoints.ts";
export type { BrowserEndpoint } from "./browser-endpoints.ts";
export { isLinkable } from "./cache/links.ts";
export { connect } from "./egress/connect.ts";
export { STORE_TIMEOUT_MS } from "./egress/s3-store.ts";
export { parseNoProxy } from "./egress/upstream-proxy.ts";
export { describeSkew, isExcessiveSkew, isNoticeableSkew } from "./clocks/clock-skew.ts";
export type { CaptureOptions } from "./capture.ts";
export { invalidFile, findPathProblem, tooManyFiles, UnpackedSize } from "./documents/check-files.ts";
export type { SentFile } from "./documents/check-files.ts";
export { contentTypeOf } from "./documents/content-types.ts";
export { documentUrl, identifyContent } from "./documents/document.ts";
export { accountNotFound, invalidParameter, messageOf, rejectProblems, toSnapError } from "./errors.ts";
export { FILTER_LIST_BYTES_MAX, findFilterListProblem } from "./filter-lists/find-problem.ts";
export { inspectFilterList } from "./filter-lists/inspect.ts";
export type { FilterListReport } from "./filter-lists/inspect.ts";
export { FILTER_LIST_PURPOSES } from "./filter-lists/purposes.ts";
export type { FilterListPurpose, FilterListTexts } from "./filter-lists/purposes.ts";
export { requestNotFound } from "./history/history.ts";
export { imageLibrary } from "./images/image-library.ts";
export { createPreviews } from "./images/previews.ts";
export type { FindPreview, Preview } from "./images/previews.ts";
export { ByteBudget, createTransferBudget } from "./limits/byte-budget.ts";
export { concealSecrets } from "./parameters/conceal-secrets.ts";
export { typedParameters } from "./parameters/read-query.ts";
export { requireInstalled } from "./parameters/require-installed.ts";
export { separateContent } from "./parameters/separate-content.ts";
export type { SeparatedContent } from "./parameters/separate-content.ts";
export { steadySlots } from "./schedule/render-slots.ts";
export { isPublicAddress } from "./targets/target.ts";
export { isMetadataAddress } from "./targets/metadata.ts";
export { abortable } from "./timeouts.ts";
export { isKeyOf } from "./tokens/check-secret-key.ts";
export { OVERLAP_MAX_MS } from "./tokens/previous-secrets.ts";
export { keyFingerprint, SECRET_KEY_MIN_CHARACTERS } from "./tokens/seal.ts";
export { parseTokenId } from "./tokens/token-text.ts";
export { ABILITIES, isTokenName, tokenNotFound } from "./tokens/tokens.ts";
export { findForeignSecrets } from "./transfer/transfer.ts";
export { isUserAgent } from "./user-agent.ts";
