import type { PdfParameters, ScreenshotParameters, SnapParameters } from "@snap/protocol";
import { ProtocolError } from "puppeteer";
import { isSnapError, SnapError } from "../../errors.ts";
import type { RenderedFile } from "../../ports/renderer.ts";
import { sleep, abortable, withTimeout } from "../../timeouts.ts";
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

/** An image that takes longer is missing from the rendering. */
const LAZY_IMAGES_MAX_MS = 5_000;

/** Images with `loading="lazy"` (HTML, lazy loading attributes) would be missing below the fold. */
const LOAD_LAZY_IMAGES = `(async () => {
  const lazy = [...document.querySelectorAll('[loading="lazy" i]')];
  for (const element of lazy) element.loading = "eager";
  const images = lazy.filter((element) => element instanceof HTMLImageElement);
  const loaded = Promise.allSettled(images.map((image) => image.decode()));
  const late = new Promise((resolve) => setTimeout(resolve, ${LAZY_IMAGES_MAX_MS}));
  await Promise.race([loaded, late]);
})()`;

/** Loads the images outside the viewport. */
async function loadLazyImages(tab: Tab, signal: AbortSignal): Promise<void> {
  await evaluate(tab, LOAD_LAZY_IMAGES, signal);
}

export interface RenderLimits {
  readonly tabKind: TabKind;
  /** The sources that this render has tried; the current one is added. */
  readonly tried: Set<TabSource>;
  /** Aborts at the render's timeout. */
  readonly signal: AbortSignal;
  readonly navigationTimeoutMs: number;
  readonly maxRenderingBytes: number;
}

/**
 * Renders a page once, in its own tab.
 *
 * @throws SnapError as the `Renderer` port documents.
 * @throws TabLost if the render can be retried.
 */
export async function renderPage(
  tabs: TabSource,
  parameters: SnapParameters,
  limits: RenderLimits,
): Promise<RenderedFile> {
  const request = { kind: limits.tabKind, url: parameters.url, tried: limits.tried };
  const { tab, release } = await tabs.acquire(request, limits.signal);
  try {
    const signal = AbortSignal.any([limits.signal, tab.ended, tab.egress.overflow]);
    const notes = await load(tab, parameters, { ...limits, signal });
    const maxBytes = limits.maxRenderingBytes;
    const rendered = parameters.pdf
      ? await print(tab, { parameters, maxBytes }, signal)
      : await capture(tab, { parameters, maxBytes }, signal);
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
  return withTimeout({ signal: limits.signal, durationMs, reason }, async (signal) => {
    const connectionsMax = connectionLimitOf(waitUntil);
    const configure = async (): Promise<void> => {
      await Promise.all([
        configurePage(tab, parameters, signal),
        ...(connectionsMax === null ? [] : [abortable(signal, countConnections(tab, connectionsMax))]),
      ]);
    };
    await navigate(tab, { url: parameters.url, configure }, signal);
    return waitForPage(tab, waitUntil, signal);
  });
}

type Rendered = Omit<RenderedFile, "notes">;

/** What to render, and the largest file. */
interface Rendering<P extends SnapParameters> {
  readonly parameters: P;
  readonly maxBytes: number;
}

async function capture(
  tab: Tab,
  { parameters, maxBytes }: Rendering<ScreenshotParameters>,
  signal: AbortSignal,
): Promise<Rendered> {
  const { waitForSelector: awaitedSelector, delay = 0, format } = parameters;
  if (awaitedSelector !== undefined) await waitForSelector(tab, awaitedSelector, signal);
  if (delay > 0) await sleep(signal, delay);
  requireDocument(tab);
  if (reachesBeyondViewport(parameters)) await loadLazyImages(tab, signal);
  const { area, targetStatus } = await measure(tab, parameters, signal);
  requireCapturableSize(area, parameters);
  const bytes = await captureScreenshot(tab, { area, parameters, maxBytes }, signal);
  return { bytes, contentType: `image/${format}`, targetStatus };
}

async function print(tab: Tab, rendering: Rendering<PdfParameters>, signal: AbortSignal): Promise<Rendered> {
  await loadLazyImages(tab, signal);
  const bytes = await printPdf(tab, rendering, signal);
  return { bytes, contentType: "application/pdf", targetStatus: null };
}

/** Returns the root cause if `error` is only its consequence. */
function explain(error: unknown, tab: Tab): unknown {
  if (isSnapError(error)) return error;
  if (tab.ended.aborted) return tab.ended.reason;
  if (tab.egress.overflow.aborted) return explainOverflow();
  // not passed on as a cause: a browser's error may contain any text
  const cause = error instanceof ProtocolError ? {} : { cause: error };
  return new SnapError("render_failed", "The page could not be rendered.", {
    detail: describe(error),
    ...cause,
  });
}
