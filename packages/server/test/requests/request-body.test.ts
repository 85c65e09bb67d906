import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readBody } from "../../src/requests/request-body.ts";

it("a body is copied into one buffer, so its chunks do not stay in memory", async () => {
  const reused = Buffer.alloc(4);
  function* pieces(): Generator<Buffer> {
    for (const text of ["abcd", "efgh", "ijkl"]) {
      reused.write(text);
      yield reused;
    }
  }
  const stream = Readable.from(pieces(), { objectMode: false, highWaterMark: 0 });
  const request = Object.assign(stream, { headers: { "transfer-encoding": "chunked" } });
  const body = await readBody(request as unknown as IncomingMessage, { maxBytes: 100 });
  expect(body.toString()).toBe("abcdefghijkl");
});
