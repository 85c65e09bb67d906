import { SnapError, type SnapParameters } from "@snap/engine";
import type { RenderedFile, Renderer, RenderOptions } from "@snap/engine/ports";
import { createHash } from "node:crypto";
import { drawDigest } from "./files.ts";

/** A scriptable renderer without a browser, which records its calls. */
export interface FakeRenderer extends Renderer {
  /** The parameters of every render so far, in order. */
  readonly calls: readonly SnapParameters[];
  /** The options of every render so far. */
  readonly options: readonly RenderOptions[];
  /** Resolves after `count` calls of `render` in total. */
  whenCalled(count: number): Promise<void>;
  /** Holds all later renders until the returned function is called. */
  hold(): () => void;
  /** Makes the next `times` renders fail with the error; one by default. */
  failNext(error: SnapError, times?: number): void;
  /** Sets the result of `health()`: `null` for ready, otherwise the reason. */
  setUnready(reason: string | null): void;
}

export interface FakeRendererOptions {
  /** Status of every page; 200 by default. PDFs have none. */
  readonly targetStatus?: number;
  /** Notes on every rendering; none by default. */
  readonly notes?: readonly string[];
  /** The purposes that it claims to have filter lists for; none by default. */
  readonly filterLists?: Renderer["filterLists"];
  /** Whether it claims to resize images and encode AVIF; `false` by default. It does not resize them. */
  readonly processesImages?: boolean;
}

/** Parameters that decide where and for how long the rendering is stored, not its content. */
const IGNORED_PARAMETERS: ReadonlySet<string> = new Set(["cache", "cacheTtl", "storeTo", "storeKey"]);

/**
 * Creates a renderer that immediately returns a tiny valid file of the requested format. Of a document, it reads only
 * `index.html`. The bytes depend on the parameters: identical requests return identical bytes.
 *
 * @example
 * const renderer = createFakeRenderer();
 * renderer.failNext(new SnapError("render_timeout", "too slow"));
 * const release = renderer.hold();
 * const capture = engine.capture({ principal, parameters: { url: "https://example.com/" } });
 * await renderer.whenCalled(1);
 * release();
 */
export function createFakeRenderer(fakeOptions: FakeRendererOptions = {}): FakeRenderer {
  const calls: SnapParameters[] = [];
  const options: RenderOptions[] = [];
  const failures: SnapError[] = [];
  const watchers = new Set<{ readonly count: number; readonly resolve: () => void }>();
  const held = new Set<PromiseWithResolvers<void>>();
  let gate: PromiseWithResolvers<void> | null = null;
  let unready: string | null = null;
  let closed = false;

  const record = (parameters: SnapParameters): void => {
    calls.push(parameters);
    for (const watcher of watchers) if (calls.length >= watcher.count) watcher.resolve();
  };

  return {
    calls,
    options,
    filterLists: fakeOptions.filterLists,
    processesImages: fakeOptions.processesImages,
    async whenCalled(count) {
      if (calls.length >= count) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const watcher = { count, resolve };
      watchers.add(watcher);
      await promise;
      watchers.delete(watcher);
    },
    hold() {
      const opened = Promise.withResolvers<void>();
      // close() may reject the gate while no render is waiting for it
      opened.promise.catch(() => {});
      gate = opened;
      held.add(opened);
      return () => {
        opened.resolve();
        held.delete(opened);
        if (gate === opened) gate = null;
      };
    },
    failNext(error, times = 1) {
      for (let time = 0; time < times; time += 1) failures.push(error);
    },
    setUnready(reason) {
      unready = reason;
    },
    async render(parameters, renderOptions = {}) {
      if (closed) throw closedError();
      const failure = failures.shift();
      options.push(renderOptions);
      record(parameters);
      await gate?.promise;
      if (renderOptions.document !== undefined) await renderOptions.document.readFile("index.html");
      if (failure !== undefined) throw failure;
      return drawFile(parameters, fakeOptions);
    },
    async health() {
      const reason = closed ? "closed" : unready;
      return { ready: reason === null, reason };
    },
    async close() {
      closed = true;
      for (const waiting of held) waiting.reject(closedError());
    },
  };
}

function drawFile(
  parameters: SnapParameters,
  { targetStatus = 200, notes = [] }: FakeRendererOptions,
): RenderedFile {
  const drawn = Object.entries(parameters)
    .filter(([name, value]) => value !== undefined && !IGNORED_PARAMETERS.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash("sha256").update(JSON.stringify(drawn)).digest();
  const contentType = parameters.pdf
    ? "application/pdf"
    : (`image/${parameters.output ?? parameters.format}` as const);
  return {
    bytes: drawDigest(digest, contentType),
    contentType,
    targetStatus: parameters.pdf ? null : targetStatus,
    notes: [...notes],
    page: { title: "Fake page", finalUrl: parameters.url, pages: parameters.pdf ? 1 : null },
  };
}

function closedError(): SnapError {
  return new SnapError("upstream_error", "The renderer was closed.");
}
