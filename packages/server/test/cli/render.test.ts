import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openNameServer } from "../../../testing/test/servers/name-server.ts";
import { CLI, openWorkspace } from "./command.ts";
import { servePages, type Pages } from "./pages.ts";

const workspace = openWorkspace();
let pages: Pages;
beforeAll(async () => {
  pages = await servePages();
});
afterAll(async () => {
  await pages.close();
  await workspace.cleanUp();
});

/** Settings with a browser that does not start. */
const NO_BROWSER = { SNAP_CHROMIUM_PATH: "/nowhere/chromium" };

const fileIn = (name: string): Promise<Buffer> => readFile(join(workspace.directory, name));

describe("render", { tags: ["browser"] }, () => {
  it("writes an image, prints a summary to stderr, and creates no data folder", async () => {
    const outcome = await workspace.run(["render", pages.url, "-o", "a.png", "--allow-target", pages.target]);
    expect(outcome).toMatchObject({ code: 0, stdout: "" });
    expect(outcome.stderr).toMatch(/^a\.png, [\d.]+ KB, \d+\.\d\d s, target status 200\n$/);
    const { width, height, data } = PNG.sync.read(await fileIn("a.png"));
    expect([width, height, ...data.subarray(-4)]).toEqual([1280, 800, 0, 170, 119, 255]);
    expect(await readdir(workspace.directory)).toEqual(["a.png"]);
  });

  it("derives the format from the extension, respects SNAP_ALLOW_TARGETS, and prints JSON", async () => {
    const allow = { SNAP_ALLOW_TARGETS: pages.target };
    const pdf = ["render", pages.url, "-o", "a.pdf", "--landscape", "--paper-format", "a5"];
    expect(await workspace.json(pdf, allow)).toEqual({
      file: "a.pdf",
      content_type: "application/pdf",
      bytes: expect.any(Number),
      duration_ms: expect.any(Number),
      target_status: null,
      notes: [],
    });
    expect((await fileIn("a.pdf")).subarray(0, 5).toString()).toBe("%PDF-");
    const jpeg = ["render", `${pages.url}missing`, "-o", "a.jpg", "--quality", "80", "--wait-until", "load"];
    expect(await workspace.json(jpeg, allow)).toMatchObject({
      content_type: "image/jpeg",
      target_status: 404,
    });
    const avif = ["render", pages.url, "-o", "a.avif", "--resize-width", "40", "--quality", "40"];
    expect(await workspace.json(avif, allow)).toMatchObject({ content_type: "image/avif" });
  });

  it("resolves host names with SNAP_DNS_SERVERS", async () => {
    const server = await openNameServer(({ name }) => (name === "page.example" ? ["127.0.0.1"] : "NXDOMAIN"));
    const env = { SNAP_DNS_SERVERS: server.address, SNAP_ALLOW_TARGETS: pages.target };
    const url = pages.url.replace("127.0.0.1", "page.example");
    expect(await workspace.json(["render", url, "-o", "named.png"], env)).toMatchObject({
      target_status: 200,
    });
    server.close();
  });

  it("writes to stdout with -o -", async () => {
    const cli = spawn(
      process.execPath,
      [
        CLI,
        "render",
        pages.url,
        "-o",
        "-",
        "--scale",
        "2",
        "--width",
        "300",
        "--height",
        "200",
        "--allow-target",
        pages.target,
      ],
      { env: workspace.environment, stdio: ["ignore", "pipe", "ignore"] },
    );
    const chunks: Buffer[] = [];
    cli.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(cli, "close");
    const { width, height } = PNG.sync.read(Buffer.concat(chunks));
    expect([width, height]).toEqual([600, 400]);
  });

  it("rejects a page on a private address with exit code 1 and advice, without requesting it", async () => {
    const before = pages.hits();
    const { code, stderr } = await workspace.run(["render", pages.url, "-o", "b.png"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: blocked_host: .* --allow-target HOST:PORT\.\n$/);
    expect(pages.hits()).toBe(before);
    const json = await workspace.run(["render", pages.url, "-o", "b.png", "--json"]);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "blocked_host" } });
    expect(await readdir(workspace.directory)).not.toContain("b.png");
  });
});

