import { once } from "node:events";
import { Agent, request, type IncomingMessage, type IncomingHttpHeaders } from "node:http";

const agent = new Agent({ keepAlive: true });

export type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Fetches over a kept connection: Node's `fetch` would cost more than the answers that are measured.
 *
 * @param document Is posted as JSON; without one it is a GET.
 */
async function fetchAnswer(url: string, headers: Headers = {}, document?: object): Promise<Answer> {
  const sent = request(url, {
    agent,
    method: document === undefined ? "GET" : "POST",
    headers: { ...headers, ...(document && { "content-type": "application/json" }) },
  });
  sent.end(document && JSON.stringify(document));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

/** @throws Error when the status is not the one that is expected: a refusal must not count as an answer. */
export async function fetchExpecting(
  status: number,
  url: string,
  headers: Headers = {},
  document?: object,
): Promise<Answer> {
  const answer = await fetchAnswer(url, headers, document);
  if (answer.status !== status) throw new Error(`${url}: ${answer.status} ${answer.body.toString("utf8")}`);
  return answer;
}
