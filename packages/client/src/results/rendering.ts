import type { CallOptions } from "../sending/send.ts";

/** What is known of an answer besides its body. */
export interface AnswerFacts {
  /** Entity tag, quoted, to be sent as `ifNoneMatch`; `null` where it can't be read. */
  readonly etag: string | null;
  /** `hit`: kept from before, free. `miss`: rendered and kept. `bypass`: rendered for `cache: false`. */
  readonly cache: "hit" | "miss" | "bypass";
  /** What the page itself answered; `null` means not known, not 200. Never known of a PDF. */
  readonly targetStatus: number | null;
  /** Credits of the account; `null` for a signed URL. */
  readonly credits: {
    /** Granted for the current period. */
    readonly limit: number;
    /** Left after this answer. */
    readonly remaining: number;
    /** When credits are granted again; `null` for an account without a period. */
    readonly resetsAt: Date | null;
  } | null;
  /** The budget per minute that the answer was counted against; `null` where it was against none. */
  readonly rateLimit: { readonly limit: number; readonly remaining: number } | null;
  /** Identifies the answer; `null` where it can't be read. */
  readonly requestId: string | null;
}

interface RenderingFacts extends AnswerFacts {
  readonly notModified: false;
  /** `image/png`, `image/jpeg`, `image/webp` or `application/pdf`. */
  readonly contentType: string;
  /** Remarks on how the rendering came about, such as `wait-capped`. */
  readonly notes: readonly string[];
}

/** A rendering in memory. */
export interface BytesRendering extends RenderingFacts {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A rendering that is read as it arrives. */
export interface StreamRendering extends RenderingFacts {
  readonly stream: ReadableStream<Uint8Array>;
}

/** A rendering as the web's `Response`, its body unread. */
export interface ResponseRendering extends RenderingFacts {
  readonly response: Response;
}

/** The rendering is the one that the caller holds: there is no body. */
export interface NotModified extends AnswerFacts {
  readonly notModified: true;
}

interface Renderings {
  readonly bytes: BytesRendering;
  readonly stream: StreamRendering;
  readonly response: ResponseRendering;
}

/** How a body is handed over. */
export type As = keyof Renderings;

/** A rendering in the form that was asked for. */
export type Rendering<A extends As = "bytes"> = Renderings[A];

/** What `ifNoneMatch` may be. */
export type KnownTag = string | null | undefined;

/** A rendering, or `NotModified` where a tag was sent. */
export type RenderResult<A extends As = "bytes", T extends KnownTag = undefined> =
  Rendering<A> | (T extends string ? NotModified : never);

export interface DownloadOptions<A extends As = As> extends CallOptions {
  /**
   * How the body is handed over: `bytes`, `stream` or `response`. The last two are handed over unread:
   * the time-out and the retries end where the body begins, `signal` goes on to its end.
   * @default "bytes"
   */
  readonly as?: A | undefined;
}

export interface RenderOptions<A extends As = As, T extends KnownTag = KnownTag> extends DownloadOptions<A> {
  /** Tag of the rendering that the caller holds. `null` and `undefined` send none. */
  readonly ifNoneMatch?: T | undefined;
}
