import { setTimeout as sleep } from "node:timers/promises";
import type { RequestHeaders } from "../service.ts";

/** One request from the neighbor, and its outcome. */
export interface Observation {
  readonly kind: "render" | "hit" | "poll";
  /** Since the start of the observation. */
  readonly sentMs: number;
  readonly tookMs: number;
  /** HTTP status, followed by the error code of a failure; `-` and the error's name if there is no response. */
  readonly outcome: string;
}

export interface Neighbor {
  readonly bearer: RequestHeaders;
  /** Returns the URL of a page that is not cached. */
  readonly newPageUrl: () => string;
  readonly cachedUrl: string;
  readonly batchUrl: string;
}

/** Requests per second, sent on schedule whether or not the earlier ones have finished. */
const PER_SECOND = { render: 1, hit: 5, poll: 1 } as const;

/** Sends the neighbor's requests until `until` resolves, then waits for all of them to finish. */
export async function observe(neighbor: Neighbor, until: Promise<unknown>): Promise<Observation[]> {
  const urls = {
    render: neighbor.newPageUrl,
    hit: () => neighbor.cachedUrl,
    poll: () => neighbor.batchUrl,
  };
  const observations: Observation[] = [];
  const pending: Promise<void>[] = [];
  const startedMs = performance.now();
  let isDone = false;
  const send = async (kind: Observation["kind"]): Promise<void> => {
    const sentMs = performance.now() - startedMs;
    const outcome = await outcomeOf(urls[kind](), neighbor.bearer);
    observations.push({ kind, sentMs, tookMs: performance.now() - startedMs - sentMs, outcome });
  };
  const repeat = async (kind: Observation["kind"]): Promise<void> => {
    for (let sent = 1; !isDone; sent += 1) {
      pending.push(send(kind));
      await sleep(Math.max(0, startedMs + (sent * 1000) / PER_SECOND[kind] - performance.now()));
    }
  };
  const loops = Promise.all([repeat("render"), repeat("hit"), repeat("poll")]);
  await until;
  isDone = true;
  await loops;
  await Promise.all(pending);
  return observations;
}

/** Returns the status of a response, and the error code if it carries one. */
export async function outcomeOf(url: string, headers: RequestHeaders): Promise<string> {
  try {
    const response = await fetch(url, { headers });
    const body = Buffer.from(await response.arrayBuffer());
    if (response.ok) return String(response.status);
    const { code } = JSON.parse(body.toString()) as { code: string };
    return `${response.status} ${code}`;
  } catch (error) {
    return `- ${(error as Error).name}`;
  }
}
