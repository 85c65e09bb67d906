import type { SnapParameters } from "@snap/protocol";
import { entitlementOf } from "./accounts/entitlement.ts";
import { lookUp } from "./cache/lookup.ts";
import { share, type OwnRender, type ShareDependencies } from "./cache/share.ts";
import { toStoredRendering } from "./cache/rendering-cache.ts";
import { store, type StoreDependencies, type StoreResult } from "./cache/store.ts";
import { deliver, prepareDelivery, type Delivery, type DeliveryDependencies } from "./delivery/deliver.ts";
import { refund, reserve, settle, type CreditDependencies, type Settle } from "./credits/reservation.ts";
import { enforceRateLimit, type RateLimitState } from "./limits/enforce-rate-limit.ts";
import { identifyContent, type DocumentContent, type SentDocument } from "./documents/document.ts";
import { pageParameters } from "./documents/page-parameters.ts";
import type { SentParameters, ParsedRequest } from "./parameters/parse-request.ts";
import type { EntryPoint } from "./ports/history.ts";
import type { RateLimiter } from "./ports/rate-limiter.ts";
import type { RenderedFile } from "./ports/renderer.ts";
import type { Priority } from "./ports/render-leases.ts";
import type { StandingBalance } from "./ports/ledger.ts";
import type { RenderingKey, StoredRendering } from "./ports/renderings.ts";
import type { Principal } from "./ports/tokens.ts";
import { render, type RenderDependencies } from "./schedule/render.ts";
import { checkTarget } from "./targets/check-target.ts";
import { requireAbility, requireVerifiedEmail } from "./tokens/authorize.ts";

/** A rendering request and its caller. */
export interface CaptureRequest {
  readonly principal: Principal;
  /** The query of a request, parsed or as text, or an object with real booleans and numbers. */
  readonly parameters: SentParameters;
  /** The page itself, instead of the `url` parameter. It is not stored. */
  readonly document?: DocumentContent | undefined;
  /** Returns whether the caller already has the rendering with this entity tag. */
  readonly holds?: ((etag: string) => boolean) | undefined;
}

/** Additional options, for the service's entry points and its batch worker. */
export interface CaptureOptions {
  /** For the history; `engine` by default. The worker records items itself, when they finish. */
  readonly entryPoint?: Exclude<EntryPoint, "batch">;
  /** `interactive` by default. */
  readonly priority?: Priority;
  /**
   * The id under which the caller logs the request; for the history, the renderer's events and `{id}` in
   * `storeKey`.
   */
  readonly requestId?: string | undefined;
  /** When the caller sent the request, for `{date}` in `storeKey`; now by default. */
  readonly submittedAt?: number | undefined;
  /** Longest wait for a slot, if the caller gives up sooner than the engine. */
  readonly maxWaitMs?: number;
  /**
   * Returns whether a rendering requested with `cache: false` needs a link. It is then cached under a separate key,
   * only for that link. `false` by default. Other renderings are cached anyway.
   */
  readonly linked?: (fresh: StoredRendering) => boolean;
  /**
   * Called when the request no longer waits for a slot: its render starts, or it uses a cached rendering or waits for an
   * identical request's render. May be called several times.
   */
  readonly onStart?: () => void;
  /** Throws a `SnapError` if the caller cannot use the file. The capture then fails, and costs nothing. */
  readonly accept?: (file: RenderedFile) => void;
  /** Called after `accept` if the file is neither cached nor delivered to a store. Can throw as `accept` does. */
  readonly acceptUncached?: (file: RenderedFile) => void;
  /** Settles the credit in one transaction with other writes; by default the ledger settles it alone. */
  readonly settle?: Settle;
}

