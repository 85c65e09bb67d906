import { SnapError } from "../errors.ts";
import { compileLists } from "../filter-lists/compiled-lists.ts";
import { imageProcessor as images } from "../images/image-processor.ts";
import { requireInstalled } from "../parameters/require-installed.ts";
import type { Renderer, RenderOptions } from "../ports/renderer.ts";
import { abortable, withTimeout } from "../timeouts.ts";
import { openBrowsers } from "./browser/browsers.ts";
import type { TabSource } from "./browser/browser-supervisor.ts";
import { convertFile, needsProcessing } from "./convert-file.ts";
import { readOptions, type PuppeteerRendererOptions } from "./options.ts";
import type { RendererEvent } from "./renderer-event.ts";
import { PageEnded, TabLost, TabSuspected } from "./page/page-end.ts";
import { renderPage } from "./page/render-page.ts";

/** Allows one retry, in case no tab can be opened, or the browser or the page's process exits. */
const LOSSES_MAX = 2;
const SKIPPED_FILTERS_NAMED_MAX = 10;

/**
 * Creates a renderer that drives Chromium. The browser starts immediately, in the background. Each render has its own
 * browser context and egress proxy, which carries all its connections. With `browserUrls`, the renderer distributes
 * renders across those remote browsers instead of starting its own; with `browserEgress: "direct"`, these use no proxy.
 *
 * `render` throws a `SnapError`: `blocked_host`, `target_unreachable`, `render_failed`, `render_timeout`,
 * `script_failed`, `validation_failed`, or `upstream_error`, for example if the browser failed twice or
 * cannot start. With remote browsers, also `upstream_rate_limited` or `upstream_quota_exceeded` if none is
 * available.
 *
 * @throws RangeError if an option is invalid or an entry of `filterLists` is not a filter list; the message names the
 * option.
 *
 * @example
 * const renderer = createPuppeteerRenderer();
 * const parameters = screenshotParameters.parse({ url: "https://example.com/", fullPage: true });
 * const { bytes, contentType, targetStatus } = await renderer.render(parameters);
 * await renderer.close();
 */
export function createPuppeteerRenderer(options: PuppeteerRendererOptions = {}): Renderer {
  const settings = readOptions(options);
  const { renderTimeoutMs, navigationTimeoutMs, maxRenderingBytes, onEvent, targets } = settings;
  const lists = compileLists(settings.filterLists, (filters) => onEvent(skippedEvent(filters)));
  const filterLists = lists.purposes;
  const browsers = openBrowsers(settings);
  const reason = (): SnapError =>
    new SnapError("render_timeout", `The render did not finish within ${renderTimeoutMs} ms.`);
  return {
    targets,
    filterLists,
    renderTimeoutMs,
    get processesImages() {
      return images.isAvailable;
    },
    render(
      parameters,
      { isolationKey = crypto.randomUUID(), isIsolated = false, requestId, document }: RenderOptions = {},
    ) {
      const ended = new AbortController();
      const served = document && {
        ...document,
        readFile: (path: string) => document.readFile(path, ended.signal),
      };
      return withTimeout(
        { signal: browsers.closing, durationMs: renderTimeoutMs, reason },
        async (signal) => {
          if (needsProcessing(parameters)) await images.load();
          requireInstalled(parameters, { filterLists, processesImages: images.isAvailable });
          const onLimit = (): void => onEvent({ type: "filters-too-slow", requestId });
          const selected = await abortable(signal, lists.select(parameters, onLimit));
          const tried = new Set<TabSource>();
          let lost: TabLost | null = null;
          /** Whether an earlier loss has moved the render to an isolated browser. */
          let wasIsolated = false;
          let pageEnded = false;
          for (let losses = 0; losses < LOSSES_MAX;) {
            if (lost) onEvent({ type: "render-retried", reason: lost.message, requestId });
            const tabKind = lost ? "new" : "ready";
            const limits = {
              signal,
              tried,
              tabKind,
              navigationTimeoutMs,
              maxRenderingBytes,
              filterLists: selected,
              document: served,
            } as const;
            try {
              const file = await browsers.use({ isolationKey, isIsolated }, signal, (tabs) =>
                renderPage(tabs, parameters, limits),
              );
              const conversion = { parameters, images, owner: isolationKey, maxBytes: maxRenderingBytes };
              return await convertFile(file, conversion, signal);
            } catch (error) {
              if (error instanceof PageEnded) onEvent(pageEndedEvent(error, requestId));
              if (!(error instanceof TabLost)) throw error;
              const isSuspected = error instanceof TabSuspected;
              if (!isSuspected || wasIsolated) losses += 1; // isolating a suspect does not count as a loss
              pageEnded = wasIsolated && isBrowserLost(error);
              if (isSuspected || isBrowserLost(error)) wasIsolated = browsers.suspect(isolationKey);
              lost = error;
            }
          }
          const details = lost ? { detail: lost.message, cause: lost } : {};
          const message = "The browser failed while rendering the page.";
          throw new SnapError("upstream_error", message, { ...details, pageEnded });
        },
      ).finally(() => ended.abort());
    },
    async health() {
      await lists.ready;
      return browsers.health();
    },
    close: () => browsers.close(),
  };
}

/** Whether the whole browser exited; only then does the loss have a cause. */
function isBrowserLost(lost: TabLost): boolean {
  return lost.cause !== undefined;
}

function pageEndedEvent({ reason, detail = "" }: PageEnded, requestId: string | undefined): RendererEvent {
  return { type: "page-ended", reason, detail, requestId };
}

function skippedEvent(skipped: readonly string[]): RendererEvent {
  const filters = skipped.slice(0, SKIPPED_FILTERS_NAMED_MAX);
  return { type: "filters-skipped", count: skipped.length, filters };
}
