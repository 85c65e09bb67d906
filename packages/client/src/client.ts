import type { PdfInput, RenderInput, ScreenshotInput, UsageReport } from "@snap/protocol";
import type { Batches } from "./batches/batches.ts";
import type { As, KnownTag, RenderOptions, RenderResult } from "./results/rendering.ts";
import type { Pacing } from "./sending/time.ts";
import type { CallOptions } from "./sending/send.ts";
import type { ExpiryOptions } from "./signing/sign-url.ts";

export interface ClientOptions {
  /** Base address of the service, such as `https://snap.example.com/v1`; without a path, `/v1` is added. */
  readonly baseUrl: string | URL;
  /** `<id>|<secret>`. It stays on the server: never send it to a browser. */
  readonly token: string;
  /** The signing secret of the token, for `signUrl`. It stays on the server too. */
  readonly signingSecret?: string | undefined;
  /** Sends the requests; the runtime's own `fetch` unless given. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Milliseconds for one attempt, with the body where it is read as bytes. What takes longer ends with
   * `timed_out` and is not repeated.
   * @default 120000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Repeats after a failure that a repeat can mend; 0 for none.
   * @default 2
   */
  readonly maxRetries?: number | undefined;
  /**
   * Longest wait before a repeat, in milliseconds. A service that asks for a longer one gets none: the
   * error is thrown at once, with `retryAfter`.
   * @default 60000
   */
  readonly maxRetryDelayMs?: number | undefined;
  /** Sent with each request to the origin of `baseUrl`, for a gateway in front of the service. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How time passes, for tests that must not wait; really, unless given. */
  readonly pacing?: Pacing | undefined;
}

/** The service, for one token. */
export interface SnapClient {
  /**
   * A page as PNG, JPEG or WebP.
   *
   * @throws SnapError for every failure, faulty parameters included; the reason of `signal` when it
   * aborts.
   * @example
   * const { bytes, etag } = await snap.screenshot({ url: "https://example.com", fullPage: true });
   * const { stream } = await snap.screenshot({ url: "https://example.com" }, { as: "stream" });
   * const again = await snap.screenshot({ url: "https://example.com" }, { ifNoneMatch: etag });
   * if (!again.notModified) console.log(again.bytes.byteLength);
   */
  screenshot<A extends As = "bytes", T extends KnownTag = undefined>(
    parameters: ScreenshotInput,
    options?: RenderOptions<A, T>,
  ): Promise<RenderResult<A, T>>;

  /**
   * A page as PDF.
   *
   * @throws SnapError as `screenshot` does.
   * @example
   * const { bytes } = await snap.pdf({ url: "https://example.com", paperFormat: "letter" });
   */
  pdf<A extends As = "bytes", T extends KnownTag = undefined>(
    parameters: PdfInput,
    options?: RenderOptions<A, T>,
  ): Promise<RenderResult<A, T>>;

  /**
   * Credits, plan, period and limits of the account. Costs no credit.
   *
   * @example
   * const { credits, period } = await snap.usage();
   * console.log(credits.remaining, period?.resets_at);
   */
  usage(options?: CallOptions): Promise<UsageReport>;

  /** Renderings that are queued, and collected later. */
  readonly batches: Batches;

  /**
   * A URL that renders a page for whoever has it, without a token; see the function `signUrl`.
   *
   * @throws SnapError when the parameters are at fault; TypeError without a signing secret.
   * @example
   * const src = snap.signUrl({ url: "https://example.com" }, { expires: new Date("2030-01-01") });
   */
  signUrl(parameters: RenderInput, options?: ExpiryOptions): string;
}
