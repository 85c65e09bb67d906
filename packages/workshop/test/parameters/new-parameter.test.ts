import { beforeAll, describe, expect, it } from "vitest";
import { addParameter } from "./add-parameter.ts";

/*
 * One row in the table defines a parameter. These tests add a row to a copy of the table, and check everything that is
 * derived from the table.
 */

const url = "https://example.com/";

describe("a parameter that is added to the table", () => {
  beforeAll(addParameter);

  it("is validated in queries, JSON and batch items", async () => {
    const { parseParameters, parseQuery } = await import("@snap/engine");
    expect(parseQuery(new URLSearchParams({ url, darkMode: "1" }))).toMatchObject({ darkMode: true });
    expect(parseQuery(new URLSearchParams({ url, pdf: "1" }))).toMatchObject({ darkMode: false });
    expect(parseParameters({ url, darkMode: true })).toMatchObject({ darkMode: true });
    expect(() => parseQuery(new URLSearchParams({ url, darkMode: "x" }))).toThrow(/darkMode|parameter/);
    const { batchSubmission } = await import("../../../server/src/openapi/batch-schemas.ts");
    expect(batchSubmission.safeParse({ items: [{ url, darkMode: true }] }).success).toBe(true);
    expect(batchSubmission.safeParse({ items: [{ url, darkMode: "x" }] }).success).toBe(false);
  });

  it("changes the cache key only if its value is not the default", async () => {
    const { parseQuery } = await import("@snap/engine");
    const { createCacheKey } = await import("../../../engine/src/parameters/cache-key.ts");
    const cacheKey = createCacheKey({ digest: (secret) => secret });
    const keyOf = (query: Record<string, string>): string =>
      cacheKey(parseQuery(new URLSearchParams({ url, ...query })));
    // The same literal as in the engine's tests.
    const digest = "85c4f4017e687b3f7f85c988153e2687b0f4cc66a4390c79ca1f2199d4b67d8c";
    expect(keyOf({})).toBe(digest);
    expect(keyOf({ darkMode: "0" })).toBe(digest);
    expect(keyOf({ darkMode: "1" })).not.toBe(digest);
  });

  it("is in the OpenAPI document, for GET requests that render and for batch items", async () => {
    const { openApiDocument } = await import("../../../server/src/openapi/document.ts");
    const { paths, components } = openApiDocument("https://snap.example.com");
    for (const path of ["/snap", "/snap/signed"])
      expect(paths?.[path]?.get?.parameters).toContainEqual({
        name: "darkMode",
        in: "query",
        required: false,
        description: "Render the page's dark design.",
        example: true,
        schema: { type: "boolean", default: false },
        "x-accepted-in": ["screenshot", "pdf"],
      });
    for (const item of ["ScreenshotItem", "PdfItem"])
      expect(components?.schemas?.[item]).toMatchObject({
        properties: { darkMode: { type: "boolean", default: false } },
      });
  });

  it("is in the Postman collection", async () => {
    const { postmanCollection } = await import("../../../server/src/openapi/postman.ts");
    const [screenshot] = postmanCollection("https://snap.example.com").item;
    expect(screenshot?.request.url.query).toContainEqual({
      key: "darkMode",
      value: "true",
      description: "Render the page's dark design.",
      disabled: true,
    });
  });

  it("is an argument of the tools", async () => {
    const { TOOLS } = await import("../../../server/src/mcp/tools.ts");
    for (const tool of ["take-screenshot", "create-pdf"] as const)
      expect(TOOLS[tool].inputSchema["properties"]).toMatchObject({
        darkMode: { type: "boolean", default: false, description: "Render the page's dark design." },
      });
  });

  it("is a command-line option", async () => {
    const { createProgram } = await import("../../../server/src/cli/program.ts");
    const render = createProgram().commands.find((command) => command.name() === "render");
    expect(render?.helpInformation()).toMatch(/--dark-mode +Render the page's dark design\./);
  });

  it("is validated by the client", async () => {
    const { createClient } = await import("@snap/client");
    const snap = createClient({ baseUrl: "https://snap.example.com/v1", token: "1|x", signingSecret: "s" });
    const sign = (darkMode: unknown): string =>
      snap.signUrl({ url, darkMode } as unknown as Parameters<typeof snap.signUrl>[0]);
    expect(sign(true)).toContain("darkMode=true");
    expect(() => sign("yes")).toThrow(/darkMode/);
  });

  it("is in the reference and the documented types", async () => {
    const { parametersPage } = await import("../../src/docs/reference/parameters.ts");
    expect(parametersPage.parts().join("\n\n")).toMatch(
      /\| `darkMode` \| both \| boolean \| `false` \| Render the page's dark design\. \|/,
    );
    const { parameterTypes } = await import("../../src/docs/parameter-types.ts");
    expect(await parameterTypes()).toContain(
      "   * Render the page's dark design.\n   * @default false\n   */\n  readonly darkMode?: boolean | undefined;",
    );
  });
});
