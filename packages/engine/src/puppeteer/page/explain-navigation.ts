import { SnapError } from "../../errors.ts";
import { classifyTarget, parseTarget } from "../../targets/target.ts";
import { isWebPort, PUBLIC_TARGETS_ONLY } from "../../targets/policy.ts";
import { plainText } from "../describe.ts";
import type { EgressRefusal } from "../proxy/proxy.ts";
import type { Tab } from "./tab.ts";

const UNREACHABLE = "target_unreachable";

const BY_REFUSAL = {
  blocked: "The URL points to a private or internal host.",
  unresolved: "The page's host name could not be resolved.",
  unreachable: "Could not connect to the page's host.",
  "too-large": "The page transfers more than 50 MB.",
  "too-many-connections": "The page opens more than 1,000 connections.",
} as const satisfies Record<EgressRefusal, string>;

/** The first that fits Chromium's name for what happened, such as `net::ERR_CONNECTION_RESET`. */
const BY_NET_ERROR: readonly (readonly [RegExp, string])[] = [
  [
    /ERR_ABORTED/,
    "The URL does not return a web page: the response is empty, a download, or another type of file.",
  ],
  [/ERR_TOO_MANY_REDIRECTS/, "The URL redirects in a loop or too many times."],
  [
    /ERR_(CERT|SSL|BAD_SSL|ECH)/,
    "The TLS handshake with the page's host failed, or its certificate is invalid.",
  ],
  [/ERR_(EMPTY_RESPONSE|CONNECTION_CLOSED)/, "The page's host closed the connection without a response."],
  [/ERR_(CONNECTION_RESET|SOCKET_NOT_CONNECTED)/, "The page's host reset the connection."],
  [/ERR_(TUNNEL|PROXY|CONNECTION)/, "Could not connect to the page's host."],
  [
    /ERR_(INVALID_(HTTP_)?RESPONSE|RESPONSE_HEADERS|HTTP2|CONTENT_)/,
    "The page's host sent an invalid HTTP response.",
  ],
  [/ERR_UNSAFE_PORT/, "Browsers do not allow web pages on this port."],
  [/ERR_(NAME_NOT_RESOLVED|ADDRESS)/, "The page's host name could not be resolved."],
];

/** The error to throw when `url`, which the main frame was sent to, could not be shown. */
export function explainNavigation(facts: { tab: Tab; url: string; netError: string | null }): SnapError {
  const { tab, url } = facts;
  const netError = facts.netError === null ? null : plainText(facts.netError);
  const detail = `${netError ?? "navigation failed"} at ${plainText(url)}`;
  const refusal = tab.egress.refusal(url);
  if (refusal === "blocked") return new SnapError("blocked_host", BY_REFUSAL.blocked, { detail });
  if (
    refusal === null &&
    isUnsafePort(url, netError) &&
    classifyTarget(url, PUBLIC_TARGETS_ONLY) === "blocked"
  )
    return new SnapError("blocked_host", BY_REFUSAL.blocked, { detail });
  if (refusal) return new SnapError(UNREACHABLE, BY_REFUSAL[refusal], { detail });
  const [, message] = BY_NET_ERROR.find(([pattern]) => pattern.test(netError ?? "")) ?? [];
  return new SnapError(UNREACHABLE, message ?? unexplained(netError), { detail });
}

/** The main frame got to a document that it was not to be shown. */
export function explainBlockedDocument(url: string): SnapError {
  return new SnapError("blocked_host", BY_REFUSAL.blocked, { detail: `shown at ${plainText(url)}` });
}

/** Some ports Chromium refuses itself, before it asks the egress; after `load` it doesn't name the error. */
function isUnsafePort(url: string, netError: string | null): boolean {
  if (netError !== null) return netError.includes("ERR_UNSAFE_PORT");
  const target = parseTarget(url);
  return target !== null && !isWebPort(target.port);
}

/** The page's egress was closed because of what it loaded. */
export function explainOverflow(): SnapError {
  return new SnapError(UNREACHABLE, BY_REFUSAL["too-large"]);
}

function unexplained(netError: string | null): string {
  const name = netError?.replace("net::", "") ?? "";
  return name === "" ? "The page could not be loaded." : `The page could not be loaded (${name}).`;
}
