import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/openapi/document.ts";
import { openService } from "../http/open-service.ts";
import { routesOfApp } from "../http/routes-of-app.ts";

const document = openApiDocument("https://snap.example.com");

interface ResponseObject {
  readonly description: string;
  readonly headers?: Record<string, { $ref: string }>;
  readonly content?: Record<string, { schema: { allOf?: { properties?: { code: { enum: string[] } } }[] } }>;
}

/** The responses of GET; unless `method` is `get`, of POST if there is one. */
function responsesOf(path: string, method?: "get" | "post"): Record<string, ResponseObject> {
  const { get, post } = document.paths?.[path] ?? {};
  const responses: Record<string, ResponseObject> | undefined = (method === "get" ? get : (post ?? get))
    ?.responses;
  return responses ?? {};
}

/** The error codes of an operation by status. */
function codesOf(path: string, method?: "get" | "post"): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(responsesOf(path, method)).flatMap(([status, { content }]) => {
      const codes = content?.["application/json"]?.schema.allOf?.[1]?.properties?.code.enum;
      return codes === undefined ? [] : [[status, codes]];
    }),
  );
}

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  it("resolves every reference", () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, pointer = ""] of references) {
      const target = pointer
        .split("/")
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
      expect({ pointer, target }).not.toEqual({ pointer, target: undefined });
    }
  });

  it("has open objects in responses and webhooks, because members may be added, and closed ones in requests", () => {
    const { schemas = {} } = document.components ?? {};
    const isClosed = (name: string): boolean =>
      JSON.stringify(schemas[name]).includes('"additionalProperties":false');
    const requests = ["ScreenshotCapture", "PdfCapture", "ScreenshotItem", "PdfItem", "BatchSubmission"];
    expect(Object.keys(schemas).filter(isClosed).toSorted()).toEqual(requests.toSorted());
    const operations = Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods));
    const responses = operations.map((operation) => (operation as { readonly responses: unknown }).responses);
    expect(responses).not.toContain(undefined);
    expect(JSON.stringify([responses, document.webhooks])).not.toContain('"additionalProperties":false');
  });

  it("is deterministic, and equals the served document", async () => {
    expect(JSON.stringify(openApiDocument("https://snap.example.com"))).toBe(JSON.stringify(document));
    const { send } = await openService();
    const reply = await send("/v1/openapi.json");
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(reply.body.toString()).toBe(JSON.stringify(document));
  });

  it("lists the server, the security scheme and the operations", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.servers).toEqual([{ url: "https://snap.example.com/v1" }]);
    expect(document.components?.securitySchemes?.["bearer"]).toMatchObject({
      type: "http",
      scheme: "bearer",
    });
    const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const { operationId, security } = operation as Record<"operationId" | "security", unknown>;
        return [method, path, operationId, security];
      }),
    );
    expect(operations).toEqual([
      ["get", "/snap", "renderPage", [{ bearer: [] }]],
      ["get", "/snap/signed", "renderSignedPage", []],
      ["post", "/captures", "capture", [{ bearer: [] }]],
      ["post", "/renders", "submitBatch", [{ bearer: [] }]],
      ["get", "/renders", "listBatches", [{ bearer: [] }]],
      ["get", "/renders/{id}", "getBatch", [{ bearer: [] }]],
      ["get", "/renders/{id}/deliveries", "listDeliveries", [{ bearer: [] }]],
      ["post", "/renders/{id}/deliveries", "resendWebhook", [{ bearer: [] }]],
      ["post", "/documents", "uploadDocument", [{ bearer: [] }]],
      ["get", "/documents/{id}", "getDocument", [{ bearer: [] }]],
      ["delete", "/documents/{id}", "deleteDocument", [{ bearer: [] }]],
      ["get", "/usage", "getUsage", [{ bearer: [] }]],
      ["get", "/openapi.json", "getOpenApi", []],
      ["get", "/postman.json", "getPostmanCollection", []],
    ]);
  });

  it("has an operation for each method and path that the app serves under /v1, and no others", () => {
    const documented = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} /v1${path}`),
    );
    const served = routesOfApp({ metrics: false }).flatMap(({ path, stack }) => {
      const pattern: unknown = path;
      const names =
        pattern instanceof RegExp
          ? Object.keys(document.paths ?? {}).filter((name) => pattern.test(`/v1${name}`))
          : [];
      const name = names.length === 1 ? `/v1${names[0]}` : String(pattern).replaceAll("\\/", "/");
      if (!name.includes("/v1/")) return [];
      const methods = new Set(stack.map(({ method }) => method));
      return ["get", "post", "put", "patch", "delete"]
        .filter((method) => methods.has(method))
        .map((method) => `${method} ${name}`);
    });
    expect(
      served.toSorted(),
      "the routes of packages/server/src/http/app.ts and the operations in packages/server/src/openapi/document.ts differ",
    ).toEqual(documented.toSorted());
  });

  it("lists every possible code by status", () => {
    expect(codesOf("/snap")).toEqual({
      400: ["bad_request"],
      401: ["unauthenticated"],
      402: ["no_active_plan", "credit_limit_reached"],
      403: ["account_suspended", "email_unverified", "missing_ability"],
      408: ["request_timeout"],
      413: ["payload_too_large"],
      422: ["validation_failed", "invalid_url", "blocked_host", "target_unreachable", "script_failed"],
      429: ["rate_limited"],
      431: ["request_header_fields_too_large"],
      500: ["server_error", "render_failed"],
      502: ["upstream_error", "upstream_quota_exceeded", "store_failed"],
      503: ["not_ready", "upstream_rate_limited"],
      504: ["render_timeout"],
    });
    expect(codesOf("/captures")).toEqual(codesOf("/snap"));
    expect(codesOf("/snap/signed")).toEqual({
      400: ["bad_request"],
      402: ["no_active_plan", "credit_limit_reached"],
      403: [
        "invalid_signature",
        "account_suspended",
        "signed_url_expired",
        "email_unverified",
        "missing_ability",
      ],
      408: ["request_timeout"],
      413: ["payload_too_large"],
      422: ["validation_failed", "invalid_url", "blocked_host", "target_unreachable", "script_failed"],
      429: ["rate_limited"],
      431: ["request_header_fields_too_large"],
      500: ["server_error", "render_failed"],
      502: ["upstream_error", "upstream_quota_exceeded"],
      503: ["not_ready", "upstream_rate_limited"],
      504: ["render_timeout"],
    });
    expect(codesOf("/renders")).toEqual({
      400: ["bad_request"],
      401: ["unauthenticated"],
      403: ["account_suspended", "email_unverified", "missing_ability"],
      408: ["request_timeout"],
      413: ["payload_too_large"],
      422: ["validation_failed", "blocked_host", "idempotency_mismatch"],
      429: ["rate_limited"],
      431: ["request_header_fields_too_large"],
      500: ["server_error"],
      503: ["not_ready"],
    });
    expect(codesOf("/renders", "get")).toEqual({
      400: ["bad_request"],
      401: ["unauthenticated"],
      403: ["account_suspended", "email_unverified"],
      404: ["not_found"],
      408: ["request_timeout"],
      413: ["payload_too_large"],
      422: ["validation_failed"],
      431: ["request_header_fields_too_large"],
      500: ["server_error"],
      503: ["not_ready"],
    });
    expect(codesOf("/renders/{id}/deliveries", "get")).toEqual(codesOf("/renders", "get"));
    expect(codesOf("/renders/{id}/deliveries", "post")).toEqual({
      ...codesOf("/renders", "get"),
      429: ["rate_limited"],
    });
    expect(codesOf("/renders/{id}")).toEqual({
      400: ["bad_request"],
      401: ["unauthenticated"],
      403: ["account_suspended", "email_unverified"],
      404: ["not_found"],
      408: ["request_timeout"],
      413: ["payload_too_large"],
      431: ["request_header_fields_too_large"],
      500: ["server_error"],
      503: ["not_ready"],
    });
    expect(codesOf("/documents")).toEqual({
      400: ["bad_request"],
      401: ["unauthenticated"],
      403: ["account_suspended", "email_unverified"],
      408: ["request_timeout"],
      413: ["payload_too_large"],
      422: ["validation_failed"],
      429: ["rate_limited"],
      431: ["request_header_fields_too_large"],
      500: ["server_error"],
      503: ["not_ready", "upstream_rate_limited"],
    });
    expect(codesOf("/documents/{id}")).toEqual(codesOf("/renders/{id}"));
    expect(codesOf("/usage")).toEqual({
      400: ["bad_request"],
      401: ["unauthenticated"],
      403: ["account_suspended"],
      408: ["request_timeout"],
      413: ["payload_too_large"],
      429: ["rate_limited"],
      431: ["request_header_fields_too_large"],
      500: ["server_error"],
      503: ["not_ready"],
    });
    // Unknown methods and paths belong to no operation.
    for (const code of ["method_not_allowed", "not_found", "api_moved"])
      expect(document.info.description).toContain(`\`${code}\``);
  });

  it("lists every header of every response", () => {
    const commonHeaders = ["Cache-Control", "X-Request-Id"];
    const credits = ["X-Credits-Limit", "X-Credits-Remaining", "X-Credits-Reset"];
    const rateLimit = ["X-RateLimit-Limit", "X-RateLimit-Remaining"];
    const rendering = ["ETag", "X-Cache", "X-Target-Status", "X-Render-Notes"];
    const rendered = [...rendering, "X-Stored-Location", ...credits, ...rateLimit];
    const successes: Readonly<Record<string, string[]>> = {
      "get /snap 200": rendered,
      "get /snap 304": rendered,
      "get /snap/signed 200": rendering,
      "get /snap/signed 304": rendering,
      "post /captures 200": rendered,
      "post /captures 304": rendered,
      "post /renders 202": [...credits, "Location"],
      "get /renders 200": credits,
      "get /renders/{id} 200": credits,
      "get /renders/{id}/deliveries 200": credits,
      "post /renders/{id}/deliveries 202": credits,
      "post /documents 201": [...credits, "Location"],
      "get /documents/{id} 200": credits,
      "delete /documents/{id} 204": credits,
      "get /usage 200": credits,
      "get /openapi.json 200": [],
      "get /postman.json 200": [],
    };
    const errors: Readonly<Record<string, string[]>> = {
      400: [],
      401: ["WWW-Authenticate"],
      402: credits,
      403: credits,
      404: credits,
      408: [],
      413: [],
      422: credits,
      429: [...credits, ...rateLimit, "Retry-After"],
      431: [],
      500: credits,
      502: [...credits, "Retry-After"],
      503: [...credits, "Retry-After"],
      504: [...credits, "Retry-After"],
    };
    const renderOperations = new Set(["get /snap", "get /snap/signed", "post /captures"]);
    // the body is read after authentication
    const operationsWithBody = new Set(["post /captures", "post /renders", "post /documents"]);
    const operationsWithoutToken = new Set(["get /snap/signed", "get /openapi.json", "get /postman.json"]);
    const errorHeaders = (operation: string, status: string): string[] => {
      const names = [...(errors[status] ?? ["an unexpected status"])];
      if (status === "413" && operationsWithBody.has(operation)) names.push(...credits);
      if (status === "500" && renderOperations.has(operation)) names.push("X-Render-Notes");
      return operationsWithoutToken.has(operation)
        ? names.filter((name) => !/^X-(Credits|RateLimit)-/.test(name))
        : names;
    };
    const found = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { responses: Record<string, ResponseObject> }>).flatMap(
        ([method, { responses }]) =>
          Object.entries(responses).map(([status, { headers }]) => ({
            operation: `${method} ${path}`,
            status,
            headers: Object.keys(headers ?? {}).toSorted(),
          })),
      ),
    );
    expect(found.map(({ operation, status }) => `${operation} ${status}`)).toEqual(
      expect.arrayContaining(Object.keys(successes)),
    );
    for (const { operation, status, headers } of found) {
      const expected = successes[`${operation} ${status}`] ?? errorHeaders(operation, status);
      expect({ operation, status, headers }).toEqual({
        operation,
        status,
        headers: [...commonHeaders, ...expected].toSorted(),
      });
    }
    expect(Object.keys(responsesOf("/snap")["200"]?.content ?? {})).toEqual([
      "image/png",
      "image/jpeg",
      "image/webp",
      "image/avif",
      "application/pdf",
      "application/json",
    ]);
  });
});
