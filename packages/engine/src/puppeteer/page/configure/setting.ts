import type { SnapParameters } from "@snap/protocol";
import type { CDPSession } from "puppeteer";

/** A DevTools target to configure: a page, one of its out-of-process frames, or a worker. */
export interface SettingTarget {
  readonly session: CDPSession;
  readonly isWorker: boolean;
  /** The page's context. */
  readonly browserContextId: string;
  /** The default user agent, to set in each DevTools target; `null` if it is the browser's own. */
  readonly userAgent: string | null;
}

/** Configures a page's DevTools targets. */
export interface Setting {
  /** `page`: only the page itself. `frames`: also its out-of-process frames. `workers`: also its workers. */
  readonly targets: "page" | "frames" | "workers";
  readonly apply: (target: SettingTarget) => Promise<unknown>;
}

/** Returns the settings that the parameters request, except those that a ready tab already has. */
export type SettingsFactory = (parameters: SnapParameters) => readonly Setting[];
