import { expect, it } from "vitest";
import { messageOf } from "../src/config/message-of.ts";
import { explainDataDirError } from "../src/data-dir-error.ts";

it("has the reasons of a connection that every address refuses", () => {
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
