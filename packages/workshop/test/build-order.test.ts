import { describe, expect, it } from "vitest";
import { groupByBuildOrder, type WorkspacePackage } from "../src/repository/workspace.ts";

function aPackage(name: string, ...dependencies: string[]): WorkspacePackage {
  const entries = dependencies.map((dependency) => [dependency, "workspace:^"]);
  return { name, folder: `packages/${name}`, manifest: { name, dependencies: Object.fromEntries(entries) } };
}

const namesOf = (groups: WorkspacePackage[][]): string[][] =>
  groups.map((group) => group.map(({ name }) => name));

describe("groupByBuildOrder", () => {
  it("puts a package behind all that it needs", () => {
    const packages = [
      aPackage("engine", "protocol", "zod"),
      aPackage("protocol"),
      aPackage("server", "engine", "protocol", "storage", "express"),
      aPackage("storage", "engine"),
      aPackage("testing", "engine"),
    ];
    expect(namesOf(groupByBuildOrder(packages))).toEqual([
      ["protocol"],
      ["engine"],
      ["storage", "testing"],
      ["server"],
    ]);
  });

  it("names the packages of a circle", () => {
    expect(() => groupByBuildOrder([aPackage("a", "b"), aPackage("b", "a")])).toThrow("in a circle: a, b");
  });
});
