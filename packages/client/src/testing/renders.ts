import {
  buildSignedUrl,
  checkCapture,
  DOCUMENT_ORIGIN,
  documentIdOf,
  fitsSignedUrl,
  HEADERS,
  LIMITS,
  parseIfNoneMatch,
  parseTargetUrl,
  secretsIn,
  significantEntries,
  signWebhook,
  toQuery,
  withoutDelivery,
  type RenderingDocument,
  type ScreenshotCapture,
  type UrlSigner,
} from "@snap/protocol";
import { fileOf, sizeOf } from "./files.ts";
import { FailedRequest, rejectInvalid } from "./responses.ts";

/** The render limit, which is not enforced. */
export const RENDERS_PER_MINUTE = 60;

/** How the fake service renders. */
export interface RenderSettings {
  readonly totalCredits: number;
  readonly targetStatus: number;
  readonly notes: readonly string[];
  /** Returns whether the account has stored this document. */
  readonly hasDocument: (id: string) => boolean;
}

/** A render or a cache hit. */
export interface FakeRender {
  readonly etag: string;
  readonly contentType: string;
  readonly isHit: boolean;
  readonly usesCache: boolean;
}

/** The cache and the credits of the fake service. Renderings do not expire. */
export class Renders {
  readonly settings: RenderSettings;
  #usedCredits = 0;
  readonly #cached = new Set<string>();

  constructor(settings: RenderSettings) {
    this.settings = settings;
  }

  get credits(): { readonly remaining: number; readonly used: number; readonly total: number } {
    const { totalCredits: total } = this.settings;
    return { remaining: total - this.#usedCredits, used: this.#usedCredits, total };
  }

  /** Renders a page, or finds its rendering in the cache. */
  render(parameters: object): FakeRender {
    rejectInvalid(checkCapture(parameters));
    const { pdf, output, format = "png", cache = true } = parameters as Readonly<Record<string, unknown>>;
    const etag = etagOf(parameters);
    const key = cacheKeyOf(parameters);
    const isHit = cache === true && this.#cached.has(key);
    if (!isHit) {
      if (this.credits.remaining === 0) throw new FailedRequest({ code: "credit_limit_reached" });
      this.#requireDocument(parameters);
      this.#usedCredits += 1;
      if (cache === true) this.#cached.add(key);
    }
    const contentType = pdf === true ? "application/pdf" : `image/${String(output ?? format)}`;
    return { etag, contentType, isHit, usesCache: cache === true };
  }

  /** @throws FailedRequest if the page is a document that is not stored. */
  #requireDocument({ url }: { readonly url?: string }): void {
    const isDocument =
      url !== undefined && parseTargetUrl(url)?.hostname === new URL(DOCUMENT_ORIGIN).hostname;
    if (isDocument && !this.settings.hasDocument(documentIdOf(url) ?? ""))
      throw new FailedRequest({ code: "target_unreachable" });
  }

  /** Returns the response with a rendering, or a 304 if the caller already has it. */
  respond(
    parameters: object,
    { ifNoneMatch, isSigned }: { ifNoneMatch: string | null; isSigned: boolean },
  ): Response {
    const render = this.render(parameters);
    const { etag, contentType, isHit } = render;
    const isUnchanged = parseIfNoneMatch(ifNoneMatch)?.(etag) ?? false;
    const headers = {
      ETag: etag,
      ...this.#headersOf(render, { isFree: isSigned || (isUnchanged && isHit) }),
    };
    if (isUnchanged) return new Response(null, { status: 304, headers });
    return new Response(fileOf(contentType), { headers: { ...headers, "Content-Type": contentType } });
  }

  /** Returns the response with a rendering's metadata (`answer=json`). */
  respondWithFacts(
    parameters: object,
    { signer, now }: { readonly signer: UrlSigner; readonly now: () => number },
  ): Response {
    const render = this.render(parameters);
    const { etag, contentType, isHit, usesCache } = render;
    const pageParameters = withPageUrl(parameters);
    const expiry = expiryOf(parameters, now());
    const { notes, targetStatus } = this.settings;
    const isPdf = contentType === "application/pdf";
    const facts: RenderingDocument = {
      etag,
      content_type: contentType,
      size: fileOf(contentType).byteLength,
      cache: usesCache ? (isHit ? "HIT" : "MISS") : null,
      target_status: isPdf ? null : targetStatus,
      expires_at: usesCache ? expiry.dateTime : null,
      credit_cost: isHit ? 0 : 1,
      signed_url: usesCache ? signedUrlOf(pageParameters, { ...signer, expires: expiry.seconds }) : null,
      notes,
      stored_location: null,
      ...(isPdf ? { width: null, height: null, pages: 1 } : { ...sizeOf(contentType), pages: null }),
      title: "A page of the fake service",
      final_url: pageParameters.url,
    };
    return Response.json(facts, { headers: this.#headersOf(render, { isFree: false }) });
  }

  #headersOf(
    { contentType, isHit, usesCache }: FakeRender,
    { isFree }: { readonly isFree: boolean },
  ): Record<string, string> {
    const { notes, targetStatus } = this.settings;
    const limit = isHit ? LIMITS.cachedRequestsPerMinute : RENDERS_PER_MINUTE;
    return {
      ...(usesCache && { [HEADERS.cache]: isHit ? "HIT" : "MISS" }),
      ...(contentType !== "application/pdf" && { [HEADERS.targetStatus]: String(targetStatus) }),
      ...(notes.length > 0 && { [HEADERS.renderNotes]: notes.join(", ") }),
      ...(!isFree && {
        [HEADERS.rateLimitLimit]: String(limit),
        [HEADERS.rateLimitRemaining]: String(limit - 1),
      }),
    };
  }
}

/** Replaces `html` or `markdown` with a document URL that depends only on the content. */
function withPageUrl(parameters: object): { readonly url: string } {
  const { html, markdown, ...others } = parameters as ScreenshotCapture;
  const { url = `${DOCUMENT_ORIGIN}/${digestOf(JSON.stringify({ html, markdown }))}/` } = others;
  return { ...others, url };
}

/** Returns the expiry of a rendering that is cached at `nowMs`. */
export function expiryOf(
  parameters: { readonly cacheTtl?: number | undefined },
  nowMs: number,
): { readonly dateTime: string; readonly seconds: number } {
  const expiresMs = nowMs + 1000 * (parameters.cacheTtl ?? LIMITS.cacheTtlDefaultSeconds);
  return { dateTime: new Date(expiresMs).toISOString(), seconds: Math.floor(expiresMs / 1000) };
}

/** Returns a signed URL of a rendering; `null` if a parameter is secret, or the parameters are too long. */
export function signedUrlOf(parameters: object, signer: UrlSigner): string | null {
  const urlParameters = withoutDelivery(parameters);
  if (secretsIn(urlParameters).length > 0 || !fitsSignedUrl(urlParameters)) return null;
  return buildSignedUrl(toQuery(urlParameters), signer);
}

/** Returns an entity tag of the parameters: all files of a format have the same bytes. */
export function etagOf(parameters: object): string {
  return `"${digestOf(cacheKeyOf({ ...parameters, cacheTtl: undefined }))}"`;
}

function cacheKeyOf(parameters: object): string {
  return JSON.stringify(significantEntries(withoutDelivery(withPageUrl(parameters))));
}

/** Returns 64 hex digits that depend only on the text. */
export function digestOf(text: string): string {
  return signWebhook({ timestamp: "0", body: new TextEncoder().encode(text) }, "snap fake service");
}
