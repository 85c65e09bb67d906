import type { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import { connect, type ConnectRefusal } from "../../egress/connect.ts";
import type { Resolver } from "../../ports/resolver.ts";
import { parseTarget, type Target } from "../../targets/target.ts";
import type { TargetPolicy } from "../../targets/policy.ts";
import { UpstreamAgent } from "./agent.ts";

/** Both ways together, per render (egress.md, the proxy). */
const BYTES_PER_PAGE_MAX = 50_000_000;
/** Upstream connections that one render may ask for, the refused ones included. */
const CONNECTIONS_PER_PAGE_MAX = 1_000;
/** How many hosts a lane remembers refusals of. */
const REFUSALS_PER_PAGE_MAX = 1_000;

export type EgressRefusal = ConnectRefusal | "too-large" | "too-many-connections";

export interface EgressProxyOptions {
  readonly resolver: Resolver;
  readonly policy: TargetPolicy;
  /** Bytes to and from all upstreams; 50,000,000 unless given. */
  readonly maxBytesPerPage?: number;
  /** Upstream connections over the life of the lane; 1,000 unless given. */
  readonly maxConnectionsPerPage?: number;
}

/** What one lane keeps: its sockets, what it refused, and what it has used of its bounds. */
export class EgressSession {
  /** Its connections serve this lane only. */
  readonly agent = new UpstreamAgent();
  readonly #options: EgressProxyOptions;
  readonly #overflow = new AbortController();
  readonly #refusals = new LRUCache<string, EgressRefusal>({ max: REFUSALS_PER_PAGE_MAX });
  readonly #sockets = new Set<Socket>();
  /** Bytes already counted, per upstream connection. */
  readonly #counted = new WeakMap<Socket, number>();
  #bytes = 0;
  #connections = 0;

  constructor(options: EgressProxyOptions) {
    this.#options = options;
  }

  get overflow(): AbortSignal {
    return this.#overflow.signal;
  }

  refusal(url: string): EgressRefusal | null {
    const target = parseTarget(url);
    return (target && this.#refusals.get(targetKey(target))) ?? null;
  }

  /** Holds the socket until it closes; whatever its peer does is then no unheard `error`. */
  hold(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Resolves once all are closed, and so is what was dialled for them. */
  async destroySockets(): Promise<void> {
    const closing = [...this.#sockets].map(
      (socket) => new Promise((resolve) => socket.once("close", resolve)),
    );
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closing);
  }

  /**
   * A fresh connection to `target` on behalf of `client`. Where there is none, `client` is dropped and
   * the reason kept: an error page would be rendered as if it were the target (egress.md).
   */
  async dial(target: Target, client: Socket): Promise<Socket | null> {
    this.#connections += 1;
    const outcome = this.#exhausted() ?? (await this.#connect(target, client));
    if (typeof outcome === "string") {
      if (!client.destroyed) this.#refusals.set(targetKey(target), outcome);
      client.destroy();
      return null;
    }
    if (client.destroyed) {
      outcome.destroy();
      return null;
    }
    this.hold(outcome);
    outcome.once("close", () => this.count(outcome, target));
    return outcome;
  }

  /**
   * Counts the bytes sent and received over `upstream` since the last call; past the bound the whole lane
   * ends. Call it as bytes pass, to notice in time; what is left is counted when the connection closes.
   */
  count(upstream: Socket, target: Target): void {
    const counted = this.#counted.get(upstream) ?? 0;
    const passed = Math.max(counted, upstream.bytesRead + upstream.bytesWritten);
    this.#counted.set(upstream, passed);
    this.#bytes += passed - counted;
    const maxBytes = this.#options.maxBytesPerPage ?? BYTES_PER_PAGE_MAX;
    if (this.#bytes <= maxBytes || this.overflow.aborted) return;
    this.#refusals.set(targetKey(target), "too-large");
    void this.destroySockets();
    this.#overflow.abort();
  }

  #exhausted(): EgressRefusal | null {
    if (this.overflow.aborted) return "too-large";
    const maxConnections = this.#options.maxConnectionsPerPage ?? CONNECTIONS_PER_PAGE_MAX;
    return this.#connections > maxConnections ? "too-many-connections" : null;
  }

  async #connect(target: Target, client: Socket): Promise<Socket | ConnectRefusal> {
    const { resolver, policy } = this.#options;
    const abandoned = new AbortController();
    const abandon = (): void => abandoned.abort();
    client.once("close", abandon);
    const outcome = await connect({ ...target, policy, resolver, signal: abandoned.signal });
    client.off("close", abandon);
    return outcome;
  }
}

/** What a lane remembers of a target: refusals are by host and port. */
export function targetKey({ hostname, port }: Target): string {
  return `${hostname} ${port}`;
}
