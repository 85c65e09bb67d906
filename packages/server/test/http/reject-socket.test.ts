import { Socket } from "node:net";
import { expect, it } from "vitest";
import { createLogger } from "../../src/operations/logger.ts";
import { rejectSocket, toProtocolError } from "../../src/http/reject-socket.ts";

// Includes the timeout, which malformed.test.ts could cause only by waiting for it.
it.each([
  ["ERR_HTTP_REQUEST_TIMEOUT", "request_timeout", 408],
  ["HPE_HEADER_OVERFLOW", "request_header_fields_too_large", 431],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "payload_too_large", 413],
  ["HPE_INVALID_METHOD", "bad_request", 400],
  ["constructor", "bad_request", 400],
  [undefined, "bad_request", 400],
])("converts %s to %s", (reported, code, status) => {
  const error = Object.assign(new Error("message of the parser"), reported && { code: reported });
  const converted = toProtocolError(error);
  expect(converted).toMatchObject({ code, status });
  expect(converted.detail).toContain("message of the parser");
  expect(converted.message).not.toContain("message of the parser");
});

it("names the time limits for a request to arrive", () => {
  const { message } = toProtocolError(Object.assign(new Error(), { code: "ERR_HTTP_REQUEST_TIMEOUT" }));
  expect(message).toBe(
    "The request did not arrive in time (limit 30 seconds, 15 for its headers); send it again, or a smaller one.",
  );
});

it("logs nothing for a connection that is closed", () => {
  const lines: string[] = [];
  const logger = createLogger("info", { write: (line) => void lines.push(line) });
  rejectSocket(new Socket().destroy(), { error: toProtocolError(new Error()), logger });
  expect(lines).toEqual([]);
});
