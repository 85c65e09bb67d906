import type { PdfParameters, ScreenshotParameters, SnapParameters } from "@snap/protocol";
import { ProtocolError } from "puppeteer";
import { isSnapError, SnapError } from "../../errors.ts";
import type { RenderedFile } from "../../ports/renderer.ts";
import { pause, unless, within } from "../../timeouts.ts";
import type { TabKind } from "../browser/rendering-browser.ts";
import type { TabSource } from "../browser/browser-supervisor.ts";
import { describe } from "../describe.ts";
import { captureScreenshot, requireCapturableSize } from "./capture-screenshot.ts";
import { evaluate } from "./evaluate.ts";
import { explainOverflow } from "./explain-navigation.ts";
import { countConnections } from "./follow-targets.ts";
import { measure, reachesBeyondViewport } from "./measure.ts";
import { navigate, requireAllowedDocuments, requireDocument } from "./navigate.ts";
import { printPdf } from "./print-pdf.ts";
import type { Tab } from "./tab.ts";
import { configurePage } from "./viewport.ts";
import { connectionLimitOf, waitForPage, waitForSelector } from "./wait-for-page.ts";

/** An image that takes longer is left out of the picture, as it would be at the edge of a window. */
const LAZY_IMAGES_MAX_MS = 5_000;

/** Images that wait to be scrolled to (HTML, lazy loading attributes) would be missing below the fold. */
const LOAD_LAZY_IMAGES = `(async () => {
  const lazy = [...document.querySelectorAll('[loading="lazy" i]')];
  for (const element of lazy) element.loading = "eager";
  const images = lazy.filter((element) => element instanceof HTMLImageElement);
  const loaded = Promise.allSettled(images.map((image) => image.decode()));
  const late = new Promise((resolve) => setTimeout(resolve, ${LAZY_IMAGES_MAX_MS}));
  await Promise.race([loaded, late]);
})()`;

/** Has the images loaded that are out of sight, for a capture of more than the viewport. */
async function loadLazyImages(tab: Tab, signal: AbortSignal): Promise<void> {
  await evaluate(tab, LOAD_LAZY_IMAGES, signal);
}

export interface RenderLimits {
  /** Which kind of tab to render in. */
  readonly tabKind: TabKind;
  /** Where it was tried before; where it is tried now is added. */
  readonly tried: Set<TabSource>;
  /** Aborts when the time budget is spent. */
  readonly signal: AbortSignal;
  readonly navigationTimeoutMs: number;
}

/**
 * One render, from a fresh tab to the file.
 *
 * @throws SnapError as the `Renderer` port says
 * @throws TabLost when it can be tried again
 */
export async function renderPage(
  supply: TabSource,
  parameters: SnapParameters,
  limits: RenderLimits,
): Promise<RenderedFile> {
  const wanted = { kind: limits.tabKind, url: parameters.url, tried: limits.tried };
  const { tab, release } = await supply.acquire(wanted, limits.signal);
  try {
    const signal = AbortSignal.any([limits.signal, tab.ended, tab.egress.overflow]);
    const notes = await load(tab, parameters, { ...limits, signal });
    const rendered = parameters.pdf
      ? await print(tab, parameters, signal)
      : await capture(tab, parameters, signal);
    requireDocument(tab);
    await requireAllowedDocuments(tab, signal);
    return { ...rendered, notes };
  } catch (error) {
    throw explain(error, tab);
  } finally {
    release();
  }
}

async function load(tab: Tab, parameters: SnapParameters, limits: RenderLimits): Promise<readonly string[]> {
  const waitUntil = parameters.pdf ? undefined : parameters.waitUntil;
  const durationMs = limits.navigationTimeoutMs;
  const reason = (): SnapError =>
    new SnapError("render_timeout", `The page did not reach ${waitUntil ?? "load"} within ${durationMs} ms.`);
  return within({ signal: limits.signal, durationMs, reason }, async (signal) => {
    const connectionsMax = connectionLimitOf(waitUntil);
    const configure = async (): Promise<void> => {
      await Promise.all([
        configurePage(tab, parameters, signal),
        ...(connectionsMax === null ? [] : [unless(signal, countConnections(tab, connectionsMax))]),
      ]);
    };
    await navigate(tab, { url: parameters.url, configure }, signal);
    return waitForPage(tab, waitUntil, signal);
  });
}

type Rendered = Omit<RenderedFile, "notes">;

async function capture(tab: Tab, parameters: ScreenshotParameters, signal: AbortSignal): Promise<Rendered> {
  const { waitForSelector: awaited, delay = 0, format } = parameters;
  if (awaited !== undefined) await waitForSelector(tab, awaited, signal);
  if (delay > 0) await pause(signal, delay);
  requireDocument(tab);
  if (reachesBeyondViewport(parameters)) await loadLazyImages(tab, signal);
  const { area, targetStatus } = await measure(tab, parameters, signal);
  requireCapturableSize(area, parameters);
  const bytes = await captureScreenshot(tab, { area, parameters }, signal);
  return { bytes, contentType: `image/${format}`, targetStatus };
}

async function print(tab: Tab, parameters: PdfParameters, signal: AbortSignal): Promise<Rendered> {
  await loadLazyImages(tab, signal);
  const bytes = await printPdf(tab, parameters, signal);
  return { bytes, contentType: "application/pdf", targetStatus: null };
}

/** What really happened, where the error at hand is only its consequence. */
function explain(error: unknown, tab: Tab): unknown {
  if (isSnapError(error)) return error;
  if (tab.ended.aborted) return tab.ended.reason;
  if (tab.egress.overflow.aborted) return explainOverflow();
  // what a browser answered is described, and goes no further: its text may be anything
  const cause = error instanceof ProtocolError ? {} : { cause: error };
  return new SnapError("render_failed", "The page could not be rendered.", {
    detail: describe(error),
    ...cause,
  });
}
