import { createWriteStream } from "node:fs";
import { Socket } from "node:net";
import { Writable } from "node:stream";

/**
 * Opens stdout to write a file to it. The stream finishes when every byte is written, and fails if the reader of a pipe
 * stops early.
 */
export function openStdout(): Writable {
  const { stdout } = process;
  // process.stdout loses the rest of a partial write to a file on a full disk
  if (!(stdout instanceof Socket)) return createWriteStream("", { fd: 1, autoClose: false });
  // a pipe does not block, so a write to its descriptor fails if the reader cannot keep up
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      stdout.write(chunk, (cause) =>
        done(cause && new Error(`cannot write to stdout: ${cause.message}`, { cause })),
      );
    },
  });
}
