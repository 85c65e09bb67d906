import { describe, expect, it } from "vitest";
import { openService, type CustomerOptions, type TestService } from "../http/open-service.ts";
import { CLIENTS, type Session } from "./clients.ts";

const url = "https://example.com/";
const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

type Connect = (typeof CLIENTS)[keyof typeof CLIENTS];

async function openSession(
  connect: Connect,
  options?: CustomerOptions,
): Promise<TestService & { readonly session: Session; readonly token: string }> {
  const test = await openService();
  const { token } = await test.customer(options);
  return { ...test, token, session: await connect({ origin: test.service.origin, token }) };
}

describe.each(Object.entries(CLIENTS))("%s", (_name, connect) => {
  const open = (options?: CustomerOptions): ReturnType<typeof openSession> => openSession(connect, options);

  it("lists the three tools with their annotations", async () => {
    const { session } = await open();
    const tools = await session.listTools();
    const renders = {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    };
    expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ["take-screenshot", renders],
      ["create-pdf", renders],
      [
        "check-usage",
        { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      ],
    ]);
  });

  it("returns a screenshot: image, summary and metadata", async () => {
    const { session, renderer, snap, token } = await open();
    const { content, structuredContent } = await session.call("take-screenshot", { url, scale: 2 });
    const same = await snap({ url, scale: "2" }, { token });
    expect(same.headers["x-cache"]).toBe("HIT");
    expect(content).toMatchObject([
      { type: "image", mimeType: "image/png", data: same.body.toString("base64") },
      {
        type: "text",
        text: "PNG, 16 x 16 px, 1 KB, of https://example.com/ (status 200); rendered now, 1 credit.",
      },
    ]);
    expect(structuredContent).toEqual({
      etag: same.headers.etag,
      content_type: "image/png",
      size: same.body.length,
      width: 16,
      height: 16,
      preview: null,
      cache: "MISS",
      target_status: 200,
      expires_at: "2026-03-02T12:00:00.000Z",
      credit_cost: 1,
      signed_url: null,
      stored_location: null,
      notes: [],
    });
    expect(renderer.calls).toMatchObject([{ url, scale: 2, pdf: false }]);

    const again = await session.call("take-screenshot", { url, scale: 2 });
    expect(again.structuredContent).toMatchObject({ cache: "HIT", credit_cost: 0 });
  });

  it("returns a PDF as a link that fetches the same file for free", async () => {
    const { session, send, token } = await open({ credits: 1 });
    const { content, structuredContent } = await session.call("create-pdf", { url, paperFormat: "a5" });
    const link = String(content[0]?.["uri"]);
    expect(content).toMatchObject([
      {
        type: "resource_link",
        name: "example.com.pdf",
        mimeType: "application/pdf",
        title: "PDF of https://example.com/",
        description: "Valid until 2026-03-02T12:00:00.000Z.",
      },
      { type: "text", text: expect.stringContaining(link) as string },
    ]);
    expect(structuredContent).toMatchObject({
      content_type: "application/pdf",
      cache: "MISS",
      target_status: null,
      credit_cost: 1,
      signed_url: link,
      expires_at: "2026-03-02T12:00:00.000Z",
    });
    const { origin, pathname, search } = new URL(link);
    expect(origin).toBe("https://snap.example.com");
    const file = await send(pathname + search);
    expect(file.status).toBe(200);
    expect(file.headers).toMatchObject({
      "content-type": "application/pdf",
      "x-cache": "HIT",
      etag: structuredContent?.["etag"],
    });
    expect((await send("/v1/usage", { token })).headers["x-credits-remaining"]).toBe("0");
  });

  it("returns the same usage report as GET /v1/usage", async () => {
    const { session, send, token } = await open();
    const { content, structuredContent } = await session.call("check-usage");
    const report: unknown = JSON.parse((await send("/v1/usage", { token })).body.toString());
    expect(structuredContent).toEqual(report);
    expect(JSON.parse(String(content[0]?.["text"]))).toEqual(report);
  });

  it("returns a tool error", async () => {
    const { session } = await open();
    const { isError, content } = await session.call("take-screenshot", { url, quality: 80 });
    expect(isError).toBe(true);
    expect(content[0]?.["text"]).toMatch(/^validation_failed: quality requires a lossy format/);
  });

  it("returns the seconds to wait if the render limit is exceeded", async () => {
    const { session } = await open({ requestsPerMinute: 1 });
    expect((await session.call("take-screenshot", { url })).isError).toBeFalsy();
    const { isError, content } = await session.call("create-pdf", { url });
    expect(isError).toBe(true);
    expect(content[0]?.["text"]).toMatch(/^rate_limited: /);
    expect(content[1]?.["text"]).toMatch(/^Retry after 60 s\.\n/);
  });

  it("rejects a wrong token before the protocol starts", async () => {
    const { service } = await openService();
    const refused = connect({ origin: service.origin, token: "1|wrong" });
    // The service's message, or what the client derives from the status.
    await expect(refused).rejects.toThrow(/unauthenticated|HTTP 401/);
  });

  it("rejects a token that is revoked during the session", async () => {
    const { service, engine, customer } = await openService();
    const { token, tokenId } = await customer();
    const session = await connect({ origin: service.origin, token });
    await engine.tokens.revoke(tokenId);
    await expect(session.call("check-usage")).rejects.toThrow(/unauthenticated/);
  });

  it("reports progress to a client that requests it", async () => {
    const { session, renderer } = await open();
    const release = renderer.hold();
    const reported = Promise.withResolvers<{ progress: number }>();
    const pending = session.call("take-screenshot", { url }, reported.resolve);
    expect(await reported.promise).toMatchObject({ progress: 0, message: "waiting for the page" });
    release();
    expect((await pending).structuredContent).toMatchObject({ cache: "MISS" });
  });
});

