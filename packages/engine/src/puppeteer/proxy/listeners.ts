import type { ClosedSocket, TargetPolicy } from "../../targets/policy.ts";

/**
 * The listeners of all egress proxies of this process. A page that may reach the loopback must not use the proxy of
 * another render, with its limits and its connections.
 */
const listeners = new Set<ClosedSocket>();

/** Closes the listener to pages; returns a function that forgets it. */
export function closeToPages(listener: ClosedSocket): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The policy with the listeners of all egress proxies closed. */
export function blockProxies(policy: TargetPolicy): TargetPolicy {
  return { ...policy, closed: [...(policy.closed ?? []), ...listeners] };
}
