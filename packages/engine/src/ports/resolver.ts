/** Name resolution. */
export interface Resolver {
  /** Returns every IPv4 and IPv6 address of a host name. Rejects, or returns an empty list, if it has none. */
  resolve(hostname: string, options?: ResolveOptions): Promise<readonly string[]>;
}

export interface ResolveOptions {
  /** Cancels the look-up; the result is then ignored. */
  readonly signal?: AbortSignal | undefined;
}
