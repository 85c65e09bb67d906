import { giveUpAfter } from "../../../timeouts.ts";
import type { Tab } from "../tab.ts";
import { settledCondition } from "../wait-for-page.ts";
import { ConsentDialogs } from "./consent/consent-dialogs.ts";
import type { Step } from "./step.ts";

/** The step's time limit is the sum of both, plus any wait for a reload. Hiding may also use what declining leaves. */
const DECLINE_MAX_MS = 2_500;
const HIDE_MAX_MS = 500;
/** A page might reload after a dialog is declined. */
const RELOAD_MAX_MS = 5_000;

/** `blockCookieBanners`: declines consent dialogs, or hides those that cannot be declined. Never accepts one. */
export const declineConsent: Step = async ({ tab, parameters }, signal) => {
  if (!parameters.blockCookieBanners) return [];
  const dialogs = new ConsentDialogs(tab);
  const startedAtMs = performance.now();
  // without JavaScript, nothing would handle a click
  if (parameters.javascript)
    await runWithin(DECLINE_MAX_MS, signal, (stepSignal) => dialogs.decline(stepSignal));
  const hideMaxMs = DECLINE_MAX_MS + HIDE_MAX_MS - (performance.now() - startedAtMs);
  if (dialogs.isDeclined) await awaitReload(tab, signal);
  await runWithin(hideMaxMs, signal, async (stepSignal) => {
    if (dialogs.isOpen || !dialogs.isChecked) await dialogs.hide(stepSignal);
    if (dialogs.isFound) await dialogs.tidy(stepSignal);
  });
  return notesOf(dialogs);
};

function notesOf({ isChecked, isFound, isOpen, isHidden }: ConsentDialogs): readonly string[] {
  if (isOpen || !isChecked) return ["consent-remains"];
  if (!isFound) return [];
  return [isHidden ? "consent-hidden" : "consent-declined"];
}

async function awaitReload(tab: Tab, signal: AbortSignal): Promise<void> {
  await runWithin(RELOAD_MAX_MS, signal, (stepSignal) =>
    tab.progress.waitUntil(stepSignal, settledCondition(tab, "domcontentloaded")),
  );
}

async function runWithin(
  durationMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await giveUpAfter({ signal, durationMs, otherwise: undefined }, work);
}
