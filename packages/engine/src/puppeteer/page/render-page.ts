import type { PdfParameters, ScreenshotParameters, SnapParameters } from "@snap/protocol";
import { ProtocolError } from "puppeteer";
import { isSnapError, SnapError } from "../../errors.ts";
import type { FilterList } from "../../filter-lists/compile.ts";
import { BLANK, WAIT_CAPPED, type RenderedFile, type ServedDocument } from "../../ports/renderer.ts";
import { abortable, withTimeout } from "../../timeouts.ts";
import type { TabKind } from "../browser/rendering-browser.ts";
import type { TabSource } from "../browser/browser-supervisor.ts";
import { describe } from "../describe.ts";
import { captureFormatOf, captureScreenshot, requireCapturableSize } from "./capture-screenshot.ts";
import { configure } from "./configure/configure.ts";
import { viewportOf } from "./configure/viewport.ts";
import { endTransitions } from "./end-transitions.ts";
import { explainOverflow } from "./explain-navigation.ts";
import { countConnections } from "./follow-targets.ts";
import { isBlank } from "./is-blank.ts";
import { measure } from "./measure.ts";
import { navigate, requireAllowedDocuments, requireDocument } from "./navigate.ts";
import { pageFacts, readTitle } from "./page-facts.ts";
import { mask, requireMask } from "./prepare/mask.ts";
import { prepare } from "./prepare/prepare.ts";
import type { PageToRender } from "./page-to-render.ts";
import { printPdf } from "./print-pdf.ts";
import { requestedChanges } from "./requested-changes.ts";
import { setCookies } from "./set-cookies.ts";
import type { Tab } from "./tab.ts";
import { acceptsCap, connectionLimitOf, stopNavigatingPage, waitUntilReady } from "./wait-for-page.ts";

export interface RenderLimits {
  readonly tabKind: TabKind;
  /** The tab sources that this render has tried; the current one is added. */
  readonly tried: Set<TabSource>;
  /** Aborts at the render's timeout, or when the renderer closes. */
  readonly signal: AbortSignal;
  readonly navigationTimeoutMs: number;
  readonly maxRenderingBytes: number;
  /** The filter lists that the parameters select. */
  readonly filterLists: readonly FilterList[];
  /** The page's document, if the page is not on the network. */
  readonly document: ServedDocument | undefined;
}

/**
 * Renders a page once, in its own tab. A screenshot that is converted afterwards is a PNG.
 *
 * @throws SnapError as the `Renderer` port documents.
 * @throws TabLost if the render can be retried.
 */
export async function renderPage(
  tabs: TabSource,
  parameters: SnapParameters,
  limits: RenderLimits,
): Promise<RenderedFile> {
  const { document, filterLists, maxRenderingBytes: maxBytes } = limits;
  const changes = requestedChanges(parameters);
  // a page that is opened at its URL may start before all settings apply
  const url = changes.beforeLoad || document !== undefined ? null : parameters.url;
  const request = { kind: limits.tabKind, url, tried: limits.tried };
  const { tab, release } = await tabs.acquire(request, limits.signal);
  try {
    const signal = AbortSignal.any([limits.signal, tab.ended, tab.egress.overflow]);
    const page = { tab, parameters, changes, filterLists, document, maxBytes };
    const loadNotes = await load(page, { ...limits, signal });
    const preparationNotes = await prepare(page, signal);
    await stopNavigatingPage(tab, signal);
    const rendered = parameters.pdf
      ? await print(tab, { parameters, maxBytes }, signal)
      : await capture(tab, { parameters, maxBytes }, signal);
    const blankNotes = changes.hasAny && (await isBlank(rendered)) ? [BLANK] : [];
    requireDocument(tab);
    await requireAllowedDocuments(tab, signal);
    return {
      ...rendered,
      notes: collectNotes(tab, [...loadNotes, ...preparationNotes, ...rendered.notes, ...blankNotes]),
    };
  } catch (error) {
    throw explain(error, tab);
  } finally {
    release();
  }
}

