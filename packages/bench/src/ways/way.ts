import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { startProgram } from "../processes.ts";
import type { Bench } from "../scenario.ts";
import type { WayName } from "./programs.ts";

/** A render, in terms that apply to every way. */
export interface RenderJob {
  readonly url: string;
  readonly format: "png" | "jpeg" | "webp" | "pdf";
  /** With `default`, the service uses its default wait, and plain Puppeteer waits for `networkidle2`. */
  readonly waitUntil: "default" | "load";
}

export const VIEWPORT = { width: 1280, height: 800 } as const;
/** For JPEG and WebP. */
export const QUALITY = 80;
/** Every valid rendering is larger. */
export const MIN_FILE_BYTES = 500;

/** Chromium cannot use its sandbox as root. The pages are our own fixtures. */
export const SANDBOX_ARGUMENTS: readonly string[] = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/** A way of rendering: a process tree that takes jobs. */
export interface Way {
  readonly name: WayName | "server";
  /** Root of the way's process tree. */
  readonly pid: number;
  /** @returns The size of the file in bytes. */
  readonly render: (job: RenderJob) => Promise<number>;
  readonly stop: () => Promise<void>;
}

let jobs = 0;

/** Returns a render of a new URL, so it is not cached. */
export function newJob(
  origin: string,
  page: string,
  { format = "png", waitUntil = "load" }: Partial<Omit<RenderJob, "url">> = {},
): RenderJob {
  return { url: `${origin}/${page}?${jobs++}`, format, waitUntil };
}

/** Converts a job to a query for the service. A PDF has no `waitUntil` parameter, so it uses the default wait. */
export function parametersOf({ url, format, waitUntil }: RenderJob): Record<string, string> {
  if (format === "pdf") return { url, pdf: "true" };
  return {
    url,
    format,
    ...(waitUntil !== "default" && { waitUntil }),
    ...(format !== "png" && { quality: String(QUALITY) }),
  };
}

/** Starts a program from programs.ts in a separate process. */
export async function startWay(name: WayName, bench: Bench): Promise<Way> {
  const folder = await mkdtemp(join(bench.scratch, `${name}-`));
  const program = join(import.meta.dirname, "way-process.ts");
  const { pid, line, stop } = await startProgram(program, [name, bench.browserPath], { TMPDIR: folder });
  return {
    name,
    pid,
    stop,
    async render(job) {
      const response = await fetch(`http://127.0.0.1:${line}/`, {
        method: "POST",
        body: JSON.stringify(job),
      });
      const text = await response.text();
      if (!response.ok || Number(text) < MIN_FILE_BYTES) throw new Error(`${name}: ${text}`);
      return Number(text);
    },
  };
}
