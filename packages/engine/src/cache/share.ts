import type { SnapParameters } from "@snap/protocol";
import { isSnapError } from "../errors.ts";
import { randomHex } from "../ids.ts";
import { limitsEveryWait, waitsStrictly } from "../parameters/waits.ts";
import type { Clock } from "../ports/clock.ts";
import type { LeaseClaim, LeaseState, RenderLeases, Priority } from "../ports/render-leases.ts";
import type { Random } from "../ports/random.ts";
import type { RenderingKey, StoredRendering } from "../ports/renderings.ts";
import { limitWait, waitedMsSince } from "../schedule/scheduler.ts";
import type { JoinOutcome, RunningRender, RunningRenders } from "./running-renders.ts";
import { lookUp, satisfies } from "./lookup.ts";
import type { RenderingCache } from "./rendering-cache.ts";

/** After this time, a crashed process no longer delays the requests that are waiting for its render. */
const LEASE_MS = 6_000;
/** Short, so a lease survives several lost renewals, and a leader soon notices a raised priority. */
const RENEW_INTERVAL_MS = 1_000;
/** How long the lease is held after a render, so the processes that wait for it find the cached rendering. */
const LINGER_MS = LEASE_MS;
/** Without this limit, if a page failed in one process after another, the last request would wait for all of them. */
const LONGEST_WAIT_MS = 60_000;
/** Interval between tries to acquire a lease that another process holds. */
const RETRY_INTERVAL_MS = 50;

export interface ShareDependencies {
  readonly cache: RenderingCache;
  readonly runningRenders: RunningRenders;
  readonly renderLeases: RenderLeases;
  readonly clock: Clock;
  readonly random: Random;
  readonly onBackgroundError: (error: unknown) => void;
}

export interface ShareRequest {
  readonly key: RenderingKey;
  readonly parameters: SnapParameters;
  readonly priority: Priority;
  /** Whether the request contains its page's content; requests with and without content do not join each other. */
  readonly hasContent: boolean;
  /** Start of the wait. */
  readonly requestedAt: number;
  /** Longest wait for another request's render to start; by default, its leader's longest wait. */
  readonly maxWaitMs?: number | undefined;
  /** Called when the request waits for another request's render, in any process. */
  readonly onJoin?: (() => void) | undefined;
}

/** A render that this request must do itself, and that identical requests can wait for. */
export interface OwnRender {
  readonly isJoined: false;
  /** Resolves when the priority is raised: an interactive request joins, or waits for the lease in another process. */
  readonly priorityRaised: Promise<void>;
  /** Marks the render as started: from now on, joined requests wait until it ends. */
  readonly start: () => void;
  /**
   * Ends the render: once `stored` resolves to whether the rendering is cached, the joined requests get it. Resolves
   * and rejects as `stored` does.
   */
  publish(rendering: StoredRendering, stored: Promise<boolean>): Promise<boolean>;
  /**
   * Ends the render with a failure, which the joined requests share. If it concerns only the leader, one of
   * them becomes the leader. Does nothing once `publish` has resolved.
   */
  fail(error: unknown): void;
  /** Ends the render for the leader only; one of the joined requests becomes the leader. */
  abandon(): void;
}

/** The rendering of an identical request. */
export interface JoinedRender {
  readonly isJoined: true;
  readonly rendering: StoredRendering;
  readonly isCached: boolean;
}

/**
 * Joins an identical render that is running in this process or another, or leads a new one.
 *
 * @throws the joined render's failure, unless it concerns only that render's leader.
 * @throws SnapError `upstream_rate_limited` if that render has not started within `maxWaitMs`, or if too many
 * requests wait for it.
 */
export async function share(
  dependencies: ShareDependencies,
  request: ShareRequest,
): Promise<OwnRender | JoinedRender> {
  const { key, parameters, hasContent } = request;
  // a strict wait must not get a rendering whose wait was capped
  const wait = waitsStrictly(parameters) ? "strict" : "capped";
  // a request that does not limit its waits must not fail with the timeout of one that does
  const limited = limitsEveryWait(parameters) ? "limited:" : "";
  const name = `${hasContent ? "content:" : ""}${limited}${wait}:${key.key}:${key.accountId}`;
  for (;;) {
    const outcome = await joinOrLead(dependencies, { ...request, name });
    if (outcome.state === "leads") return lead(dependencies, { ...request, name, running: outcome.running });
    // the leader's error
    if (outcome.state === "failed") throw outcome.failure;
    const { rendering, isCached } = outcome;
    if (rendering.expiresAt > dependencies.clock.now()) return { isJoined: true, rendering, isCached };
  }
}

