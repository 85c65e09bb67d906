import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 20 });

export interface Answer {
  readonly etag: string;
  readonly body: Buffer;
}

/**
 * Fetches over a kept connection: Node's `fetch` would cost more than the answers that are measured.
 *
 * @param document Is posted as JSON; without one it is a GET.
 * @throws Error when the status is not the one that is expected: a refusal must not count as an answer.
 */
export async function fetchExpecting(
  status: number,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  document?: object,
): Promise<Answer> {
  const sent = request(url, {
    agent,
    method: document === undefined ? "GET" : "POST",
    headers: { ...headers, ...(document && { "content-type": "application/json" }) },
  });
  sent.end(document && JSON.stringify(document));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  if (response.statusCode !== status)
    throw new Error(`${url}: ${response.statusCode} ${body.toString("utf8")}`);
  return { etag: response.headers.etag ?? "", body };
}
