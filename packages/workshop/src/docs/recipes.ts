import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../workspace.ts";

const BLOCK = /^(<!-- from (examples\/\S+) -->\n\n(```)\w+\n).*?^```$/gms;

/** Returns a page with each block after `<!-- from examples/… -->` replaced by the contents of that file. */
export function withExamples(page: string): string {
  const blocks = page.match(BLOCK) ?? [];
  if (blocks.length === 0) throw new Error("the page has no blocks from examples");
  return page.replaceAll(BLOCK, (_, head: string, path: string, fence: string) => {
    const code = readFileSync(join(ROOT, path), "utf8");
    return `${head}${code}${fence}`;
  });
}
