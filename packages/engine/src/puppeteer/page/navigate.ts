import type { Protocol } from "puppeteer";
import { abortable, giveUpAfter } from "../../timeouts.ts";
import { explainBlockedDocument, explainNavigation } from "./explain-navigation.ts";
import { resumeTarget } from "./follow-targets.ts";
import type { PausedStart, Tab } from "./tab.ts";

/**
 * The error page follows a failed navigation, and reports the redirect chain's last URL. On a busy machine, this can take
 * more than a second.
 */
const ERROR_PAGE_TIMEOUT_MS = 5_000;

export interface Navigation {
  readonly url: string;
  /** Applies the render's settings to the page. */
  readonly configure: () => Promise<void>;
}

interface Outcome {
  readonly hasDocument: boolean;
  /** Chromium's error, such as `net::ERR_ABORTED`; `null` if it reported none. */
  readonly netError: string | null;
}

const ABORTED = "net::ERR_ABORTED";

/**
 * Configures the page and navigates to `url`; resolves when the document starts to load.
 *
 * @throws SnapError `blocked_host` or `target_unreachable`; `upstream_error` if the resolver or the upstream
 * proxy failed.
 */
export async function navigate(tab: Tab, { url, configure }: Navigation, signal: AbortSignal): Promise<void> {
  const { start } = tab;
  const { hasDocument, netError } =
    start === null
      ? await navigateTo(tab, { url, configure }, signal)
      : await resumeStart(tab, { start, configure }, signal);
  if (hasDocument) return;
  if (netError === ABORTED) await requireProcess(tab, signal);
  else await waitForErrorPage(tab, signal);
  throw explainNavigation({ tab, url: tab.progress.failedUrl ?? url, netError });
}

async function navigateTo(tab: Tab, { url, configure }: Navigation, signal: AbortSignal): Promise<Outcome> {
  await configure();
  const { errorText, isDownload } = await abortable(signal, tab.session.send("Page.navigate", { url }));
  const netError = errorText ?? (isDownload === true ? ABORTED : null);
  return { hasDocument: netError === null, netError };
}

/** Resumes a page that was opened at its URL. Only network events report why it failed to load. */
async function resumeStart(
  { session, progress }: Tab,
  { start, configure }: { readonly start: PausedStart; readonly configure: () => Promise<void> },
  signal: AbortSignal,
): Promise<Outcome> {
  let netError: string | null = null;
  const onFailed = ({ type, errorText }: Protocol.Network.LoadingFailedEvent): void => {
    if (type === "Document") netError ??= errorText;
  };
  session.on("Network.loadingFailed", onFailed);
  // a paused page responds to none of these commands until the last one resumes it
  const steps = [start.prepared, configure()];
  const isCounted = progress.activity !== null;
  if (!isCounted) steps.push(session.send("Network.enable"));
  await abortable(signal, Promise.all([...steps, resumeTarget(session)]));
  await progress.waitUntil(signal, () => progress.hasCommittedOrStopped);
  session.off("Network.loadingFailed", onFailed);
  if (!isCounted) session.send("Network.disable").catch(() => {}); // the page may have closed
  return { hasDocument: progress.hasDocument, netError };
}

/**
 * @throws SnapError if the page has since navigated, by a refresh or a script, to a URL that failed to load.
 */
export function requireDocument(tab: Tab): void {
  const { failedUrl } = tab.progress;
  if (failedUrl !== null) throw explainNavigation({ tab, url: failedUrl, netError: null });
}

/** @throws SnapError `blocked_host` if the page has shown a document from a blocked target. */
export async function requireAllowedDocuments({ egress }: Tab, signal: AbortSignal): Promise<void> {
  const url = await abortable(signal, egress.blockedDocument());
  if (url !== null) throw explainBlockedDocument(url);
}

/** A crash of the page's process also aborts the navigation and is reported a moment later. */
async function requireProcess({ session }: Tab, signal: AbortSignal): Promise<void> {
  await abortable(signal, session.send("Target.getTargetInfo"));
}

/** Without an error page, the original URL is reported. */
async function waitForErrorPage({ progress }: Tab, signal: AbortSignal): Promise<void> {
  const limit = { signal, durationMs: ERROR_PAGE_TIMEOUT_MS, otherwise: undefined };
  await giveUpAfter(limit, (stepSignal) => progress.waitUntil(stepSignal, () => progress.failedUrl !== null));
}
