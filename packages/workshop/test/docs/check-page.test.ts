import { globSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkPage } from "../../src/docs/check-docs.ts";
import { checkLinks, findMissingCitations } from "../../src/docs/links.ts";
import { PAGES, parsePage } from "../../src/docs/markdown.ts";
import { run, extendPath } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";

extendPath();
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "docs-check-"));
});
afterEach(() => rm(root, { recursive: true }));

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

it("PAGES includes every Markdown file, except notes.md, which is part of another page", async () => {
  const { output } = await run("git", ["ls-files", "*.md"]);
  const checked = new Set(globSync(PAGES, { cwd: ROOT }));
  expect(output.split("\n").filter((path) => !checked.has(path))).toEqual(["packages/bench/src/notes.md"]);
});

describe("checkLinks", () => {
  it("finds links to missing files and headings in every folder with Markdown", async () => {
    await put({
      "README.md": "# A\n\n[b](docs/b.md) [gone](docs/gone.md) [web](https://example.com/gone)\n",
      "docs/b.md":
        "# B\n\n[self](#the-token-of-a) [a](deep/c.md#two) [dead](deep/c.md#three)\n\n## The `token` of A\n",
      "docs/deep/c.md": "# C\n\n## Two\n\n![image](../images/none.png)\n",
      ".github/CONTRIBUTING.md": "[gone](nowhere.md)\n",
      "packages/one/README.md": "[up](../../README.md#a)\n",
    });
    const { ok, output } = await checkLinks(root);
    expect(ok).toBe(false);
    const problemsByPath = Array.from(
      output.matchAll(/^(\S+[.]md)\n((?: *\d+:.*\n)+)/gm),
      ([, path, problems]) => [path, problems],
    );
    expect(problemsByPath.toSorted(([a = ""], [b = ""]) => a.localeCompare(b, "en"))).toEqual([
      [".github/CONTRIBUTING.md", expect.stringMatching(/^ *1:.*nowhere[.]md.*\n$/)],
      ["docs/b.md", expect.stringMatching(/^ *3:.*three.*\n$/)],
      ["docs/deep/c.md", expect.stringMatching(/^ *5:.*none[.]png.*\n$/)],
      ["README.md", expect.stringMatching(/^ *3:.*docs\/gone[.]md.*\n$/)],
    ]);
  });
});

describe("a page", () => {
  const check = (path: string, text: string): string[] => checkPage(parsePage(path, text), root);

  it("on the site must not link outside docs/", () => {
    expect(
      check("docs/how-to/a.md", "[code](../../packages/x.ts) [b](../b.md) [c](#c) [d](https://example.com)"),
    ).toEqual([
      "docs/how-to/a.md:1: packages/x.ts is outside docs/; name it in backticks instead of linking to it",
    ]);
    expect(check("README.md", "[code](packages/x.ts)")).toEqual([]);
  });

  it("must name only existing paths", async () => {
    await put({ "packages/one/src/a.ts": "", "packages/one/README.md": "" });
    const text = "`packages/one/src/a.ts` `packages/*/src/a.ts` `packages/one` `packages/<name>/x` `data/x`";
    expect(check("docs/a.md", text)).toEqual([]);
    expect(check("docs/a.md", "one\n\n`packages/one/src/b.ts` `packages/*/b.ts`")).toEqual([
      "docs/a.md:3: packages/one/src/b.ts does not exist",
      "docs/a.md:3: packages/*/b.ts does not exist",
    ]);
    expect(check("packages/one/README.md", "`src/a.ts` `src/b.ts`")).toEqual([
      "packages/one/README.md:1: packages/one/src/b.ts does not exist",
    ]);
  });

  it("must have valid JSON and YAML, or a reason why not", () => {
    expect(check("docs/a.md", '```json\n{"a":1}\n```\n\n```yaml\na: [1]\n```')).toEqual([]);
    expect(check("docs/a.md", "# A\n\n```json\n{a:1}\n```")).toEqual([
      expect.stringMatching(/^docs\/a[.]md:3: the json block does not parse: /),
    ]);
    expect(check("docs/a.md", "```yaml\na: [1\n```")).toEqual([
      expect.stringMatching(/^docs\/a[.]md:1: the yaml /),
    ]);
    expect(check("docs/a.md", "<!-- not compiled: it is cut short -->\n\n```json\n{…}\n```")).toEqual([]);
    expect(check("docs/a.md", "<!-- not compiled: -->\n\n```json\n{…}\n```")).toHaveLength(1);
  });

  it.each([
    ["npx snap-server accounts create --email ada@example.com --plan starter", []],
    ["ID=$(npx snap-server accounts create --email ada@example.com --json | grep -o 'acct_[0-9a-f]*')", []],
    ["snap-server tokens create --account $ACCOUNT --expires-in 30d # a month", []],
    ["SNAP_PORT=8080 snap-server serve --dev > log.txt", []],
    ["npx snap-server render http://127.0.0.1:3001/ \\\n  -o page.pdf --landscape", []],
    ["snap-server serve --help", []],
    ["journalctl --unit snap-server --output cat", []],
    ["snap-server account list", ["unknown command 'account'"]],
    ["snap-server serve --developer", ["unknown option '--developer'"]],
    ["snap-server tokens create", ["required option '--account <account>' not specified"]],
    ["npx snap-server tokens reveal 1 2", ["too many arguments"]],
    ["sudo -u snap snap-server tokens reveal first", ["id"]],
    ["curl -s localhost && snap-server tokens create --account a --ability video", ["Allowed choices are"]],
    ["docker compose exec -T snap snap-server backp - > snap.tar", ["unknown command 'backp'"]],
    ["docker compose run --rm -T snap restor - --yes < snap.tar", ["unknown command 'restor'"]],
    ["kubectl exec deploy/snap-api -- snap-server docter", ["unknown command 'docter'"]],
    ["source <(snap-server completion bsh)", ["Allowed choices are"]],
    ["snapctl restor - < snap.tar", ["unknown command 'restor'"]],
    ["nice snap-server docter", ["nice snap-server docter: this command cannot be checked"]],
    ["nice snapctl docter", ["nice snapctl docter: this command cannot be checked"]],
  ])("must use the command line correctly: %s", (command, problems) => {
    expect(check("docs/a.md", `<!-- not run: not here -->\n\n\`\`\`sh\n${command}\n\`\`\``)).toEqual(
      problems.map((problem): unknown => expect.stringContaining(problem)),
    );
  });

  it("must use the command line correctly in code spans", () => {
    expect(check("docs/a.md", "`snap-server` `snap-server tokens reveal ID` `snap-server batches`")).toEqual(
      [],
    );
    expect(check("docs/a.md", "x\n`npx snap-server tokens print ID`")).toEqual([
      "docs/a.md:2: snap-server tokens print 1: error: unknown command 'print'",
    ]);
  });
});

describe("findMissingCitations", () => {
  it("finds comments that cite missing pages", async () => {
    await put({
      "docs/a.md": "# A\n",
      "packages/one/src/a.ts":
        '/** As docs/a.md says. */\nconst a = "notes.md"; // see gone.md\n/*\n * docs/none.md, section 1\n */\n',
      "packages/one/src/b/c.tsx": "// see gone.md\n",
      "packages/one/test/b.ts": "// see gone.md\n",
    });
    expect(findMissingCitations(root)).toEqual([
      "packages/one/src/a.ts:2: cites gone.md, which does not exist",
      "packages/one/src/a.ts:4: cites docs/none.md, which does not exist",
      "packages/one/src/b/c.tsx:1: cites gone.md, which does not exist",
    ]);
  });
});
