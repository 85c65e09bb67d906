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

describe("the pipe", () => {
  it.each([
    ["one in a chunk", ["{1}\0"], ["{1}"]],
    ["several in a chunk", ["{1}\0{2}\0{3}\0"], ["{1}", "{2}", "{3}"]],
    ["one in several chunks", ["{", "1", "}", "\0"], ["{1}"]],
    ["an end and a beginning in a chunk", ["{1", "}\0{", "2}\0"], ["{1}", "{2}"]],
    ["a character cut in two", [Buffer.from([0xc3]), Buffer.from([0xa9, 0])], ["é"]],
    ["nothing before its end", ["{1"], []],
  ])("messages, %s", async (_name, chunks, expected) => {
    const { fromBrowser, messages } = open();
    await deliver(fromBrowser, chunks);
    expect(messages).toEqual(expected);
  });

  it("a message of many megabytes in many chunks arrives whole", async () => {
    const { fromBrowser, messages } = open();
    const chunk = "x".repeat(65_536);
    await deliver(fromBrowser, [...Array.from({ length: 512 }, () => chunk), "\0"]);
    expect(messages.map((message) => message.length)).toEqual([512 * 65_536]);
  });

  it("closes when the browser's end does", async () => {
    const { fromBrowser, closed } = open();
    fromBrowser.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed()).toBe(true);
  });
});
