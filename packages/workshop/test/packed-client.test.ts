import { build } from "esbuild";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, extendPath } from "../src/machine/run.ts";
import { ROOT } from "../src/workspace.ts";
import { compile } from "./compile.ts";
import { installWithNpm } from "./install-packed.ts";

const SIGN = `signUrl(
    { url: "https://example.com/", fullPage: true },
    {
      baseUrl: "https://snap.example.com/v1",
      tokenId: 7,
      signingSecret: "s3cret-of-token-7",
      expires: new Date("2030-01-01T00:00:00Z"),
    },
  )`;
/** A URL whose signature openssl computed over the canonical query. */
const SIGNED_URL =
  "https://snap.example.com/v1/snap/signed?expires=1893456000&fullPage=true&tokenId=7" +
  "&url=https%3A%2F%2Fexample.com%2F&signature=d68823495d3d047b4cbc1c94a21492f40313df08540b375dbf71a6be396b75ef";

const PROGRAM = `
  import { createClient, isSnapError, signUrl, type BytesRendering, type UsageReport } from "@snap/client";
  import { verifyWebhook, webhookHandler, webhookMiddleware } from "@snap/client/webhooks";

  const snap = createClient({ baseUrl: "https://snap.example.com/v1", token: "7|s3cret" });
  const page = { url: "https://example.com/" };

  export async function use(): Promise<UsageReport> {
    const screenshot: BytesRendering = await snap.screenshot({ ...page, format: "jpeg", quality: 80 });
    const { response } = await snap.pdf(page, { as: "response" });
    const sizes: number[] = [screenshot.bytes.byteLength, response.status];
    // @ts-expect-error quality is for lossy formats
    await snap.screenshot({ ...page, quality: 80 });
    // @ts-expect-error an unresolved type would be any, and accepted
    sizes.push(response.headers);
    return snap.usage();
  }
  export const signed: string = ${SIGN};
  export const handler: (request: Request) => Promise<Response> = webhookHandler("s3cret", ({ id }) => id);
  // @ts-expect-error a secret is text
  webhookMiddleware(1, () => {});
  // @ts-expect-error parsed JSON is not the raw body
  verifyWebhook({ id: "b1" }, {}, "s3cret");
  export const codeOf = (error: unknown): string => (isSnapError(error) ? error.code : "");
`;

const LAZY_PROGRAM = `
  export async function sign(): Promise<string> {
    const { signUrl } = await import("@snap/client");
    return ${SIGN};
  }
`;

/** A program whose parameters come from a form. */
const FORM_PROGRAM = join(ROOT, "packages/client/test/types/form.ts");

/** Typical mistakes, each with the compiler's complete error. */
const MISTAKES = {
  "screenshot({ url, format: 'png', quality: 80 })": `TS2322: Type '"png"' is not assignable to type '"jpeg" | "webp"'.`,
  "screenshot({ url, width: 800 })":
    "TS2345: Argument of type '{ url: string; width: number; }' is not assignable to parameter of type " +
    "'ScreenshotCapture & { readonly height: number; }'.   Property 'height' is missing in type " +
    "'{ url: string; width: number; }' but required in type '{ readonly height: number; }'.",
  "screenshot({ url, fulPage: true })":
    "TS2561: Object literal may only specify known properties, but 'fulPage' does not exist in type " +
    "'ScreenshotCapture'. Did you mean to write 'fullPage'?",
  "screenshot({ url, paperFormat: 'a4' })": `TS2322: Type 'string' is not assignable to type 'undefined'.`,
  "batches.submit({ items: [{ url }, { url, cache: false }] })":
    "TS2322: Type 'false' is not assignable to type 'true'.",
} as const;

/** Sources of the fetch types, which the client's declarations use. */
const PLATFORMS = {
  "the DOM": { lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], types: [] },
  "web workers": { lib: ["lib.es2022.d.ts", "lib.webworker.d.ts"], types: [] },
  "@types/node": {
    lib: ["lib.es2022.d.ts"],
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  },
} satisfies Record<string, ts.CompilerOptions>;

const MODULES = {
  node16: { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  nodenext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
} satisfies Record<string, ts.CompilerOptions>;

let project: string;
beforeAll(async () => {
  extendPath();
  project = await realpath(await mkdtemp(join(tmpdir(), "packed-client-")));
  await installWithNpm(project, ["client"]);
  const files = {
    "run.mjs": `import { signUrl } from "@snap/client"; console.log(${SIGN});`,
    "run.cjs": `const { signUrl } = require("@snap/client"); console.log(${SIGN});`,
    "esm/package.json": `{ "type": "module" }`,
    "esm/program.ts": PROGRAM,
    "commonjs/package.json": `{ "type": "commonjs" }`,
    "commonjs/program.ts": PROGRAM,
    "commonjs/lazy.ts": LAZY_PROGRAM,
    "esm/form.ts": await readFile(FORM_PROGRAM, "utf8"),
    "esm/mistakes.ts": `
      import { createClient } from "@snap/client";
      const { screenshot, batches } = createClient({ baseUrl: "https://snap.example.com/v1", token: "7|s3cret" });
      const url: string = "https://example.com/";
      ${Object.keys(MISTAKES)
        .map((call) => `void ${call};`)
        .join("\n")}
    `,
  };
  await Promise.all(["esm", "commonjs"].map((folder) => mkdir(join(project, folder))));
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(project, name), text)));
});
afterAll(() => rm(project, { recursive: true, force: true }));

