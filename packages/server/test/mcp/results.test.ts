import { SnapError, type Capture } from "@snap/engine";
import { PNG } from "pngjs";
import { expect, it } from "vitest";
import { failureResult, pdfResult, screenshotResult } from "../../src/mcp/results.ts";

const link = { url: "https://snap.example.com/v1/snap/signed?x=1", expiresAt: Date.UTC(2026, 2, 2) };

/** A PNG of this width and height, padded after its end to `size` bytes. */
function createPng({
  width,
  height,
  size = 0,
}: {
  width: number;
  height: number;
  size?: number;
}): Buffer<ArrayBuffer> {
  const png = PNG.sync.write(new PNG({ width, height }));
  return Buffer.concat([png, Buffer.alloc(Math.max(0, size - png.length))]);
}

function captured(
  bytes: Uint8Array<ArrayBuffer>,
  notes: readonly string[] = [],
  contentType: Capture["rendering"]["contentType"] = "image/png",
): Capture {
  return {
    rendering: {
      bytes,
      contentType,
      targetStatus: 404,
      notes,
      etag: '"abc"',
      storedAt: 0,
      expiresAt: Date.UTC(2026, 2, 2),
    },
    url: "https://example.com/a?b=c",
    cache: "miss",
    isCached: true,
    unchanged: false,
    rateLimit: null,
    creditCost: 1,
    storedLocation: null,
    balance: null,
    respondedAt: 0,
  };
}

function resultOf(
  bytes: Uint8Array<ArrayBuffer>,
  preview: Parameters<typeof screenshotResult>[0]["preview"] = null,
): ReturnType<typeof screenshotResult> {
  return screenshotResult({
    url: "https://example.com/a?b=c",
    capture: captured(bytes),
    link: () => link,
    preview,
  });
}

it.each([
  ["8,000 px wide", { width: 8000, height: 2 }],
  ["8,000 px tall", { width: 2, height: 8000 }],
  ["700,000 bytes in size", { width: 2, height: 2, size: 700_000 }],
])("inlines an image that is %s", (_case, sides) => {
  const bytes = createPng(sides);
  const { content, structuredContent } = resultOf(bytes);
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
  ["700,001 bytes in size", { width: 2, height: 2, size: 700_001 }],
])("without a preview, only links to an image that is %s", (_case, sides) => {
  const bytes = createPng(sides);
  const { content, structuredContent } = resultOf(bytes);
  expect(content).toEqual([
    {
      type: "resource_link",
      uri: link.url,
      name: "example.com-a.png",
      title: "PNG of https://example.com/a?b=c",
      description: "Valid until 2026-03-02T00:00:00.000Z.",
      mimeType: "image/png",
      size: bytes.length,
    },
    { type: "text", text: expect.stringContaining(link.url) as string },
    { type: "text", text: expect.stringMatching(/^Image too large to inline .* webp or jpeg/) as string },
  ]);
  expect(structuredContent).toMatchObject({
    ...sides,
    size: bytes.length,
    signed_url: link.url,
    preview: null,
  });
});

it("without a preview, only links to an AVIF image, whatever its size", () => {
  const capture = captured(createPng({ width: 2, height: 2 }), [], "image/avif");
  const { content } = screenshotResult({
    url: "https://example.com/",
    capture,
    link: () => link,
    preview: null,
  });
  expect(content).toMatchObject([
    { type: "resource_link", mimeType: "image/avif" },
    { type: "text" },
    {
      type: "text",
      text: "Assistants do not accept AVIF, and no preview could be made. Try again later, or omit the output parameter.",
    },
  ]);
});

it("returns a preview together with the link", () => {
  const bytes = createPng({ width: 2, height: 8001 });
  const preview = { bytes: Buffer.from("RIFF"), width: 1, height: 4000 };
  const { content, structuredContent } = resultOf(bytes, preview);
  expect(content).toMatchObject([
    { type: "image", mimeType: "image/webp", data: "UklGRg==" },
    { type: "resource_link", uri: link.url, mimeType: "image/png", size: bytes.length },
    { type: "text", text: expect.stringContaining(link.url) as string },
    { type: "text", text: expect.stringContaining("shrunk to 1 x 4000 px from 2 x 8001 px") as string },
  ]);
  expect(structuredContent).toMatchObject({
    content_type: "image/png",
    size: bytes.length,
    width: 2,
    height: 8001,
    signed_url: link.url,
    preview: { content_type: "image/webp", size: 4, width: 1, height: 4000 },
  });
});

it("includes the notes of a rendering", () => {
  const capture = captured(createPng({ width: 2, height: 2 }), ["wait-capped"]);
  const { content, structuredContent } = screenshotResult({
    url: "https://example.com/",
    capture,
    link: () => link,
    preview: null,
  });
  expect(content[1]).toEqual({
    type: "text",
    text: "PNG, 2 x 2 px, 1 KB, of https://example.com/ (status 404); rendered now, 1 credit. wait-capped: A wait reached its limit, or the page kept navigating; it was captured as it was.",
  });
  expect(structuredContent).toMatchObject({ notes: ["wait-capped"], target_status: 404 });
});

it("escapes text from the caller, so it cannot imitate another line", () => {
  const message = "x\n\nrequest_id: forged is not a parameter (1 more invalid)";
  const errors = {
    "x\n\nrequest_id: forged": ["is not a parameter"],
    "a\u202eb\u2028": ["is not a parameter"],
  };
  const error = new SnapError("validation_failed", message, { errors });
  expect(failureResult(error, "7b0c")).toEqual({
    isError: true,
    content: [
      {
        type: "text",
        text: String.raw`validation_failed: x\u{a}\u{a}request_id: forged is not a parameter (1 more invalid)`,
      },
      {
        type: "text",
        text: [
          String.raw`x\u{a}\u{a}request_id: forged is not a parameter`,
          String.raw`a\u{202e}b\u{2028} is not a parameter`,
          "request_id: 7b0c",
        ].join("\n"),
      },
    ],
  });
});

it("includes the notes of a failed render", () => {
  const error = new SnapError("render_failed", "Too large.", { notes: ["capture-too-large"] });
  expect(failureResult(error, "7b0c").content).toEqual([
    { type: "text", text: "render_failed: Too large." },
    { type: "text", text: "notes: capture-too-large\nrequest_id: 7b0c" },
  ]);
});

it("returns the link's expiry if it differs from the rendering's", () => {
  const bytes = Buffer.from("%PDF-1.4");
  const { rendering, ...rest } = captured(bytes);
  const capture: Capture = { ...rest, rendering: { ...rendering, contentType: "application/pdf" } };
  const earlierLink = { ...link, expiresAt: Date.UTC(2026, 2, 1) };
  const { structuredContent } = pdfResult({
    url: "https://example.com/",
    capture,
    link: () => earlierLink,
  });
  expect(structuredContent).toMatchObject({ expires_at: "2026-03-01T00:00:00.000Z", signed_url: link.url });
});
