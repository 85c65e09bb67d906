// @module-tag browser
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPages } from "../../src/docs/markdown.ts";
import { prepareService, startDemoService } from "./running/demo-service.ts";
import { findStrayBlocks, readSteps } from "./running/read-steps.ts";
import { PAGE_TIMEOUT_MS, runPage } from "./running/run-page.ts";
import { ROOT } from "../../src/workspace.ts";

const pages = readPages(ROOT);
const guides = pages.filter((page) => page.path.startsWith("docs/how-to/") && readSteps(page).length > 0);

it("no block on a tested page would be ignored", () => {
  const run = pages.filter(({ path }) => /^(README|docs\/(tutorial|how-to\/.+))[.]md$/.test(path));
  expect(run.flatMap(findStrayBlocks)).toEqual([]);
});

/** Leaves time to report the command that hangs. */
const timeout = PAGE_TIMEOUT_MS + 20_000;

describe("the commands on pages that begin with npm start", { timeout }, () => {
  it.for(["README.md", "docs/tutorial.md"])("work: %s", async (path, { signal }) => {
    const page = pages.find((each) => each.path === path);
    if (page === undefined) throw new Error(`${path} does not exist`);
    expect(readSteps(page)[0]?.command).toMatch(/^npm start/);
    const prepared = await prepareService();
    try {
      expect(await runPage(page, prepared, signal)).toBeNull();
    } finally {
      await prepared.cleanUp();
    }
  });
});

describe("the commands in guides", { timeout }, () => {
  let demo: Awaited<ReturnType<typeof startDemoService>>;
  beforeAll(async () => {
    demo = await startDemoService();
  });
  afterAll(() => demo.stop());

  it("exist", () => {
    expect(guides).not.toEqual([]);
  });

  it.for(guides.map((page) => [page.path, page] as const))("work: %s", async ([, page], { signal }) => {
    expect(await runPage(page, demo, signal)).toBeNull();
  });
});
