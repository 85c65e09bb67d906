import { parseQuery, parseTargetList, type Resolver } from "@snap/engine";
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import { toQuery } from "@snap/protocol";
import { findProblems } from "./check.ts";
import { completeParameters, type Entry, type Side } from "./entry.ts";
import { FILTER_LISTS } from "./pages/blocking.ts";
import { CONSENT_FRAMES } from "./pages/consent.ts";
import { openSite } from "./site.ts";

/** A render of an entry, with one line for each difference from the expectation. */
export interface RenderedPicture {
  readonly bytes: Uint8Array;
  readonly problems: readonly string[];
  readonly durationMs: number;
}

/** A renderer, and the site with the pages of some entries. */
export interface Gallery {
  show(entry: Entry, side: Side): Promise<RenderedPicture>;
  close(): Promise<void>;
}

/** Every name resolves to this machine, so a page can load parts from another site. */
const TO_LOOPBACK: Resolver = { resolve: () => Promise.resolve(["127.0.0.1"]) };

/** Opens a gallery. The first render also waits for the browser to start. */
export async function openGallery(entries: readonly Entry[]): Promise<Gallery> {
  const site = await openSite(
    new Map([...CONSENT_FRAMES, ...entries.map(({ name, page }) => [name, page] as const)]),
  );
  const renderer = createPuppeteerRenderer({
    targets: { allow: parseTargetList(`127.0.0.1:${site.port}`), ownHostnames: [] },
    resolver: TO_LOOPBACK,
    filterLists: FILTER_LISTS,
  });
  return {
    async show(entry, side) {
      const url = `http://127.0.0.1:${site.port}/${entry.name}`;
      const startedMs = performance.now();
      const { bytes, notes } = await renderer.render(
        parseQuery(toQuery({ url, ...completeParameters(entry[side]) })),
      );
      const durationMs = performance.now() - startedMs;
      const problems = findProblems({ bytes, notes }, entry[side].expected);
      return { bytes, problems: problems.map((problem) => `${side} ${problem}`), durationMs };
    },
    async close() {
      await renderer.close();
      await site.close();
    },
  };
}
