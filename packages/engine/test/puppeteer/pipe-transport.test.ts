import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openPipeTransport } from "../../src/puppeteer/browser/pipe-transport.ts";
import type { ProtocolTransport } from "../../src/puppeteer/browser/protocol-transport.ts";

const MESSAGE_MAX_BYTES = 4 * 1024 * 1024;
/** Session ids in Chromium's format. */
const [PAGE, FRAME, OTHER] = ["A", "B", "C"].map((letter) => letter.repeat(32)) as [string, string, string];

interface Fixture {
  readonly transport: ProtocolTransport;
  readonly fromBrowser: PassThrough;
  /** The messages that Puppeteer receives. */
  readonly messages: string[];
  /** The commands that were sent. */
  readonly sent: () => { id: number; method: string; sessionId?: string }[];
  readonly closed: () => boolean;
}

function open(): Fixture {
  const [fromBrowser, toBrowser] = [new PassThrough(), new PassThrough()];
  const messages: string[] = [];
  let sent = "";
  let closed = false;
  toBrowser.setEncoding("utf8").on("data", (text: string) => (sent += text));
  const transport = openPipeTransport({ fromBrowser, toBrowser });
  Object.assign(transport, {
    onmessage: (message: string) => messages.push(message),
    onclose: () => (closed = true),
  });
  return {
    transport,
    fromBrowser,
    messages,
    sent: () =>
      sent
        .split("\0")
        .slice(0, -1)
        .map((message) => JSON.parse(message)),
    closed: () => closed,
  };
}

async function deliver(stream: PassThrough, chunks: readonly (string | Uint8Array)[]): Promise<void> {
  for (const chunk of chunks) stream.write(chunk);
  await new Promise((resolve) => setImmediate(resolve));
}

function event(method: string, sessionId: string, text = ""): string {
  return `{"method":"${method}","params":{"text":"${text}"},"sessionId":"${sessionId}"}\0`;
}

const bytesOf = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => index % 251));
const neverAborted = new AbortController().signal;

/** Splits a buffer at these fractions of its length. */
function split(buffer: Buffer, fractions: readonly number[]): Buffer[] {
  const points = fractions.map((fraction) => Math.floor(fraction * buffer.length));
  const bounds = [0, ...points.toSorted((left, right) => left - right), buffer.length];
  return bounds.slice(1).map((end, index) => buffer.subarray(bounds[index], end));
}

it("the pipe transport closes if Puppeteer cannot process a message", async () => {
  const { transport, fromBrowser, closed } = open();
  Object.assign(transport, { onmessage: async () => Promise.reject(new Error("cannot process it")) });
  await deliver(fromBrowser, [event("Page.loadEventFired", PAGE)]);
  expect(closed()).toBe(true);
});

describe("the pipe transport", () => {
  it.each([
    ["one message in a chunk", ["{1}\0"], ["{1}"]],
    ["several messages in a chunk", ["{1}\0{2}\0{3}\0"], ["{1}", "{2}", "{3}"]],
    ["a message in several chunks", ["{", "1", "}", "\0"], ["{1}"]],
    ["the end and start of two messages in a chunk", ["{1", "}\0{", "2}\0"], ["{1}", "{2}"]],
    ["a character split over two chunks", [Buffer.from([0xc3]), Buffer.from([0xa9, 0])], ["é"]],
    ["an incomplete message", ["{1"], []],
  ])("handles %s", async (_name, chunks, expected) => {
    const { fromBrowser, messages } = open();
    await deliver(fromBrowser, chunks);
    expect(messages).toEqual(expected);
  });

  it("reassembles a message of 4 MiB from many chunks", async () => {
    const { fromBrowser, messages } = open();
    const chunk = "x".repeat(65_536);
    await deliver(fromBrowser, [...Array.from({ length: 64 }, () => chunk), "\0"]);
    expect(messages.map((message) => message.length)).toEqual([MESSAGE_MAX_BYTES]);
  });

  it("discards an event that is too long, and fails a command whose response is too long", async () => {
    const { fromBrowser, messages } = open();
    const long = "x".repeat(MESSAGE_MAX_BYTES);
    await deliver(fromBrowser, [
      event("Page.frameNavigated", OTHER, long),
      `{"id":7,"result":{"value":"${long}"},"sessionId":"${OTHER}"}\0`,
      `{"id":8,"result":{"value":"${long}"}}\0{9}\0`,
    ]);
    const error = { code: -32_000, message: "The response is longer than 4194304 bytes" };
    expect(messages.slice(0, 2).map((message) => JSON.parse(message) as unknown)).toEqual([
      { id: 7, error, sessionId: OTHER },
      { id: 8, error },
    ]);
    expect(messages[2]).toBe("{9}");
  });

  it("drops page titles and URLs, which nothing needs", async () => {
    const { fromBrowser, messages } = open();
    await deliver(fromBrowser, ['{"method":"Target.targetInfoChanged","params":{}}\0{1}\0']);
    expect(messages).toEqual(["{1}"]);
  });

  it("closes when the browser closes the pipe", async () => {
    const { fromBrowser, closed } = open();
    fromBrowser.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed()).toBe(true);
  });
});

