import type { LaunchOptions, Page } from "puppeteer";
import { QUALITY, SANDBOX_ARGUMENTS, VIEWPORT, type RenderJob } from "./way.ts";

export function launchOptions(browserPath: string): LaunchOptions {
  return { executablePath: browserPath, headless: "shell", pipe: true, args: [...SANDBOX_ARGUMENTS] };
}

/** A render as one writes it with Puppeteer. */
export async function renderPage(page: Page, job: RenderJob): Promise<Uint8Array> {
  const { format, fullPage, waitUntil } = job;
  await page.setViewport(VIEWPORT);
  await page.goto(job.url, { waitUntil: waitUntil === "default" ? "networkidle2" : waitUntil });
  if (format === "pdf") return page.pdf({ printBackground: true });
  return page.screenshot({ type: format, fullPage, ...(format === "png" ? {} : { quality: QUALITY }) });
}
