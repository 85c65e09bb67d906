import { newJob } from "../jobs.ts";
import { measureInTurns, speedRatio, startWays, wayCells, WAY_COLUMNS, type Load } from "../measure-ways.ts";
import { rounded } from "../report/table.ts";
import type { Bench, Findings, Scenario } from "../scenario.ts";
import { PAGE_NAMES, type PageName } from "../site/pages.ts";
import type { RenderJob } from "../ways/way.ts";

/** A quick run leaves out the one that is hardly anything but what the server does, too. */
const NAMES = { full: ["raw", "engine", "server"], quick: ["raw", "server"] } as const;

/** One row of loads: what varies, and the load that it makes. */
interface Variant {
  readonly label: string;
  readonly load: (bench: Bench) => Load;
  /** A quick run has no time for it. */
  readonly onlyFull: boolean;
}

function variant(
  label: string,
  {
    page = "cards",
    atOnce = 4,
    slowness = 1,
    onlyFull = false,
    ...job
  }: Partial<RenderJob> & {
    readonly page?: PageName;
    readonly atOnce?: number;
    /** How many times longer than the page of cards it takes: so many times fewer are rendered. */
    readonly slowness?: number;
    readonly onlyFull?: boolean;
  },
): Variant {
  const atLeastOnce = (renders: number): number => Math.max(atOnce, Math.round(renders / slowness));
  return {
    label,
    onlyFull,
    load: ({ quick, siteOrigin }) => ({
      job: () => newJob(siteOrigin, page, job),
      atOnce,
      rendersPerRound: atLeastOnce(quick ? 4 : 24),
      rounds: quick ? 1 : 4,
    }),
  };
}

async function measureVariants(bench: Bench, what: string, variants: readonly Variant[]): Promise<Findings> {
  const started = await startWays(bench, bench.quick ? NAMES.quick : NAMES.full, () =>
    newJob(bench.siteOrigin),
  );
  const rows: string[][] = [];
  try {
    for (const { label, load, onlyFull } of variants) {
      if (onlyFull && bench.quick) continue;
      bench.say(label);
      const results = await measureInTurns(started.ways, load(bench));
      for (const result of results)
        rows.push([label, ...wayCells(result), rounded(speedRatio(results, result.name, "raw"))]);
    }
  } finally {
    await started.stop();
  }
  return {
    figures: [],
    tables: [{ columns: [what, ...WAY_COLUMNS, "over raw"], rows }],
    remarks: started.remarks,
  };
}

export const concurrency: Scenario = {
  name: "concurrency",
  title: "Renders at once",
  about: "The page of 60 cards as PNG, so many requests at once of one account.",
  run: (bench) =>
    measureVariants(
      bench,
      "at once",
      [1, 2, 4, 8].map((atOnce) =>
        variant(String(atOnce), { atOnce, onlyFull: atOnce === 2 || atOnce === 4 }),
      ),
    ),
};

export const formats: Scenario = {
  name: "formats",
  title: "Formats",
  about:
    "The page of 60 cards, four at once. A PDF waits for a quiet network, half a second, in all ways alike.",
  run: (bench) =>
    measureVariants(bench, "format", [
      variant("PNG", {}),
      variant("JPEG", { format: "jpeg", onlyFull: true }),
      variant("WebP", { format: "webp" }),
      variant("PNG, full page", { fullPage: true, onlyFull: true }),
      variant("PDF", { format: "pdf", waitUntil: "networkidle0", slowness: 2 }),
    ]),
};

/** What a quick run renders. */
const QUICK_PAGES: ReadonlySet<PageName> = new Set(["cards", "article"]);
const SLOWNESS: Readonly<Partial<Record<PageName, number>>> = { heavy: 4, late: 6 };

export const pages: Scenario = {
  name: "pages",
  title: "Pages",
  about:
    "PNG, four at once: a small page, 60 cards, a long article, 200 images with two web fonts, and one that goes on asking for things for 3 s, of which a quiet network is awaited.",
  run: (bench) =>
    measureVariants(
      bench,
      "page",
      PAGE_NAMES.map((page) =>
        variant(page, {
          page,
          slowness: SLOWNESS[page] ?? 1,
          waitUntil: page === "late" ? "networkidle0" : "load",
          onlyFull: !QUICK_PAGES.has(page),
        }),
      ),
    ),
};
