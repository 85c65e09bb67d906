import { newJob } from "../jobs.ts";
import { measureInTurns, speedRatio, startWays, wayCells, WAY_COLUMNS, type Load } from "../measure-ways.ts";
import type { Figure } from "../report/figure.ts";
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
  /** Target of its renders/s over raw protocol calls. */
  readonly atLeast: number | null;
}

function variant(
  label: string,
  {
    page = "cards",
    atOnce = 4,
    slowness = 1,
    onlyFull = false,
    atLeast = null,
    ...job
  }: Partial<RenderJob> & {
    readonly page?: PageName;
    readonly atOnce?: number;
    /** How many times longer than the page of cards it takes: so many times fewer are rendered. */
    readonly slowness?: number;
    readonly onlyFull?: boolean;
    readonly atLeast?: number | null;
  },
): Variant {
  const atLeastOnce = (renders: number): number => Math.max(atOnce, Math.round(renders / slowness));
  return {
    label,
    onlyFull,
    atLeast,
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
  const figures: Figure[] = [];
  try {
    for (const { label, load, onlyFull, atLeast } of variants) {
      if (onlyFull && bench.quick) continue;
      bench.say(label);
      const results = await measureInTurns(started.ways, load(bench));
      for (const result of results)
        rows.push([label, ...wayCells(result), rounded(speedRatio(results, result.name, "raw"))]);
      if (atLeast === null) continue;
      const name = `${label}, 4 in flight: renders/s over raw protocol calls`;
      figures.push({ name, value: speedRatio(results, "server", "raw"), target: { atLeast } });
    }
  } finally {
    await started.stop();
  }
  return {
    figures,
    tables: [{ columns: [what, ...WAY_COLUMNS, "over raw"], rows }],
    remarks: started.remarks,
  };
}

export const concurrency: Scenario = {
  name: "concurrency",
  title: "Renders at once",
  about: "The page of 60 cards as PNG, so many requests at once of one account.",
  onlyFull: true,
  run: (bench) =>
    measureVariants(
      bench,
      "at once",
      [1, 2, 4, 8].map((atOnce) => variant(String(atOnce), { atOnce })),
    ),
};

export const formats: Scenario = {
  name: "formats",
  title: "Formats",
  about:
    "The page of 60 cards, four in flight, until `load`. For a PDF ours waits as it does by default; the raw calls wait for `load` and 500 ms, then print.",
  run: (bench) =>
    measureVariants(bench, "format", [
      variant("PNG", {}),
      variant("JPEG", { format: "jpeg", onlyFull: true, atLeast: 1 }),
      variant("WebP", { format: "webp", atLeast: 1 }),
      variant("PNG, full page", { fullPage: true, onlyFull: true }),
      variant("PDF", { format: "pdf", waitUntil: "default", slowness: 2, atLeast: 1 }),
    ]),
};

/** What a quick run renders. */
const QUICK_PAGES: ReadonlySet<PageName> = new Set(["cards", "article"]);
const SLOWNESS: Readonly<Partial<Record<PageName, number>>> = { heavy: 4, soon: 2, late: 6 };
const WAITS: Readonly<Partial<Record<PageName, RenderJob["waitUntil"]>>> = {
  soon: "default",
  late: "networkidle0",
};

export const pages: Scenario = {
  name: "pages",
  title: "Pages",
  about:
    "PNG, four in flight, until `load`: a small page, 60 cards, a long article, 200 images with two web fonts over plain HTTP; `soon`, complete after 0.1 s, with the default wait; and `late`, which sends requests for 3 s, until `networkidle0`.",
  run: (bench) =>
    measureVariants(
      bench,
      "page",
      PAGE_NAMES.map((page) =>
        variant(page, {
          page,
          slowness: SLOWNESS[page] ?? 1,
          waitUntil: WAITS[page] ?? "load",
          ...(page === "heavy" ? { atLeast: 1 } : {}),
          onlyFull: !QUICK_PAGES.has(page),
        }),
      ),
    ),
};
