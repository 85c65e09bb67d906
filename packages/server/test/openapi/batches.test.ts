import { SnapError } from "@snap/engine";
import { PARAMETERS } from "@snap/protocol";
import { describe, expect, it } from "vitest";
import { renderBatch } from "../../src/openapi/batch-schemas.ts";
import { openApiDocument } from "../../src/openapi/document.ts";
import { batchOf, submit } from "../http/batches.ts";
import { openService } from "../http/open-service.ts";

const document = openApiDocument("https://snap.example.com");
const url = "https://example.com/";

interface ObjectSchema {
  readonly properties: Record<string, Record<string, unknown>>;
  readonly required: string[];
  readonly additionalProperties: boolean;
}

function schemaOf(name: string): ObjectSchema {
  return document.components?.schemas?.[name] as unknown as ObjectSchema;
}

describe("the schema of a submission", () => {
  it("has 1 to 20 items of either mode", () => {
    const { properties, required, additionalProperties } = schemaOf("BatchSubmission");
    expect({ required, additionalProperties }).toEqual({ required: ["items"], additionalProperties: false });
    expect(properties["items"]).toMatchObject({
      type: "array",
      minItems: 1,
      maxItems: 20,
      items: {
        anyOf: [{ $ref: "#/components/schemas/ScreenshotItem" }, { $ref: "#/components/schemas/PdfItem" }],
      },
    });
    expect(properties["webhookUrl"]).toMatchObject({
      type: ["string", "null"],
      format: "uri",
      maxLength: 2048,
    });
  });

  it.each([
    ["ScreenshotItem", ["url"], Object.keys(PARAMETERS.screenshot)],
    ["PdfItem", ["url", "pdf"], Object.keys(PARAMETERS.pdf)],
  ])("%s has the parameters of its mode, and cannot disable the cache", (name, required, parameters) => {
    const schema = schemaOf(name);
    expect(Object.keys(schema.properties).toSorted()).toEqual(parameters.toSorted());
    expect(schema.required).toEqual(required);
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties["cache"]).toMatchObject({ type: "boolean", enum: [true] });
    expect(schema.properties["cacheTtl"]).toMatchObject({
      type: "integer",
      minimum: 3600,
      maximum: 2_592_000,
    });
  });

  it("has JSON booleans and numbers", () => {
    expect(schemaOf("ScreenshotItem").properties).toMatchObject({
      pdf: { type: "boolean", enum: [false] },
      fullPage: { type: "boolean" },
      quality: { type: "integer", minimum: 1, maximum: 100 },
    });
    expect(schemaOf("PdfItem").properties).toMatchObject({
      pdf: { type: "boolean", enum: [true] },
      scale: { type: "number", minimum: 0.1, maximum: 2 },
    });
  });
});

describe("the schema of a batch", () => {
  it("matches pending and complete responses, and the webhook", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const submission = { items: [{ url }, { url: `${url}b`, pdf: true }], webhookUrl: `${url}hook` };
    const submitted = batchOf(await submit(service, submission, { token }));
    expect(renderBatch.parse(submitted)).toEqual(submitted);
    service.renderer.failNext(new SnapError("render_failed", "The page could not be captured."));
    service.engine.startWorker();
    await service.whenLogged("webhook delivered");
    const complete = batchOf(await service.send(`/v1/renders/${submitted.id}`, { token }));
    expect(complete.items.map(({ status }) => status).toSorted()).toEqual(["done", "failed"]);
    expect(renderBatch.parse(complete)).toEqual(complete);
    const posted: unknown = JSON.parse(new TextDecoder().decode(service.webhookSender.requests[0]?.body));
    expect(renderBatch.parse(posted)).toEqual(posted);
    expect(posted).toEqual({
      ...complete,
      webhook: { url: `${url}hook`, delivered_at: null },
    });
  });

  it("allows new statuses of an item, but not of the batch", () => {
    expect(schemaOf("BatchItem").properties["status"]).toMatchObject({
      anyOf: [{ type: "string", enum: ["queued", "rendering", "done", "failed"] }, { type: "string" }],
    });
    expect(schemaOf("RenderBatch").properties["status"]).toMatchObject({ enum: ["pending", "complete"] });
    expect(schemaOf("BatchItem").properties["credit_cost"]).toMatchObject({
      anyOf: [{ enum: [0] }, { enum: [1] }, { type: "null" }],
    });
  });
});

describe("the webhook's description", () => {
  it("lists the headers of both schemes, and all of them are sent", async () => {
    const webhook = document.webhooks?.["batch.complete"];
    expect(webhook).toMatchObject({
      post: {
        security: [],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/RenderBatch" } } },
        },
      },
    });
    const { parameters } = (webhook as unknown as { post: { parameters: Record<string, unknown>[] } }).post;
    const names = parameters.map(({ name }) => String(name));
    expect(names).toEqual([
      "X-Webhook-Id",
      "X-Webhook-Timestamp",
      "X-Webhook-Signature",
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
    ]);
    const service = await openService({ worker: true });
    const { token } = await service.customer();
    await submit(service, { items: [{ url }], webhookUrl: `${url}hook` }, { token });
    await service.webhookSender.whenSent(1);
    const headers = service.webhookSender.requests[0]?.headers ?? {};
    for (const { name, schema } of parameters) {
      const { pattern = "" } = schema as { readonly pattern?: string };
      expect([name, headers[String(name)]]).toEqual([name, expect.stringMatching(new RegExp(pattern))]);
    }
  });
});
