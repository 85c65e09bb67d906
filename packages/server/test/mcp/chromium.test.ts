// @module-tag browser
import { imageSize } from "image-size";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENTS, type Access } from "./clients.ts";
import { openBrowserService, type BrowserService } from "./open-browser-service.ts";

const PAGES: Record<string, string> = {
  "/green": "<body style='background:#00a000'><p>Hello",
  "/tall": "<body style='margin:0;background:#00a000'><div style='height:9000px'>",
  "/noise": `<body style="margin:0"><canvas width="640" height="480"></canvas><script>
    const context = document.querySelector("canvas").getContext("2d");
    const image = context.createImageData(640, 480);
    // a linear congruential generator, so every render has the same pixels
    let state = 1;
    for (let at = 0; at < image.data.length; at += 1) {
      state = (state * 1664525 + 1013904223) % 4294967296;
      image.data[at] = at % 4 === 3 ? 255 : state >>> 24;
    }
    context.putImageData(image, 0, 0);</script>`,
};

let service: BrowserService;
let site: string;
let access: Access;
let fetchLink: BrowserService["fetchLink"];

beforeAll(async () => {
  service = await openBrowserService(PAGES);
  ({ site, access, fetchLink } = service);
});

afterAll(() => service.close());

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

it("returns a preview and a link for an image that is 9,000 px tall, for one credit", async () => {
  const session = await CLIENTS["the older client"](access);
  const { content, structuredContent } = await session.call("take-screenshot", {
    url: `${site}/tall`,
    fullPage: true,
  });
  expect(content).toMatchObject([
    { type: "image", mimeType: "image/webp" },
    { type: "resource_link", name: "127.0.0.1-tall.png", mimeType: "image/png" },
    { type: "text" },
    { type: "text", text: expect.stringContaining("shrunk to ") as string },
  ]);
  const preview = Buffer.from(String(content[0]?.["data"]), "base64");
  const { width: previewWidth, height: previewHeight } = imageSize(preview);
  expect(preview.length).toBeLessThanOrEqual(700_000);
  expect(previewHeight).toBeLessThanOrEqual(8000);
  expect(previewWidth / previewHeight).toBeCloseTo(1280 / 9000, 3);
  expect(structuredContent).toMatchObject({
    width: 1280,
    height: 9000,
    content_type: "image/png",
    credit_cost: 1,
    preview: { content_type: "image/webp", size: preview.length, width: previewWidth, height: previewHeight },
  });
  const file = await fetchLink(structuredContent?.["signed_url"]);
  const { height } = PNG.sync.read(Buffer.from(await file.arrayBuffer()));
  expect(height).toBe(9000);
  expect(file.headers.get("x-cache")).toBe("HIT");
});

it("returns a preview of noise over 700 KB at its original size, and the same one again", async () => {
  const session = await CLIENTS["the older client"](access);
  const call = (): ReturnType<typeof session.call> =>
    session.call("take-screenshot", { url: `${site}/noise`, width: 640, height: 480 });
  const first = await call();
  expect(first.content[0]).toMatchObject({ type: "image", mimeType: "image/webp" });
  expect(first.structuredContent).toMatchObject({ preview: { width: 640, height: 480 }, credit_cost: 1 });
  const second = await call();
  expect(second.content[0]).toEqual(first.content[0]);
  expect(second.structuredContent).toMatchObject({ cache: "HIT", credit_cost: 0 });
});

it("returns AVIF as a preview that assistants accept, with a link to the file", async () => {
  const session = await CLIENTS["the older client"](access);
  const { content, structuredContent } = await session.call("take-screenshot", {
    url: `${site}/green`,
    output: "avif",
    cache: false,
  });
  expect(content[0]).toMatchObject({ type: "image", mimeType: "image/webp" });
  expect(structuredContent).toMatchObject({
    content_type: "image/avif",
    preview: { width: 1280, height: 800 },
  });
  const file = await fetchLink(structuredContent?.["signed_url"]);
  expect([file.headers.get("content-type"), file.headers.get("x-cache")]).toEqual(["image/avif", "HIT"]);
});

it("rejects AVIF that cannot be linked", async () => {
  const session = await CLIENTS["the older client"](access);
  const remaining = async (): Promise<unknown> =>
    (await session.call("check-usage")).structuredContent?.["credits"];
  const before = await remaining();
  const { content, isError } = await session.call("take-screenshot", {
    url: `${site}/green`,
    output: "avif",
    headers: { "X-Preview": "1" },
  });
  expect(isError).toBe(true);
  expect(content[0]?.["text"]).toMatch(
    /^validation_failed: output cannot be avif, which assistants do not accept\. .* POST \/v1\/captures /,
  );
  expect(await remaining()).toEqual(before);
});

it("blocks a page on a private address, and serves the next call", async () => {
  const session = await CLIENTS["the newer client, negotiated revision"](access);
  const refused = await session.call("take-screenshot", { url: "http://10.0.0.1/" });
  expect(refused.content[0]?.["text"]).toMatch(/^blocked_host: /);
  expect((await session.call("check-usage")).isError).toBeFalsy();
});
