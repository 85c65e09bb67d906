import { setTimeout as sleep } from "node:timers/promises";
import puppeteer from "puppeteer";
import { ProtocolPipe } from "./protocol-pipe.ts";
import { QuietNetwork } from "./quiet-network.ts";
import {
  QUALITY,
  SANDBOX_ARGUMENTS,
  VIEWPORT,
  type ProgramOptions,
  type RenderingProgram,
  type RenderJob,
  type StartProgram,
} from "./way.ts";

const PDF_PAUSE_MS = 500;

/**
 * The bound that fresh isolation sets: the protocol calls that one render needs, sent to one browser over
 * a bare pipe, each render in a browser context of its own; no proxy, limits, ledger or cache.
 */
export const startRaw: StartProgram = (options) => start(options, false);

/** The same with the encoder that ours uses, and answered before the context is closed, as ours does. */
export const startRawFast: StartProgram = (options) => start(options, true);

async function start({ browserPath }: ProgramOptions, isFast: boolean): Promise<RenderingProgram> {
  // The switches that Puppeteer, and so every other way, starts it with.
  const usual = await puppeteer.defaultArgs({ headless: "shell", args: [...SANDBOX_ARGUMENTS] });
  const args = usual.filter((argument) => !argument.startsWith("--remote-debugging-"));
  const pipe = new ProtocolPipe(browserPath, args);
  await pipe.send("Browser.getVersion", {});
  return { render: (job) => render(pipe, job, isFast), close: () => pipe.close() };
}

async function render(pipe: ProtocolPipe, job: RenderJob, isFast: boolean): Promise<Uint8Array> {
  const { browserContextId } = await pipe.send("Target.createBrowserContext", {});
  const { targetId } = await pipe.send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await pipe.send("Target.attachToTarget", { targetId, flatten: true });
  const session = String(sessionId);
  try {
    const call = (method: string, params: object): ReturnType<ProtocolPipe["send"]> =>
      pipe.send(method, params, session);
    await navigate(pipe, session, job);
    const { data } =
      job.format === "pdf"
        ? await call("Page.printToPDF", { printBackground: true })
        : await call("Page.captureScreenshot", {
            optimizeForSpeed: isFast,
            ...(await captureOptions(call, job)),
          });
    return Buffer.from(String(data), "base64");
  } finally {
    pipe.forget(session);
    const closed = pipe.send("Target.disposeBrowserContext", { browserContextId });
    if (!isFast) await closed;
  }
}

/** Waits for what the job names; without a name, for load and then for a quiet network; for a PDF, load and 500 ms. */
async function navigate(pipe: ProtocolPipe, session: string, job: RenderJob): Promise<void> {
  const milestone = job.waitUntil === "networkidle0" ? "networkIdle" : "load";
  const countsRequests = job.waitUntil === "default" && job.format !== "pdf";
  const network = new QuietNetwork();
  const reached = new Map<unknown, PromiseWithResolvers<void>>();
  // Per document: the blank page before has its events, too.
  const reachedBy = (loaderId: unknown): PromiseWithResolvers<void> => {
    const event = reached.get(loaderId) ?? Promise.withResolvers<void>();
    reached.set(loaderId, event);
    return event;
  };
  pipe.listen(session, (method, params) => {
    const { name, loaderId } = params;
    if (method === "Page.lifecycleEvent" && name === milestone) reachedBy(loaderId).resolve();
    network.handle(method, params);
  });
  await Promise.all([
    pipe.send("Page.enable", {}, session),
    pipe.send("Page.setLifecycleEventsEnabled", { enabled: true }, session),
    ...(countsRequests ? [pipe.send("Network.enable", {}, session)] : []),
    pipe.send(
      "Emulation.setDeviceMetricsOverride",
      { ...VIEWPORT, deviceScaleFactor: 1, mobile: false },
      session,
    ),
  ]);
  const { loaderId, errorText } = await pipe.send("Page.navigate", { url: job.url }, session);
  if (errorText !== undefined) throw new Error(JSON.stringify(errorText));
  await reachedBy(loaderId).promise;
  if (countsRequests) await network.wait();
  if (job.format === "pdf") await sleep(PDF_PAUSE_MS);
}

async function captureOptions(
  call: (method: string, params: object) => ReturnType<ProtocolPipe["send"]>,
  { format, fullPage }: RenderJob,
): Promise<object> {
  const encoding = format === "png" ? { format } : { format, quality: QUALITY };
  if (!fullPage) return encoding;
  const { cssContentSize } = (await call("Page.getLayoutMetrics", {})) as {
    cssContentSize: { width: number; height: number };
  };
  return { ...encoding, captureBeyondViewport: true, clip: { ...cssContentSize, x: 0, y: 0, scale: 1 } };
}
