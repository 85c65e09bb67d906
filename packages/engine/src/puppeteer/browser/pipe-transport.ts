import type { Readable, Writable } from "node:stream";
import { ProtocolTransport } from "./protocol-transport.ts";

/** The two ends of `--remote-debugging-pipe`: the browser reads one and writes the other. */
export interface DebuggingPipe {
  readonly toBrowser: Writable;
  readonly fromBrowser: Readable;
}

/** The DevTools protocol over a pipe: JSON messages, each terminated by a NUL byte. */
export function openPipeTransport({ toBrowser, fromBrowser }: DebuggingPipe): ProtocolTransport {
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    toBrowser.destroy();
    fromBrowser.destroy();
    transport.onclose?.();
  };
  const transport = new ProtocolTransport({
    send(message) {
      if (open) toBrowser.write(`${message}\0`);
    },
    close,
    check: () => {},
  });
  fromBrowser.on("data", (chunk: Buffer) => transport.reader.push(chunk));
  for (const end of [fromBrowser, toBrowser]) end.on("close", close).on("error", close);
  return transport;
}
