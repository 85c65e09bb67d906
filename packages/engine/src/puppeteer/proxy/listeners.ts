import type { HostPort, TargetPolicy } from "../../targets/policy.ts";

/**
 * The listeners of all egress proxies of this process. A page that may reach loopback addresses must not use another
 * render's proxy, with its limits and connections.
 */
const listeners = new Set<HostPort>();

/** Blocks the listener for pages; returns a function that removes it. */
export function blockListener(listener: HostPort): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The policy with the listeners of all egress proxies blocked. */
export function blockProxies(policy: TargetPolicy): TargetPolicy {
  return { ...policy, alwaysBlocked: [...(policy.alwaysBlocked ?? []), ...listeners] };
}
