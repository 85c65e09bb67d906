import { PARAMETERS } from "@snap/protocol";
import { expect, it } from "vitest";
import { TOOLS } from "../../src/mcp/tools.ts";

it.each([
  ["take-screenshot", [...Object.keys(PARAMETERS.screenshot), "html", "markdown"]],
  ["create-pdf", [...Object.keys(PARAMETERS.pdf), "html", "markdown"]],
  ["check-usage", []],
] as const)("the input schema of %s has its parameters and no others", (name, parameters) => {
  const { inputSchema } = TOOLS[name];
  expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
  expect(inputSchema).not.toHaveProperty("$schema");
  expect(new Set(Object.keys(inputSchema["properties"] as object))).toEqual(
    new Set(parameters.filter((parameter) => parameter !== "pdf")),
  );
  // not even url, because html or markdown can replace it; a union would express that, but some
  // clients reject unions at the top level
  expect(inputSchema["required"] ?? []).toEqual([]);
});

it("arguments have types and ranges", () => {
  expect(TOOLS["take-screenshot"].inputSchema["properties"]).toMatchObject({
    url: { type: "string", maxLength: 2048, examples: ["https://example.com/"] },
    fullPage: { type: "boolean", default: false },
    quality: { type: "integer", minimum: 1, maximum: 100 },
    scale: { type: "integer", minimum: 1, maximum: 3, default: 1 },
    format: { enum: ["png", "jpeg", "webp"], description: "Image format. Default: `png`." },
  });
  expect(TOOLS["create-pdf"].inputSchema["properties"]).toMatchObject({
    scale: { type: "number", minimum: 0.1, maximum: 2, default: 1 },
    marginTop: { type: "number", minimum: 0, maximum: 1000 },
  });
});

it("omits defaults that would change the meaning or be invalid if sent, such as format with output", () => {
  const { waitUntil, cacheTtl, format } = TOOLS["take-screenshot"].inputSchema["properties"] as Record<
    string,
    object
  >;
  expect(waitUntil).not.toHaveProperty("default");
  expect(cacheTtl).not.toHaveProperty("default");
  expect(JSON.parse(JSON.stringify(format))).not.toHaveProperty("default");
});

it.each([
  [
    "take-screenshot",
    [
      "etag",
      "content_type",
      "size",
      "cache",
      "target_status",
      "expires_at",
      "credit_cost",
      "signed_url",
      "notes",
      "stored_location",
      "width",
      "height",
      "preview",
    ],
  ],
  [
    "create-pdf",
    [
      "etag",
      "content_type",
      "size",
      "cache",
      "target_status",
      "expires_at",
      "credit_cost",
      "signed_url",
      "notes",
      "stored_location",
    ],
  ],
  ["check-usage", ["credits", "plan", "period", "rate_limit"]],
] as const)("%s lists the properties of its result, without references", (name, properties) => {
  const { outputSchema } = TOOLS[name];
  expect(Object.keys(outputSchema["properties"] as object)).toEqual(properties);
  expect(outputSchema["required"]).toEqual(properties);
  // clients that check results reject what a closed schema does not contain, so nothing could ever be added
  expect(JSON.stringify(outputSchema)).not.toContain("additionalProperties");
  expect(JSON.stringify(outputSchema)).not.toMatch(/\$ref|\$defs|\$schema|"id"/);
});
