import type { SnapParameters } from "@snap/protocol";
import { abortable, giveUpAfter } from "../../timeouts.ts";
import type { PausedRequest, RequestRule } from "./intercept-requests.ts";
import type { PageToRender } from "./page-to-render.ts";
import type { Tab } from "./tab.ts";

/** How long a request waits for the URL of its document before it is sent without credentials. */
const URL_MAX_MS = 1_000;

/**
 * `headers` and `basicAuth`: sends them only with the page's requests to the origin of `url`.
 * Requests that another origin initiates do not get them either, because it could read the
 * response; navigations of the main frame do, as with `SameSite=Lax` cookies.
 */
export function credentialRules({
  tab,
  parameters,
}: Pick<PageToRender, "tab" | "parameters">): readonly RequestRule[] {
  const setHeaders = credentialFields(parameters);
  if (Object.keys(setHeaders).length === 0) return [];
  const { origin } = new URL(parameters.url);
  const isTrusted = async (paused: PausedRequest): Promise<boolean> =>
    originOf(paused.request.url) === origin && (await isInitiatedBy(origin, paused, tab));
  return [
    {
      patterns: [{ urlPattern: `${origin}/*` }],
      judge: async (paused) => ((await isTrusted(paused)) ? { setHeaders } : null),
    },
  ];
}

/** The header fields of `headers` and `basicAuth`. */
function credentialFields({ headers = {}, basicAuth }: SnapParameters): Readonly<Record<string, string>> {
  if (basicAuth === undefined) return headers;
  // RFC 7617, 2.1
  return { ...headers, authorization: `Basic ${Buffer.from(basicAuth).toString("base64")}` };
}

/**
 * Returns whether a document of this origin initiated the request. Scripts cannot forge `Origin` and `Referer`, but a
 * document can omit the latter; then only the main frame is trusted. Navigations of the main frame
 * are trusted whichever origin initiates them, except a POST, which sends `Origin`, as with
 * `SameSite=Lax` cookies.
 */
async function isInitiatedBy(
  origin: string,
  { request: { headers }, resourceType, frameId }: PausedRequest,
  tab: Tab,
): Promise<boolean> {
  const { Origin: sender, Referer: referrer } = headers;
  if (sender !== undefined) return originOf(sender) === origin;
  if (resourceType === "Document" && frameId === tab.mainFrameId) return true;
  if (referrer !== undefined) return originOf(referrer) === origin;
  return frameId === tab.mainFrameId && originOf(await currentUrl(tab)) === origin;
}

/**
 * Returns the URL of the main frame's document. A request can be reported before the navigation to the document that
 * sends it, so this queries the page. A page that waits for the request synchronously cannot respond.
 */
async function currentUrl({ session, ended: signal }: Tab): Promise<string> {
  return giveUpAfter({ signal, durationMs: URL_MAX_MS, otherwise: "" }, async (stepSignal) => {
    const { frameTree } = await abortable(stepSignal, session.send("Page.getFrameTree"));
    return frameTree.frame.url;
  });
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
