import type { Request } from "express";
import { isIP } from "node:net";
import { printable, shorten } from "../operations/printable.ts";

/** Who sent a request, for its log line. */
export interface Caller {
  /** Address of the client: of the connection, or as a trusted proxy reports it. */
  readonly address: string;
  /** First 200 characters of `User-Agent`, with control and invisible ones escaped. */
  readonly userAgent: string | null;
  /** The request id from a trusted proxy. */
  readonly requestId: string | null;
  /** The trace id from a trusted proxy (W3C Trace Context): 32 hexadecimal digits. */
  readonly traceId: string | null;
}

/** Which proxies to trust, as Express understands it: a number of hops, or addresses and CIDR blocks. */
export type TrustedProxies = number | readonly string[];

/** Long enough for an IPv6 address with its zone. */
const ADDRESS_CHARACTERS_MAX = 64;
const USER_AGENT_CHARACTERS_MAX = 200;

/** Safe in a header, a log line and a shell. */
const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;
/** W3C Trace Context, 3.2.2. Later versions may append fields. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** Identifies the sender. Trusts proxies' headers only if the application's `trust proxy` covers the connection. */
export function readCaller(request: Request): Caller {
  const { headers, socket, app } = request;
  const peer = socket.remoteAddress ?? "";
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  const isFromProxy = isTrusted(peer, 0);
  return {
    address: plainAddress(request.ip ?? peer),
    userAgent: readUserAgent(headers["user-agent"]),
    requestId: isFromProxy ? matchGroup(REQUEST_ID, headers["x-request-id"], 0) : null,
    traceId: isFromProxy ? matchGroup(TRACEPARENT, headers["traceparent"], 1) : null,
  };
}

function matchGroup(pattern: RegExp, value: string | string[] | undefined, group: number): string | null {
  return (typeof value === "string" && pattern.exec(value)?.[group]) || null;
}

function readUserAgent(text: string | undefined): string | null {
  return text === undefined ? null : printable(shorten(text, USER_AGENT_CHARACTERS_MAX));
}

/** A dual-stack socket reports IPv4 addresses as IPv6 ones (RFC 4291, 2.5.5.2). A proxy can report any text. */
export function plainAddress(address: string): string {
  if (isIP(address) === 0) return printable(shorten(address, ADDRESS_CHARACTERS_MAX));
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
