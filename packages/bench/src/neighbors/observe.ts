import { runOnSchedule } from "../measure.ts";
import type { RequestHeaders } from "../service.ts";

/** One request from the neighbor, and its outcome. */
export interface Observation {
  readonly kind: "render" | "hit" | "poll";
  /** Since the start of the observation. */
  readonly sentMs: number;
  readonly durationMs: number;
  /** HTTP status, followed by the error code of a failure; `-` and the error's name if there is no valid response. */
  readonly outcome: string;
}

/** The well-behaved account, whose requests are measured while another account attacks the service. */
export interface Neighbor {
  readonly headers: RequestHeaders;
  /** Returns the URL of a page that is not cached. */
  readonly newPageUrl: () => string;
  readonly cachedUrl: string;
  readonly batchUrl: string;
}

/** Requests per second. */
const RATES = [
  ["render", 1],
  ["hit", 5],
  ["poll", 1],
] as const;

/** Sends the neighbor's requests on schedule, then waits for all of them to finish. */
export async function observe(neighbor: Neighbor, seconds: number): Promise<Observation[]> {
  const urls = {
    render: neighbor.newPageUrl,
    hit: () => neighbor.cachedUrl,
    poll: () => neighbor.batchUrl,
  };
  const observations: Promise<Observation>[] = [];
  const startedMs = performance.now();
  const send = async (kind: Observation["kind"]): Promise<Observation> => {
    const sentMs = performance.now() - startedMs;
    const outcome = await requestOutcome(urls[kind](), neighbor.headers);
    return { kind, sentMs, durationMs: performance.now() - startedMs - sentMs, outcome };
  };
  await Promise.all(
    RATES.map(([kind, perSecond]) =>
      runOnSchedule({ perSecond, seconds }, () => observations.push(send(kind))),
    ),
  );
  return Promise.all(observations);
}

/** Sends a GET request, and returns its outcome in the format of `Observation.outcome`. */
export async function requestOutcome(url: string, headers: RequestHeaders): Promise<string> {
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
