import { setTimeout as sleep } from "node:timers/promises";
import puppeteer from "puppeteer";
import type { RenderingProgram } from "./programs.ts";
import { ProtocolPipe } from "./protocol-pipe.ts";
import { QUALITY, SANDBOX_ARGUMENTS, VIEWPORT, type RenderJob } from "./way.ts";

const PDF_PAUSE_MS = 500;

type Call = (method: string, params?: object) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Starts a browser and renders with only the necessary protocol calls, over a pipe. Each render has a fresh browser
 * context. There is no proxy, limit, ledger or cache.
 *
 * @param fast Encodes for speed, and returns before the context is closed.
 */
export async function startRaw(
  browserPath: string,
  { fast }: { readonly fast: boolean },
): Promise<RenderingProgram> {
  // The switches with which Puppeteer starts the browser for the other programs.
  const defaultArgs = await puppeteer.defaultArgs({ headless: "shell", args: [...SANDBOX_ARGUMENTS] });
  const args = defaultArgs.filter((argument) => !argument.startsWith("--remote-debugging-"));
  const pipe = new ProtocolPipe(browserPath, args);
  await pipe.send("Browser.getVersion");
  return { render: (job) => render(pipe, job, fast), close: () => pipe.close() };
}

async function render(pipe: ProtocolPipe, job: RenderJob, fast: boolean): Promise<Uint8Array> {
  const { browserContextId } = await pipe.send("Target.createBrowserContext");
  const { targetId } = await pipe.send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await pipe.send("Target.attachToTarget", { targetId, flatten: true });
  const session = String(sessionId);
  try {
    const call: Call = (method, params) => pipe.send(method, params, session);
    await navigate(pipe, session, call, job);
    const { format } = job;
    const { data } =
      format === "pdf"
        ? await call("Page.printToPDF", { printBackground: true })
        : await call("Page.captureScreenshot", {
            format,
            optimizeForSpeed: fast,
            ...(format !== "png" && { quality: QUALITY }),
          });
    return Buffer.from(String(data), "base64");
  } finally {
    pipe.listeners.delete(session);
    const closed = pipe.send("Target.disposeBrowserContext", { browserContextId });
    if (!fast) await closed;
  }
}

/** Navigates and waits for `load`, and for a PDF another 500 ms (docs/benchmarks.md). */
async function navigate(pipe: ProtocolPipe, session: string, call: Call, job: RenderJob): Promise<void> {
  // Per document, because the initial blank page also fires events.
  const loadEvents = new Map<unknown, PromiseWithResolvers<void>>();
  const loadEventOf = (loaderId: unknown): PromiseWithResolvers<void> => {
    const event = loadEvents.get(loaderId) ?? Promise.withResolvers<void>();
    loadEvents.set(loaderId, event);
    return event;
  };
  pipe.listeners.set(session, (method, params) => {
    const { name, loaderId } = params;
    if (method === "Page.lifecycleEvent" && name === "load") loadEventOf(loaderId).resolve();
  });
  await Promise.all([
    call("Page.enable"),
    call("Page.setLifecycleEventsEnabled", { enabled: true }),
    call("Emulation.setDeviceMetricsOverride", { ...VIEWPORT, deviceScaleFactor: 1, mobile: false }),
  ]);
  const { loaderId, errorText } = await call("Page.navigate", { url: job.url });
  if (errorText !== undefined) throw new Error(JSON.stringify(errorText));
  await loadEventOf(loaderId).promise;
  if (job.format === "pdf") await sleep(PDF_PAUSE_MS);
}
