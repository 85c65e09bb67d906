import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { startProgram } from "../processes.ts";
import type { Bench } from "../scenario.ts";
import type { WayName } from "./programs.ts";

/** One rendering, in the words that every way understands. */
export interface RenderJob {
  readonly url: string;
  readonly format: "png" | "jpeg" | "webp" | "pdf";
  /** `default` sends no wait: ours then waits as documented, plain Puppeteer for `networkidle2`. */
  readonly waitUntil: "default" | "load";
}

export const VIEWPORT = { width: 1280, height: 800 } as const;
/** Of JPEG and WebP. */
export const QUALITY = 80;
/** No file of a format that we request is smaller. */
export const LEAST_BYTES = 500;

/** Our own fixture pages only. As root there is no sandbox without a user of its own. */
export const SANDBOX_ARGUMENTS: readonly string[] = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/** A way of rendering: a process tree that takes jobs. */
export interface Way {
  readonly name: WayName | "server";
  /** Root of its process tree. */
  readonly pid: number;
  /** @returns The bytes of the file. */
  readonly render: (job: RenderJob) => Promise<number>;
  readonly stop: () => Promise<void>;
}

let jobs = 0;

/** A render of a URL that was not requested before, so that no cache has it. */
export function newJob(
  origin: string,
  page: string,
  { format = "png", waitUntil = "load" }: Partial<Omit<RenderJob, "url">> = {},
): RenderJob {
  return { url: `${origin}/${page}?${jobs++}`, format, waitUntil };
}

/** The query of the same request to the service. A PDF has no `waitUntil`: it waits as it does by default. */
export function parametersOf({ url, format, waitUntil }: RenderJob): Record<string, string> {
  if (format === "pdf") return { url, pdf: "true" };
  return {
    url,
    format,
    ...(waitUntil !== "default" && { waitUntil }),
    ...(format !== "png" && { quality: String(QUALITY) }),
  };
}

/** Starts one of the ways of programs.ts in a separate process. */
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
      if (!response.ok || Number(text) < LEAST_BYTES) throw new Error(`${name}: ${text}`);
      return Number(text);
    },
  };
}
