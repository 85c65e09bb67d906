import type { HostPort, TargetPolicy } from "../../targets/policy.ts";

/**
 * The listeners of all egress proxies of this process. A page that may reach loopback addresses must not use another
 * render's proxy, with its limits and connections.
 */
const listeners = new Set<HostPort>();

/** Blocks the listener for pages; returns a function that unblocks it. */
export function blockListener(listener: HostPort): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns a policy that also blocks the listeners of all egress proxies. */
export function blockProxies(policy: TargetPolicy): TargetPolicy {
  return { ...policy, alwaysBlocked: [...(policy.alwaysBlocked ?? []), ...listeners] };
}
