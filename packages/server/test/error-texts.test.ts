import { messageOf } from "@snap/engine/internals";
import { expect, it } from "vitest";
import { explainDataDirError } from "../src/data-dir-error.ts";
import { formatBytes } from "../src/format.ts";

it("includes the reason for each address if all of them refuse the connection", () => {
  const refusals = ["connect ECONNREFUSED 127.0.0.1:9", "connect ECONNREFUSED ::1:9"];
  const errors = refusals.map((message) => new Error(message));
  expect(messageOf(new AggregateError(errors))).toBe(
    "connect ECONNREFUSED 127.0.0.1:9; connect ECONNREFUSED ::1:9",
  );
});

it("quotes a path with spaces in a command to paste", () => {
  const error = Object.assign(new Error("denied"), { code: "EACCES" });
  const { advice } = explainDataDirError(error, "/nowhere/snap data");
  expect(advice).toMatch(/^create the folder for this user: install .* '\/nowhere\/snap data';/);
});

it.each([
  [999, "999 bytes"],
  [999_949, "999.9 KB"],
  [999_950, "1.0 MB"],
  [1_000_000, "1.0 MB"],
])("rounds %i bytes to %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
