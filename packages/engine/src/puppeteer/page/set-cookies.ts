import type { Cookie, SnapParameters } from "@snap/protocol";
import type { Connection, Protocol } from "puppeteer";
import { invalidParameter } from "../../errors.ts";
import { abortable } from "../../timeouts.ts";
import type { Tab } from "./tab.ts";

type CookieRequest = Protocol.Network.CookieParam;

/**
 * `cookies`: sets them in the page's context, before its first request.
 *
 * @throws SnapError `validation_failed` if the browser rejects one, such as a cookie for a public suffix.
 */
export async function setCookies(
  { session, browserContextId }: Tab,
  { url, cookies = [] }: SnapParameters,
  signal: AbortSignal,
): Promise<void> {
  const connection = session.connection();
  if (cookies.length === 0 || connection === undefined) return;
  const requests = cookies.map((cookie) => toRequest(cookie, url));
  const name = await abortable(signal, setAndFindRejected(connection, { browserContextId, requests }));
  if (name === null) return;
  throw invalidParameter("cookies", `must not contain a cookie that the browser rejects: ${name}`);
}

/** Sets the cookies and returns the name of the first that is rejected. */
async function setAndFindRejected(
  connection: Connection,
  {
    browserContextId,
    requests,
  }: { readonly browserContextId: string; readonly requests: readonly CookieRequest[] },
): Promise<string | null> {
  const isRejected = async (cookie: CookieRequest): Promise<boolean> => {
    try {
      await connection.send("Storage.setCookies", { cookies: [cookie], browserContextId });
      return false;
    } catch {
      return true;
    }
  };
  // one cookie per command, because the browser does not report which it rejects
  const rejected = await Promise.all(requests.map(isRejected));
  const first = requests.find((_, index) => rejected[index]);
  if (first !== undefined) return first.name;
  // the browser discards some without an error, and changes one for a public suffix into one for the host of that name
  const { cookies } = await connection.send("Storage.getCookies", { browserContextId });
  const isStored = ({ name, domain, url = "" }: CookieRequest): boolean =>
    cookies.some((cookie) => cookie.name === name && cookie.domain === (domain ?? new URL(url).hostname));
  return requests.find((request) => !isStored(request))?.name ?? null;
}

/** A cookie applies only to the host, unless it has a domain; the dot then includes all subdomains. */
function toRequest({ name, value, ...attributes }: Cookie, url: string): CookieRequest {
  const { origin, protocol, hostname } = new URL(url);
  const { path = "/", secure = protocol === "https:", httpOnly = false, sameSite } = attributes;
  const domain = attributes.domain?.toLowerCase().replace(/^\./, "");
  const isDomainCookie = domain !== undefined && !(domain === hostname && WITHOUT_SUBDOMAINS.test(hostname));
  return {
    name,
    value,
    url: origin,
    ...(isDomainCookie && { domain: `.${domain}` }),
    path,
    secure,
    httpOnly,
    ...(sameSite && { sameSite }),
  };
}

/** An address or a single-label name, which has no subdomains (RFC 6265, 5.1.3). */
const WITHOUT_SUBDOMAINS = /^([\d.]+|[^.]+)$/;
