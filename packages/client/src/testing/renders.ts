import { checkCapture, HEADERS, LIMITS, signWebhook } from "@snap/protocol";
import { fileOf } from "./files.ts";
import { FailedRequest, rejectInvalid } from "./responses.ts";

/** The render limit, which is not enforced. */
export const RENDERS_PER_MINUTE = 60;
const NOT_DRAWN: ReadonlySet<string> = new Set(["cache", "cacheTtl"]);

/** Settings of every rendering. */
export interface RenderSettings {
  readonly totalCredits: number;
  readonly targetStatus: number;
  readonly notes: readonly string[];
}

/** A render or a cache hit. */
export interface FakeRender {
  readonly etag: string;
  readonly contentType: string;
  readonly isHit: boolean;
  readonly isCached: boolean;
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

  /** Renders a page, or finds it in the cache. */
  render(parameters: object): FakeRender {
    rejectInvalid(checkCapture(parameters));
    const { pdf, format = "png", cache = true } = parameters as Readonly<Record<string, unknown>>;
    const etag = etagOf(parameters);
    const isHit = cache === true && this.#cached.has(etag);
    if (!isHit) {
      if (this.credits.remaining === 0) throw new FailedRequest({ code: "credit_limit_reached" });
      this.#usedCredits += 1;
      if (cache === true) this.#cached.add(etag);
    }
    const contentType = pdf === true ? "application/pdf" : `image/${String(format)}`;
    return { etag, contentType, isHit, isCached: cache === true };
  }

  /** Returns the response with a rendering, or 304 if the caller already has it. */
  respond(
    parameters: object,
    { knownTag, isSigned }: { knownTag: string | null; isSigned: boolean },
  ): Response {
    const { etag, contentType, isHit, isCached } = this.render(parameters);
    const { notes, targetStatus } = this.settings;
    const isUnchanged = knownTag === etag;
    const limit = isHit ? LIMITS.cachedRequestsPerMinute : RENDERS_PER_MINUTE;
    const headers = {
      ETag: etag,
      ...(isCached && { [HEADERS.cache]: isHit ? "HIT" : "MISS" }),
      ...(contentType !== "application/pdf" && { [HEADERS.targetStatus]: String(targetStatus) }),
      ...(notes.length > 0 && { [HEADERS.renderNotes]: notes.join(", ") }),
      ...(!isSigned &&
        !(isUnchanged && isHit) && {
          [HEADERS.rateLimitLimit]: String(limit),
          [HEADERS.rateLimitRemaining]: String(limit - 1),
        }),
    };
    if (isUnchanged) return new Response(null, { status: 304, headers });
    return new Response(fileOf(contentType), { headers: { ...headers, "Content-Type": contentType } });
  }
}

/** Returns an entity tag that depends only on the parameters: every file of a format has the same bytes. */
function etagOf(parameters: object): string {
  const drawn = Object.entries(parameters)
    .filter(([name, value]) => value !== undefined && !NOT_DRAWN.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `"${digestOf(JSON.stringify(drawn))}"`;
}

/** Returns 64 hex digits that depend only on the text. */
export function digestOf(text: string): string {
  return signWebhook({ timestamp: "0", body: new TextEncoder().encode(text) }, "snap fake service");
}
