import type { PageName } from "./site/pages.ts";
import type { RenderJob } from "./ways/way.ts";

let jobs = 0;

/** A render that nobody asked for before: its address is its own. */
export function newJob(
  siteOrigin: string,
  page: PageName = "cards",
  { format = "png", fullPage = false, waitUntil = "load" }: Partial<Omit<RenderJob, "url">> = {},
): RenderJob {
  return { url: `${siteOrigin}/${page}?${jobs++}`, format, fullPage, waitUntil };
}
