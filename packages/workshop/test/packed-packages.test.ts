import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, extendPath, type Outcome } from "../src/machine/run.ts";
import { packPackages, type PackedPackage } from "../src/pack-packages.ts";
import { ROOT } from "../src/workspace.ts";
import { compile } from "./compile.ts";
import { installWithLinks } from "./install-packed.ts";

/** The entry points of each published package. */
const ENTRY_POINTS: Readonly<Record<string, readonly string[]>> = {
  "@snap/client": [".", "./testing", "./webhooks"],
  "@snap/console": ["."],
  "@snap/engine": [".", "./internals", "./ports", "./puppeteer"],
  "@snap/protocol": ["."],
  "@snap/server": ["."],
  "@snap/storage-postgres": ["."],
  "@snap/storage-redis": ["."],
  "@snap/storage-sqlite": ["."],
  "@snap/testing": ["."],
};

const PUBLISHED_FILE =
  /^package\/((assets|bin|deploy|dist|vectors)\/.+|(README|CHANGELOG)[.]md|LICENSE.*|package[.]json)$/;

const RENDER = `
  import { createClient } from "@snap/client";
  import { createEngine } from "@snap/engine";
  import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
  import { createLogger, startService } from "@snap/server";
  import { openSqliteStorage } from "@snap/storage-sqlite";

  const engine = createEngine({
    storage: await openSqliteStorage({ directory: "./data" }),
    renderer: createPuppeteerRenderer(),
    secretKey: "a key for the test",
  });
  const { id } = await engine.accounts.create({
    email: "ada@example.com", planSlug: "starter", verified: true,
  });
  const { token } = await engine.tokens.create({ accountId: id });
  const service = await startService({
    engine, host: "127.0.0.1", port: 0, publicUrl: "http://127.0.0.1", logger: createLogger("silent"), metrics: false,
  });
  const snap = createClient({ baseUrl: service.origin + "/v1", token });
  const { bytes } = await snap.pdf({ html: "<h1>Packed</h1>" });
  console.log(Buffer.from(bytes).toString("latin1", 0, 5));
  await service.stop();
  await engine.close();
`;

const SUITE = `
  import { createMemoryStorage, testTokenStore } from "@snap/testing";
  const tests = [];
  const runner = { describe: (name, define) => define(), it: (name, test) => tests.push(test) };
  testTokenStore(runner, async () => ({ storage: createMemoryStorage(), close: async () => {} }));
  for (const test of tests) await test();
  console.log(tests.length > 0);
`;

const WEBHOOK = `
  import { verifyWebhook } from "@snap/client/webhooks";
  import vectors from "@snap/protocol/vectors/webhooks.json" with { type: "json" };
  const [{ id, timestamp, signature, signing_secret, body }] = vectors.cases;
  const headers = { "X-Webhook-Id": id, "X-Webhook-Timestamp": timestamp, "X-Webhook-Signature": signature };
  console.log(verifyWebhook(Buffer.from(body), headers, signing_secret, { now: 1000 * timestamp }).status);
`;

const KEYV = `
  import { createKeyvRenderings } from "@snap/storage-redis";
  const renderings = createKeyvRenderings({ store: new Map() });
  console.log(await renderings.get({ accountId: "acct_1", key: "0f1e", now: 0 }));
`;

const CONSOLE = `
  import { consoleFiles } from "@snap/console";
  console.log(consoleFiles().get("").contentType);
`;

let project: string;
let archives: readonly PackedPackage[];
beforeAll(async () => {
  extendPath();
  project = await realpath(await mkdtemp(join(tmpdir(), "packed-packages-")));
  archives = await installWithLinks(project, ["sharp"]);
});
afterAll(() => rm(project, { recursive: true, force: true }));

function readManifestOf(name: string): Promise<string> {
  return readFile(join(project, "node_modules", name, "package.json"), "utf8");
}

