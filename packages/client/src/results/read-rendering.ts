import { HEADERS, type RenderingDocument } from "@snap/protocol";
import { misconfigured } from "../errors.ts";
import { readText } from "../sending/read-body.ts";
import { readJson } from "../sending/read-json.ts";
import { readNotes, toFailure, type ResponseContext } from "../sending/to-failure.ts";
import type { As, FileForm, JsonRendering, NotModified, Rendering, ResponseFacts } from "./rendering.ts";

const RENDERING_TYPE = /^(?:image\/[\w.+-]+|application\/pdf)(?=;|$)/;
export const FILE_FORMS: readonly FileForm[] = ["bytes", "stream", "response"];
export const FORMS: readonly As[] = [...FILE_FORMS, "json"];

/** @throws SnapError `misconfigured` for an unknown form. */
export function readForm<A extends As>(as: A | undefined, forms: readonly As[]): A {
  // if `as` is undefined, A is its default, "bytes"
  const form = as ?? ("bytes" as A);
  if (forms.includes(form)) return form;
  throw misconfigured(`as must be one of ${forms.join(", ")}.`);
}

const readDocument = readJson<RenderingDocument>("content_type", "string");

/**
 * Reads a rendering from its response.
 *
 * @throws SnapError `unexpected_answer` for a 2xx that is not a rendering, such as a proxy's login page.
 */
export async function readRendering<A extends As>(
  response: Response,
  context: ResponseContext,
  form: A,
): Promise<Rendering<A>> {
  // the compiler cannot know that the result matches A
  return (form === "json" ? readFactsOnly(response, context) : readFile(response, context, form)) as Promise<
    Rendering<A>
  >;
}

async function readFactsOnly(response: Response, context: ResponseContext): Promise<JsonRendering> {
  const json = await readDocument(response, context);
  const { etag, content_type: contentType } = json;
  return { ...readFacts(context.headers), etag, notModified: false, contentType, json };
}

async function readFile(
  response: Response,
  context: ResponseContext,
  form: As,
): Promise<Rendering<FileForm>> {
  const { headers } = context;
  const [contentType] = RENDERING_TYPE.exec(headers.get("Content-Type") ?? "") ?? [];
  if (contentType === undefined) throw toFailure(response, { ...context, text: await readText(response) });
  const facts = { ...readFacts(headers), notModified: false, contentType } as const;
  if (form === "response") return { ...facts, response };
  // a rendering has a body
  if (form === "stream") return { ...facts, stream: response.body as ReadableStream<Uint8Array> };
  return { ...facts, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** Reads a 304. */
export function readNotModified({ headers }: ResponseContext): NotModified {
  return { ...readFacts(headers), notModified: true };
}

/** Reads the headers of a response with a rendering or its metadata, or of a 304. */
function readFacts(headers: Headers): ResponseFacts {
  return {
    etag: headers.get("ETag"),
    cache: ({ HIT: "hit", MISS: "miss" } as const)[headers.get(HEADERS.cache) ?? ""] ?? "bypass",
    targetStatus: readInteger(headers, HEADERS.targetStatus),
    notes: readNotes(headers),
    credits: readCredits(headers),
    rateLimit: readPair(headers, {
      limit: HEADERS.rateLimitLimit,
      remaining: HEADERS.rateLimitRemaining,
    }),
    storedLocation: headers.get(HEADERS.storedLocation),
    requestId: headers.get(HEADERS.requestId),
  };
}

function readCredits(headers: Headers): ResponseFacts["credits"] {
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
