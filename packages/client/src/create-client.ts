import type { RenderBatch, RenderInput, UsageReport } from "@snap/protocol";
import { createBatches } from "./batches/batches.ts";
import type { ClientOptions, SnapClient } from "./client.ts";
import { DURATION_MS, readBaseUrl, readInteger, readToken, RETRIES } from "./read-options.ts";
import { readForm, readNotModified, readRendering } from "./results/read-rendering.ts";
import type {
  As,
  DownloadOptions,
  KnownTag,
  NotModified,
  RenderOptions,
  RenderResult,
  Rendering,
} from "./results/rendering.ts";
import { realPacing } from "./sending/time.ts";
import { parseObject, readText } from "./sending/read-body.ts";
import { send, type Call, type CallOptions, type SendSettings } from "./sending/send.ts";
import { toFailure, type AnswerContext } from "./sending/to-failure.ts";
import { writeQuery } from "./sending/write-query.ts";
import { signUrl } from "./signing/sign-url.ts";

const readUsage = readDocument<UsageReport>("credits");
const readBatch = readDocument<RenderBatch>("items");

/**
 * A client of the service. It keeps its secrets to itself: printing it, or writing it as JSON, shows
 * none.
 *
 * @throws TypeError when an option is missing or malformed; RangeError for a number out of range.
 * @example
 * const snap = createClient({ baseUrl: "https://snap.example.com/v1", token: process.env.SNAP_TOKEN ?? "" });
 * const { bytes } = await snap.screenshot({ url: "https://example.com" });
 * await writeFile("example.png", bytes);
 */
export function createClient(options: ClientOptions): SnapClient {
  const baseUrl = readBaseUrl(options.baseUrl);
  const { tokenId, secret } = readToken(options.token);
  const { token, signingSecret, pacing = realPacing } = options;
  const ownHeaders = { ...options.headers };
  const settings: SendSettings = {
    // Looked up at each call, so that a replaced global is seen.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: readInteger("timeoutMs", options.timeoutMs ?? 120_000, DURATION_MS),
    maxRetries: readInteger("maxRetries", options.maxRetries ?? 2, RETRIES),
    maxRetryDelayMs: readInteger("maxRetryDelayMs", options.maxRetryDelayMs ?? 60_000, DURATION_MS),
    pacing,
    conceal: (text) => text.replaceAll(secret, "[token]"),
  };

  /** Asks the API, as the token's owner. */
  async function ask<T>(
    path: string,
    { etag, ...call }: Pick<Call<T>, "body" | "repeatIsFree" | "read"> & { readonly etag?: KnownTag },
    callOptions?: CallOptions,
  ): Promise<T> {
    const headers = new Headers(ownHeaders);
    headers.set("Authorization", `Bearer ${token}`);
    if (typeof etag === "string") headers.set("If-None-Match", etag);
    if (call.body !== undefined) headers.set("Content-Type", "application/json");
    return send(settings, { url: baseUrl + path, headers, ...call }, callOptions);
  }

  async function render<A extends As, T extends KnownTag>(
    parameters: RenderInput,
    { as, ifNoneMatch, ...callOptions }: RenderOptions<A, T> = {},
  ): Promise<RenderResult<A, T>> {
    const form = readForm(as);
    const result = await ask<Rendering<A> | NotModified>(
      `/snap?${writeQuery(parameters).toString()}`,
      {
        etag: ifNoneMatch,
        // Without the cache each render costs a credit, and the lost one was charged.
        repeatIsFree: parameters.cache !== false,
        read: async (response, context) =>
          response.status === 304 ? readNotModified(response) : readRendering(response, context, form),
      },
      callOptions,
    );
    // The compiler can't see that there is no 304 unless a tag was sent.
    return result as RenderResult<A, T>;
  }

  async function fetchRendering<A extends As>(
    url: string,
    { as, ...callOptions }: DownloadOptions<A>,
  ): Promise<Rendering<A>> {
    const form = readForm(as);
    // Those for the gateway are meant for the service's own origin alone.
    const headers = new Headers(url.startsWith(`${new URL(baseUrl).origin}/`) ? ownHeaders : {});
    const read: Call<Rendering<A>>["read"] = (response, context) => readRendering(response, context, form);
    return send(settings, { url, headers, repeatIsFree: true, read }, callOptions);
  }

  return {
    async screenshot(parameters, callOptions) {
      // Programs without types may pass it; a PDF is not what the method says.
      if (Object(parameters).pdf === true) throw new TypeError("pdf: true is what pdf() is for");
      return render(parameters, callOptions);
    },
    pdf: async (parameters, callOptions) => render({ ...parameters, pdf: true }, callOptions),
    usage: async (callOptions) => ask("/usage", { repeatIsFree: true, read: readUsage }, callOptions),
    batches: createBatches({
      get: async (id, callOptions) =>
        ask(`/renders/${encodeURIComponent(id)}`, { repeatIsFree: true, read: readBatch }, callOptions),
      post: async (batch, callOptions) =>
        ask("/renders", { body: JSON.stringify(batch), repeatIsFree: false, read: readBatch }, callOptions),
      fetchRendering,
      pacing,
    }),
    signUrl: (parameters, expiry) =>
      signUrl(parameters, { ...expiry, baseUrl, tokenId, signingSecret: signingSecret ?? "" }),
  };
}

/**
 * Reads an answer as the JSON document of the contract that has this member, an object or an array.
 *
 * @throws SnapError `unexpected_answer` for anything else.
 */
function readDocument<T extends object>(
  member: keyof T & string,
): (response: Response, context: AnswerContext) => Promise<T> {
  const isDocument = (value: Readonly<Record<string, unknown>>): value is T & typeof value =>
    Object(value[member]) === value[member];
  return async (response, context) => {
    const text = await readText(response);
    const document = parseObject(text);
    if (isDocument(document)) return document;
    throw toFailure(response, { ...context, text });
  };
}
