import { SnapError } from "../errors.ts";
import type { Priority } from "../ports/render-leases.ts";
import type { StoredRendering } from "../ports/renderings.ts";

/** How a render ended. `abandoned`: the failure concerns only its leader. */
export type RenderOutcome =
  | { readonly state: "done"; readonly rendering: StoredRendering; readonly isCached: boolean }
  | { readonly state: "failed"; readonly failure: unknown }
  | { readonly state: "abandoned" };

/** A queued or running render, as its leader sees it. */
export interface RunningRender {
  /** Resolves when the priority is raised: an interactive request joins, or waits for the lease in another process. */
  readonly priorityRaised: Promise<void>;
  isRaised(): boolean;
  raisePriority(): void;
  /** Marks the render as started: from now on, joined requests wait until it ends. */
  start(): void;
  /** Ends the render. Only the leader's first call has an effect. */
  end(outcome: RenderOutcome): void;
}

/** Another request's rendering or failure, or the role of leader. */
export type JoinOutcome =
  | Exclude<RenderOutcome, { state: "abandoned" }>
  | { readonly state: "leads"; readonly running: RunningRender };

/** Maximum number of requests that can wait for one render. */
const MAX_JOINED = 10_000;

export interface JoinRequest {
  readonly priority: Priority;
  /** Aborts when the request stops waiting for the render to start. */
  readonly waitSignal?: AbortSignal;
  /** Called if the request joins a render, queued or running. */
  readonly onJoin?: (() => void) | undefined;
}

/** The queued and running renders of this process, by name. */
export class RunningRenders {
  readonly #renders = new Map<string, SharedRender>();

  /**
   * Joins the running render with this name, or leads a new one. If the leader abandons it, the first waiting request
   * becomes the leader and the others keep waiting.
   *
   * @throws the abort reason of `waitSignal` if it aborts before the render has started.
   * @throws SnapError `upstream_rate_limited` if too many requests are already waiting for the render.
   */
  async joinOrLead(name: string, request: JoinRequest): Promise<JoinOutcome> {
    const running = this.#renders.get(name);
    if (running !== undefined) return running.join(request);
    const render = new SharedRender(() => this.#renders.delete(name));
    this.#renders.set(name, render);
    return { state: "leads", running: render.lead() };
  }
}

interface Waiter extends PromiseWithResolvers<JoinOutcome> {
  readonly waitSignal: AbortSignal | undefined;
}

class SharedRender {
  readonly #waiting = new Set<Waiter>();
  readonly #raised = Promise.withResolvers<void>();
  readonly #onEnd: () => void;
  #isRaised = false;
  #hasStarted = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  join({ priority, waitSignal, onJoin }: JoinRequest): Promise<JoinOutcome> {
    if (this.#waiting.size >= MAX_JOINED)
      throw new SnapError(
        "upstream_rate_limited",
        `${MAX_JOINED} identical requests are waiting for this render. Retry shortly.`,
      );
    onJoin?.();
    if (priority === "interactive") this.#raisePriority();
    const waiting = { ...Promise.withResolvers<JoinOutcome>(), waitSignal };
    this.#waiting.add(waiting);
    waitSignal?.addEventListener("abort", () => this.#rejectIfAborted(waiting));
    return waiting.promise;
  }

  lead(): RunningRender {
    let hasEnded = false;
    return {
      priorityRaised: this.#raised.promise,
      isRaised: () => this.#isRaised,
      raisePriority: () => this.#raisePriority(),
      start: () => {
        this.#hasStarted = true;
      },
      end: (outcome) => {
        if (hasEnded) return;
        hasEnded = true;
        this.#end(outcome);
      },
    };
  }

  #raisePriority(): void {
    this.#isRaised = true;
    this.#raised.resolve();
  }

  #end(outcome: RenderOutcome): void {
    if (outcome.state === "abandoned") {
      // the next leader waits for a slot again
      this.#hasStarted = false;
      for (const waiting of this.#waiting) this.#rejectIfAborted(waiting);
      const [next] = this.#waiting;
      if (next === undefined) return this.#onEnd();
      this.#waiting.delete(next);
      return next.resolve({ state: "leads", running: this.lead() });
    }
    this.#onEnd();
    for (const { resolve } of this.#waiting) resolve(outcome);
  }

  #rejectIfAborted(waiting: Waiter): void {
    const { waitSignal, reject } = waiting;
    if (this.#hasStarted || !waitSignal?.aborted) return;
    this.#waiting.delete(waiting);
    reject(waitSignal.reason);
  }
}
