import { HEADERS } from "@snap/protocol";
import { BASE_URL } from "../api/addresses.ts";
import { readFailure, toFailure, type ApiFailure } from "../api/failure.ts";
import { safeFile } from "../rendering/safe-file.ts";
import type { Parameters } from "./form.ts";
import { toCaptureRequest } from "./capture-request.ts";

export interface ResponseFacts {
  readonly status: number;
  readonly durationMs: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export type Result =
  | {
      readonly kind: "rendered";
      readonly file: Blob;
      readonly facts: ResponseFacts;
      readonly cache: string | null;
      readonly creditCost: 0 | 1;
      readonly notes: readonly string[];
      readonly targetStatus: string | null;
      readonly storedLocation: string | null;
      readonly requestId: string | null;
    }
  | { readonly kind: "failed"; readonly failure: ApiFailure; readonly facts: ResponseFacts | null };

/** Longer than a render can take with the default timeouts. */
const RENDER_TIMEOUT_MS = 180_000;

/** Sends a request with a token. Rejects only if `signal` aborts. */
export async function sendCapture(
  parameters: Parameters,
  token: string,
  signal: AbortSignal,
): Promise<Result> {
  const startedMs = performance.now();
  const { url, query, body } = toCaptureRequest(parameters, BASE_URL);
  try {
    const response = await fetch(body === null ? `${url}?${query}` : url, {
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== null && { "Content-Type": "application/json" }),
      },
      ...(body !== null && { method: "POST", body: JSON.stringify(body) }),
      cache: "no-store",
      signal: AbortSignal.any([signal, AbortSignal.timeout(RENDER_TIMEOUT_MS)]),
    });
    const facts = { status: response.status, headers: [...response.headers] };
    if (!response.ok) {
      const failure = await readFailure(response);
      return { kind: "failed", failure, facts: { ...facts, durationMs: performance.now() - startedMs } };
    }
    const file = safeFile(await response.blob());
    return rendered(response, file, { ...facts, durationMs: performance.now() - startedMs });
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "failed", failure: toFailure(error), facts: null };
  }
}

function rendered({ headers }: Response, file: Blob, facts: ResponseFacts): Result {
  const cache = headers.get(HEADERS.cache);
  return {
    kind: "rendered",
    file,
    facts,
    cache,
    creditCost: cache === "HIT" ? 0 : 1,
    notes: (headers.get(HEADERS.renderNotes) ?? "")
      .split(",")
      .map((note) => note.trim())
      .filter(Boolean),
    targetStatus: headers.get(HEADERS.targetStatus),
    storedLocation: headers.get(HEADERS.storedLocation),
    requestId: headers.get(HEADERS.requestId),
  };
}
