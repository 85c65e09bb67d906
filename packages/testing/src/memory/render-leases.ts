import type { RenderLeases } from "@snap/engine/ports";

interface Lease {
  /** `null` while it lingers. */
  readonly holder: string | null;
  readonly endsAt: number;
  readonly isRaised: boolean;
}

/**
 * Creates render leases in memory, for engines that share a storage in a test. Their clock is `now`, `Date.now` by default.
 *
 * @example
 * const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
 * const shared = { ...createMemoryStorage(), renderLeases: createMemoryRenderLeases(clock.now) };
 */
export function createMemoryRenderLeases(now: () => number = Date.now): RenderLeases {
  const leases = new Map<string, Lease>();
  const find = (name: string): Lease | null => {
    const lease = leases.get(name);
    return lease === undefined || lease.endsAt <= now() ? null : lease;
  };
  return {
    async acquire({ name, holder, leaseMs, priority }) {
      const lease = find(name);
      if (lease === null || lease.holder === holder) {
        const isRaised = lease?.isRaised ?? false;
        leases.set(name, { holder, endsAt: now() + leaseMs, isRaised });
        return isRaised ? "raised" : "acquired";
      }
      if (priority === "interactive") leases.set(name, { ...lease, isRaised: true });
      return "held";
    },
    async release({ name, holder, lingerMs }) {
      if (find(name)?.holder !== holder) return;
      leases.set(name, { holder: null, endsAt: now() + lingerMs, isRaised: false });
    },
  };
}
