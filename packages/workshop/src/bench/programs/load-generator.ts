import { KeptConnection, requestBytes } from "../kept-connection.ts";

/*
 * Asks one server for one thing over and over, on a few kept connections, with requests that are made
 * beforehand. The parent sends a LoadOrder and is answered a LoadResult.
 */

export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  /** Each request asks for another path: the number of the request is put behind it. */
  readonly numbered?: true;
  /** Sent in turn, one with each request. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  readonly status: number;
  readonly connections: number;
  readonly answers: number;
}

export interface LoadResult {
  readonly wallMs: number;
  /** What this process spent. */
  readonly ownCpuMs: number;
}

async function answerAll(order: LoadOrder): Promise<LoadResult> {
  const requests = prepareRequests(order);
  let left = order.answers;
  let next = 0;
  const takeRequest = (): Buffer | undefined => {
    left -= 1;
    return left < 0 ? undefined : requests[next++ % requests.length];
  };
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: order.connections }, () => useConnection(order, takeRequest)));
  const wallMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, ownCpuMs: (user + system) / 1000 };
}

function prepareRequests(order: LoadOrder): Buffer[] {
  const { headers, path, answers } = order;
  if (order.numbered !== true) return headers.map((one) => requestBytes(order, one));
  return Array.from({ length: answers }, (_, number) =>
    requestBytes({ ...order, path: `${path}${number}` }, headers[number % headers.length] ?? {}),
  );
}

async function useConnection(
  { port, status }: LoadOrder,
  takeRequest: () => Buffer | undefined,
): Promise<void> {
  const connection = new KeptConnection(port);
  for (let request = takeRequest(); request !== undefined; request = takeRequest()) {
    const answer = await connection.ask(request);
    if (answer.status !== status) throw new Error(`${answer.text} instead of ${status}`);
  }
  connection.close();
}

process.on("message", (order: LoadOrder) => {
  answerAll(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
