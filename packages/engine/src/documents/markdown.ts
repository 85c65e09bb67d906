import PQueue from "p-queue";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { invalidFile } from "./check-files.ts";

/** Ordinary Markdown of the maximum size takes about four seconds. */
const TIMEOUT_MS = 10_000;
const MEMORY_MAX_MIB = 512;
/** Conversions compete with renders for the processors. */
const conversions = new PQueue({ concurrency: 2 });

/** A file next to this one, in the sources and in the build. */
const WORKER = new URL(`./markdown-worker${import.meta.url.slice(-3)}`, import.meta.url);

/**
 * Converts Markdown to a page with the default style, in a thread of its own: hostile text can take forever.
 *
 * @param options.label - Names the text in `errors`.
 * @throws SnapError `validation_failed` if the conversion takes too much time or memory.
 */
export async function markdownToHtml(
  markdown: Uint8Array,
  { label, timeoutMs = TIMEOUT_MS }: { readonly label: string; readonly timeoutMs?: number },
): Promise<Uint8Array> {
  const html = await conversions.add(() => convert(markdown, timeoutMs));
  if (html !== null) return html;
  throw invalidFile(label, "is too complex to convert to HTML; simplify its Markdown, or send HTML");
}

/** Returns `null` if a limit of time, memory or nesting was reached. */
async function convert(markdown: Uint8Array, timeoutMs: number): Promise<Uint8Array | null> {
  const worker = new Worker(WORKER, {
    workerData: markdown,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MIB },
  });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const [html] = (await once(worker, "message", { signal })) as [Uint8Array | null];
    return html;
  } catch (error) {
    if (signal.aborted || (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY") return null;
    throw error;
  } finally {
    await worker.terminate();
  }
}