describe("a screenshot", () => {
  const FAILED = "Protocol error (Page.captureScreenshot)";
  const capture = (
    { transport }: Fixture,
    { maxBytes = 10_000_000, signal = neverAborted }: { maxBytes?: number; signal?: AbortSignal } = {},
  ): Promise<Uint8Array> =>
    transport.openChannel(PAGE).captureScreenshot({ params: { format: "png" }, maxBytes, pixels: 1 }, signal);

  it("is decoded from chunks of any size, between other messages", async () => {
    const fractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 100_000 }), fractions, async (length, cuts) => {
        const opened = open();
        const captured = capture(opened);
        const data = bytesOf(length).toString("base64");
        const response = `{"id":${opened.sent()[0]?.id},"result":{"data":"${data}"},"sessionId":"${PAGE}"}`;
        const stream = Buffer.from(`{"before":"é"}\0${response}\0{"after":1}\0`);
        await deliver(opened.fromBrowser, split(stream, cuts));
        expect(Buffer.compare(await captured, bytesOf(length))).toBe(0);
        expect(opened.messages).toEqual(['{"before":"é"}', '{"after":1}']);
      }),
    );
  });

  it.each([
    ["from a session", `{"id":ID,"result":{"data":"AAECAw=="},"sessionId":"${PAGE}"}`],
    [
      "from a proxy that writes the session first",
      `{"sessionId": "${PAGE}", "id": ID, "result": {"data": "AAECAw=="}}`,
    ],
    [
      "from a proxy that writes the session second",
      `{"id":ID,"sessionId":"${PAGE}","result":{"data":"AAECAw=="}}`,
    ],
  ])("is read from a response %s", async (_name, response) => {
    const opened = open();
    const captured = capture(opened);
    await deliver(opened.fromBrowser, [`${response.replace("ID", `${opened.sent()[0]?.id}`)}\0`]);
    expect([...(await captured)]).toEqual([0, 1, 2, 3]);
  });

  /** Returns the outcome of a screenshot of `length` bytes, and the messages for Puppeteer. */
  const captureOf = async (
    length: number,
    maxBytes: number,
  ): Promise<{
    readonly outcome: PromiseSettledResult<Uint8Array>;
    readonly messages: readonly string[];
  }> => {
    const opened = open();
    const captured = Promise.allSettled([capture(opened, { maxBytes })]);
    const data = Buffer.alloc(length, 7).toString("base64");
    await deliver(opened.fromBrowser, [
      `{"id":${opened.sent()[0]?.id},"result":{"data":"${data}"},"sessionId":"${PAGE}"}\0{1}\0`,
    ]);
    const [outcome] = await captured;
    return { outcome, messages: opened.messages };
  };

  it("is returned if it is as large as the limit", async () => {
    const { outcome, messages } = await captureOf(1000, 1000);
    expect(outcome).toMatchObject({ status: "fulfilled", value: { length: 1000 } });
    expect(messages).toEqual(["{1}"]);
  });

  it.each([
    [1001, 1000],
    [6_000_000, 1000],
    [1_000_001, 1_000_000],
  ])("of %i bytes fails with a limit of %i, without affecting later messages", async (length, maxBytes) => {
    const { outcome, messages } = await captureOf(length, maxBytes);
    expect(outcome).toMatchObject({
      status: "rejected",
      reason: { code: "render_failed", notes: ["capture-too-large"] },
    });
    expect(messages).toEqual(["{1}"]);
  });

  it.each([
    [
      "the browser's error",
      `{"id":ID,"error":{"code":-32000,"message":"secret"},"sessionId":"${PAGE}"}`,
      FAILED,
    ],
    [
      "a closed session",
      '{"id":ID,"error":{"code":-32001,"message":"Session with given id not found."}}',
      FAILED,
    ],
    ["another result", `{"id":ID,"result":{"image":"AA=="},"sessionId":"${PAGE}"}`, FAILED],
    ["a truncated result", '{"id":ID,"result":{"data":"AA', "the browser's response is incomplete"],
  ])("fails on %s, and does not quote it", async (_name, response, message) => {
    const opened = open();
    const captured = capture(opened);
    captured.catch(() => {});
    await deliver(opened.fromBrowser, [`${response.replace("ID", `${opened.sent()[0]?.id}`)}\0`]);
    await expect(captured).rejects.toMatchObject({ message });
    expect(opened.messages).toEqual([]);
  });

  it("is discarded if its render is no longer waiting for it", async () => {
    const opened = open();
    const abortController = new AbortController();
    const captured = capture(opened, { signal: abortController.signal });
    abortController.abort(new Error("too late"));
    await expect(captured).rejects.toThrow("too late");
    const data = "A".repeat(8_000_000);
    const id = opened.sent()[0]?.id;
    await deliver(opened.fromBrowser, [
      `{"id":${id},"result":{"data":"${data}"},"sessionId":"${PAGE}"}\0{1}\0`,
    ]);
    expect(opened.messages).toEqual(["{1}"]);
  });
});

