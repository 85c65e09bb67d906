import { NO_BUFFERS } from "../follow-targets.ts";
import type { Setting } from "./setting.ts";

/**
 * Sends the requests of a page, its frames and its workers past service workers, which would
 * respond without a request, or send one without the type and frame that the rules read.
 */
export const BYPASS_SERVICE_WORKERS: Setting = {
  targets: "workers",
  async apply({ session }) {
    await Promise.all([
      session.send("Network.enable", NO_BUFFERS), // otherwise, the next command has no effect
      session.send("Network.setBypassServiceWorker", { bypass: true }),
    ]);
  },
};
