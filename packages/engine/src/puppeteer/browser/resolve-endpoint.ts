import { addAbortListener } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { BrowserEndpoint } from "../../browser-endpoints.ts";
import { BrowserUnavailable, explainResponse } from "./browser-unavailable.ts";
import { describe } from "../describe.ts";

const VERSION_PATH = "json/version";
/** Far more than a valid response needs. */
const BODY_BYTES_MAX = 64 * 1024;
const ERROR_BODY_TIMEOUT_MS = 1_000;

/**
 * Returns the WebSocket URL of a browser; an `http(s)://` endpoint is queried at `/json/version`. Only the path and
 * query in the response are used, so the secrets in the endpoint's URL never reach another host.
 *
 * @throws BrowserUnavailable if the endpoint does not return one.
 */
export async function resolveWebSocketUrl(endpoint: BrowserEndpoint, signal: AbortSignal): Promise<URL> {
  const { url, origin } = endpoint;
  if (url.protocol.startsWith("ws")) return url;
  const debuggerUrl = parseDebuggerUrl(await fetchVersion(endpoint, signal));
  if (debuggerUrl === null)
    throw new BrowserUnavailable(`${origin}/${VERSION_PATH} returned no webSocketDebuggerUrl`);
  const resolved = new URL(url);
  resolved.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  resolved.pathname = debuggerUrl.pathname;
  for (const [name, value] of debuggerUrl.searchParams) resolved.searchParams.set(name, value);
  return resolved;
}

function parseDebuggerUrl(body: string): URL | null {
  try {
    const { webSocketDebuggerUrl } = JSON.parse(body) as { webSocketDebuggerUrl?: unknown };
    return typeof webSocketDebuggerUrl === "string" ? new URL(webSocketDebuggerUrl) : null;
  } catch {
    return null;
  }
}

async function fetchVersion({ url, origin }: BrowserEndpoint, signal: AbortSignal): Promise<string> {
  const versionUrl = new URL(url);
  versionUrl.pathname = `${url.pathname.replace(/\/$/, "")}/${VERSION_PATH}`;
  const response = await send(versionUrl, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new BrowserUnavailable(`${origin} cannot be reached: ${describe(error)}`);
  });
  const { statusCode: status = 0, headers } = response;
  if (status === 200) {
    const version = await readStart(response);
    signal.throwIfAborted();
    return version;
  }
  const body = await readErrorBody(response);
  throw explainResponse({ origin, status, retryAfter: headers["retry-after"], body });
}

function send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(url, { signal, agent: false, rejectUnauthorized: true }, resolve)
      .on("error", reject)
      // after a 101 response, there is no other event
      .on("close", () => reject(new Error("it closed the connection without a response")))
      .end();
  });
}

/** Reads the part of an error's body that arrives within a second, because a slow body must not hide the status. */
export function readErrorBody(response: IncomingMessage): Promise<string> {
  addAbortListener(AbortSignal.timeout(ERROR_BODY_TIMEOUT_MS), () => void response.destroy());
  return readStart(response);
}

/** Returns the first `BODY_BYTES_MAX` of a body, or what arrived before the connection broke. */
async function readStart(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= BODY_BYTES_MAX) break;
    }
  } catch {
    // the connection broke: use what has arrived
  }
  response.destroy();
  return Buffer.concat(parts).subarray(0, BODY_BYTES_MAX).toString("utf8");
}
