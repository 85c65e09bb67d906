import { SnapError } from "../../errors.ts";
import type { ResolveFailure } from "../../egress/resolve.ts";
import {
  blockedHost,
  resolverFailed,
  unresolvedHost,
  upstreamProxyFailed,
} from "../../targets/check-target.ts";
import { classifyTarget, parseTarget } from "../../targets/target.ts";
import { isWebPort, PUBLIC_TARGETS_ONLY } from "../../targets/policy.ts";
import { plainText } from "../describe.ts";
import type { EgressFailure } from "../proxy/proxy.ts";
import type { Tab } from "./tab.ts";

const UNREACHABLE = "target_unreachable";

const INVALID_RESPONSE = "The page's host sent an invalid HTTP response.";

const BY_FAILURE = {
  unreachable: "Could not connect to the page's host.",
  "invalid-response": INVALID_RESPONSE,
  "too-large": "The page transfers more than 50 MB.",
  "too-many-connections": "The page opens more than 1,000 connections.",
  "too-many-names": "The page uses more than 200 host names.",
} as const satisfies Record<Exclude<EgressFailure, ResolveFailure | "proxy-failed">, string>;

/** Messages by Chromium's error, such as `net::ERR_CONNECTION_RESET`; the first match applies. */
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
  [/ERR_(TUNNEL|PROXY|CONNECTION|ADDRESS)/, "Could not connect to the page's host."],
  [/ERR_(INVALID_(HTTP_)?RESPONSE|RESPONSE_HEADERS|HTTP2|CONTENT_)/, INVALID_RESPONSE],
  [/ERR_UNSAFE_PORT/, "Browsers do not allow web pages on this port."],
  [/ERR_NAME_NOT_RESOLVED/, "The page's host name could not be resolved."],
];

/** Returns the error for a failed navigation of the main frame to `url`. */
export function explainNavigation(navigation: { tab: Tab; url: string; netError: string | null }): SnapError {
  const { tab, url } = navigation;
  const netError = navigation.netError === null ? null : plainText(navigation.netError);
  const detail = `${tab.egress.failureDetail(url) ?? netError ?? "navigation failed"} at ${originOf(url)}`;
  const failure = tab.egress.failure(url);
  if (failure === "blocked") return blockedHost(detail);
  if (failure === "unresolved") return unresolvedHost(detail);
  if (failure === "resolver-failed") return resolverFailed(detail);
  if (failure === "proxy-failed") return upstreamProxyFailed(detail);
  if (
    failure === null &&
    isUnsafePort(url, netError) &&
    classifyTarget(url, PUBLIC_TARGETS_ONLY) === "blocked"
  )
    return blockedHost(detail);
  if (failure) return new SnapError(UNREACHABLE, BY_FAILURE[failure], { detail });
  const [, message] = BY_NET_ERROR.find(([pattern]) => pattern.test(netError ?? "")) ?? [];
  return new SnapError(UNREACHABLE, message ?? describeNetError(netError), { detail });
}

/** Returns the URL's origin for the log; its path and query may contain secrets. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "an invalid URL";
}

/** Returns the error for a main frame that shows a blocked document. */
export function explainBlockedDocument(url: string): SnapError {
  return blockedHost(`shown at ${originOf(url)}`);
}

/** Returns the error for a document whose response ended early or could not be decoded. */
export function explainIncompleteResponse(url: string): SnapError {
  return new SnapError(
    UNREACHABLE,
    "The page's host sent an incomplete response, or one that does not match its announced encoding.",
    { detail: `incomplete or invalid response at ${originOf(url)}` },
  );
}

/** Chromium rejects some ports before it contacts the proxy. For a navigation after `load`, it reports no error. */
function isUnsafePort(url: string, netError: string | null): boolean {
  if (netError !== null) return netError.includes("ERR_UNSAFE_PORT");
  const target = parseTarget(url);
  return target !== null && !isWebPort(target.port);
}

/** Returns the error for a page that exceeded its byte limit. */
export function explainOverflow(): SnapError {
  return new SnapError(UNREACHABLE, BY_FAILURE["too-large"], {
    detail: "the egress proxy reached its limit",
  });
}

function describeNetError(netError: string | null): string {
  const name = netError?.replace("net::", "") ?? "";
  return name === "" ? "The page could not be loaded." : `The page could not be loaded (${name}).`;
}
