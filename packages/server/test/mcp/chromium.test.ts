// @module-tag browser
import { createEngine, systemResolver, type TargetPolicy } from "@snap/engine";
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import { createMemoryStorage } from "@snap/testing";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService } from "../../src/http/service.ts";
import { createLogger } from "../../src/operations/logger.ts";
import { CLIENTS, type Access } from "./clients.ts";

const PAGES: Record<string, string> = {
  "/green": "<body style='background:#00a000'><p>Hello",
  "/tall": "<body style='margin:0;background:#00a000'><div style='height:9000px'>",
};

const LOOPBACK: TargetPolicy = {
  allow: [{ kind: "block", address: "127.0.0.1", prefixLength: 32, port: null }],
  ownHostnames: [],
};

const closing: (() => Promise<void> | void)[] = [];
let site: string;
let access: Access;

/** Starts the whole service with a real browser, for every session in this file. */
beforeAll(async () => {
  const pages = createServer((request, response) => {
    const page = PAGES[request.url ?? ""];
    response.writeHead(page === undefined ? 404 : 200, { "Content-Type": "text/html; charset=utf-8" });
    response.end(page);
  }).listen(0, "127.0.0.1");
  await once(pages, "listening");
  site = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const engine = createEngine({
    storage: createMemoryStorage(),
    renderer: createPuppeteerRenderer({ targets: LOOPBACK }),
    secretKey: "a key for these tests",
    resolver: systemResolver,
    targets: LOOPBACK,
  });
  const service = await startService({
    engine,
    host: "127.0.0.1",
    port: 0,
    publicUrl: "https://snap.example.com",
    logger: createLogger("silent"),
    metrics: false,
  });
  const account = await engine.accounts.create({
    email: "a@example.com",
    planSlug: "starter",
    requestsPerMinute: 100,
    verified: true,
  });
  const { token } = await engine.tokens.create({ accountId: account.id });
  access = { origin: service.origin, token };
  closing.push(
    () => service.stop(),
    () => engine.close(),
    () => void pages.close(),
  );
});

afterAll(async () => {
  for (const close of closing) await close();
});

/** Fetches a signed link directly from the service, which has no proxy in these tests. */
function fetchLink(link: unknown): Promise<Response> {
  const { pathname, search } = new URL(String(link));
  return fetch(access.origin + pathname + search);
}

describe.each(Object.entries(CLIENTS))("%s, in real Chromium", (name, connect) => {
  // A separate query per client avoids cache hits between them.
  const own = new URLSearchParams({ client: name }).toString();

  it("returns the image of a page", async () => {
    PAGES[`/green?${own}`] = PAGES["/green"] ?? "";
    const session = await connect(access);
    const url = `${site}/green?${own}`;
    const { content, structuredContent } = await session.call("take-screenshot", {
      url,
      width: 200,
      height: 100,
      waitUntil: "load",
    });
    const { width, height, data } = PNG.sync.read(Buffer.from(String(content[0]?.["data"]), "base64"));
    expect([width, height]).toEqual([200, 100]);
    const corner = (99 * 200 + 199) * 4;
    expect([...data.subarray(corner, corner + 4)]).toEqual([0, 0xa0, 0, 255]);
    expect(structuredContent).toMatchObject({ width: 200, height: 100, target_status: 200, cache: "MISS" });
  });

  it("returns a link to a PDF", async () => {
    PAGES[`/green?pdf&${own}`] = PAGES["/green"] ?? "";
    const session = await connect(access);
    const { structuredContent } = await session.call("create-pdf", { url: `${site}/green?pdf&${own}` });
    const file = await fetchLink(structuredContent?.["signed_url"]);
    expect(file.status).toBe(200);
    expect(file.headers.get("content-type")).toBe("application/pdf");
    expect(file.headers.get("x-cache")).toBe("HIT");
    expect(Buffer.from(await file.arrayBuffer()).toString("latin1", 0, 5)).toBe("%PDF-");
  });
});

it.each([
  ["jpeg", { format: "jpeg", quality: 60 }],
  ["webp", { format: "webp" }],
  ["webp", { format: "webp", omitBackground: true, quality: 100 }],
])("returns %s images with their size: %j", async (format, parameters) => {
  const session = await CLIENTS["the newer client, newer revision"](access);
  const { content, structuredContent } = await session.call("take-screenshot", {
    url: `${site}/green`,
    width: 320,
    height: 240,
    ...parameters,
  });
  expect(content[0]).toMatchObject({ type: "image", mimeType: `image/${format}` });
  expect(structuredContent).toMatchObject({ width: 320, height: 240, content_type: `image/${format}` });
});

it("returns a link for an image that is 9,000 px tall", async () => {
  const session = await CLIENTS["the older client"](access);
  const { content, structuredContent } = await session.call("take-screenshot", {
    url: `${site}/tall`,
    fullPage: true,
  });
  expect(content[0]).toMatchObject({
    type: "resource_link",
    name: "127.0.0.1-tall.png",
    mimeType: "image/png",
  });
  expect(structuredContent).toMatchObject({ width: 1280, height: 9000 });
  const file = await fetchLink(structuredContent?.["signed_url"]);
  const { height } = PNG.sync.read(Buffer.from(await file.arrayBuffer()));
  expect(height).toBe(9000);
});

it("blocks a page on a private address, and serves the next call", async () => {
  const session = await CLIENTS["the newer client, negotiated revision"](access);
  const refused = await session.call("take-screenshot", { url: "http://10.0.0.1/" });
  expect(refused.content[0]?.["text"]).toMatch(/^blocked_host: /);
  expect((await session.call("check-usage")).isError).toBeFalsy();
});
