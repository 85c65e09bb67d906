import type { SnapParameters } from "@snap/protocol";
import type { CDPSession } from "puppeteer";

/** A page, an out-of-process frame of it, or a worker, before its scripts run. */
export interface SettingTarget {
  readonly session: CDPSession;
  readonly isWorker: boolean;
  /** The context of the page. */
  readonly browserContextId: string;
  /** The default user agent, if it is not the browser's own, so that each target must override it. */
  readonly userAgent: string | null;
}

/** What configures a target of a page. */
export interface Setting {
  /** `page`: the page itself. `frames`: its out-of-process frames, too. `workers`: those and its workers. */
  readonly targets: "page" | "frames" | "workers";
  readonly apply: (target: SettingTarget) => Promise<unknown>;
}

/** Returns the settings that the parameters ask for; none for what a ready tab already has. */
export type Settings = (parameters: SnapParameters) => readonly Setting[];
