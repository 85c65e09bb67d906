import { ERROR_CODES, HEADERS, type ErrorCodeFacts, type ErrorEnvelope } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { parseObject } from "./read-body.ts";

const EXCERPT_CHARACTERS = 200;
const MESSAGE_CHARACTERS = 2000;
/** A day's name stands first in each of the three forms of RFC 9110, 5.6.7. */
const HTTP_DATE = /^[A-Z][a-z]+,? /;

/** What the contract says of a code; `null` for one that is newer than this package. */
export function factsOf(code: string): ErrorCodeFacts | null {
  const known: Readonly<Record<string, ErrorCodeFacts>> = ERROR_CODES;
  return Object.hasOwn(known, code) ? (known[code] ?? null) : null;
}

/** Where an answer came from, and how messages may quote it. */
export interface AnswerContext {
  /** The origin that was asked. Never more of an address: a signed one is a credential. */
  readonly origin: string;
  /** Takes the token out of a text that came from elsewhere: a proxy may echo a request. */
  readonly conceal: (text: string) => string;
  readonly nowMs: number;
}

/**
 * The error that an answer stands for: by its envelope or, for one that isn't the service's, by its
 * status.
 */
export function toFailure(
  { status, headers }: Response,
  { text, origin, conceal, nowMs }: AnswerContext & { readonly text: string },
): SnapError {
  const envelope = parseObject(text);
  const requestId = headers.has(HEADERS.requestId) ? conceal(headers.get(HEADERS.requestId) ?? "") : null;
  const retryAfter = readRetryAfter(headers.get(HEADERS.retryAfter), nowMs);
  if (isEnvelope(envelope)) {
    // Concealed once it is parsed: escapes could hide what is to be taken out.
    const { code, message, errors, request_id } = parseObject(conceal(JSON.stringify(envelope))) as Envelope;
    return new SnapError(code, message.slice(0, MESSAGE_CHARACTERS), {
      status,
      requestId: requestId ?? request_id,
      retryAfter: retryAfter ?? factsOf(code)?.retryAfterSeconds,
      errors,
    });
  }
  // Browsers show a redirect that isn't followed without its status and place.
  const isRedirect = status === 0 || headers.has("Location");
  const what = isRedirect
    ? "a redirect, which is not followed: set baseUrl to the final address"
    : `${status}, but not as the service does: ${conceal(text).replace(/\s+/g, " ").slice(0, EXCERPT_CHARACTERS)}`;
  return new SnapError("unexpected_answer", `${origin} answered ${what}`, { status, requestId, retryAfter });
}

/** The envelope without the promise that its code is known. */
type Envelope = Omit<ErrorEnvelope, "code"> & { readonly code: string };

function isEnvelope(value: { readonly code?: unknown; readonly message?: unknown }): value is Envelope {
  return typeof value.code === "string" && typeof value.message === "string";
}

/** `Retry-After` in seconds (RFC 9110, 10.2.3); `null` for none and for what it can't be. */
function readRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const atMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}
