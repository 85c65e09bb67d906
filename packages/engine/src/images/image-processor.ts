import { createRequire } from "node:module";
import PQueue from "p-queue";
import type sharp from "sharp";
import { AccountQueues } from "../limits/account-queues.ts";

export type Sharp = typeof sharp;

/** sharp works in the threads that Node also uses for files, host names and compression, 4 by default. */
const IMAGE_CONCURRENCY = 2;

/** sharp, an optional dependency that is loaded when it is first needed. */
export interface ImageLibrary {
  readonly isInstalled: boolean;
  /** Whether sharp is installed and has not failed to load. */
  readonly isAvailable: boolean;
  /** `null` until sharp is loaded. */
  readonly version: string | null;
  /** Loads sharp. Returns why it does not load; `null` if it does. */
  load(): Promise<Error | null>;
}

/** Processes images with sharp. */
export interface ImageProcessor extends ImageLibrary {
  /** Number of images waiting to be processed, not counting those that wait for another image of the same owner. */
  readonly waiting: number;
  /**
   * Runs `work` once at most one other image is being processed, and none of the same owner's.
   *
   * @throws Error if sharp does not load.
   */
  run<T>(work: (sharp: Sharp) => Promise<T>, request?: ProcessingRequest): Promise<T>;
}

export interface ProcessingRequest {
  /** Images of one owner are processed one after another, so nobody else waits for all of them. */
  readonly owner?: string | undefined;
  /** Cancels the work, but only while it is waiting. */
  readonly signal?: AbortSignal | undefined;
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

/** Creates a processor. The limit on concurrent images is per processor, so a process should have only one. */
export function createImageProcessor(loader: SharpLoader = INSTALLED_SHARP): ImageProcessor {
  const queue = new PQueue({ concurrency: IMAGE_CONCURRENCY });
  const owners = new AccountQueues(1);
  const isInstalled = loader.isInstalled();
  let isAvailable = isInstalled;
  let version: string | null = null;
  let loading: Promise<Sharp> | null = null;
  const loadNow = async (): Promise<Sharp> => {
    try {
      const loaded = await loader.load();
      ({ sharp: version } = loaded.versions);
      return loaded;
    } catch (error) {
      isAvailable = false;
      throw error;
    }
  };
  const load = (): Promise<Sharp> => (loading ??= loadNow());
  return {
    isInstalled,
    get isAvailable() {
      return isAvailable;
    },
    get version() {
      return version;
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
    run<T>(work: (sharp: Sharp) => Promise<T>, { owner, signal }: ProcessingRequest = {}): Promise<T> {
      const start = async (): Promise<T> => {
        // sharp cannot be stopped: with the caller's signal, p-queue would free the place of an image in progress
        const queueController = new AbortController();
        const cancel = (): void => queueController.abort(signal?.reason);
        if (signal?.aborted) cancel();
        signal?.addEventListener("abort", cancel);
        const process = async (): Promise<T> => {
          signal?.removeEventListener("abort", cancel);
          return work(await load());
        };
        return queue.add(process, { signal: queueController.signal });
      };
      return owner === undefined ? start() : owners.add(owner, start);
    },
  };
}

/** The processor of this process. */
export const imageProcessor = createImageProcessor();
