import { PARAMETERS, type ErrorCode, type ParameterRow } from "@snap/protocol";
import type { Capture } from "../capture.ts";
import { orderedId } from "../ids.ts";
import { concealSecrets } from "../parameters/conceal-secrets.ts";
import type { HistoryEntry } from "../ports/history.ts";
import type { Random } from "../ports/random.ts";
import type { Ability } from "../ports/tokens.ts";
import { storableText } from "../storable-text.ts";
import { parseTarget } from "../targets/target.ts";

const MESSAGE_MAX_CHARACTERS = 1000;
const PARAMETERS_MAX_BYTES = 64 * 1024;

/** A valid request, with or without defaults. In a batch item, the secrets are `null`. */
export interface CapturedRequest {
  readonly parameters: Readonly<Record<string, unknown>> & { readonly url: string };
  readonly mode: Ability;
  readonly key: string;
}

/** How a capture ended. */
export type CaptureResult = Pick<
  HistoryEntry,
  "code" | "message" | "cache" | "creditCost" | "etag" | "bytes" | "targetStatus" | "notes" | "expiresAt"
>;

/** A capture that has just finished. */
export interface FinishedCapture
  extends
    CaptureResult,
    Pick<
      HistoryEntry,
      "at" | "requestId" | "batchId" | "accountId" | "tokenId" | "entryPoint" | "durationMs"
    > {
  /** `null` if the parameters were invalid or not read. */
  readonly request: CapturedRequest | null;
}

export function successOf({
  rendering: { etag, bytes, targetStatus, notes, expiresAt },
  cache,
  isCached,
  unchanged,
  creditCost,
}: Pick<Capture, "rendering" | "cache" | "isCached" | "unchanged" | "creditCost">): CaptureResult {
  return {
    code: null,
    message: null,
    cache,
    creditCost,
    etag,
    // an unchanged hit may have no bytes
    bytes: unchanged && bytes.byteLength === 0 ? null : bytes.byteLength,
    targetStatus,
    notes,
    // a bypass is cached under another key, if at all
    expiresAt: isCached && cache !== "bypass" ? expiresAt : null,
  };
}

export function failureOf({
  code,
  message,
  notes = [],
}: {
  readonly code: ErrorCode;
  readonly message: string;
  readonly notes?: readonly string[];
}): CaptureResult {
  return {
    code,
    message,
    cache: null,
    creditCost: 0,
    etag: null,
    bytes: null,
    targetStatus: null,
    notes,
    expiresAt: null,
  };
}

/** Returns the entry of a finished capture, without its secrets. */
export function toHistoryEntry({ request, ...finished }: FinishedCapture, random: Random): HistoryEntry {
  const { at, message, requestId } = finished;
  return {
    id: `req_${orderedId(random, { at })}`,
    ...finished,
    requestId: requestId && storableText(requestId),
    message: message && storableText(message.slice(0, MESSAGE_MAX_CHARACTERS)),
    mode: request?.mode ?? null,
    host: request && (parseTarget(request.parameters.url)?.hostname ?? null),
    parameters: request && readableParameters(request),
    key: request?.key ?? null,
  };
}

/** Returns the sent parameters without secrets; `null` if they are too long. */
function readableParameters({ parameters, mode }: CapturedRequest): HistoryEntry["parameters"] {
  const rows: Readonly<Record<string, ParameterRow>> = PARAMETERS[mode];
  const sent = Object.entries(concealSecrets(parameters))
    .filter(([name, value]) => value !== undefined && value !== rows[name]?.default)
    .map(([name, value]) => [name, typeof value === "string" ? storableText(value) : value] as const);
  const readable = { ...Object.fromEntries(sent), url: withoutCredentials(parameters.url) };
  return Buffer.byteLength(JSON.stringify(readable)) > PARAMETERS_MAX_BYTES ? null : readable;
}

/** Also handles rejected URLs: parsers accept backslashes and ignore whitespace before the user name. */
function withoutCredentials(url: string): string {
  return url.replace(/^(https?:[\\/\s]*)[^\\/?#]*@/i, "$1");
}
