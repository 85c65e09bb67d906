import type { Capture } from "@snap/engine";
import { PNG } from "pngjs";
import { expect, it } from "vitest";
import { screenshotResult } from "../../src/mcp/results.ts";

const link = { url: "https://snap.example.com/v1/snap/signed?x=1", expiresAt: Date.UTC(2026, 2, 2) };

/** A picture of these sides; bytes behind its end, which don't matter to it, make it as large as wished. */
function picture({ width, height, size }: { width: number; height: number; size?: number }): Uint8Array {
  const png = PNG.sync.write(new PNG({ width, height }));
  return size === undefined ? png : Buffer.concat([png, Buffer.alloc(size - png.length)]);
}

function captured(bytes: Uint8Array, notes: readonly string[] = []): Capture {
  return {
    rendering: {
      bytes,
      contentType: "image/png",
      targetStatus: 404,
      notes,
      etag: '"abc"',
      storedAt: 0,
      expiresAt: Date.UTC(2026, 2, 2),
    },
    cache: "miss",
    unchanged: false,
    budget: null,
    creditCost: 1,
    answeredAt: 0,
  };
}

function resultOf(bytes: Uint8Array): ReturnType<typeof screenshotResult> {
  return screenshotResult({
    url: "https://example.com/a?b=c",
    capture: captured(bytes),
    link: async () => link,
  });
}

it.each([
  ["8,000 px wide", { width: 8000, height: 2 }],
  ["8,000 px tall", { width: 2, height: 8000 }],
  ["700,000 bytes large", { width: 2, height: 2, size: 700_000 }],
])("a picture %s is shown", async (_case, sides) => {
  const bytes = picture(sides);
  const { content, structuredContent } = await resultOf(bytes);
  expect(content[0]).toEqual({
    type: "image",
    mimeType: "image/png",
    data: Buffer.from(bytes).toString("base64"),
  });
  expect(structuredContent).toMatchObject({ width: sides.width, height: sides.height, signed_url: null });
});

it.each([
  ["8,001 px wide", { width: 8001, height: 2 }],
  ["8,001 px tall", { width: 2, height: 8001 }],
  ["700,001 bytes large", { width: 2, height: 2, size: 700_001 }],
])("a picture %s comes as a link", async (_case, sides) => {
  const bytes = picture(sides);
  const { content, structuredContent } = await resultOf(bytes);
  expect(content).toEqual([
    {
      type: "resource_link",
      uri: link.url,
      name: "example.com.png",
      description: "PNG of https://example.com/a?b=c; works until 2026-03-02T00:00:00.000Z.",
      mimeType: "image/png",
      size: bytes.length,
    },
    { type: "text", text: expect.stringContaining(link.url) as string },
    { type: "text", text: "The picture is too large to be shown here." },
  ]);
  expect(structuredContent).toMatchObject({ ...sides, size: bytes.length, signed_url: link.url });
});

it("tells what the service remarks on a rendering", async () => {
  const capture = captured(picture({ width: 2, height: 2 }), ["wait-capped"]);
  const { content, structuredContent } = await screenshotResult({
    url: "https://example.com/",
    capture,
    link: async () => link,
  });
  expect(content[1]).toEqual({
    type: "text",
    text: "PNG, 2 x 2 px, 1 KB, of https://example.com/, which answered 404; rendered now, 1 credit (wait-capped).",
  });
  expect(structuredContent).toMatchObject({ notes: ["wait-capped"], target_status: 404 });
});