describe("a tool", () => {
  it.each<[string, CustomerOptions, string, Record<string, unknown>, RegExp]>([
    [
      "an invalid parameter",
      {},
      "take-screenshot",
      { url, quality: 80 },
      /^validation_failed: quality requires a lossy format: jpeg or webp$/,
    ],
    [
      "a string for a boolean",
      {},
      "take-screenshot",
      { url, fullPage: "true" },
      /^validation_failed: fullPage must be true or false$/,
    ],
    ["a typo", {}, "create-pdf", { url, papreFormat: "a4" }, /^validation_failed: .*paperFormat/],
    [
      "a parameter of the other mode",
      {},
      "create-pdf",
      { url, fullPage: true },
      /^validation_failed: fullPage is for take-screenshot only/,
    ],
    [
      "the mode as a parameter",
      {},
      "take-screenshot",
      { url, pdf: true },
      /^validation_failed: pdf is set by the tool/,
    ],
    [
      "a missing page",
      {},
      "take-screenshot",
      {},
      /^invalid_url: url is missing; send exactly one of url, html and markdown/,
    ],
    ["an internal host", {}, "take-screenshot", { url: "http://10.0.0.1/" }, /^blocked_host: /],
    [
      "a parameter of a tool without parameters",
      {},
      "check-usage",
      { month: 3 },
      /^validation_failed: month/,
    ],
    ["a token restricted to PDFs", { abilities: ["pdf"] }, "take-screenshot", { url }, /^missing_ability: /],
    [
      "a token restricted to screenshots",
      { abilities: ["screenshot"] },
      "create-pdf",
      { url },
      /^missing_ability: /,
    ],
    ["no credits", { credits: 0 }, "create-pdf", { url }, /^credit_limit_reached: /],
    ["no plan", { planSlug: null }, "take-screenshot", { url }, /^no_active_plan: /],
    ["an unverified email address", { verified: false }, "take-screenshot", { url }, /^email_unverified: /],
    [
      "an unverified email address, before the parameters",
      { verified: false },
      "create-pdf",
      { fullPage: true },
      /^email_unverified: /,
    ],
  ])("returns a tool error for %s", async (_case, customer, tool, args, text) => {
    const { session, renderer } = await openSession(CLIENTS["the newer client, newer revision"], customer);
    const { isError, content, structuredContent } = await session.call(tool, args);
    expect(isError).toBe(true);
    expect(structuredContent).toBeUndefined();
    expect(content).toEqual([
      { type: "text", text: expect.stringMatching(text) as string },
      { type: "text", text: expect.stringMatching(new RegExp(`(^|\n)request_id: ${UUID}$`)) as string },
    ]);
    expect(renderer.calls).toEqual([]);
  });
});
