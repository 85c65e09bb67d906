import type { IncomingMessage } from "node:http";
import { parseTarget, type Target } from "../../targets/judge.ts";
import type { LaneAccount } from "./egress-lane.ts";

/** Serves CONNECT (RFC 9110, 9.3.6), the way of https, ws and wss: bytes pass as they are. */
export async function tunnel(lane: LaneAccount, request: IncomingMessage, head: Buffer): Promise<void> {
  const client = request.socket;
  const target = parseAuthority(request.url ?? "");
  if (target === null) {
    client.destroy();
    return;
  }
  const upstream = await lane.dial(target, client);
  if (upstream === null) return;
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (head.length > 0) client.unshift(head);
  const count = (): void => lane.count(upstream, target);
  for (const [near, far] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    near.pipe(far); // passes an end on as an end: the other way stays open
    near.on("data", count);
    near.once("close", (hadError) => {
      if (hadError) far.resetAndDestroy();
    });
  }
}

/** Authority form: host and port, both required, and nothing else (RFC 9112, 3.2.3). */
function parseAuthority(text: string): Target | null {
  return /^[^/?#@]+:\d{1,5}$/.test(text) ? parseTarget(`https://${text}`) : null;
}
