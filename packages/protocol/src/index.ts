export { ERROR_CODES } from "./error-codes.ts";
export type { ErrorCode, ErrorCodeFacts, ErrorEnvelope, ParameterFaults } from "./error-codes.ts";
export { HEADERS } from "./headers.ts";
export { LIMITS } from "./limits.ts";
export type { UsagePlan, UsageReport } from "./documents.ts";
