import {
  ERROR_CODES,
  HEADERS,
  parseRetryAfter,
  type ErrorCodeFacts,
  type ErrorEnvelope,
} from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { parseObject } from "./read-body.ts";
import { sanitizeText, type Redact } from "./received-text.ts";

const EXCERPT_CHARACTERS = 200;
const MESSAGE_CHARACTERS = 2000;

/** Returns what the API guarantees about a code; `null` for a code that is newer than this package. */
export function factsOf(code: string): ErrorCodeFacts | null {
  const facts: Readonly<Record<string, ErrorCodeFacts>> = ERROR_CODES;
  return Object.hasOwn(facts, code) ? (facts[code] ?? null) : null;
}

/** What an error for a response needs in addition to its status and text. */
export interface ResponseContext {
  /** Only the origin of the URL: a signed URL is a credential. */
  readonly origin: string;
  /** The headers without the token. */
  readonly headers: Headers;
  /** For received text: a proxy can echo the request. */
  readonly redact: Redact;
  readonly nowMs: number;
}

/**
 * Returns the error for a response: from its envelope, or from its status if it is not from the service.
 */
export function toFailure(
  { status }: Response,
  { text, origin, headers, redact, nowMs }: ResponseContext & { readonly text: string },
): SnapError {
  const envelope = parseObject(text);
  const requestId = headers.get(HEADERS.requestId);
  const retryAfterMs = parseRetryAfter(headers.get(HEADERS.retryAfter), nowMs);
  const retryAfterSeconds = retryAfterMs && Math.ceil(retryAfterMs / 1000);
  if (isEnvelope(envelope)) {
    // redact after parsing: escape sequences could hide the token
    const { code, message, errors, request_id } = parseSanitized(
      redact(JSON.stringify(envelope)),
    ) as Envelope;
    return new SnapError(code, message.slice(0, MESSAGE_CHARACTERS), {
      status,
      requestId: requestId ?? request_id,
      retryAfterSeconds: retryAfterSeconds ?? factsOf(code)?.retryAfterSeconds,
      errors,
      notes: readNotes(headers),
    });
  }
  // browsers hide the status and location of a redirect that is not followed; a 201 or 202 has a location too
  const isRedirect = status === 0 || (status >= 300 && status < 400 && headers.has("Location"));
  const description = isRedirect
    ? "a redirect; set baseUrl to the final address."
    : `an unexpected response with status ${status}: ${sanitizeText(redact(text)).slice(0, EXCERPT_CHARACTERS)}`;
  return new SnapError("unexpected_answer", `${origin} sent ${description}`, {
    status,
    requestId,
    retryAfterSeconds,
  });
}

/** Returns the notes on a render, successful or not. */
export function readNotes(headers: Headers): readonly string[] {
  return headers.get(HEADERS.renderNotes)?.split(/,\s*/) ?? [];
}

/** Parses JSON, and makes its strings safe to print. */
function parseSanitized(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown) =>
    typeof value === "string" ? sanitizeText(value) : value,
  );
}

/** The envelope, possibly with a code that is newer than this package. */
type Envelope = Omit<ErrorEnvelope, "code"> & { readonly code: string };

function isEnvelope(value: { readonly code?: unknown; readonly message?: unknown }): value is Envelope {
  return typeof value.code === "string" && typeof value.message === "string";
}
