import type { RenderBatch } from "@snap/protocol";
import { setTimeout as sleep } from "node:timers/promises";
import { timed, type Round } from "./compare.ts";
import { fetchExpecting } from "./fetch-expecting.ts";
import type { BenchedService } from "./service.ts";

const POLL_MS = 100;

/** As many captures, of pages that nobody asked for before: in one batch, and in requests sent at once. */
export function createBatchRounds(
  { baseUrl, bearers }: BenchedService,
  { pageUrl, captures }: { readonly pageUrl: string; readonly captures: number },
): { readonly batch: Round; readonly atOnce: Round } {
  let pages = 0;
  // Ten submissions a minute are allowed: each round has an account of its own.
  let rounds = 0;
  const nextBearer = (): Readonly<Record<string, string>> => bearers[rounds++ % bearers.length] ?? {};
  const nextUrls = (): string[] => Array.from({ length: captures }, () => `${pageUrl}?page=${pages++}`);

  return {
    async batch() {
      const bearer = nextBearer();
      const items = nextUrls().map((url) => ({ url, waitUntil: "load" }));
      const submittedAtMs = Date.now();
      const { body } = await fetchExpecting(202, `${baseUrl}/renders`, bearer, { items });
      const { id } = JSON.parse(body.toString("utf8")) as RenderBatch;
      return (await finishOf(`${baseUrl}/renders/${id}`, bearer)) - submittedAtMs;
    },
    atOnce: timed(() => {
      const bearer = nextBearer();
      const queries = nextUrls().map((url) => new URLSearchParams({ url, waitUntil: "load" }));
      return Promise.all(
        queries.map((query) => fetchExpecting(200, `${baseUrl}/snap?${query.toString()}`, bearer)),
      );
    }),
  };
}

/**
 * The instant at which the service finished the last item, by its own clock, which is this machine's: to
 * see it by polling, one would have to poll so often that it takes away from the renders.
 *
 * @throws Error when an item was not rendered: a failure or a cache hit must not count.
 */
async function finishOf(batchUrl: string, bearer: Readonly<Record<string, string>>): Promise<number> {
  for (;;) {
    const { body } = await fetchExpecting(200, batchUrl, bearer);
    const { finished_at, items } = JSON.parse(body.toString("utf8")) as RenderBatch;
    const odd = items.find(({ credit_cost }) => credit_cost === 0);
    if (odd !== undefined) throw new Error(`not rendered: ${JSON.stringify(odd)}`);
    if (finished_at !== null) return Date.parse(finished_at);
    await sleep(POLL_MS);
  }
}
