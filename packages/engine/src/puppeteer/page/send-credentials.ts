import type { SnapParameters } from "@snap/protocol";
import type { PausedRequest, RequestRule } from "./intercept-requests.ts";
import type { LoadedPage } from "./prepare/step.ts";
import type { Tab } from "./tab.ts";

/**
 * `headers` and `basicAuth`: sends them with the requests of the page to the origin of `url`, and with no other. A request
 * that another site causes has none of them either, as with `SameSite=Lax` cookies: that site could read the response.
 */
export function credentialRules({
  tab,
  parameters,
}: Pick<LoadedPage, "tab" | "parameters">): readonly RequestRule[] {
  const setHeaders = credentialFields(parameters);
  if (Object.keys(setHeaders).length === 0) return [];
  const { origin } = new URL(parameters.url);
  const isTrusted = (paused: PausedRequest): boolean =>
    originOf(paused.request.url) === origin && isCausedBy(origin, paused, tab);
  return [
    {
      patterns: [{ urlPattern: `${origin}/*` }],
      judge: (paused) => (isTrusted(paused) ? { setHeaders } : null),
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
 * Returns whether a document of this origin causes the request. Scripts cannot forge `Origin` and `Referer`, but a document
 * can omit the latter; then only the main frame is believed. The main frame may be sent here from everywhere, as with
 * `SameSite=Lax` cookies.
 */
function isCausedBy(
  origin: string,
  { request: { headers }, resourceType, frameId }: PausedRequest,
  { mainFrameId, progress: { documentUrl } }: Tab,
): boolean {
  const { Origin: sender, Referer: referrer } = headers;
  if (sender !== undefined) return originOf(sender) === origin;
  if (resourceType === "Document" && frameId === mainFrameId) return true;
  if (referrer !== undefined) return originOf(referrer) === origin;
  const isBlank = documentUrl === null || documentUrl.startsWith("about:");
  return frameId === mainFrameId && (isBlank || originOf(documentUrl) === origin);
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