describe("a failed render", { tags: ["browser"] }, () => {
  it("has its notes in the JSON error", async () => {
    const args = ["render", pages.url, "-o", "c.png", "--allow-target", pages.target, "--selector", ".none"];
    const { code, stderr } = await workspace.run([...args, "--json"]);
    expect([code, JSON.parse(stderr)]).toMatchObject([
      1,
      { error: { code: "render_failed", advice: null, notes: ["selector-unmatched"] } },
    ]);
  });
});

describe("render exits with code 2, before it starts a browser, for", () => {
  it.each([
    [["-o", "a.png", "--output-format", "avif"], "-o a.png contradicts --output-format avif"],
    [["-o", "a.avif", "--format", "webp"], "-o a.avif contradicts --format webp"],
    [["-o", "a.png", "--quality", "80"], "--quality requires a lossy format: jpeg or webp"],
    [["-o", "a.png", "--full-page", "--selector", "h1"], "--selector cannot be combined with --full-page"],
    [["-o", "a.png", "--width", "500"], "--height must be sent together with --width"],
    [["-o", "a.webp", "--scale", "4"], "--scale must be an integer from 1 to 3"],
    [["-o", "a.pdf", "--delay", "5"], "--delay is for screenshots only; remove it or write to an image file"],
    [
      ["-o", "a.png", "--paper-format", "a4"],
      "--paper-format is for PDFs only; write to a .pdf file or remove it",
    ],
    [
      ["-o", "a.png", "--pdf"],
      "-o a.png contradicts --pdf; remove that option, or change the file's extension",
    ],
    [
      ["-o", "a.jpg", "--format", "webp"],
      "-o a.jpg contradicts --format webp; remove that option, or change the file's extension",
    ],
    [["-o", "-", "--json"], "--json and -o - both write to stdout"],
    [
      ["-o", "a.gif"],
      "-o a.gif does not imply a format; use one of .png, .jpg, .jpeg, .webp, .avif, .pdf, or pass --format, --output-format or --pdf",
    ],
    [[], "required option '-o, --output <file>' not specified"],
  ])("%j", async (args, message) => {
    const { code, stderr } = await workspace.run(["render", "https://example.com/", ...args], NO_BROWSER);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it("an invalid URL, and lists every other problem", async () => {
    const render = ["render", "example.com", "-o", "a.png", "--scale", "0"];
    const { code, stderr } = await workspace.run(render, NO_BROWSER);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "error: URL must be an absolute URL that starts with http:// or https://, or the path to a folder or to an .html, .htm or .md file; --scale must be an integer from 1 to 3\n",
    });
  });
});

it("render reports why the browser does not start, because it writes no log", async () => {
  const render = ["render", "https://93.184.216.34/", "-o", "none.png"];
  expect(await workspace.run(render, NO_BROWSER)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^error: upstream_error: .*\(.*\/nowhere\/chromium.*\) `snap-server doctor` checks the browser and the network\.\n$/,
    ),
  });
});

describe("render --help", () => {
  // the oldest parameters of GET /snap, except url, cache and cacheTtl
  // prettier-ignore
  it.each([
    "pdf", "full-page", "landscape", "format", "quality", "paper-format", "width", "height", "margin-top",
    "margin-right", "margin-bottom", "margin-left", "margin-unit", "scale", "delay", "selector", "clip-x",
    "clip-y", "clip-width", "clip-height", "omit-background", "wait-for-selector", "wait-until",
  ])("lists --%s", async (name) => {
    expect(await help).toMatch(new RegExp(`^  --${name}[ \n]`, "m"));
  });
});

const help = workspace.run(["render", "--help"]).then(({ stdout }) => stdout);
