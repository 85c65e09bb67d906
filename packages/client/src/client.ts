import type {
  PdfCapture,
  ScreenshotCapture,
  SignableInput,
  UsageReport,
  ValidPdf,
  ValidScreenshot,
  ValidSignable,
} from "@snap/protocol";
import type { Batches } from "./batches/batches.ts";
import type { Documents } from "./documents/documents.ts";
import type { As, KnownTag, RenderOptions, RenderResult } from "./results/rendering.ts";
import type { Hooks, Logger } from "./sending/hooks.ts";
import type { Pacing } from "./sending/time.ts";
import type { CallOptions } from "./sending/send.ts";
import type { ExpiryOptions } from "./signing/sign-url.ts";

export interface ClientOptions {
  /**
   * Base URL of the service, such as `https://snap.example.com/v1`. A URL without a path gets `/v1`.
   * `SNAP_BASE_URL` by default.
   */
  readonly baseUrl?: string | URL | undefined;
  /**
   * `<id>|<secret>`, or the secret that the operator chose as the service's `SNAP_TOKEN`; the variable `SNAP_TOKEN` by
   * default. Keep it on the server: never send it to a browser.
   */
  readonly token?: string | undefined;
  /**
   * The token's signing secret, for `signUrl`; `SNAP_SIGNING_SECRET` by default. Keep it on the server: never send it to a
   * browser.
   */
  readonly signingSecret?: string | undefined;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Timeout of one attempt in milliseconds, including the body, unless `as` leaves it unread. A timeout ends
   * the call with `timed_out`, without a retry.
   * @default 150000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Maximum retries after a retryable failure; 0 for none.
   * @default 2
   */
  readonly maxRetries?: number | undefined;
  /**
   * Longest wait before a retry, in milliseconds, not counting up to 500 ms that are added to `Retry-After`. If
   * `Retry-After` is longer, the client throws the error immediately, with `retryAfterSeconds`.
   * @default 60000
   */
  readonly maxRetryDelayMs?: number | undefined;
  /** Sent with each request to the origin of `baseUrl`, for a gateway in front of the service. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the metadata of requests, responses and retries. */
  readonly hooks?: Hooks | undefined;
  /** Receives a line for each request, response and retry; `console`, for example. */
  readonly logger?: Logger | undefined;
  /** Clock, randomness and sleep, replaceable in tests; the real ones by default. */
  readonly pacing?: Pacing | undefined;
}

/** A client for the service, with one token. */
export interface SnapClient {
  /**
   * Renders the page at `url`, or the content of `html` or `markdown`, as a PNG, JPEG, WebP or AVIF image.
   *
   * @throws SnapError for every failure, including invalid parameters and an aborted signal.
   * @example
   * const { bytes, etag } = await snap.screenshot({ url: "https://example.com", fullPage: true });
   * const { stream } = await snap.screenshot({ url: "https://example.com" }, { as: "stream" });
   * const again = await snap.screenshot({ url: "https://example.com" }, { ifNoneMatch: etag });
   * if (!again.notModified) console.log(again.bytes.byteLength);
   * const { json } = await snap.screenshot({ url: "https://example.com" }, { as: "json" });
   * console.log(json.title, json.width, json.signed_url);
   * const card = await snap.screenshot({ html: "<h1>Hello</h1>", width: 1200, height: 630 });
   */
  screenshot<
    A extends As = "bytes",
    T extends KnownTag = undefined,
    const P extends ScreenshotCapture = ScreenshotCapture,
  >(
    parameters: ValidScreenshot<P>,
    options?: RenderOptions<A, T>,
  ): Promise<RenderResult<A, T>>;

  /**
   * Renders the page at `url`, or the content of `html` or `markdown`, as a PDF.
   *
   * @throws SnapError like `screenshot`.
   * @example
   * const { bytes } = await snap.pdf({ url: "https://example.com", paperFormat: "letter" });
   * const invoice = await snap.pdf({ html: "<h1>Invoice 7</h1>" });
   */
  pdf<A extends As = "bytes", T extends KnownTag = undefined, const P extends PdfCapture = PdfCapture>(
    parameters: ValidPdf<P>,
    options?: RenderOptions<A, T>,
  ): Promise<RenderResult<A, T>>;

  /**
   * Returns the account's credits, plan, period and rate limits. Costs no credits.
   *
   * @example
   * const { credits, period } = await snap.usage();
   * console.log(credits.remaining, period?.resets_at);
   */
  usage(options?: CallOptions): Promise<UsageReport>;

  /** Captures that are submitted together and collected later. */
  readonly batches: Batches;

  /** Uploads: pages with their files, which can then be rendered by `url`. */
  readonly documents: Documents;

  /**
   * Returns a signed URL, which renders a page for callers without a token; see the exported function `signUrl`.
   *
   * @throws SnapError for invalid parameters, including secret ones; `misconfigured` without
   * a signing secret, or with a token without an id.
   * @example
   * const src = snap.signUrl({ url: "https://example.com" }, { expires: new Date("2030-01-01") });
   */
  signUrl<const P extends SignableInput = SignableInput>(
    parameters: ValidSignable<P>,
    options?: ExpiryOptions,
  ): string;

  /**
   * Returns a client with some options replaced; one that is `undefined` keeps its value.
   * `headers` and `hooks` are replaced as a whole. With another `token`, pass its `signingSecret` too.
   *
   * @throws SnapError `misconfigured` like `createClient`.
   * @example
   * const patient = snap.withOptions({ timeoutMs: 300_000, maxRetries: 5 });
   * const { bytes } = await patient.pdf({ url: "https://example.com" });
   */
  withOptions(overrides: ClientOptions): SnapClient;
}
