import { expect, it } from "vitest";
import { responseLine } from "../../src/batches/response-line.ts";

it.for<readonly [body: string, line: string]>([
  ["", ""],
  [" \r\n\t\n", ""],
  ["ok", "ok"],
  ["\n\r\n  not now  \r\nlater", "not now"],
  ["\u001B[31mred\u0007\u202Ebad\u2028end\ud800", "[31mred bad end"],
  ["naïve 鍵🔑", "naïve 鍵🔑"],
  ["x".repeat(200), "x".repeat(200)],
  ["x".repeat(201), `${"x".repeat(199)}…`],
])("returns the first nonblank line, up to 200 plain characters: %j becomes %j", ([body, line]) => {
  expect(responseLine(body)).toBe(line);
});
