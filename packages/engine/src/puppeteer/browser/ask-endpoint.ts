import { addAbortListener } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { BrowserEndpoint } from "../../browser-endpoints.ts";
import { BrowserUnavailable, explainRefusal } from "./browser-unavailable.ts";
import { describe } from "../describe.ts";

const VERSION_PATH = "json/version";
/** More than any answer that is one. */
const BODY_BYTES_MAX = 64 * 1024;
const REFUSAL_TIMEOUT_MS = 1_000;

/**
 * The WebSocket address of an endpoint's browser. One given as `http(s)://` is asked for it; of the answer
 * only path and query are used, so that the secrets of the address go nowhere but where they were sent.
 *
 * @throws BrowserUnavailable when it does not answer so
 */
export async function findWebSocketUrl(endpoint: BrowserEndpoint, signal: AbortSignal): Promise<URL> {
  const { url, origin } = endpoint;
  if (url.protocol.startsWith("ws")) return url;
  const named = readVersion(await get(endpoint, signal));
  if (named === null)
    throw new BrowserUnavailable(`${origin}/${VERSION_PATH} returned no webSocketDebuggerUrl`);
  const found = new URL(url);
  found.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  found.pathname = named.pathname;
  for (const [name, value] of named.searchParams) found.searchParams.set(name, value);
  return found;
}

function readVersion(body: string): URL | null {
  try {
    const { webSocketDebuggerUrl } = JSON.parse(body) as { webSocketDebuggerUrl?: unknown };
    return typeof webSocketDebuggerUrl === "string" ? new URL(webSocketDebuggerUrl) : null;
  } catch {
    return null;
  }
}

async function get({ url, origin }: BrowserEndpoint, signal: AbortSignal): Promise<string> {
  const version = new URL(url);
  version.pathname = `${url.pathname.replace(/\/$/, "")}/${VERSION_PATH}`;
  const answer = await send(version, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new BrowserUnavailable(`${origin} can't be reached: ${describe(error)}`);
  });
  const { statusCode: status = 0, headers } = answer;
  if (status === 200) return readBeginning(answer);
  const body = await readRefusal(answer);
  throw explainRefusal({ origin, status, retryAfter: headers["retry-after"], body });
}

function send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(url, { signal, agent: false, rejectUnauthorized: true }, resolve).on("error", reject).end();
  });
}

/** Of the body of a refusal, what comes soon: one that drips must not cost us its status. */
export function readRefusal(answer: IncomingMessage): Promise<string> {
  addAbortListener(AbortSignal.timeout(REFUSAL_TIMEOUT_MS), () => void answer.destroy());
  return readBeginning(answer);
}

/** The beginning of a body, however it ends; the rest is not waited for. */
async function readBeginning(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= BODY_BYTES_MAX) break;
    }
  } catch {
    // cut short: what came is what there is
  }
  answer.destroy();
  return Buffer.concat(parts).subarray(0, BODY_BYTES_MAX).toString("utf8");
}
