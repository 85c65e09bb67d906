import type { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import { connect, type ConnectFailure } from "../../egress/connect.ts";
import type { UpstreamProxy } from "../../egress/upstream-proxy.ts";
import type { Resolver } from "../../ports/resolver.ts";
import { parseTarget, type Target } from "../../targets/target.ts";
import type { TargetPolicy } from "../../targets/policy.ts";
import { UpstreamAgent } from "./agent.ts";
import { blockProxies } from "./listeners.ts";
import type { HostBlocker } from "./page-egress.ts";
import { PageLookups } from "./page-lookups.ts";

/** Bytes in both directions, with at least `PIECE_BYTES_MIN` for each piece. */
const BYTES_PER_PAGE_MAX = 50_000_000;
/** Smaller pieces count as this many bytes, because handling a piece takes time and memory, however small it is. */
const PIECE_BYTES_MIN = 512;
/** Attempted upstream connections, including rejected ones, but not those that `blockHosts` blocks. */
const CONNECTIONS_PER_PAGE_MAX = 1_000;
/** Number of failures to remember, by host and port. */
const FAILURES_PER_PAGE_MAX = 1_000;

export type EgressFailure =
  ConnectFailure | "invalid-response" | "too-large" | "too-many-connections" | "too-many-names";

interface FailedConnection {
  readonly failure: EgressFailure;
  /** For the log; `null` if the failure says it all. */
  readonly detail: string | null;
}

export interface EgressProxyOptions {
  readonly resolver: Resolver;
  readonly policy: TargetPolicy;
  /** None by default. */
  readonly upstreamProxy?: UpstreamProxy | null;
  /** Bytes to and from all upstreams; 50,000,000 by default. */
  readonly maxBytesPerPage?: number;
  /** Upstream connections over the life of the page; 1,000 by default. */
  readonly maxConnectionsPerPage?: number;
}

/** The connections, rejections and usage of one page's egress proxy. */
export class EgressSession {
  /** Reuses connections only within this page. */
  readonly agent = new UpstreamAgent();
  readonly #options: EgressProxyOptions;
  readonly #overflow = new AbortController();
  readonly #lookups = new PageLookups();
  readonly #failures = new LRUCache<string, FailedConnection>({ max: FAILURES_PER_PAGE_MAX });
  readonly #sockets = new Set<Socket>();
  /** Bytes counted so far, by upstream connection. */
  readonly #countedBytes = new WeakMap<Socket, number>();
  #blocker: HostBlocker | null = null;
  #bytes = 0;
  #connections = 0;

  constructor(options: EgressProxyOptions) {
    this.#options = options;
  }

  get overflow(): AbortSignal {
    return this.#overflow.signal;
  }

  failure(url: string): EgressFailure | null {
    return this.#failedConnection(url)?.failure ?? null;
  }

  failureDetail(url: string): string | null {
    return this.#failedConnection(url)?.detail ?? null;
  }

  #failedConnection(url: string): FailedConnection | undefined {
    const target = parseTarget(url);
    return target === null ? undefined : this.#failures.get(targetKey(target));
  }

  /** Blocks connections from now on, in addition to those that the policy blocks. */
  blockHosts(blocker: HostBlocker): void {
    this.#blocker = blocker;
  }

  /** Tracks the socket until it closes, and handles its `error` events. */
  track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Destroys all sockets; resolves once they are closed. */
  async destroySockets(): Promise<void> {
    const closing = [...this.#sockets].map(
      (socket) => new Promise((resolve) => socket.once("close", resolve)),
    );
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closing);
  }

  /**
   * Opens a connection to `target` for `client`. If that fails or is not allowed, closes `client`
   * instead of responding, because an error response would be rendered as if it came from the
   * target, and returns `null`. Records the reason, except for blocks by `blockHosts`.
   */
  async dial(target: Target, client: Socket): Promise<Socket | null> {
    if (this.#blocker !== null && (await this.#blocker.blocks(target))) {
      // on a connection that has served a request, the browser resends a failed one
      if (client.bytesWritten === 0) this.#blocker.onBlocked();
      client.destroy();
      return null;
    }
    this.#connections += 1;
    const limit = this.#checkLimits(target);
    const outcome = limit === null ? await this.#connect(target, client) : { failure: limit, detail: null };
    if ("failure" in outcome) {
      if (!client.destroyed) this.#failures.set(targetKey(target), outcome);
      client.destroy();
      return null;
    }
    if (client.destroyed) {
      outcome.destroy();
      return null;
    }
    this.track(outcome);
    outcome.once("close", () => this.count(outcome, target));
    return outcome;
  }

  /**
   * Counts the bytes sent and received over `upstream` since the last call; if there are any, as at least
   * `PIECE_BYTES_MIN`. Beyond the limit, all of the page's connections are closed. Called whenever data arrives; the
   * remaining bytes are counted when the connection closes.
   */
  count(upstream: Socket, target: Target): void {
    const countedBytes = this.#countedBytes.get(upstream) ?? 0;
    const totalBytes = Math.max(countedBytes, upstream.bytesRead + upstream.bytesWritten);
    this.#countedBytes.set(upstream, totalBytes);
    if (totalBytes > countedBytes) this.#add(Math.max(PIECE_BYTES_MIN, totalBytes - countedBytes), target);
  }

  /** Counts a piece of a response, such as a chunk, whose `bytes` are counted separately. */
  countPiece(bytes: number, target: Target): void {
    this.#add(Math.max(0, PIECE_BYTES_MIN - bytes), target);
  }

  #add(bytes: number, target: Target): void {
    this.#bytes += bytes;
    const maxBytes = this.#options.maxBytesPerPage ?? BYTES_PER_PAGE_MAX;
    if (this.#bytes <= maxBytes || this.overflow.aborted) return;
    this.#failures.set(targetKey(target), { failure: "too-large", detail: null });
    void this.destroySockets();
    this.#overflow.abort();
  }

  /** Records that the target's response cannot be forwarded. */
  rejectResponse(target: Target, detail: string): void {
    this.#failures.set(targetKey(target), { failure: "invalid-response", detail });
  }

  /** Counts the target's host name; returns the limit that the page has exceeded, or `null`. */
  #checkLimits({ hostname }: Target): EgressFailure | null {
    if (this.overflow.aborted) return "too-large";
    const maxConnections = this.#options.maxConnectionsPerPage ?? CONNECTIONS_PER_PAGE_MAX;
    if (this.#connections > maxConnections) return "too-many-connections";
    return this.#lookups.admit(hostname) ? null : "too-many-names";
  }

  async #connect(target: Target, client: Socket): Promise<Socket | FailedConnection> {
    const { resolver, upstreamProxy = null } = this.#options;
    const policy = blockProxies(this.#options.policy);
    const lookups = this.#lookups;
    const abandoned = new AbortController();
    const abandon = (): void => abandoned.abort();
    client.once("close", abandon);
    let detail: string | null = null;
    const onUnreachable = (reason: string): void => void (detail = reason);
    const { signal } = abandoned;
    const request = { ...target, policy, resolver, upstreamProxy, lookups, signal, onUnreachable };
    const outcome = await connect(request);
    client.off("close", abandon);
    return typeof outcome === "string" ? { failure: outcome, detail } : outcome;
  }
}

/** Failures are recorded per host and port. */
export function targetKey({ hostname, port }: Target): string {
  return `${hostname} ${port}`;
}
