import { compare, timed } from "../measure.ts";
import { formatNumber } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { fetchExpecting, startService } from "../service.ts";
import { newJob, parametersOf } from "../ways/way.ts";

/** Matches elements on the page of 60 cards. */
export const SELECTOR = "h3";

/** One query for each step that prepares a page for its capture. The page of 60 cards is taller than the viewport. */
const QUERIES: readonly Readonly<Record<string, string>>[] = [
  { colorScheme: "dark" },
  { device: "iphone-15-pro" },
  { locale: "de-CH", timeZone: "Europe/Zurich" },
  { headers: '{"X-Page":"1"}' },
  { cookies: '[{"name":"a","value":"1"}]' },
  { blockUrls: "ads.example" },
  { blockResources: "media" },
  { blockCookieBanners: "true" },
  { css: `${SELECTOR}{color:red}` },
  { hideSelectors: SELECTOR },
  { click: SELECTOR },
  { script: "document.title" },
  { waitForFunction: "true" },
  { stabilize: "true" },
  { mask: SELECTOR },
  { fullPage: "true", lazyContent: "off" },
  { fullPage: "true" },
  { fullPage: "true", lazyContent: "scroll" },
];

export const preparation: Scenario = {
  name: "preparation",
  title: "What parameters cost",
  about:
    "The page of 60 cards, with and without each parameter, in sequential renders. The order alternates from pair to pair.",
  async run(bench) {
    const service = await startService(bench);
    const render = (query: Readonly<Record<string, string>>) =>
      timed(async () => {
        const parameters = { ...parametersOf(newJob(bench.siteOrigin, "cards")), ...query };
        const { headers } = await fetchExpecting(
          200,
          `${service.baseUrl}/snap?${new URLSearchParams(parameters).toString()}`,
          service.bearerHeaders[0],
        );
        const notes = headers.get("x-render-notes") ?? "";
        if (notes.includes("unmatched")) throw new Error(`${JSON.stringify(query)}: ${notes}`);
      });
    const rows: Record<string, string>[] = [];
    for (const query of QUERIES) {
      const { measuredMs: withMs, baselineMs } = await compare(
        render(query),
        render({}),
        bench.quick ? 3 : 15,
      );
      const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
      rows.push({
        parameters: `\`${parameters.join(" ")}\``,
        "median ms": formatNumber(withMs),
        "baseline ms": formatNumber(baselineMs),
        "added ms": formatNumber(withMs - baselineMs),
      });
    }
    await service.stop();
    return { figures: [], tables: [rows] };
  },
};
