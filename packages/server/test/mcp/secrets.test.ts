import { parseParameters } from "@snap/engine";
import { expect, it, vi } from "vitest";
import { openService } from "../http/open-service.ts";
import { CLIENTS } from "./clients.ts";

const ARGUMENTS = { url: "https://example.com/", basicAuth: "ada:s3cr3t" };

it.each(Object.entries(CLIENTS))(
  "create-pdf with secrets returns the file itself to %s",
  async (_name, connect) => {
    const { service, customer } = await openService();
    const { token } = await customer();
    const session = await connect({ origin: service.origin, token });
    const { content, structuredContent, isError } = await session.call("create-pdf", ARGUMENTS);
    expect(isError).toBeFalsy();
    expect(content).toMatchObject([
      {
        type: "resource",
        resource: { uri: "snap://renderings/example.com.pdf", mimeType: "application/pdf" },
      },
      { type: "text" },
    ]);
    const [file] = content as readonly [{ readonly resource: { readonly blob: string } }];
    expect(Buffer.from(file.resource.blob, "base64").subarray(0, 5).toString()).toBe("%PDF-");
    expect(structuredContent).toMatchObject({ signed_url: null, credit_cost: 1 });
    expect(JSON.stringify([content, structuredContent])).not.toContain("s3cr3t");
  },
);

it.each([
  ["create-pdf", "PDF too large to inline (limit 700 KB)."],
  ["take-screenshot", "Image too large to inline (limit 700 KB, 8,000 px per side)."],
] as const)(
  "%s with secrets rejects a file that is too large to inline, and refunds the render",
  async (tool, reason) => {
    const { service, customer, send, renderer } = await openService();
    const { token } = await customer({ credits: 10 });
    const session = await CLIENTS["the older client"]({ origin: service.origin, token });
    const pdf = tool === "create-pdf";
    const drawn = await renderer.render(parseParameters({ url: "https://example.com/", pdf }));
    const bytes = Buffer.concat([drawn.bytes, Buffer.alloc(700_000)]);
    vi.spyOn(renderer, "render").mockResolvedValueOnce({ ...drawn, bytes });
    const { content, isError } = await session.call(tool, ARGUMENTS);
    expect(isError).toBe(true);
    expect(content).toMatchObject([
      { text: expect.stringContaining(`render_failed: ${reason}`) as string },
      { text: expect.stringContaining("notes: capture-too-large") as string },
    ]);
    expect(content[0]?.["text"]).toContain("send the request to POST /v1/captures with the token");
    expect((await send("/v1/usage", { token })).headers["x-credits-remaining"]).toBe("10");
  },
);
