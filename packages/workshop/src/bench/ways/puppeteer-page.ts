import type { Page } from "puppeteer";
import { QUALITY, VIEWPORT, type RenderJob } from "./way.ts";

/** A render as one writes it with Puppeteer. */
export async function renderPage(page: Page, job: RenderJob): Promise<Uint8Array> {
  const { format, fullPage } = job;
  await page.setViewport(VIEWPORT);
  await page.goto(job.url, { waitUntil: job.waitUntil });
  if (format === "pdf") return page.pdf({ printBackground: true });
  return page.screenshot({ type: format, fullPage, ...(format === "png" ? {} : { quality: QUALITY }) });
}
