const QUIET_MS = 500;
const IN_FLIGHT_MAX = 2;

/**
 * Counts a page's requests from events of the protocol's Network domain, and waits until at most two were in
 * flight for 500 ms: `networkidle2` without Chromium's own idle detection.
 */
export class QuietNetwork {
  readonly #inFlight = new Set<unknown>();
  readonly #quiet = Promise.withResolvers<void>();
  #isAwaited = false;
  #timer: NodeJS.Timeout | undefined;

  handle(method: string, { requestId }: { readonly requestId?: unknown }): void {
    if (method === "Network.requestWillBeSent") this.#inFlight.add(requestId);
    else if (method === "Network.loadingFinished" || method === "Network.loadingFailed")
      this.#inFlight.delete(requestId);
    else return;
    this.#update();
  }

  /** The 500 ms begin with this call at the earliest. */
  wait(): Promise<void> {
    this.#isAwaited = true;
    this.#update();
    return this.#quiet.promise;
  }

  #update(): void {
    if (!this.#isAwaited) return;
    if (this.#inFlight.size <= IN_FLIGHT_MAX) this.#timer ??= setTimeout(this.#quiet.resolve, QUIET_MS);
    else {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
  }
}
