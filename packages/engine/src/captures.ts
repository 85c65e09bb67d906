import { capture, type CaptureDependencies } from "./capture.ts";
import type { EngineSettings } from "./engine-options.ts";
import { recordCaptures, type CapturePage } from "./history/record-captures.ts";
import { createRecorder, NO_RECORDER, type HistoryRecorder } from "./history/recorder.ts";
import type { Seal } from "./tokens/seal.ts";

/** The captures of an engine. */
export interface Captures {
  /** Captures a page, and records the capture if the engine has a history. */
  readonly capture: CapturePage;
  /** Captures a batch item's page; the worker records the item when it is finished. */
  readonly captureItem: CapturePage;
  readonly recorder: HistoryRecorder;
  /** Waits for running captures, then writes the rest of the history. */
  close(): Promise<void>;
}

export function createCaptures(
  settings: Pick<EngineSettings, "storage" | "clock" | "random" | "historyRetentionMs" | "onBackgroundError">,
  { dependencies, seal }: { readonly dependencies: CaptureDependencies; readonly seal: Seal },
): Captures {
  const running = new Set<Promise<unknown>>();
  const track =
    (work: CapturePage): CapturePage =>
    async (request) => {
      const promise = work(request);
      running.add(promise);
      try {
        return await promise;
      } finally {
        running.delete(promise);
      }
    };
  const capturePage: CapturePage = async (request, onParsed) => {
    // a link that cannot be signed, because the secret key has changed, must fail before the charge
    if (request.linked !== undefined) seal.open(request.principal.token.sealedSigningSecret);
    return capture(dependencies, request, onParsed);
  };
  const isRecorded = settings.historyRetentionMs !== null;
  const recorder = isRecorded
    ? createRecorder({ ...settings, store: settings.storage.history })
    : NO_RECORDER;
  return {
    capture: track(isRecorded ? recordCaptures(capturePage, { ...settings, recorder }) : capturePage),
    captureItem: track(capturePage),
    recorder,
    async close() {
      await Promise.allSettled(running);
      await recorder.close();
    },
  };
}
