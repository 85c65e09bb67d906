import type { Protocol } from "puppeteer";
import { unless, within } from "../../timeouts.ts";
import { explainBlockedDocument, explainNavigation } from "./explain-navigation.ts";
import { resumeTarget } from "./follow-targets.ts";
import type { PausedStart, Tab } from "./tab.ts";

/** The document that says so follows the failure at once; it names the last address of the redirects. */
const ERROR_PAGE_TIMEOUT_MS = 1_000;

export interface Navigation {
  readonly url: string;
  /** Sends the page what this render wants of it. */
  readonly configure: () => Promise<void>;
}

/** What became of the way to a page; Chromium's name for what stopped it, where it tells. */
interface Outcome {
  readonly hasArrived: boolean;
  readonly netError: string | null;
}

const ABORTED = "net::ERR_ABORTED";

/**
 * Sets the page up and sends it to `url`; resolves when the document begins.
 *
 * @throws SnapError `blocked_host` or `target_unreachable`
 */
export async function navigate(tab: Tab, { url, configure }: Navigation, signal: AbortSignal): Promise<void> {
  const { start } = tab;
  const { hasArrived, netError } =
    start === null
      ? await sendTo(tab, { url, configure }, signal)
      : await arrive(tab, { start, configure }, signal);
  if (hasArrived) return;
  if (netError === ABORTED) await requireProcess(tab, signal);
  else await waitForErrorPage(tab, signal);
  throw explainNavigation({ tab, url: tab.progress.failedUrl ?? url, netError });
}

async function sendTo(tab: Tab, { url, configure }: Navigation, signal: AbortSignal): Promise<Outcome> {
  await configure();
  const { errorText, isDownload } = await unless(signal, tab.session.send("Page.navigate", { url }));
  const netError = errorText ?? (isDownload === true ? ABORTED : null);
  return { hasArrived: netError === null, netError };
}

/** Lets a held page go. As nothing else tells why one doesn't arrive, its requests are watched until it has. */
async function arrive(
  { session, progress }: Tab,
  { start, configure }: { readonly start: PausedStart; readonly configure: () => Promise<void> },
  signal: AbortSignal,
): Promise<Outcome> {
  let netError: string | null = null;
  const note = ({ type, errorText }: Protocol.Network.LoadingFailedEvent): void => {
    if (type === "Document") netError ??= errorText;
  };
  session.on("Network.loadingFailed", note);
  // nothing of this is answered before the last, and all of it is done before the document begins
  const steps = [start.prepared, configure()];
  const isCounted = progress.activity !== null;
  if (!isCounted) steps.push(session.send("Network.enable"));
  await unless(signal, Promise.all([...steps, resumeTarget(session)]));
  await progress.until(signal, () => progress.hasCommittedOrStopped);
  session.off("Network.loadingFailed", note);
  if (!isCounted) session.send("Network.disable").catch(() => {}); // a page that is disconnected has no requests
  return { hasArrived: progress.hasDocument, netError };
}

/**
 * @throws SnapError when the page has since led, by a refresh or a script, to where nothing can be shown
 */
export function requireDocument(tab: Tab): void {
  const { failedUrl } = tab.progress;
  if (failedUrl !== null) throw explainNavigation({ tab, url: failedUrl, netError: null });
}

/**
 * @throws SnapError `blocked_host` when the page has shown a document that its way out refuses
 */
export async function requireAllowedDocuments({ egress }: Tab, signal: AbortSignal): Promise<void> {
  const url = await unless(signal, egress.refusedDocument());
  if (url !== null) throw explainBlockedDocument(url);
}

/** A navigation is also aborted by the end of the page's process, which is told a moment later. */
async function requireProcess({ session }: Tab, signal: AbortSignal): Promise<void> {
  await unless(signal, session.send("Target.getTargetInfo"));
}

async function waitForErrorPage({ progress }: Tab, signal: AbortSignal): Promise<void> {
  const limit = { signal, durationMs: ERROR_PAGE_TIMEOUT_MS, reason: () => new Error("no error page") };
  try {
    await within(limit, (limited) => progress.until(limited, () => progress.failedUrl !== null));
  } catch {
    signal.throwIfAborted(); // otherwise the first address has to do
  }
}
