import { expect, it } from "vitest";
import { parsePage } from "../../../src/docs/markdown.ts";
import { findStrayBlocks } from "./read-steps.ts";

const check = (path: string, text: string): string[] => findStrayBlocks(parsePage(path, text));

it("finds blocks that would be ignored", () => {
  const stray = "# A\n\n```bash\nls\n```\n\n```text\nfile\n```\n";
  expect(check("docs/how-to/a.md", stray)).toEqual([
    "docs/how-to/a.md:3: use `sh` for commands, not `bash`",
    "docs/how-to/a.md:7: a `text` block must follow the `sh` block that prints it, in the same section",
  ]);
  expect(check("README.md", "```sh\nls\n```\n\n# Next\n\n```text\nfile\n```")).toHaveLength(1);
  expect(check("README.md", "```sh\nls\n```\n\nprints\n\n```text\nfile\n```")).toEqual([]);
  expect(check("README.md", "```sh\nls\n```\n\n```text\na\n```\n\n```text\nb\n```")).toHaveLength(1);
});
