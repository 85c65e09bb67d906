export { equalsInConstantTime } from "#hmac";
export type {
  AdminAccount,
  AdminAccountDetails,
  AdminBatch,
  AdminBatchItem,
  AdminBatchSummary,
  AdminBatchWebhook,
  AdminCountedList,
  AdminDeletedAccount,
  AdminDeletionPreview,
  AdminEntryPoint,
  AdminHealth,
  AdminList,
  AdminMintedToken,
  AdminPlan,
  AdminProblem,
  AdminRequest,
  AdminRevealedToken,
  AdminRevokedToken,
  AdminRevokedTokens,
  AdminSession,
  AdminToken,
  AdminUsage,
  BatchSummaryDocument,
  BatchWebhookDocument,
  DeliveryAttemptDocument,
} from "./admin.ts";
export { parseIfNoneMatch } from "./entity-tags.ts";
export { ERROR_CODES } from "./error-codes.ts";
export type { ErrorCode, ErrorCodeFacts, ErrorEnvelope, ParameterProblems } from "./error-codes.ts";
export { HEADERS, REQUEST_HEADERS, STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS } from "./headers.ts";
export { DOCUMENT_ORIGIN, DOCUMENT_TYPES } from "./document-upload.ts";
export { checkIdempotencyKey } from "./idempotency-key.ts";
export { BATCH_LIMITS, DOCUMENT_LIMITS, LIMITS } from "./limits.ts";
export type {
  BatchItem,
  BatchItemStatus,
  RenderBatch,
  RenderingDocument,
  StoredDocument,
  UsagePlan,
  UsageReport,
} from "./documents.ts";
export { explainNote, RENDER_NOTES } from "./notes.ts";
export { effectiveDefault, modeOf, PARAMETERS } from "./parameters/by-mode.ts";
export { captureQuery } from "./parameters/capture-query.ts";
export { checkCapture, checkParameters } from "./parameters/check-parameters.ts";
export { checkContent, PAGE_NAMES } from "./parameters/content.ts";
export type { Cookie } from "./parameters/cookies.ts";
export { ANSWERS } from "./parameters/answer.ts";
export type { Answer } from "./parameters/answer.ts";
export { DEVICES } from "./parameters/devices.ts";
export { explainUnknownName } from "./parameters/explain-unknown-name.ts";
export { checkField } from "./parameters/check-field.ts";
export { ProblemList } from "./parameters/problem-list.ts";
export type { ValidationFailure } from "./parameters/problem-list.ts";
export { fieldMessage } from "./parameters/field-message.ts";
export { fromText } from "./parameters/from-text.ts";
export { CAPTURE_LIMITS, fileFormatOf, pixelLimitOf, processingIn } from "./parameters/image-size.ts";
export type { FileFormat } from "./parameters/image-size.ts";
export { DEFAULT_STORE_KEY, fillStoreKey, isObjectKey } from "./parameters/object-key.ts";
export type { StoreKeyValues } from "./parameters/object-key.ts";
export { paperSizeInches, UNITS_PER_INCH } from "./parameters/paper-size.ts";
export type { Mode } from "./parameters/row.ts";
export { checkRules, checkSent } from "./parameters/rules.ts";
export {
  checkSignable,
  DELIVERY_NAMES,
  fitsSignedUrl,
  isUnsignable,
  SECRET_NAMES,
  secretsIn,
  withoutDelivery,
} from "./parameters/secrets.ts";
export { significantEntries } from "./parameters/significant-entries.ts";
export { selectorPattern } from "./parameters/selector.ts";
export { mustBeOneOf, suggestion, suggestName } from "./parameters/suggest-name.ts";
export { DEFAULT_ACCURACY_METERS } from "./parameters/rows/appearance.ts";
export { DEFAULT_MASK_COLOR } from "./parameters/rows/changes.ts";
export { DEFAULT_AVIF_QUALITY } from "./parameters/rows/image.ts";
export { DEFAULT_VIEWPORT } from "./parameters/rows/viewport.ts";
export { DEFAULT_WAIT, DEFAULT_WAIT_TIMEOUT_MS } from "./parameters/rows/wait.ts";
export { PARAMETER_GROUPS, PARAMETER_TABLE } from "./parameters/table.ts";
export type { ParameterGroup, ParameterRow } from "./parameters/table.ts";
export { canonicalJson, canonicalText } from "./parameters/text.ts";
export { isHostPattern } from "./parameters/url-patterns.ts";
export { encodeSpaces, isTooLongUrl, parseTargetUrl, URL_MESSAGES } from "./parameters/target-url.ts";
export { toQuery } from "./parameters/to-query.ts";
export type {
  BatchItemInput,
  ImageFormat,
  LengthUnit,
  PaperFormat,
  PdfCapture,
  PdfInput,
  PdfParameters,
  RenderInput,
  ScreenshotCapture,
  ScreenshotInput,
  ScreenshotParameters,
  SignableInput,
  SnapParameters,
  WaitEvent,
} from "./parameters/types.ts";
export type { ValidBatchItem, ValidPdf, ValidScreenshot, ValidSignable } from "./parameters/valid-input.ts";
export type { PdfValues, ScreenshotValues, SecretName } from "./parameters/values.ts";
export { parseRetryAfter } from "./retry-after.ts";
export { buildSignedUrl, SIGNATURE_PARAMETERS } from "./signing/build-signed-url.ts";
export type { UrlSigner } from "./signing/build-signed-url.ts";
export { canonicalQuery } from "./signing/canonical-query.ts";
export { signQuery, verifyQuery } from "./signing/sign-query.ts";
export { signStandardWebhook, signWebhook } from "./webhooks/sign-webhook.ts";
export type { SignedDelivery } from "./webhooks/sign-webhook.ts";
export { checkPage, checkPaths, findPathProblem, HTML_PAGE, MARKDOWN_PAGE } from "./document-paths.ts";
export { documentIdOf, documentUrl } from "./document-url.ts";
