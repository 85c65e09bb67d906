// @module-tag browser
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPages } from "../../src/docs/markdown.ts";
import { prepareService, startDemoService } from "./running/demo-service.ts";
import { findStrayBlocks, readSteps } from "./running/read-steps.ts";
import { runPage } from "./running/run-page.ts";
import { ROOT } from "../../src/workspace.ts";

const pages = readPages(ROOT);
const guides = pages.filter((page) => page.path.startsWith("docs/how-to/") && readSteps(page).length > 0);

it("no block of a page whose commands are run is passed over", () => {
  const run = pages.filter(({ path }) => /^(README|docs\/(tutorial|how-to\/.+))[.]md$/.test(path));
  expect(run.flatMap(findStrayBlocks)).toEqual([]);
});

/** Each block has a limit of its own, which names it; this one is for the whole page on a busy machine. */
const PAGE_TIMEOUT_MS = 240_000;

describe("pages that begin with npm start do what they say", { timeout: PAGE_TIMEOUT_MS }, () => {
  it.for(["README.md", "docs/tutorial.md"])("%s", async (path, { signal }) => {
    const page = pages.find((each) => each.path === path);
    if (page === undefined) throw new Error(`there is no ${path}`);
    expect(readSteps(page)[0]?.command).toMatch(/^npm start/);
    const prepared = await prepareService();
    try {
      expect(await runPage(page, prepared, signal)).toBeNull();
    } finally {
      await prepared.clear();
    }
  });
});

describe("guides do what they say", { timeout: PAGE_TIMEOUT_MS }, () => {
  let demo: Awaited<ReturnType<typeof startDemoService>>;
  beforeAll(async () => {
    demo = await startDemoService();
  });
  afterAll(() => demo.stop());

  it("and there are such guides", () => {
    expect(guides).not.toEqual([]);
  });

  it.for(guides.map((page) => [page.path, page] as const))("%s", async ([, page], { signal }) => {
    expect(await runPage(page, demo, signal)).toBeNull();
  });
});
