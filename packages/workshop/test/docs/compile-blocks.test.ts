import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compileSnippets, readCodeBlocks } from "../../src/docs/compile-blocks.ts";
import { readDocExamples } from "../../src/docs/doc-examples.ts";
import { parsePage } from "../../src/docs/markdown.ts";
import { extendPath } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";

extendPath();

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "snippets-")));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

/** Declares a package, and the names that guides use without an import. */
const CONTEXT = `
declare module "@snap/client" {
  export interface SnapClient { screenshot(parameters: { url: string }): Promise<{ bytes: Uint8Array }> }
  export function createClient(options: { token: string }): SnapClient;
}
declare const snap: import("@snap/client").SnapClient;
declare const app: string;
`;

/** Compiles the blocks on a page. `pnpm check docs` compiles those in this repository against its packages. */
async function compile(text: string): Promise<string[]> {
  const extended = join(ROOT, "packages/workshop/guides/tsconfig.json");
  const compilerOptions = { rootDir: ".", types: [], lib: ["es2023", "dom"], paths: {} };
  await put("tsconfig.json", JSON.stringify({ extends: extended, compilerOptions, include: ["."] }));
  await put("package.json", '{ "type": "module" }');
  await put("context.d.ts", CONTEXT);
  return compileSnippets(readCodeBlocks(parsePage("docs/a.md", text)), root);
}

describe("code blocks", () => {
  it("compile with the names that are predeclared for guides", async () => {
    const text = `
\`\`\`ts
const app = 1;
const { bytes } = await snap.screenshot({ url: "https://example.com/" });
export const size: number = bytes.byteLength + app;
\`\`\`

\`\`\`js
import { createClient } from "@snap/client";
console.log(createClient({ token: app }));
\`\`\`
`;
    expect(await compile(text)).toEqual([]);
  });

  it("are compiled separately, and cause errors that name the line on the page", async () => {
    const text = `# A

\`\`\`ts
import { createClient } from "@snap/client";
const snap = createClient({ token: 7 });
await snap.screenshot({ url: "https://example.com/", quality: 80 });
\`\`\`

\`\`\`js
import { nothing } from "@snap/client";
\`\`\`

\`\`\`ts
export const one = 1;
\`\`\`

\`\`\`ts
console.log(one);
\`\`\`
`;
    expect(await compile(text)).toEqual([
      expect.stringMatching(/^docs\/a[.]md:5: Type 'number' is not assignable to type 'string'/),
      expect.stringMatching(/^docs\/a[.]md:6: .*quality/),
      expect.stringMatching(/^docs\/a[.]md:10: .*nothing/),
      "docs/a.md:18: Cannot find name 'one'.",
    ]);
  });

  it("are skipped only with a reason", () => {
    const read = (comment: string): number =>
      readCodeBlocks(parsePage("docs/a.md", `${comment}\n\n\`\`\`ts\nnonsense\n\`\`\``)).length;
    expect(read("<!-- not compiled: it is another program's -->")).toBe(0);
    expect(read("<!-- not compiled -->")).toBe(1);
    expect(read("<!-- not run: something else -->")).toBe(1);
  });
});

describe("examples in doc comments", () => {
  beforeEach(async () => {
    await put("packages/client/src/index.ts", 'export { signUrl, type Kind } from "./sign.ts";\n');
    await put("packages/client/src/sign.ts", "export function signUrl(): void {}\nexport type Kind = 1;\n");
  });

  it("are read with their line numbers, and import what packages export", async () => {
    await put(
      "packages/engine/src/a.ts",
      `/** Nothing to see. */
export interface A {
  /**
   * Signs.
   *
   * @example
   * const src = signUrl({ url: "https://example.com/" });
   * console.log(src);
   */
  sign(): void;
}

/**
 * @example
 * const signUrl = (text: string): string => text;
 * signUrl("own");
 * @throws Error never
 */
export function b(): void {}
`,
    );
    const examples = readDocExamples(root);
    expect(examples.map(({ path, line }) => ({ path, line }))).toEqual([
      { path: "packages/engine/src/a.ts", line: 7 },
      { path: "packages/engine/src/a.ts", line: 15 },
    ]);
    expect(examples[0]?.code).toMatch(
      /^import \{ signUrl \} from "\S*\/client\/src\/sign[.]ts"; const src = signUrl/,
    );
    expect(examples[1]?.code).toMatch(/^const signUrl = /);
    expect(examples[1]?.code).not.toContain("throws");
  });

  it("are found in this repository", () => {
    expect(readDocExamples().length).toBeGreaterThan(50);
  });
});
