import type { RenderingDocument } from "@snap/protocol";
import type { CallOptions } from "../sending/send.ts";

/** The headers of a response. */
export interface ResponseFacts {
  /** Quoted entity tag, for `ifNoneMatch`; `null` if the header is missing or hidden by the browser. */
  readonly etag: string | null;
  /**
   * `hit`: from the cache or from an identical request's render, free. `miss`: rendered, and
   * cached if it fits. `bypass`: rendered because of `cache: false`, or the header is missing or
   * hidden by the browser.
   */
  readonly cache: "hit" | "miss" | "bypass";
  /** HTTP status of the page itself; `null` if unknown, as it always is for a PDF. */
  readonly targetStatus: number | null;
  /** The account's credits; `null` if the headers are missing, as for a signed URL, or hidden by the browser. */
  readonly credits: {
    /** Granted for the current period. */
    readonly limit: number;
    /** Left after this response. */
    readonly remaining: number;
    /** When the next period starts; `null` for an account without a period. */
    readonly resetsAt: Date | null;
  } | null;
  /** Remarks about the render, such as `wait-capped`. */
  readonly notes: readonly string[];
  /** The rate limit that the request counted against; `null` if none, and for a signed URL. */
  readonly rateLimit: { readonly limit: number; readonly remaining: number } | null;
  /** Where the rendering was stored, such as `s3://bucket/key`; `null` without `storeTo`. */
  readonly storedLocation: string | null;
  /** Identifies the request; `null` if the header is missing or hidden by the browser. */
  readonly requestId: string | null;
}

interface RenderingFacts extends ResponseFacts {
  readonly notModified: false;
  /** `image/png`, `image/jpeg`, `image/webp`, `image/avif` or `application/pdf`. */
  readonly contentType: string;
}

/** A rendering in memory. */
export interface BytesRendering extends RenderingFacts {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A rendering as a stream. */
export interface StreamRendering extends RenderingFacts {
  readonly stream: ReadableStream<Uint8Array>;
}

/** A rendering as a `Response` with an unread body. */
export interface ResponseRendering extends RenderingFacts {
  readonly response: Response;
}

/** The metadata of a rendering, without its file. */
export interface JsonRendering extends RenderingFacts {
  /** Size of the file, title and URL of the page, cost, and a signed URL of the file. */
  readonly json: RenderingDocument;
}

/** The caller already has the current rendering; the response has no body. */
export interface NotModified extends ResponseFacts {
  readonly notModified: true;
}

interface Files {
  readonly bytes: BytesRendering;
  readonly stream: StreamRendering;
  readonly response: ResponseRendering;
}

interface Renderings extends Files {
  readonly json: JsonRendering;
}

/** The form of a downloaded file. */
export type FileForm = keyof Files;

/** The form of a rendering: its file, or its metadata. */
export type As = keyof Renderings;

/** A rendering in the requested form. */
export type Rendering<A extends As = "bytes"> = Renderings[A];

/** The values of `ifNoneMatch`. */
export type KnownTag = string | null | undefined;

/** A rendering, or possibly `NotModified` if a tag was sent. */
export type RenderResult<A extends As = "bytes", T extends KnownTag = undefined> =
  Rendering<A> | (T extends string ? NotModified : never);

interface FormOptions<A extends As> extends CallOptions {
  /**
   * The form of the result: `bytes`, `stream` or `response`. With the last two, the body is unread, and the timeout and
   * retries cover only the headers; `signal` also covers the body. A render can also return `json`: metadata instead of
   * the file, for the same price.
   * @default "bytes"
   */
  readonly as?: A | undefined;
}

export interface DownloadOptions<A extends FileForm = FileForm> extends FormOptions<A> {}

export interface RenderOptions<A extends As = As, T extends KnownTag = KnownTag> extends FormOptions<A> {
  /**
   * Entity tag of a rendering that the caller already has. `null` and `undefined` send none. Has no effect with
   * `as: "json"`.
   */
  readonly ifNoneMatch?: T | undefined;
}