/** Runs a module in the project, outside the repository. */
function runModule(text: string): Promise<Outcome> {
  return run(process.execPath, ["--input-type=module", "--eval", text], { cwd: project });
}

describe("the packages to publish", () => {
  it("are all the public packages", () => {
    expect(archives.map(({ name }) => name).toSorted()).toEqual(Object.keys(ENTRY_POINTS));
  });

  it.each([
    ["@snap/protocol", ["@snap/protocol"]],
    ["testing", ["@snap/engine", "@snap/protocol", "@snap/testing"]],
  ])("include exactly what users of %s need", async (name, expected) => {
    const packed = await packPackages([name], join(project, "some"));
    expect(packed.map(({ name: packedName }) => packedName).toSorted()).toEqual(expected);
  });

  it.each(["workshop", "@snap/bench", "no-such-package"])("do not include %s", async (name) => {
    const packing = packPackages(["client", name], join(project, "none"));
    await expect(packing).rejects.toThrow(`No package to publish: ${name}.`);
  });

  it("contain built files, and no sources, tests or settings", async () => {
    for (const { filename } of archives) {
      const { output } = await run("tar", ["-tzf", filename]);
      expect(output.split("\n").filter((path) => !PUBLISHED_FILE.test(path))).toEqual([]);
    }
  });

  it("contain the alert rules and the dashboard", async () => {
    const deploy = await readdir(join(project, "node_modules/@snap/server/deploy"));
    expect(deploy).toEqual(expect.arrayContaining(["alerts.yml", "dashboard.json"]));
  });

  it("need only versions that a registry can resolve", async () => {
    for (const { name } of archives) expect(await readManifestOf(name)).not.toContain("workspace:");
  });
});

describe("the packages as packed", () => {
  it.each(Object.entries(ENTRY_POINTS))("export their entry points: %s", async (name, entries) => {
    const manifest = JSON.parse(await readManifestOf(name)) as {
      readonly exports: Readonly<Record<string, unknown>>;
    };
    const modules = Object.keys(manifest.exports).filter((entry) => !entry.endsWith(".json"));
    expect(modules.toSorted()).toEqual(entries);
    const imports = entries.map((entry) => `import "${join(name, entry)}";`).join("\n");
    expect(await runModule(`${imports} console.log("imported");`)).toEqual({ ok: true, output: "imported" });
  });

  it("have declarations that compile without sharp, which is optional", async () => {
    const names = ["@snap/engine", "@snap/engine/ports", "@snap/engine/puppeteer", "@snap/storage-sqlite"];
    const program = names.map((name, index) => `export * as package${index} from "${name}";`).join("\n");
    await writeFile(join(project, "program.mts"), program);
    const options = {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ["lib.es2024.d.ts", "lib.esnext.disposable.d.ts"],
      types: ["node"],
      typeRoots: [join(ROOT, "node_modules/@types")],
    };
    expect(compile(project, "program.mts", options)).toEqual([]);
  });

  it.each([
    ["verify a webhook", WEBHOOK, "complete"],
    ["run a conformance suite", SUITE, "true"],
    ["read from a Keyv store", KEYV, "null"],
    ["contain the console", CONSOLE, "text/html; charset=utf-8"],
  ])("%s", async (_what, text, output) => {
    expect(await runModule(text)).toEqual({ ok: true, output });
  });

  it(
    "render, from the client through the service to Chromium and SQLite",
    { tags: ["browser"] },
    async () => {
      expect(await runModule(RENDER)).toEqual({ ok: true, output: "%PDF-" });
    },
  );

  it("contain the command snap-server", async () => {
    const command = join(project, "node_modules/@snap/server/bin/snap-server.js");
    const snapServer = (...args: string[]): Promise<Outcome> => run(process.execPath, [command, ...args]);
    expect(await snapServer("--version")).toEqual({ ok: true, output: expect.stringMatching(/^0\.0\.0/) });
    expect((await snapServer("serve", "--help")).output).toContain("SNAP_PUBLIC_URL");
  });
});
