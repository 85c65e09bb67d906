import { newJob } from "../jobs.ts";
import { measureInTurns, speedRatio, startWays, wayCells, WAY_COLUMNS, type Load } from "../measure-ways.ts";
import type { Figure } from "../report/figure.ts";
import { rounded } from "../report/table.ts";
import type { Bench, Findings, Scenario } from "../scenario.ts";
import type { PageName } from "../site/pages.ts";
import type { RenderJob } from "../ways/way.ts";

/** The engine alone stands beside them in the table of ways. */
const NAMES = ["raw", "server"] as const;

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
      rendersPerRound: atLeastOnce(quick ? 4 : 16),
      rounds: roundsOf({ quick, hasTarget: atLeast !== null }),
    }),
  };
}

function roundsOf({ quick, hasTarget }: { readonly quick: boolean; readonly hasTarget: boolean }): number {
  if (quick) return 1;
  return hasTarget ? 3 : 2;
}

async function measureVariants(bench: Bench, what: string, variants: readonly Variant[]): Promise<Findings> {
  const started = await startWays(bench, NAMES, () => newJob(bench.siteOrigin));
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
  about:
    "The page of 60 cards as PNG until `load`, so many requests at once of one account; the table of formats has four at once.",
  onlyFull: true,
  run: (bench) =>
    measureVariants(
      bench,
      "at once",
      [1, 8].map((atOnce) => variant(String(atOnce), { atOnce })),
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

export const pages: Scenario = {
  name: "pages",
  title: "Pages",
  about:
    "PNG, four in flight, until `load`: a small page, a long article, 200 images with two web fonts over plain HTTP; and `late`, which sends requests for 3 s, until `networkidle0`. Other tables have the page of 60 cards, and one with the default wait.",
  onlyFull: true,
  run: (bench) =>
    measureVariants(bench, "page", [
      variant("small", { page: "small" }),
      variant("article", { page: "article" }),
      variant("heavy", { page: "heavy", slowness: 2, atLeast: 1 }),
      variant("late", { page: "late", slowness: 4, waitUntil: "networkidle0" }),
    ]),
};
