import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startRelay } from "../../src/bench/distance/relay.ts";

/** Echoes what it receives and closes when the client does. */
async function startEcho(): Promise<number> {
  const server = createServer((socket) => socket.pipe(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function openRelay(roundTripMs: number): Promise<number> {
  const targetPort = await startEcho();
  const relay = await startRelay({ host: "127.0.0.1", targetPort, roundTripMs });
  onTestFinished(relay.close);
  return relay.port;
}

it("delays the first answer by two round trips, the handshake's and the request's, and later ones by one", async () => {
  const socket = connect(await openRelay(40), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const startedMs = performance.now();
  socket.write("a");
  await once(socket, "data");
  const firstMs = performance.now() - startedMs;
  socket.write("b");
  await once(socket, "data");
  const secondMs = performance.now() - startedMs - firstMs;

  // Timers may fire a millisecond early; how late, the machine decides.
  expect(firstMs).toBeGreaterThanOrEqual(78);
  expect(secondMs).toBeGreaterThanOrEqual(38);
});

it.each([0, 6])("keeps the order and loses nothing, at %d ms", async (roundTripMs) => {
  const socket = connect(await openRelay(roundTripMs), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const lines = Array.from({ length: 2000 }, (_, index) => `line ${index}\n`);
  for (const line of lines) socket.write(line);
  socket.end();
  let text = "";
  for await (const chunk of socket.setEncoding("utf8")) text += String(chunk);
  expect(text).toBe(lines.join(""));
});