/** Joins the running render with this name or leads a new one; waits at most `maxWaitMs` for it to start. */
async function joinOrLead(
  { runningRenders, clock }: ShareDependencies,
  { name, priority, requestedAt, maxWaitMs, onJoin }: ShareRequest & { readonly name: string },
): Promise<JoinOutcome> {
  if (maxWaitMs === undefined) return runningRenders.joinOrLead(name, { priority, onJoin });
  const { signal: waitSignal, end } = limitWait(clock, maxWaitMs - waitedMsSince(clock, requestedAt));
  try {
    return await runningRenders.joinOrLead(name, { priority, onJoin, waitSignal });
  } finally {
    end();
  }
}

interface LeadRequest extends ShareRequest {
  readonly name: string;
  readonly running: RunningRender;
}

/**
 * Leads the render unless another process holds its lease; then waits for the lease, for `maxWaitMs` but at most a
 * minute. The lease does not show whether the other process is rendering or waiting, so the whole wait counts as
 * waiting for a slot: after `maxWaitMs`, the request renders here if a slot is free, and fails otherwise.
 */
async function lead(
  dependencies: ShareDependencies,
  request: LeadRequest,
): Promise<OwnRender | JoinedRender> {
  const { clock, cache, renderLeases } = dependencies;
  const { key, parameters, name, running, requestedAt, maxWaitMs = Infinity } = request;
  try {
    // the rendering may have been cached since the lookup
    const recalled = cache.recall(key);
    if (recalled !== null && satisfies(recalled, parameters)) return endWithCached(running, recalled);
    const claim = { name, holder: randomHex(dependencies.random, 16) };
    const waitMs = Math.min(LONGEST_WAIT_MS, maxWaitMs - waitedMsSince(clock, requestedAt));
    const waitsUntil = clock.now() + waitMs;
    const acquire = (): Promise<LeaseState> => {
      const priority = running.isRaised() ? "interactive" : request.priority;
      return renderLeases.acquire({ ...claim, leaseMs: LEASE_MS, priority });
    };
    while ((await acquire()) === "held") {
      if (clock.now() >= waitsUntil) break;
      request.onJoin?.();
      await new Promise<void>((resolve) => void clock.after(RETRY_INTERVAL_MS, resolve));
      const cached = await lookUp(cache, request);
      if (cached !== null) return endWithCached(running, cached);
    }
    return holdLease(dependencies, running, claim);
  } catch (error) {
    running.end({ state: "failed", failure: error });
    throw error;
  }
}

/** @param rendering - From the cache. */
function endWithCached(running: RunningRender, rendering: StoredRendering): JoinedRender {
  running.end({ state: "done", rendering, isCached: true });
  return { isJoined: true, rendering, isCached: true };
}

/** Renews the lease until the render ends. */
function holdLease(
  { clock, renderLeases, onBackgroundError }: ShareDependencies,
  running: RunningRender,
  claim: LeaseClaim,
): OwnRender {
  let cancelRenewal = (): void => {};
  const renew = async (): Promise<void> => {
    const state = await renderLeases.acquire({ ...claim, leaseMs: LEASE_MS, priority: "batch" });
    if (state === "raised") running.raisePriority();
  };
  const renewLater = (): void => {
    cancelRenewal = clock.after(RENEW_INTERVAL_MS, () => {
      renew().catch(onBackgroundError);
      renewLater();
    });
  };
  renewLater();
  let isReleased = false;
  const release = (lingerMs: number): void => {
    if (isReleased) return;
    isReleased = true;
    cancelRenewal();
    renderLeases.release({ ...claim, lingerMs }).catch(onBackgroundError);
  };
  const abandon = (): void => {
    release(0);
    running.end({ state: "abandoned" });
  };
  return {
    isJoined: false,
    priorityRaised: running.priorityRaised,
    start: () => running.start(),
    async publish(rendering, stored) {
      const isCached = await stored;
      release(isCached ? LINGER_MS : 0);
      running.end({ state: "done", rendering, isCached });
      return isCached;
    },
    fail(error) {
      if (concernsOnlyLeader(error)) return abandon();
      release(0);
      running.end({ state: "failed", failure: error });
    },
    abandon,
  };
}

/** Errors that concern only the leader; joined requests are checked separately. */
function concernsOnlyLeader(error: unknown): boolean {
  return isSnapError(error) && LEADER_ONLY_CODES.has(error.code);
}

const LEADER_ONLY_CODES: ReadonlySet<string> = new Set([
  "store_failed",
  "rate_limited",
  "no_active_plan",
  "credit_limit_reached",
  // for example, the leader's wait was too short, or the queue was full
  "upstream_rate_limited",
]);
