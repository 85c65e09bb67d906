import { isSnapError, parseQuery } from "@snap/engine";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { describeProblems, renderOptions, toQueryPairs } from "../../src/cli/render-options.ts";

function openCommand(): Command {
  const command = new Command();
  for (const option of renderOptions()) command.addOption(option);
  return command;
}

/** Returns the query of a command line. */
function queryOf(...args: readonly string[]): readonly [string, string][] {
  return toQueryPairs(openCommand().parse(args, { from: "user" }).opts());
}

function descriptionOf(long: string): string | undefined {
  return renderOptions().find((option) => option.long === long)?.description;
}

/** Returns the message for an invalid query. */
function findProblems(query: string): string {
  try {
    parseQuery(new URLSearchParams(`url=https://example.com/&${query}`));
  } catch (error) {
    if (isSnapError(error)) return describeProblems(error);
    throw error;
  }
  throw new Error(`${query} is valid`);
}

describe("a flag", () => {
  it("that is true by default has an option that turns it off", () => {
    expect(queryOf()).toEqual([]);
    expect(queryOf("--no-javascript")).toEqual([["javascript", "false"]]);
    expect(queryOf("--full-page")).toEqual([["fullPage", "true"]]);
    expect(descriptionOf("--no-javascript")).toBe(
      "Whether to run the page's JavaScript. On by default; this turns it off.",
    );
    expect(findProblems("javascript=2")).toBe("--no-javascript must be true or false");
  });

  it("is named by its option in descriptions", () => {
    expect(descriptionOf("--lazy-content")).toContain("or all with --no-javascript.");
  });
});

describe("messages and descriptions name options, and leave values as they are", () => {
  it.each([
    ["padding=5", "--padding requires --selector"],
    ["printBackground=false", "--no-print-background is for PDFs only; add --pdf or remove it"],
    ["maskColor=red", "--mask-color requires --mask"],
    ["quality=80", "--quality requires a lossy format: jpeg or webp"],
    [
      "device=iphone-15&touch=1",
      "--device cannot be combined with --scale, --mobile, --touch or --user-agent",
    ],
    [
      "format=webp&width=9000&height=1&scale=2",
      "--width times --scale must be at most 16383 pixels for --format webp",
    ],
  ])("%s", (query, message) => {
    expect(findProblems(query)).toBe(message);
  });

  it("--block-resources", () => {
    expect(descriptionOf("--block-resources")).toContain(
      "`image, media, font, stylesheet, script, xhr, websocket`",
    );
  });
});