/** A rendering, and how it was obtained. */
export interface Capture {
  /** The page's URL; the URL of a document identifies its content. */
  readonly url: string;
  /** `bytes` may be empty if the rendering is `unchanged`. */
  readonly rendering: StoredRendering;
  /**
   * `hit`: served from the cache, or from an identical request's render. `miss`: rendered now. `bypass`: rendered now
   * with `cache: false`, and cached only for `link`.
   */
  readonly cache: "hit" | "miss" | "bypass";
  /** Whether the rendering is cached, so that `link` can return a URL for it. */
  readonly isCached: boolean;
  /** Whether the caller already has this rendering. */
  readonly unchanged: boolean;
  /**
   * The rate limit that the request counted against; `null` for an unchanged hit, which is not limited unless it is
   * delivered to a store.
   */
  readonly rateLimit: RateLimitState | null;
  readonly creditCost: 0 | 1;
  /** Where the rendering was stored, as an ASCII URI such as `s3://bucket/key`; `null` without `storeTo`. */
  readonly storedLocation: string | null;
  /**
   * The account's balance as read with the token, or after this render's reservation. `null` for a request that joined
   * another's render and for a render that was not charged, because the balance that was read is then outdated.
   */
  readonly balance: StandingBalance | null;
  /** Instant of the response. The rendering stays cached for `rendering.expiresAt` minus this. */
  readonly respondedAt: number;
}

/** The dependencies of the steps; `createEngine` assembles them. */
export interface CaptureDependencies
  extends ShareDependencies, StoreDependencies, CreditDependencies, RenderDependencies, DeliveryDependencies {
  readonly parse: (sent: SentParameters) => ParsedRequest;
  readonly rateLimiter: RateLimiter;
}

/**
 * The billed life cycle, the same for every entry point: parse, authorize, check target, look up, share, then
 * limit, reserve, render, deliver, store, settle (`renderAndCharge`). The email address and a
 * document's files are checked before parsing, a delivery right after it.
 *
 * @param onParsed receives the parsed request, even if a later step fails.
 */
export async function capture(
  dependencies: CaptureDependencies,
  request: CaptureRequest & CaptureOptions,
  onParsed?: (parsed: ParsedRequest) => void,
): Promise<Capture> {
  const { principal, priority = "interactive", requestId, maxWaitMs, onStart } = request;
  const { account, token, balance } = principal;
  requireVerifiedEmail(account);
  // the document's files are built only for a render
  const document = request.document && (await identifyContent(request.document));
  const sent = pageParameters(request.parameters, document);
  const parsed = dependencies.parse(sent);
  onParsed?.(parsed);
  const { parameters, mode, key: digest, verdict } = parsed;
  const requestInfo = { accountId: account.id, requestId, requestedAt: request.submittedAt };
  const delivery = prepareDelivery(dependencies, { ...requestInfo, parameters });
  requireAbility(token, mode);
  checkTarget(verdict);

  const key = { accountId: account.id, key: digest };
  const requestedAt = dependencies.clock.now();
  // a delivery needs the bytes, even if the caller already has them
  const holds = delivery === null ? request.holds : undefined;
  const cached = await lookUp(dependencies.cache, { key, parameters, holds });
  if (cached !== null)
    return respondFromCache(dependencies, request, {
      url: parameters.url,
      rendering: cached,
      isCached: true,
      balance,
      delivery,
    });

  const hasContent = document !== undefined;
  const sharing = { key, parameters, priority, hasContent, requestedAt, maxWaitMs, onJoin: onStart };
  const shared = parameters.cache ? await share(dependencies, sharing) : null;
  if (shared?.isJoined === true)
    return respondFromCache(dependencies, request, {
      url: parameters.url,
      rendering: shared.rendering,
      isCached: shared.isCached,
      balance: null,
      delivery,
    });

  let isAccepted = true;
  const watch =
    <A, R>(callback: (argument: A) => R) =>
    (argument: A): R => {
      isAccepted = false;
      const result = callback(argument);
      isAccepted = true;
      return result;
    };
  try {
    const cacheMiss = { key, parameters, document, delivery, requestedAt, own: shared };
    const { accept = () => {}, acceptUncached = () => {}, holds: hasTag = () => false } = request;
    const watched = { accept: watch(accept), acceptUncached: watch(acceptUncached), holds: watch(hasTag) };
    return await renderAndCharge(dependencies, { ...request, ...watched }, cacheMiss);
  } catch (error) {
    // requests that joined the render may accept the file
    if (isAccepted) shared?.fail(error);
    else shared?.abandon();
    throw error;
  }
}

