import { HEADERS } from "@snap/protocol";
import { readText } from "../sending/read-body.ts";
import { toFailure, type AnswerContext } from "../sending/to-failure.ts";
import type { AnswerFacts, As, NotModified, Rendering } from "./rendering.ts";

const RENDERED = /^(?:image\/[\w.+-]+|application\/pdf)(?=;|$)/;
const FORMS: readonly string[] = ["bytes", "stream", "response"] satisfies As[];

/** @throws TypeError when there is no such form. */
export function readForm<A extends As>(as: A | undefined): A {
  // Where nothing was sent, A is its default, "bytes".
  const form = as ?? ("bytes" as A);
  if (FORMS.includes(form)) return form;
  throw new TypeError(`as must be one of ${FORMS.join(", ")}`);
}

/**
 * A rendering from its answer.
 *
 * @throws SnapError `unexpected_answer` for a 2xx that is no rendering, such as a proxy's login page.
 */
export async function readRendering<A extends As>(
  response: Response,
  context: AnswerContext,
  form: A,
): Promise<Rendering<A>> {
  const { headers } = response;
  const [contentType] = RENDERED.exec(headers.get("Content-Type") ?? "") ?? [];
  if (contentType === undefined) throw toFailure(response, { ...context, text: await readText(response) });
  const body =
    form === "bytes"
      ? { bytes: new Uint8Array(await response.arrayBuffer()) }
      : form === "stream"
        ? { stream: response.body }
        : { response };
  const notes = headers.get(HEADERS.renderNotes)?.split(/,\s*/) ?? [];
  // The compiler can't see that the body is that of A.
  return { ...readFacts(headers), notModified: false, contentType, notes, ...body } as Rendering<A>;
}

/** The facts of a 304. */
export function readNotModified({ headers }: Response): NotModified {
  return { ...readFacts(headers), notModified: true };
}

/** interface.md, GET /snap, response headers. */
function readFacts(headers: Headers): AnswerFacts {
  return {
    etag: headers.get("ETag"),
    cache: ({ HIT: "hit", MISS: "miss" } as const)[headers.get(HEADERS.cache) ?? ""] ?? "bypass",
    targetStatus: readInteger(headers, HEADERS.targetStatus),
    credits: readCredits(headers),
    rateLimit: readPair(headers, {
      limit: HEADERS.rateLimitLimit,
      remaining: HEADERS.rateLimitRemaining,
    }),
    requestId: headers.get(HEADERS.requestId),
  };
}

function readCredits(headers: Headers): AnswerFacts["credits"] {
  const pair = readPair(headers, { limit: HEADERS.creditsLimit, remaining: HEADERS.creditsRemaining });
  const resetSeconds = readInteger(headers, HEADERS.creditsReset);
  return pair && { ...pair, resetsAt: resetSeconds === null ? null : new Date(resetSeconds * 1000) };
}

function readPair(
  headers: Headers,
  names: { readonly limit: string; readonly remaining: string },
): { readonly limit: number; readonly remaining: number } | null {
  const limit = readInteger(headers, names.limit);
  const remaining = readInteger(headers, names.remaining);
  return limit === null || remaining === null ? null : { limit, remaining };
}

function readInteger(headers: Headers, name: string): number | null {
  const text = headers.get(name) ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
