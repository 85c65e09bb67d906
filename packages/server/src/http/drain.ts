import type { ServerResponse } from "node:http";

/** Tracks requests in flight, and lets them finish when the service stops. */
export interface Drain {
  /** No longer ready, but still accepting requests until `draining`. */
  readonly stopping: boolean;
  readonly draining: boolean;
  /** Sets `stopping`. */
  announceStop(): void;
  /** Tracks a response; `begin` does not wait for those that start while draining. */
  track(response: ServerResponse): void;
  /** Sets `draining`. Resolves once every request that is in flight at this point has finished. */
  begin(): Promise<void>;
}

export function createDrain(): Drain {
  const inFlight = new Set<ServerResponse>();
  let stopping = false;
  let draining = false;
  let onIdle = (): void => {};
  return {
    get stopping() {
      return stopping;
    },
    get draining() {
      return draining;
    },
    announceStop() {
      stopping = true;
    },
    track(response) {
      if (draining) {
        response.setHeader("Connection", "close");
        return;
      }
      inFlight.add(response);
      response.once("close", () => {
        inFlight.delete(response);
        if (inFlight.size === 0) onIdle();
      });
    },
    begin() {
      stopping = true;
      draining = true;
      for (const response of inFlight) {
        if (!response.headersSent) response.setHeader("Connection", "close");
      }
      return new Promise((resolve) => {
        onIdle = resolve;
        if (inFlight.size === 0) resolve();
      });
    },
  };
}