describe("a page that floods the connection", () => {
  const EVENTS_MAX = 5_000;
  const MEBIBYTE = 1024 * 1024;

  it.each([
    ["5,000 events", "Page.frameAttached", 100, 5_000, "5001 non-network events (500100 bytes)"],
    ["16 MiB of events", "Page.windowOpen", 2 * MEBIBYTE, 8, "9 non-network events (18874368 bytes)"],
    [
      "120,000 network events",
      "Network.dataReceived",
      100,
      120_000,
      "120001 network events (12000100 bytes)",
    ],
    [
      "160 MiB of network events",
      "Network.requestWillBeSent",
      16 * MEBIBYTE,
      10,
      "11 network events (184549376 bytes)",
    ],
    [
      "160 MiB of paused requests",
      "Fetch.requestPaused",
      MEBIBYTE,
      160,
      "161 network events (168820736 bytes)",
    ],
  ])("is cut off after %s", (_name, method, bytes, acceptedCount, detail) => {
    const channel = open().transport.openChannel(PAGE);
    const admit = (): boolean => channel.admit(method, bytes);
    expect(Array.from({ length: acceptedCount }, admit)).not.toContain(false);
    expect(channel.admit(null, MEBIBYTE * 100)).toBe(true);
    expect(channel.flooded.aborted).toBe(false);
    expect(admit()).toBe(false);
    expect(channel.admit(null, 100)).toBe(false);
    expect(channel.flooded.reason).toMatchObject({ code: "upstream_error", pageEnded: true, detail });
  });

  it("is cut off by one event that is too long to collect, without affecting other pages", async () => {
    const { transport, fromBrowser, messages } = open();
    const channel = transport.openChannel(PAGE);
    const text = "x".repeat(17 * MEBIBYTE);
    await deliver(fromBrowser, [
      event("Page.windowOpen", PAGE, text),
      event("Page.x", PAGE),
      event("Page.x", OTHER),
    ]);
    expect(channel.flooded.aborted).toBe(true);
    expect(messages).toEqual([event("Page.x", OTHER).slice(0, -1)]);
  });

  it("is cut off together with its frames, and only their detach events are read afterwards", async () => {
    const { transport, fromBrowser, messages } = open();
    const channel = transport.openChannel(PAGE);
    channel.include(FRAME);
    const most = Array.from({ length: EVENTS_MAX }, (_, index) =>
      event("Page.frameAttached", index % 2 ? PAGE : FRAME),
    );
    await deliver(fromBrowser, [most.join("")]);
    expect([channel.flooded.aborted, messages.length]).toEqual([false, EVENTS_MAX]);
    await deliver(fromBrowser, [
      event("Page.frameAttached", FRAME),
      `{"id":1,"result":{},"sessionId":"${PAGE}"}\0`,
      event("Target.detachedFromTarget", PAGE),
      event("Target.attachedToTarget", PAGE),
    ]);
    expect(channel.flooded.aborted).toBe(true);
    expect(
      messages.slice(EVENTS_MAX).map((message) => (JSON.parse(message) as { method: string }).method),
    ).toEqual(["Target.detachedFromTarget"]);
  });

  it.each([
    ["whitespace", `{ "method": "Page.frameAttached", "params": {}, "sessionId": "${PAGE}" }\0`],
    ["the session first", `{"sessionId":"${PAGE}","method":"Page.frameAttached","params":{}}\0`],
  ])("is cut off if a proxy writes %s", async (_name, message) => {
    const { transport, fromBrowser, messages } = open();
    const channel = transport.openChannel(PAGE);
    await deliver(fromBrowser, [message.repeat(EVENTS_MAX + 1)]);
    expect([channel.flooded.aborted, messages.length]).toEqual([true, EVENTS_MAX]);
  });

  it("is not mistaken for another page whose session id its text contains", async () => {
    const { transport, fromBrowser, messages } = open();
    const channel = transport.openChannel(PAGE);
    const forged = String.raw`\"},\"sessionId\":\"${PAGE}\"}`;
    await deliver(fromBrowser, [event("Page.frameAttached", OTHER, forged).repeat(EVENTS_MAX + 1)]);
    expect([channel.flooded.aborted, messages.length]).toEqual([false, EVENTS_MAX + 1]);
  });

  it("is no longer counted once it is closed", async () => {
    const { transport, fromBrowser } = open();
    const channel = transport.openChannel(PAGE);
    channel.close();
    await deliver(fromBrowser, [event("Page.frameAttached", PAGE).repeat(EVENTS_MAX + 1)]);
    expect(channel.flooded.aborted).toBe(false);
  });
});
