import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { openPipeTransport } from "../../src/puppeteer/browser/pipe-transport.ts";

function open(): {
  fromBrowser: PassThrough;
  toBrowser: PassThrough;
  messages: string[];
  closed: () => boolean;
} {
  const [fromBrowser, toBrowser] = [new PassThrough(), new PassThrough()];
  const messages: string[] = [];
  let closed = false;
  const transport = openPipeTransport({ fromBrowser, toBrowser });
  Object.assign(transport, {
    onmessage: (message: string) => messages.push(message),
    onclose: () => (closed = true),
  });
  return { fromBrowser, toBrowser, messages, closed: () => closed };
}

async function deliver(stream: PassThrough, chunks: readonly (string | Uint8Array)[]): Promise<void> {
  for (const chunk of chunks) stream.write(chunk);
  await new Promise((resolve) => setImmediate(resolve));
}

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

  it("reassembles a message of 32 MiB from many chunks", async () => {
    const { fromBrowser, messages } = open();
    const chunk = "x".repeat(65_536);
    await deliver(fromBrowser, [...Array.from({ length: 512 }, () => chunk), "\0"]);
    expect(messages.map((message) => message.length)).toEqual([512 * 65_536]);
  });

  it("closes when the browser closes the pipe", async () => {
    const { fromBrowser, closed } = open();
    fromBrowser.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed()).toBe(true);
  });
});
