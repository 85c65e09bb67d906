/** Interactive renders run before batch renders. All renders of accounts in quarantine run after all others. */
export type Priority = "interactive" | "batch";

/** A render and the process that holds its lease. */
export interface LeaseClaim {
  /** Identifies the render; any text. */
  readonly name: string;
  /** Identifies one render in one process; never reused. */
  readonly holder: string;
}

export interface AcquireRequest extends LeaseClaim {
  readonly leaseMs: number;
  readonly priority: Priority;
}

/**
 * `acquired`: this holder has the lease. `raised`: this holder has it, and an interactive request of another holder has
 * been denied it. `held`: another holder has the lease, or it is lingering.
 */
export type LeaseState = "acquired" | "raised" | "held";

/**
 * Leases on running renders, across all processes that share a storage, so identical requests on different machines
 * cause only one render. A hint, not a lock: if two processes render anyway, each render is charged, and the later
 * rendering is cached.
 */
export interface RenderLeases {
  /**
   * Acquires a free lease, or renews this holder's, for `leaseMs` by the storage's clock, even if more time was left. A
   * denied interactive request raises the lease until it is released or expires, but does not extend it. The holder's
   * own requests do not raise it.
   */
  acquire(request: AcquireRequest): Promise<LeaseState>;
  /**
   * Releases the lease if this holder has it; does nothing otherwise, or if called again. The lease lingers for
   * `lingerMs`, regardless of how much time was left. While it lingers, it is `held` for everyone, so a process that
   * had a cache miss just before the rendering was cached looks again instead of rendering.
   */
  release(request: LeaseClaim & { readonly lingerMs: number }): Promise<void>;
}

/** For a storage used by only one process: every lease is free. */
export const SINGLE_PROCESS_LEASES: RenderLeases = {
  acquire: async () => "acquired",
  release: async () => {},
};
