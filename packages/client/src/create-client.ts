import { REQUEST_HEADERS, type PdfCapture, type ScreenshotCapture, type UsageReport } from "@snap/protocol";
import { createBatches } from "./batches/batches.ts";
import type { ClientOptions, SnapClient } from "./client.ts";
import { createDocuments } from "./documents/documents.ts";
import { misconfigured } from "./errors.ts";
import {
  DURATION_RANGE_MS,
  readBaseUrl,
  readHeaders,
  readInteger,
  readToken,
  readVariable,
  RETRIES_RANGE,
} from "./read-options.ts";
import { FILE_FORMS, FORMS, readForm, readNotModified, readRendering } from "./results/read-rendering.ts";
import type {
  As,
  DownloadOptions,
  FileForm,
  KnownTag,
  NotModified,
  RenderOptions,
  RenderResult,
  Rendering,
} from "./results/rendering.ts";
import { createObserver } from "./sending/hooks.ts";
import { realPacing } from "./sending/time.ts";
import { readJson } from "./sending/read-json.ts";
import { send, type Call, type CallOptions, type SendSettings, type ServiceCall } from "./sending/send.ts";
import { requireObject } from "./sending/throw-if-invalid.ts";
import { serializeCapture } from "./sending/serialize-capture.ts";
import { signUrl } from "./signing/sign-url.ts";

const readUsage = readJson<UsageReport>("credits");

/**
 * Creates a client for the service. `baseUrl`, `token` and `signingSecret` default to the environment variables
 * `SNAP_BASE_URL`, `SNAP_TOKEN` and `SNAP_SIGNING_SECRET`. Printing the client, or writing it as JSON, reveals no
 * secrets.
 *
 * @throws SnapError `misconfigured` if an option is missing or malformed.
 * @example
 * const snap = createClient();
 * const other = createClient({ baseUrl: "https://snap.example.com/v1", token: "7|…", maxRetries: 5 });
 * const { bytes } = await snap.screenshot({ url: "https://example.com" });
 * await writeFile("example.png", bytes);
 */
export function createClient(options: ClientOptions = {}): SnapClient {
  const baseUrl = readBaseUrl(options.baseUrl ?? readVariable("baseUrl"));
  const { token, tokenId, secret } = readToken(options.token ?? readVariable("token"));
  const { pacing = realPacing } = options;
  const extraHeaders = readHeaders("headers", options.headers);
  const settings: SendSettings = {
    // looked up on each call, so a replaced global takes effect
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: readInteger("timeoutMs", options.timeoutMs ?? 150_000, DURATION_RANGE_MS),
    maxRetries: readInteger("maxRetries", options.maxRetries ?? 2, RETRIES_RANGE),
    maxRetryDelayMs: readInteger("maxRetryDelayMs", options.maxRetryDelayMs ?? 60_000, DURATION_RANGE_MS),
    pacing,
    observer: createObserver(options.hooks, options.logger),
    redact: (text) => text.replaceAll(secret, "[token]").replaceAll(encodeURIComponent(secret), "[token]"),
  };

  /** Sends a request with the token. */
  async function request<T>(
    path: string,
    { etag, idempotencyKey, contentType = "application/json", ...call }: ServiceCall<T>,
    callOptions?: CallOptions,
  ): Promise<T> {
    const headers = new Headers(extraHeaders);
    headers.set("Authorization", `Bearer ${token}`);
    if (typeof etag === "string") headers.set("If-None-Match", etag);
    if (idempotencyKey !== undefined) headers.set(REQUEST_HEADERS.idempotencyKey, idempotencyKey);
    if (call.body !== undefined && contentType !== null) headers.set("Content-Type", contentType);
    return send(settings, { url: baseUrl + path, headers, ...call }, callOptions);
  }

  async function render<A extends As, T extends KnownTag>(
    parameters: ScreenshotCapture | (PdfCapture & { readonly pdf: true }),
    { as, ifNoneMatch, ...callOptions }: RenderOptions<A, T> = {},
  ): Promise<RenderResult<A, T>> {
    const form = readForm(as, FORMS);
    if (typeof ifNoneMatch === "string") readHeaders("ifNoneMatch", { "If-None-Match": ifNoneMatch });
    const { path, body } = serializeCapture(parameters, form === "json" ? "json" : "file");
    const result = await request<Rendering<A> | NotModified>(
      path,
      {
        body,
        etag: ifNoneMatch,
        // without the cache, each render costs a credit, even if its response was lost
        retryIsFree: parameters.cache !== false,
        read: async (response, context) =>
          response.status === 304 ? readNotModified(context) : readRendering(response, context, form),
      },
      callOptions,
    );
    // the compiler cannot know that a 304 requires a tag
    return result as RenderResult<A, T>;
  }

  async function fetchRendering<A extends FileForm>(
    url: string,
    { as, ...callOptions }: DownloadOptions<A>,
  ): Promise<Rendering<A>> {
    const form = readForm(as, FILE_FORMS);
    // the gateway's headers may hold credentials: send them only to the service's own origin
    const headers = new Headers(url.startsWith(`${new URL(baseUrl).origin}/`) ? extraHeaders : {});
    const read: Call<Rendering<A>>["read"] = (response, context) => readRendering(response, context, form);
    return send(settings, { url, headers, retryIsFree: true, read }, callOptions);
  }

  return {
    async screenshot(parameters, callOptions) {
      // JavaScript callers can pass it
      if (Object(parameters).pdf === true)
        throw misconfigured("screenshot() does not accept pdf: true; use pdf().");
      return render(parameters, callOptions);
    },
    pdf: async (parameters, callOptions) => render({ ...requireObject(parameters), pdf: true }, callOptions),
    usage: async (callOptions) => request("/usage", { retryIsFree: true, read: readUsage }, callOptions),
    batches: createBatches(request, { fetchRendering, pacing }),
    documents: createDocuments(request),
    signUrl(parameters, expiry) {
      // read only when needed, because Deno asks the user for permission
      const signingSecret = options.signingSecret ?? readVariable("signingSecret") ?? "";
      if (tokenId === null)
        throw misconfigured(
          "To sign URLs, pass the token as <id>|<secret>; the service logs the id at startup.",
        );
      return signUrl(parameters, { ...expiry, baseUrl, tokenId, signingSecret });
    },
    withOptions(overrides) {
      const replacements = Object.entries(overrides).filter(([, value]) => value !== undefined);
      return createClient({ ...options, baseUrl, token, ...Object.fromEntries(replacements) });
    },
  };
}
