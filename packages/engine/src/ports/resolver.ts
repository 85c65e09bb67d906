/** Name resolution. */
export interface Resolver {
  /**
   * Returns the IPv4 and IPv6 addresses of a host name. If the name does not exist or has no address, returns an empty
   * list, or rejects with an error whose `code` is `ENOTFOUND` or `ENODATA`, as `node:dns` does. Any other rejection
   * means that the resolver failed, and the name may exist.
   */
  resolve(hostname: string, options?: ResolveOptions): Promise<readonly string[]>;
}

export interface ResolveOptions {
  /** Cancels the lookup; the result is then ignored. */
  readonly signal?: AbortSignal | undefined;
}
