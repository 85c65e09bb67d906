import type { CDPSession } from "puppeteer";
import type { ProcessGroup } from "../browser/process-group.ts";

/** Limits concurrent queries, because a page can have thousands of frames. */
const QUERIES_MAX = 50;

interface Frame {
  readonly session: CDPSession;
  /** `null` until known. */
  pid: number | null;
  /** Whether a query is running. */
  isBeingQueried: boolean;
}

/** @param pid - The process that exited; `null` if unknown. */
type OnCrashed = (session: CDPSession, pid: number | null) => void;

/**
 * A page's processes: that of its main frame and, in a browser that isolates sites, those of frames from other sites.
 *
 * The protocol does not report them, but a renderer prefixes the identifiers that it creates with its process id, as in
 * `4711.2`, so the id of any search reveals it. Nothing is sent until it matters which page a process belongs to.
 */
export class PageProcesses {
  readonly #frames = new Map<string, Frame>();
  readonly #onCrashed: OnCrashed;

  /** @param onCrashed - Called when the process of the main frame or another frame crashes. */
  constructor(onCrashed: OnCrashed) {
    this.#onCrashed = onCrashed;
  }

  /**
   * Adds the session of the main frame or of a frame in another process.
   *
   * @param frameId - The root frame of the session.
   */
  add(session: CDPSession, frameId: string): void {
    const frame: Frame = { session, pid: null, isBeingQueried: false };
    this.#frames.set(session.id(), frame);
    session.on("Inspector.targetCrashed", () => this.#onCrashed(session, frame.pid));
    session.on("Page.frameNavigated", ({ frame: { id } }) => {
      if (id === frameId) frame.pid = null; // the new document can be in another process
    });
    session.on("Target.detachedFromTarget", ({ sessionId }) => this.#frames.delete(sessionId));
  }

  /** The sessions of the main frame and of frames in other processes. */
  sessions(): readonly CDPSession[] {
    return [...this.#frames.values()].map(({ session }) => session);
  }

  has(pid: number): boolean {
    for (const frame of this.#frames.values()) if (frame.pid === pid) return true;
    return false;
  }

  /** Queries the frames whose process is unknown or no longer running. A busy frame responds late. */
  identify(running: ReadonlySet<number>): void {
    const frames = [...this.#frames.values()];
    const unknown = frames.filter(
      ({ pid, isBeingQueried }) => !isBeingQueried && (pid === null || !running.has(pid)),
    );
    const queried = frames.filter(({ isBeingQueried }) => isBeingQueried).length;
    for (const frame of unknown.slice(0, Math.max(0, QUERIES_MAX - queried))) void query(frame);
  }

  kill(group: ProcessGroup): void {
    for (const { pid } of this.#frames.values()) if (pid !== null) group.signal(pid, "SIGKILL");
  }
}

async function query(frame: Frame): Promise<void> {
  const { session } = frame;
  frame.isBeingQueried = true;
  frame.pid = null;
  try {
    const [, { searchId }] = await Promise.all([
      session.send("DOM.enable"),
      session.send("DOM.performSearch", { query: "-" }),
      session.send("DOM.disable"),
    ]);
    frame.pid = Number.parseInt(searchId, 10);
  } catch {
    // the frame has closed
  }
  frame.isBeingQueried = false;
}
