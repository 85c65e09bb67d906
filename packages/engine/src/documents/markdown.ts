import PQueue from "p-queue";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { AccountQueues } from "../limits/account-queues.ts";
import { invalidFile } from "./check-files.ts";

export interface MarkdownConversion {
  /** The text's name in `errors`. */
  readonly label: string;
  /** Its Markdown files are converted one at a time. */
  readonly accountId: string;
  /** Skips or stops the conversion. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * CPU time, so no text is rejected only because the machine is busy. Ordinary Markdown takes about 0.4 s per MiB, and
 * starting a thread takes 0.1 s.
 */
const CPU_BASE_MS = 2_000;
const CPU_PER_MIB_MS = 1_000;
const CPU_CHECK_INTERVAL_MS = 100;
/** Wall-clock limit, for a thread that gets little CPU time. */
const TIMEOUT_MS = 60_000;
const MIB = 1024 * 1024;
const MEMORY_MAX_MIB = 512;
/** Conversions compete with renders for the CPU. */
const conversions = new PQueue({ concurrency: 2 });
/** A conversion of hostile text runs until it reaches a limit. */
const byAccount = new AccountQueues(1);

/** A file next to this one, in the sources and in the build. */
const WORKER = new URL(`./markdown-worker${import.meta.url.slice(-3)}`, import.meta.url);

/**
 * Converts Markdown to a page with the default style, in a separate thread, because hostile text can take forever.
 *
 * @throws the abort reason of `signal`.
 * @throws SnapError `validation_failed` if the conversion takes too much time or memory, or the text is
 * nested too deeply.
 */
export async function markdownToHtml(
  markdown: Uint8Array,
  { label, accountId, signal }: MarkdownConversion,
): Promise<Uint8Array> {
  const cpuMaxMs = CPU_BASE_MS + (markdown.byteLength / MIB) * CPU_PER_MIB_MS;
  const html = await byAccount.add(accountId, () =>
    conversions.add(() => convert(markdown, cpuMaxMs, signal)),
  );
  signal?.throwIfAborted();
  if (html !== null) return html;
  throw invalidFile(label, "is too complex to convert to HTML; simplify its Markdown, or send HTML");
}

/** Returns `null` if `canceled` aborts, or the time, memory or nesting limit is reached. */
async function convert(
  markdown: Uint8Array,
  cpuMaxMs: number,
  canceled: AbortSignal = new AbortController().signal,
): Promise<Uint8Array | null> {
  if (canceled.aborted) return null;
  const worker = new Worker(WORKER, {
    workerData: markdown,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MIB },
  });
  // `once` stops listening on abort, but the worker can still run out of memory, which would end this process
  worker.on("error", () => {});
  const { signal: limit, stop } = limitCpuTime(worker, cpuMaxMs);
  const signal = AbortSignal.any([limit, canceled]);
  try {
    const [html] = (await once(worker, "message", { signal })) as [Uint8Array | null];
    return html;
  } catch (error) {
    if (signal.aborted || (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY") return null;
    throw error;
  } finally {
    stop();
    await worker.terminate();
  }
}

function limitCpuTime(
  worker: Worker,
  cpuMaxMs: number,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  // Node.js before 24.6 cannot measure CPU time, so this limits wall-clock time instead
  if (typeof worker.cpuUsage !== "function")
    return { signal: AbortSignal.timeout(Math.ceil(cpuMaxMs)), stop: () => undefined };
  const limit = new AbortController();
  const check = async (): Promise<void> => {
    const { user, system } = await worker.cpuUsage();
    if ((user + system) / 1000 > cpuMaxMs) limit.abort();
  };
  // `cpuUsage` rejects once the thread has ended
  const timer = setInterval(() => void check().catch(() => undefined), CPU_CHECK_INTERVAL_MS);
  return {
    signal: AbortSignal.any([limit.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    stop: () => clearInterval(timer),
  };
}
