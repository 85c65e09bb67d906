/** A private target that the operator allows all the same: a host name or a block of addresses. */
export type AllowedTarget =
  | { readonly kind: "name"; readonly hostname: string; readonly port: number | null }
  | {
      readonly kind: "block";
      readonly address: string;
      readonly prefixLength: number;
      readonly port: number | null;
    };

/** A host, by name or address, and a port of it. An address of the loopback or of any interface stands for all of them. */
export interface ClosedSocket {
  readonly hostname: string;
  readonly port: number;
}

/** Which targets may be connected to, beyond what is public. */
export interface TargetPolicy {
  /** Explicit exceptions; empty unless the operator opened them (`SNAP_ALLOW_TARGETS`). */
  readonly allow: readonly AllowedTarget[];
  /** Host names of our own service, refused so that it can't be made to render itself. */
  readonly ownHostnames: readonly string[];
  /** Sockets of ours that no exception opens, such as a browser's DevTools port; none unless given. */
  readonly closed?: readonly ClosedSocket[];
}

/** Closed by default: public targets only. */
export const PUBLIC_TARGETS_ONLY: TargetPolicy = { allow: [], ownHostnames: [] };
