import { createContext, Script } from "node:vm";
import type { FilterList } from "./compile.ts";

/** A match takes microseconds, but a page can make URLs for which some filters take hours. */
const MATCH_MS_MAX = 250;
/** Several times what a page with thousands of requests needs. */
const RENDER_MS_MAX = 1_000;

/**
 * Returns the lists with a time limit for one render, because its page decides how long matching takes. A request that
 * takes too long to match is not blocked. Once all requests together have taken too long, no more are blocked and
 * `onLimit` is called once.
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

/**
 * Returns the result of `work`, or `undefined` after `timeout` ms. Only `node:vm` can interrupt a
 * regular expression.
 */
function runWithin(timeout: number, work: () => boolean): boolean | undefined {
  sandbox.work = work;
  try {
    return script.runInContext(sandbox, { timeout }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}
