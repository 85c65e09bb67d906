// @module-tag browser
import { imageSize } from "image-size";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CLIENTS, type Result } from "./clients.ts";
import { openBrowserService, type BrowserService } from "./open-browser-service.ts";

/* The table of requests in docs/how-to/connect-an-assistant.md. */

const GUIDE = new URL("../../../../docs/how-to/connect-an-assistant.md", import.meta.url);
const ROW = /^\| (?<request>.+?) +\| `(?<tool>[a-z-]+)` +\| `(?<args>\{.*\})` +\|$/gm;
const TASKS = Array.from(readFileSync(GUIDE, "utf8").matchAll(ROW), ({ groups = {} }) => ({
  request: groups["request"] ?? "",
  tool: groups["tool"] ?? "",
  args: groups["args"] ?? "",
}));

const PAGE = `<!doctype html><title>Example</title>
  <meta name="viewport" content="width=device-width">
  <style>
    body { margin: 0; background: white } #opened { display: none; height: 3000px }
    @media (prefers-color-scheme: dark) { body { background: black } }
  </style>
  <button id="menu" onclick="opened.style.display = 'block'">Menu</button><div id="opened"></div>
  <table id="prices" style="width:200px;height:100px;margin:50px"><tr><td>1</table>
  <p style="height:1500px">`;

let service: BrowserService;
beforeAll(async () => {
  service = await openBrowserService({ "/": PAGE });
});
afterAll(() => service.close());

/** The image's format and size, the linked file's media type, or the limits in a usage report. */
async function outcomeOf({ content, structuredContent = {} }: Result): Promise<unknown> {
  const image = content.find(({ type }) => type === "image");
  if (image !== undefined) {
    const { width, height, type } = imageSize(Buffer.from(String(image["data"]), "base64"));
    return [type, width, height];
  }
  if (structuredContent["signed_url"] === undefined) return structuredContent["rate_limit"];
  const file = await service.fetchLink(structuredContent["signed_url"]);
  return file.headers.get("content-type");
}

/** The outcome of each task, in the order of the table. */
const OUTCOMES = [
  ["png", 1280, 800],
  ["png", 1179, 1977],
  ["webp", 1280, expect.any(Number)],
  ["png", 232, 132],
  ["png", 1280, 800],
  ["webp", 400, 250],
  ["png", 1200, 630],
  "application/pdf",
  "application/pdf",
  { requests_per_minute: 100, cached_requests_per_minute: 300 },
];

it("the guide lists ten requests", () => {
  expect(TASKS).toHaveLength(OUTCOMES.length);
});

it.each(TASKS.map((task, index) => [task.request, task, OUTCOMES[index]] as const))(
  "%s",
  async (_request, { tool, args }, outcome) => {
    const session = await CLIENTS["the newer client, negotiated revision"](service.access);
    const sent = JSON.parse(args.replaceAll("https://example.com/", `${service.site}/`)) as object;
    const result = await session.call(tool, { ...sent });
    expect(result.content[0]?.["text"] ?? "").not.toMatch(/^[a-z_]+: /);
    expect(result.isError).toBeFalsy();
    expect(result.structuredContent?.["notes"] ?? []).toEqual([]);
    expect(await outcomeOf(result)).toEqual(outcome);
  },
);
