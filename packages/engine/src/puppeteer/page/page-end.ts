import type { ErrorCode } from "@snap/protocol";
import { SnapError } from "../../errors.ts";

/** The page could not be opened, or its process or the browser exited: the render can be retried. */
export class TabLost extends Error {
  override readonly name: string = "TabLost";
}

/**
 * The page may be harming the shared browser. The render is retried in an isolated browser, where a harmless page
 * succeeds and a harmful one is ended.
 */
export class TabSuspected extends TabLost {
  override readonly name = "TabSuspected";
}

const CODES = {
  /** It used too much memory. */
  memory: "upstream_error",
  /** It used too much CPU time. */
  "processor-time": "render_timeout",
  /** It kept the browser from responding. */
  flood: "upstream_error",
  /** It sent too many events to this process. */
  events: "upstream_error",
} as const satisfies Record<string, ErrorCode>;

/** Why a page was ended. */
export type PageEndReason = keyof typeof CODES;

/**
 * The page was ended because it would have harmed other renders. The render is not retried, because the page would
 * behave the same.
 */
export class PageEnded extends SnapError {
  readonly reason: PageEndReason;

  /** @param message - For the caller; `detail` is for the log. */
  constructor(reason: PageEndReason, message: string, detail: string) {
    super(CODES[reason], message, { pageEnded: true, detail });
    this.reason = reason;
  }
}
