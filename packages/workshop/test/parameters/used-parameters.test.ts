import { PARAMETER_TABLE } from "@snap/protocol";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../src/workspace.ts";

const COMMENT = /\/\*[^]*?\*\/|\/\/.*/g;

it("the engine uses each parameter outside its validation", () => {
  const files = globSync("packages/engine/src/**/*.ts", {
    cwd: ROOT,
    exclude: ["packages/engine/src/parameters/**"],
  });
  // the engine computes paper sizes with this file, and so do the validation rules
  files.push("packages/protocol/src/parameters/paper-size.ts");
  const code = files.map((file) => readFileSync(join(ROOT, file), "utf8").replaceAll(COMMENT, "")).join("\n");
  const words = new Set(code.match(/\w+/g) ?? []);
  const unread = PARAMETER_TABLE.map(({ name }) => name).filter((name) => !words.has(name));
  expect(unread, "no code in packages/engine/src reads these parameters").toEqual([]);
});
