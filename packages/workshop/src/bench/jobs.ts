import type { PageName } from "./site/pages.ts";
import type { RenderJob } from "./ways/way.ts";

let jobs = 0;

/** A render of a URL that was not requested before, so that no cache has it. */
export function newJob(
  siteOrigin: string,
  page: PageName | "distant" = "cards",
  { format = "png", fullPage = false, waitUntil = "load" }: Partial<Omit<RenderJob, "url">> = {},
): RenderJob {
  return { url: `${siteOrigin}/${page}?${jobs++}`, format, fullPage, waitUntil };
}