/** A request that is not served from the cache. */
interface CacheMiss {
  readonly key: RenderingKey;
  readonly parameters: SnapParameters;
  readonly document: SentDocument | undefined;
  readonly delivery: Delivery | null;
  readonly requestedAt: number;
  /** The render that other requests share; `null` with `cache: false`. */
  readonly own: OwnRender | null;
}

/** The steps from limit to settle. Anything that fails after the reservation refunds it. */
async function renderAndCharge(
  dependencies: CaptureDependencies,
  request: CaptureRequest & CaptureOptions,
  { key, parameters, document, delivery, requestedAt, own }: CacheMiss,
): Promise<Capture> {
  const { principal, priority = "interactive", requestId, maxWaitMs, linked = () => false } = request;
  const onStart = (): void => {
    own?.start();
    request.onStart?.();
  };
  const rateLimit = await limit(dependencies, principal);
  const reservation = await reserve(dependencies, principal.account);
  const wait = { priority, requestedAt, maxWaitMs, priorityRaised: own?.priorityRaised, onStart };
  let stored: StoreResult;
  let unchanged: boolean;
  let storedLocation: string | null;
  try {
    const file = await render(dependencies, parameters, {
      ...wait,
      accountId: key.accountId,
      requestId,
      document,
    });
    request.accept?.(file);
    const fresh = await toStoredRendering(file, {
      now: dependencies.clock.now(),
      ttlSeconds: parameters.cacheTtl,
    });
    unchanged = request.holds?.(fresh.etag) ?? false;
    // delivered before it is cached: if the delivery fails, nobody gets a rendering that nobody paid for
    storedLocation = await deliver(dependencies, delivery, fresh);
    const acceptUncached = storedLocation === null ? request.acceptUncached : undefined;
    stored = await store(dependencies, { key, parameters, fresh, own, linked, acceptUncached });
  } catch (error) {
    await refund(dependencies, reservation);
    throw error;
  }
  const { rendering, isCached } = stored;
  const settlement = { reservation, rendering, isCached, storedLocation, settle: request.settle };
  const isCharged = await settle(dependencies, settlement);
  return {
    url: parameters.url,
    rendering,
    cache: parameters.cache ? "miss" : "bypass",
    isCached,
    unchanged,
    rateLimit,
    creditCost: isCharged ? 1 : 0,
    storedLocation,
    balance: isCharged ? reservation.balance : null,
    respondedAt: dependencies.clock.now(),
  };
}

/** Counts the render against the account's renders per minute. */
function limit(
  { rateLimiter, clock, plans }: CaptureDependencies,
  { account }: Principal,
): Promise<RateLimitState> {
  const now = clock.now();
  const { requestsPerMinute } = entitlementOf(account, plans, now);
  const rateLimitRequest = { accountId: account.id, name: "render", limit: requestsPerMinute, now } as const;
  return enforceRateLimit(rateLimiter, rateLimitRequest);
}

/**
 * Responds without rendering, but stores the rendering if requested. Only a rendering that the caller does not have
 * yet, or that is stored, counts against a rate limit.
 */
async function respondFromCache(
  dependencies: CaptureDependencies,
  { principal, holds, onStart, accept, acceptUncached }: CaptureRequest & CaptureOptions,
  {
    delivery,
    ...cached
  }: Pick<Capture, "url" | "rendering" | "isCached" | "balance"> & { readonly delivery: Delivery | null },
): Promise<Capture> {
  const { rateLimiter, clock } = dependencies;
  onStart?.();
  const { rendering, isCached } = cached;
  const unchanged = holds?.(rendering.etag) ?? false;
  if (!unchanged) accept?.(rendering);
  if (!unchanged && !isCached && delivery === null) acceptUncached?.(rendering);
  const rateLimitRequest = { accountId: principal.account.id, name: "cached", now: clock.now() } as const;
  const isFree = unchanged && delivery === null;
  const rateLimit = isFree ? null : await enforceRateLimit(rateLimiter, rateLimitRequest);
  const storedLocation = await deliver(dependencies, delivery, rendering);
  const respondedAt = clock.now();
  return { ...cached, cache: "hit", unchanged, rateLimit, creditCost: 0, storedLocation, respondedAt };
}