describe("@snap/client as packed", () => {
  it("depends only on the protocol", async () => {
    const manifest = JSON.parse(
      await readFile(join(project, "node_modules/@snap/client/package.json"), "utf8"),
    ) as Record<string, unknown>;
    expect(manifest["dependencies"]).toEqual({ "@snap/protocol": "^0.0.0" });
    expect(manifest["peerDependencies"]).toBeUndefined();
  });

  it("installs two packages, with npm and without a network", async () => {
    const { output } = await run("npm", ["ls", "--all", "--parseable"], { cwd: project });
    const installed = output.split("\n").filter((path) => path.includes("node_modules"));
    expect(installed.map((path) => path.slice(project.length))).toEqual([
      "/node_modules/@snap/client",
      "/node_modules/@snap/protocol",
    ]);
  });

  it.each(["run.mjs", "run.cjs"])("runs in Node from %s", async (script) => {
    expect(await run(process.execPath, [script], { cwd: project })).toEqual({ ok: true, output: SIGNED_URL });
  });

  it("signs with node:crypto in Node", async () => {
    const program = `console.log(import.meta.resolve("@snap/protocol"))`;
    const { output } = await run(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: project,
    });
    expect(output).toMatch(/\/dist\/index[.]node[.]js$/);
    const built = join(project, "node_modules/@snap/protocol/dist/index.node.js");
    expect(await readFile(built, "utf8")).toContain('from "node:crypto"');
  });

  it.each(["@snap/client", "@snap/client/webhooks"])(
    "is at most 25 KB when bundled and gzipped: %s",
    async (entry) => {
      const { outputFiles, metafile } = await build({
        stdin: { contents: `export * from "${entry}";`, resolveDir: project },
        bundle: true,
        minify: true,
        platform: "neutral",
        format: "esm",
        metafile: true,
        absWorkingDir: project,
        write: false,
      });
      const [{ contents, text }] = outputFiles as [(typeof outputFiles)[number]];
      expect(gzipSync(contents, { level: 9 }).byteLength).toBeLessThan(25_600);
      expect(text).not.toMatch(/zod|fake service/i);
      const inputs = Object.keys(metafile.inputs).filter((input) => input !== "<stdin>");
      expect(inputs).not.toEqual([]);
      for (const input of inputs) expect(input).toMatch(/^node_modules\/@snap\/(client|protocol)\/dist\//);
      expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
    },
  );
});

describe("the types of @snap/client as packed", () => {
  it.each(["web workers", "@types/node"] as const)("resolve in an ES module with %s", (name) => {
    expect(compile(project, "esm/program.ts", { ...MODULES.bundler, ...PLATFORMS[name] })).toEqual([]);
  });

  describe.each(Object.entries(MODULES))("under %s", (_name, modules) => {
    it("resolve in an ES module", () => {
      const options = { ...modules, ...PLATFORMS["the DOM"] };
      expect(compile(project, "esm/program.ts", options)).toEqual([]);
    });

    it("resolve in a CommonJS module that calls import()", () => {
      const options = { ...modules, ...PLATFORMS["the DOM"] };
      expect(compile(project, "commonjs/lazy.ts", options)).toEqual([]);
    });
  });

  it.each(["nodenext", "bundler"] as const)("resolve in a CommonJS module under %s", (name) => {
    const options = { ...MODULES[name], ...PLATFORMS["the DOM"] };
    expect(compile(project, "commonjs/program.ts", options)).toEqual([]);
  });

  it("cannot be required under node16, where require() does not load ES modules", () => {
    const options = { ...MODULES.node16, ...PLATFORMS["the DOM"] };
    const errors = compile(project, "commonjs/program.ts", options);
    expect(errors[0]).toMatch(/^TS1479 .*program\.ts: .*dynamic 'import\("@snap\/client"\)' call/);
  });

  it.each([true, false])("accept parameters from a form, with exactOptionalPropertyTypes %s", (exact) => {
    const options = { ...MODULES.nodenext, ...PLATFORMS["the DOM"], exactOptionalPropertyTypes: exact };
    expect(compile(project, "esm/form.ts", options)).toEqual([]);
  });

  it("explain a mistake in one short error", () => {
    const errors = compile(project, "esm/mistakes.ts", { ...MODULES.nodenext, ...PLATFORMS["the DOM"] });
    expect(errors.map((error) => error.replace(/ \S+mistakes[.]ts/, ""))).toEqual(Object.values(MISTAKES));
  });

  it("need the platform's fetch types", () => {
    const options = { ...MODULES.nodenext, lib: ["lib.es2022.d.ts"], types: [] };
    const errors = compile(project, "esm/program.ts", options);
    expect(errors.join("\n")).toMatch(/client\/dist\/[\w-]+\.d\.ts: Cannot find name 'Response'/);
  });
});
