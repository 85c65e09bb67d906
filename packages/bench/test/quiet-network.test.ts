import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { QuietNetwork } from "../src/ways/quiet-network.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(): { network: QuietNetwork; send: (id: number) => void; finish: (id: number) => void } {
  const network = new QuietNetwork();
  return {
    network,
    send: (requestId) => network.handle("Network.requestWillBeSent", { requestId }),
    finish: (requestId) => network.handle("Network.loadingFinished", { requestId }),
  };
}

async function isQuietAfter(network: QuietNetwork, ms: number): Promise<boolean> {
  let isQuiet = false;
  void network.wait().then(() => (isQuiet = true));
  await vi.advanceTimersByTimeAsync(ms);
  return isQuiet;
}

it("waits 500 ms with nothing in flight", async () => {
  const { network } = open();
  expect(await isQuietAfter(network, 499)).toBe(false);
  expect(await isQuietAfter(network, 1)).toBe(true);
});

it("allows two requests in flight, not three", async () => {
  const { network, send } = open();
  for (const id of [1, 2]) send(id);
  expect(await isQuietAfter(network, 500)).toBe(true);
  const busy = open();
  for (const id of [1, 2, 3]) busy.send(id);
  expect(await isQuietAfter(busy.network, 5000)).toBe(false);
});

it("starts again when a third request is sent, and counts failed requests as ended", async () => {
  const { network, send } = open();
  for (const id of [1, 2]) send(id);
  expect(await isQuietAfter(network, 400)).toBe(false);
  send(3);
  await vi.advanceTimersByTimeAsync(400);
  network.handle("Network.loadingFailed", { requestId: 3 });
  expect(await isQuietAfter(network, 499)).toBe(false);
  expect(await isQuietAfter(network, 1)).toBe(true);
});

it("counts a redirect as the same request", async () => {
  const { network, send, finish } = open();
  for (const id of [1, 2, 3, 3]) send(id);
  finish(3);
  expect(await isQuietAfter(network, 500)).toBe(true);
});
