import { createFakeClock } from "@snap/testing";
import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { serveTcp } from "./egress-proxy.ts";
import { failed, openSender, responded, send, serveThenHang, serveText } from "./webhook-sender.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");

/** Writes `piece` repeatedly, as fast as the peer reads. */
function writeEndlessly(socket: Socket, piece: string): void {
  while (socket.writable && socket.write(piece)); // until its buffer is full
  socket.once("drain", () => writeEndlessly(socket, piece));
}

describe("an invalid response", () => {
  it.each([
    ["an empty response", ""],
    ["not HTTP", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a truncated head", "HTTP/1.1 200 OK\r\nConten"],
    ["a truncated body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"],
    ["truncated chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    [
      "a length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    [
      "an unsolicited protocol switch",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
    ],
    ["a head of 20 KB", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
    ["only interim responses", "HTTP/1.1 100 Continue\r\n\r\n"],
  ])("is reported as broken: %s", async (_case, text) => {
    const port = await serveText(text);
    expect(await send(openSender(), `http://127.0.0.1:${port}/`)).toEqual(failed("broken"));
  });

  it("is reported as broken: a reset", async () => {
    const port = await serveTcp((socket) => void socket.once("data", () => socket.resetAndDestroy()));
    expect(await send(openSender(), `http://127.0.0.1:${port}/`)).toEqual(failed("broken"));
  });

  it.each([
    ["body", "HTTP/1.1 200 OK\r\n\r\n", "x".repeat(10_000)],
    [
      "body in chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      `2710\r\n${"x".repeat(10_000)}\r\n`,
    ],
    ["series of interim responses", "", "HTTP/1.1 100 Continue\r\n\r\n".repeat(400)],
  ])("is reported as broken, after a limited read: an endless %s", async (_case, head, piece) => {
    const left = Promise.withResolvers<void>();
    const port = await serveTcp((socket) => {
      socket.once("close", () => left.resolve());
      socket.once("data", () => {
        socket.write(head);
        writeEndlessly(socket, piece);
      });
    });
    expect(await send(openSender(), `http://127.0.0.1:${port}/`)).toEqual(failed("broken"));
    await left.promise;
  });

  it("is reported as broken: more than 65,536 bytes, including the head", async () => {
    const head = "HTTP/1.1 200 OK\r\n\r\n"; // 19 bytes
    const atLimit = await serveText(head + "x".repeat(65_517));
    expect(await send(openSender(), `http://127.0.0.1:${atLimit}/`)).toEqual(
      responded(200, { body: "x".repeat(2048) }),
    );
    const overLimit = await serveText(head + "x".repeat(65_518));
    expect(await send(openSender(), `http://127.0.0.1:${overLimit}/`)).toEqual(failed("broken"));
  });
});

describe("an attempt times out after 15 s", () => {
  it.each([
    ["sends nothing", ""],
    ["stops in its head", "HTTP/1.1 200 OK\r\nX: "],
    ["stops in its body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"],
    ["stops after an interim response", "HTTP/1.1 100 Continue\r\n\r\n"],
  ])("if the receiver %s", async (_case, text) => {
    const receiver = await serveThenHang(text);
    const clock = createFakeClock(NOON);
    let isOver = false;
    const outcome = send(openSender({ clock }), `http://127.0.0.1:${receiver.port}/`);
    void outcome.finally(() => (isOver = true));
    await receiver.reached;
    clock.advance(14_999);
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await outcome).toEqual(failed("timed-out"));
    await receiver.disconnected;
  });

  it("if the head of the response never ends", async () => {
    const [reached, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const drips = new EventEmitter();
    const port = await serveTcp((socket) => {
      socket.once("data", () => {
        reached.resolve();
        socket.write("HTTP/1.1 200 OK\r\n");
        const drip = setInterval(() => socket.write("X", () => drips.emit("sent")), 10);
        socket.once("close", () => {
          clearInterval(drip);
          left.resolve();
        });
      });
    });
    const clock = createFakeClock(NOON);
    const outcome = send(openSender({ clock }), `http://127.0.0.1:${port}/`);
    await reached.promise;
    clock.advance(14_999);
    // what the receiver sends does not extend the time
    for (let sent = 0; sent < 3; sent += 1) await once(drips, "sent");
    clock.advance(1);
    expect(await outcome).toEqual(failed("timed-out"));
    await left.promise;
  });

  it("if TLS never starts", async () => {
    const receiver = await serveThenHang();
    const clock = createFakeClock(NOON);
    const outcome = send(openSender({ clock }), `https://receiver.example.com:${receiver.port}/`);
    await receiver.reached;
    clock.advance(15_000);
    expect(await outcome).toEqual(failed("timed-out"));
    await receiver.disconnected;
  });

  it("if the name never resolves", async () => {
    const clock = createFakeClock(NOON);
    const requested = Promise.withResolvers<void>();
    const resolve = (): Promise<never> => {
      requested.resolve();
      return new Promise(() => {});
    };
    const outcome = send(openSender({ clock, resolver: { resolve } }), "http://receiver.example.com/");
    await requested.promise;
    clock.advance(15_000);
    expect(await outcome).toEqual(failed("timed-out"));
  });
});
