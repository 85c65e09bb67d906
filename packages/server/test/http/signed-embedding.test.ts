// @module-tag browser
import { createEngine, systemResolver, type TargetPolicy } from "@snap/engine";
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import { createMemoryStorage } from "@snap/testing";
import { createServer } from "node:http";
import { PNG } from "pngjs";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { serveEngine } from "./serve-engine.ts";
import { signedQuery } from "./open-service.ts";

/**
 * Serves pages from a separate origin, with the strictest embedder policy: resources from other origins must opt in.
 */
async function openSite(pages: Record<string, string>): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ""];
    response.writeHead(page === undefined ? 404 : 200, {
      "Content-Type": "text/html; charset=utf-8",
      "Cross-Origin-Embedder-Policy": "require-corp",
    });
    response.end(page);
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

const loopback: TargetPolicy = {
  allow: [{ kind: "cidr", address: "127.0.0.1", prefixLength: 32, port: null }],
  ownHostnames: [],
};

describe("a signed rendering embedded in a page from another origin", () => {
  it("loads as an <img> in a real browser", async () => {
    const engine = createEngine({
      storage: createMemoryStorage(),
      renderer: createPuppeteerRenderer({ targets: loopback }),
      secretKey: "a key for these tests",
      resolver: systemResolver,
      targets: loopback,
    });
    const service = await serveEngine(engine);
    onTestFinished(async () => {
      await service.stop();
      await engine.close();
    });
    const account = await engine.accounts.create({
      email: "a@example.com",
      planSlug: "starter",
      verified: true,
    });
    const { record, signingSecret } = await engine.tokens.create({ accountId: account.id });

    const pages: Record<string, string> = { "/green": "<body style='background:#00a000'>" };
    const origin = await openSite(pages);
    const source = signedQuery(
      { url: `${origin}/green`, width: 100, height: 100, tokenId: record.id },
      signingSecret,
    );
    pages["/embeds"] =
      `<body style="margin:0;background:#fff"><img src="${service.origin}/v1/snap/signed?${source}"><br>
       <img src="${service.origin}/v1/snap/signed?${source}&late=1">`;

    const principal = { account, token: record, balance: null };
    const { rendering } = await engine.capture({
      principal,
      parameters: { url: `${origin}/embeds`, width: 300, height: 200, waitUntil: "networkidle0" },
    });
    const { data, width } = PNG.sync.read(Buffer.from(rendering.bytes));
    const pixel = (x: number, y: number): number[] => [...data.subarray((y * width + x) * 4).subarray(0, 3)];
    expect(pixel(50, 50)).toEqual([0, 160, 0]);
    expect(pixel(50, 150)).toEqual([255, 255, 255]);
    expect((await engine.credits(account)).remaining).toBe(998);
  });
});
