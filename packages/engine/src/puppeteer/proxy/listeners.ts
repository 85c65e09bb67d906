import type { HostPort, TargetPolicy } from "../../targets/policy.ts";

/**
 * The listeners of all egress proxies of this process. A page that may reach the loopback must not use the proxy of
 * another render, with its limits and its connections.
 */
const listeners = new Set<HostPort>();

/** Blocks the listener for pages; returns a function that forgets it. */
export function blockListener(listener: HostPort): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The policy with the listeners of all egress proxies blocked. */
export function blockProxies(policy: TargetPolicy): TargetPolicy {
  return { ...policy, alwaysBlocked: [...(policy.alwaysBlocked ?? []), ...listeners] };
}
