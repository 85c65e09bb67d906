import { expect, it } from "vitest";
import { toProtocolError } from "../../src/http/refuse-socket.ts";

// The rows that malformed.test.ts can't bring about without waiting for a time limit.
it.each([
  ["ERR_HTTP_REQUEST_TIMEOUT", "request_timeout", 408],
  ["HPE_HEADER_OVERFLOW", "request_header_fields_too_large", 431],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "payload_too_large", 413],
  ["HPE_INVALID_METHOD", "bad_request", 400],
  ["constructor", "bad_request", 400],
  [undefined, "bad_request", 400],
])("%s is %s", (reported, code, status) => {
  const error = Object.assign(new Error("what the parser says"), reported && { code: reported });
  const answered = toProtocolError(error);
  expect(answered).toMatchObject({ code, status });
  expect(answered.detail).toContain("what the parser says");
  expect(answered.message).not.toContain("what the parser says");
});
