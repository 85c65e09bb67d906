import { createRequire } from "node:module";
import PQueue from "p-queue";
import type sharp from "sharp";

export type Sharp = typeof sharp;

/** sharp works in the threads that Node also uses for files, host names and compression, 4 by default. */
const IMAGES_AT_ONCE = 2;

/** Processes images with sharp, an optional dependency that is loaded when it is first needed. */
export interface ImageProcessor {
  readonly isInstalled: boolean;
  /** Whether sharp is installed and has not failed to load. */
  readonly isAvailable: boolean;
  /** Images that wait for others. */
  readonly waiting: number;
  /** Loads sharp. Returns why it does not load; `null` if it does. */
  load(): Promise<Error | null>;
  /**
   * Runs `work` when no more than one other image is processed. An abort skips it only while it waits.
   *
   * @throws Error if sharp does not load.
   */
  run<T>(work: (sharp: Sharp) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** How to find and load sharp; tests replace it. */
export interface SharpLoader {
  isInstalled(): boolean;
  load(): Promise<Sharp>;
}

const INSTALLED_SHARP: SharpLoader = {
  isInstalled() {
    try {
      createRequire(import.meta.url).resolve("sharp");
      return true;
    } catch {
      return false;
    }
  },
  async load() {
    const { default: loaded } = await import("sharp");
    // each image takes one thread, and leaves nothing in memory
    loaded.concurrency(1);
    loaded.cache(false);
    return loaded;
  },
};

/** Creates a processor. The limit on images at once applies to each processor, so a process needs only one. */
export function createImageProcessor(loader: SharpLoader = INSTALLED_SHARP): ImageProcessor {
  const queue = new PQueue({ concurrency: IMAGES_AT_ONCE });
  const isInstalled = loader.isInstalled();
  let isAvailable = isInstalled;
  let loading: Promise<Sharp> | null = null;
  const load = (): Promise<Sharp> =>
    (loading ??= loader.load().catch((error: unknown) => {
      isAvailable = false;
      throw error;
    }));
  return {
    isInstalled,
    get isAvailable() {
      return isAvailable;
    },
    get waiting() {
      return queue.size;
    },
    async load() {
      try {
        await load();
        return null;
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
    },
    run: (work, signal) => queue.add(async () => work(await load()), signal === undefined ? {} : { signal }),
  };
}

/** The processor of this process. */
export const imageProcessor = createImageProcessor();