async function load(page: PageToRender, limits: RenderLimits): Promise<readonly string[]> {
  const { tab, parameters } = page;
  const waitUntil = parameters.pdf ? undefined : parameters.waitUntil;
  const durationMs = limits.navigationTimeoutMs;
  const timedOut = new SnapError(
    "render_timeout",
    `The page did not reach ${waitUntil ?? "an idle state"} within ${durationMs} ms.`,
  );
  const limit = { signal: limits.signal, durationMs, reason: () => timedOut };
  return withTimeout(limit, async (signal) => {
    // `lazyContent=scroll` needs the counts too: its content has loaded when the requests end
    const connectionsMax = connectionLimitOf(waitUntil) ?? (parameters.lazyContent === "scroll" ? 0 : null);
    const configureTab = async (): Promise<void> => {
      await Promise.all([
        configure(page, signal),
        ...(connectionsMax === null ? [] : [abortable(signal, countConnections(tab, connectionsMax))]),
      ]);
    };
    await setCookies(tab, parameters, signal);
    await navigate(tab, { url: parameters.url, configure: configureTab }, signal);
    return waitUntilReady(page, signal).catch((error: unknown) => {
      if (error === timedOut && acceptsCap(page)) return [WAIT_CAPPED];
      throw error;
    });
  });
}

/**
 * Returns the notes without duplicates. If requests were blocked, no failures are noted, because those of blocked
 * images and connections would count too.
 */
function collectNotes({ progress, blocked }: Tab, notes: readonly string[]): readonly string[] {
  const failures = progress.activity?.failures ?? 0;
  const failureNotes = failures > 0 ? [`requests-failed=${failures}`] : [];
  const all = [...new Set([...notes, ...failureNotes, ...blocked.notes()])];
  return blocked.isEmpty ? all : all.filter((note) => !/^(images|requests)-failed=/.test(note));
}

/** What to render, and the maximum size of the file. */
interface RenderTask<P extends SnapParameters> {
  readonly parameters: P;
  readonly maxBytes: number;
}

async function capture(
  tab: Tab,
  { parameters, maxBytes }: RenderTask<ScreenshotParameters>,
  signal: AbortSignal,
): Promise<RenderedFile> {
  const maskedDocumentId = await mask(tab, parameters, signal);
  await endTransitions(tab, signal);
  const { area, targetStatus, title, notes } = await measure(tab, parameters, signal);
  requireCapturableSize(area, parameters);
  const format = captureFormatOf(parameters);
  const viewport = viewportOf(parameters);
  const { quality } = parameters;
  const bytes = await captureScreenshot(tab, { area, viewport, format, quality, maxBytes }, signal);
  requireMask(tab, maskedDocumentId);
  return {
    bytes,
    contentType: `image/${format}`,
    targetStatus,
    notes,
    page: pageFacts(tab, { title, pages: null }),
  };
}

async function print(tab: Tab, task: RenderTask<PdfParameters>, signal: AbortSignal): Promise<RenderedFile> {
  const title = await readTitle(tab, signal); // the page does not respond while it is printed
  const { bytes, pages } = await printPdf(tab, task, signal);
  const page = pageFacts(tab, { title, pages });
  return { bytes, contentType: "application/pdf", targetStatus: null, notes: [], page };
}

/** Returns the root cause if `error` is only a consequence of it. */
function explain(error: unknown, tab: Tab): unknown {
  if (isSnapError(error)) return error;
  if (tab.ended.aborted) return tab.ended.reason;
  if (tab.egress.overflow.aborted) return explainOverflow();
  // without a cause, because a browser's error can contain any text
  const cause = error instanceof ProtocolError ? {} : { cause: error };
  return new SnapError("render_failed", "The page could not be rendered.", {
    detail: describe(error),
    ...cause,
  });
}
