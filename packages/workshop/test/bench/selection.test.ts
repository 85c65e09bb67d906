import { describe, expect, it } from "vitest";
import { select } from "../../src/bench/selection.ts";

const ALL = [{ name: "ways" }, { name: "idle" }, { name: "soak" }];

describe("select", () => {
  it("takes all of them unless told otherwise", () => {
    expect(select([], ALL)).toEqual({ quick: false, write: false, scenarios: ALL });
    expect(select(["--quick"], ALL)).toEqual({ quick: true, write: false, scenarios: ALL });
    expect(select(["--write"], ALL)).toEqual({ quick: false, write: true, scenarios: ALL });
  });

  it("leaves out of a quick run what takes long, unless it is named", () => {
    const long = { name: "growth", onlyFull: true } as const;
    const all = [{ name: "ways" }, long];
    expect(select(["--quick"], all).scenarios).toEqual([{ name: "ways" }]);
    expect(select(["--quick", "growth"], all).scenarios).toEqual([long]);
    expect(select([], all).scenarios).toEqual(all);
  });

  it("takes those that are named, in the order of the list", () => {
    expect(select(["soak", "--quick", "ways"], ALL).scenarios).toEqual([{ name: "ways" }, { name: "soak" }]);
  });

  it.each([
    [["sook"], "There is no scenario sook; there are ways, idle, soak."],
    [["--write", "idle"], "--write takes all scenarios: leave the names out."],
    [["--write", "--quick"], "--write takes a whole run: leave --quick out."],
    [["--fast"], "--fast"],
  ])("refuses %j", (args, message) => {
    expect(() => select(args, ALL)).toThrow(message);
  });
});
