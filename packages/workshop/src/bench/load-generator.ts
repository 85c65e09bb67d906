import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadOrder, LoadResult } from "./programs/load-generator.ts";

export interface LoadGenerator {
  /** @throws Error when an answer has another status than it should. */
  readonly run: (order: LoadOrder) => Promise<LoadResult>;
  readonly stop: () => void;
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(join(import.meta.dirname, "programs/load-generator.ts"));
  return {
    async run(order) {
      child.send(order);
      const [{ result, error }] = (await once(child, "message")) as [{ result?: LoadResult; error?: string }];
      if (result === undefined) throw new Error(error);
      return result;
    },
    stop() {
      child.disconnect();
    },
  };
}
