/** One rendering, in the words that every way understands. */
export interface RenderJob {
  readonly url: string;
  readonly format: "png" | "jpeg" | "webp" | "pdf";
  readonly fullPage: boolean;
  /** `default` sends no wait: ours then waits as documented, plain Puppeteer for `networkidle2`. */
  readonly waitUntil: "default" | "load" | "networkidle0";
}

export const VIEWPORT = { width: 1280, height: 800 } as const;
/** Of JPEG and WebP. */
export const QUALITY = 80;

/** A way of rendering, inside the process that is measured. */
export interface RenderingProgram {
  /** @returns the bytes of the file. */
  render(job: RenderJob): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface ProgramOptions {
  readonly browserPath: string;
  /** In the form of SNAP_ALLOW_TARGETS. */
  readonly allowedTargets: string;
  /** An empty folder. */
  readonly folder: string;
}

export type StartProgram = (options: ProgramOptions) => Promise<RenderingProgram>;

/** No file of a format that we ask for is smaller. */
export const LEAST_BYTES = 500;

/** A way of rendering, seen from outside: a process tree that is asked for renderings. */
export interface Way {
  readonly name: string;
  /** Root of its process tree. */
  readonly pid: number;
  /**
   * @returns the bytes of the file.
   * @throws Error when it did not answer one.
   */
  readonly render: (job: RenderJob) => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Our own fixture pages only. As root there is no sandbox without a user of its own. */
export const SANDBOX_ARGUMENTS: readonly string[] = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
