import { build } from "esbuild";
import { createHmac } from "node:crypto";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type * as client from "../src/index.ts";
import { openService } from "./service.ts";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Bundles the main entry point into one file, as for a browser or a worker. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [source("../src/index.ts")],
    // bundles the sources that the other tests use; packed-client.test.ts checks the packed packages
    alias: { "@snap/protocol": source("../../protocol/src/index.ts") },
    bundle: true,
    minify: true,
    platform: "neutral",
    format: "iife",
    globalName: "snapClient",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

describe("the package as one bundle", () => {
  it("runs with only the globals of the web platform", async () => {
    const service = await openService();
    const { token, signingSecret, tokenId } = await service.customer();
    const { createClient, isSnapError } = runInNewContext(`${await bundle()};snapClient`, {
      AbortController,
      AbortSignal,
      Headers,
      ReadableStream,
      Request,
      Response,
      TextDecoder,
      TextEncoder,
      URL,
      URLSearchParams,
      btoa,
      clearTimeout,
      fetch,
      setTimeout,
    }) as typeof client;
    const snap = createClient({ baseUrl: service.baseUrl, token, signingSecret });

    const { bytes } = await snap.screenshot({ url: "https://example.com/" });
    expect(new TextDecoder("latin1").decode(bytes.subarray(1, 4))).toBe("PNG");
    expect((await snap.usage()).credits.used).toBe(1);

    const failure: unknown = await snap.pdf({ url: "https://nowhere.example.com/" }).catch((error) => error);
    expect(failure).toMatchObject({ name: "SnapError", code: "target_unreachable", status: 422 });
    expect(isSnapError(failure)).toBe(true);

    const canonical = `tokenId=${tokenId}&url=https%3A%2F%2Fexample.com%2F`;
    const signature = createHmac("sha256", signingSecret)
      .update(`snap-signed-v1\n${canonical}`)
      .digest("hex");
    expect(snap.signUrl({ url: "https://example.com/" })).toBe(
      `${service.baseUrl}/snap/signed?${canonical}&signature=${signature}`,
    );
  });
});
