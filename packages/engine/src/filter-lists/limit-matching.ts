import { createContext, Script } from "node:vm";
import type { FilterList } from "./compile.ts";

/** A match takes microseconds, but some filters need hours for URLs that a page makes for them. */
const MATCH_MS_MAX = 250;
/** Several times what a page with thousands of requests needs. */
const RENDER_MS_MAX = 1_000;

/**
 * Returns the lists for one render, with a limit on the time that its page can make them take: a request that takes too
 * long to match is not blocked, and once all requests have taken too long, no more are. `onLimit` is then called, once.
 */
export function limitMatching(lists: readonly FilterList[], onLimit: () => void): readonly FilterList[] {
  let remainingMs = RENDER_MS_MAX;
  return lists.map((list) => ({
    blocks(request) {
      if (remainingMs <= 0) return false;
      let durationMs = MATCH_MS_MAX;
      const blocks = runWithin(MATCH_MS_MAX, () => {
        const startedMs = performance.now();
        const result = list.blocks(request);
        durationMs = performance.now() - startedMs;
        return result;
      });
      remainingMs -= durationMs;
      if (remainingMs <= 0) onLimit();
      return blocks ?? false;
    },
    styleSheet: (document) => list.styleSheet(document),
  }));
}

const sandbox = createContext({ work: () => undefined });
const script = new Script("work()");

/** Returns the result of `work`, or `undefined` if it took longer: only `node:vm` can interrupt a regular expression. */
function runWithin(timeout: number, work: () => boolean): boolean | undefined {
  sandbox.work = work;
  try {
    return script.runInContext(sandbox, { timeout }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}
