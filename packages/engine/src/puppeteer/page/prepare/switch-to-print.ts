import { abortable } from "../../../timeouts.ts";
import { emulateMedia } from "../configure/media.ts";
import { awaitContent } from "./await-content.ts";
import type { Step } from "./step.ts";

/**
 * A PDF without `mediaType`: uses the style sheets for print. Chromium would do so only when it prints, and not wait for
 * everything that they load.
 */
export const switchToPrint: Step = async ({ tab, parameters }, signal) => {
  if (!parameters.pdf || parameters.mediaType !== undefined) return [];
  const media = { ...parameters, mediaType: "print" } as const;
  const change = (): Promise<unknown> => {
    const switched = [...tab.frameSessions].map((session) => emulateMedia(session, media));
    return abortable(signal, Promise.allSettled(switched));
  };
  await awaitContent(tab, change, signal);
  return [];
};
