import type { ServerResponse } from "node:http";

/** Knows which requests run, and lets them finish. */
export interface Drain {
  /** Not ready any more; requests are taken all the same until it is `draining`. */
  readonly leaving: boolean;
  readonly draining: boolean;
  /** From now on `leaving`. */
  leave(): void;
  /** Told of every response; those that come while draining are not waited for. */
  track(response: ServerResponse): void;
  /** From now on `draining`. Resolves once every request has finished that ran at this moment. */
  begin(): Promise<void>;
}

export function createDrain(): Drain {
  const running = new Set<ServerResponse>();
  let leaving = false;
  let draining = false;
  let onIdle = (): void => {};
  return {
    get leaving() {
      return leaving;
    },
    get draining() {
      return draining;
    },
    leave() {
      leaving = true;
    },
    track(response) {
      if (draining) {
        response.setHeader("Connection", "close");
        return;
      }
      running.add(response);
      response.once("close", () => {
        running.delete(response);
        if (running.size === 0) onIdle();
      });
    },
    begin() {
      leaving = true;
      draining = true;
      for (const response of running) {
        if (!response.headersSent) response.setHeader("Connection", "close");
      }
      return new Promise((resolve) => {
        onIdle = resolve;
        if (running.size === 0) resolve();
      });
    },
  };
}
