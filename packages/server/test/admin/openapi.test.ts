import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { ADMIN_ROUTES } from "../../src/admin/routes/all-routes.ts";
import { jsonOf } from "../http/open-service.ts";
import { openAdmin, TOKEN_ONLY } from "./open-admin.ts";

interface Operation {
  readonly operationId: string;
  readonly security: unknown;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Description {
  readonly servers: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

async function describeApi(options?: Parameters<typeof openAdmin>[0]): Promise<Description> {
  const { admin } = await openAdmin(options);
  const reply = await admin("/openapi.json", { token: undefined });
  expect(reply.status).toBe(200);
  expect(reply.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-cache",
  });
  return jsonOf(reply) as Description;
}

describe("the description of the admin API", () => {
  it("is valid OpenAPI 3.1, and lists every operation", async () => {
    const document = await describeApi();
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect(result.errors).toBeUndefined();
    expect(validator.version).toBe("3.1");
    expect(document.servers).toEqual([{ url: "https://snap.example.com/admin/v1" }]);
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(operations.toSorted((left, right) => left.localeCompare(right))).toEqual([
      "delete /accounts/{id}",
      "delete /sign-in",
      "delete /tokens",
      "delete /tokens/{id}",
      "get /accounts",
      "get /accounts/{id}",
      "get /batches",
      "get /batches/{id}",
      "get /deliveries",
      "get /health",
      "get /plans",
      "get /requests",
      "get /requests/{id}",
      "get /requests/{id}/rendering",
      "get /session",
      "get /tokens",
      "get /tokens/{id}",
      "get /usage",
      "patch /accounts/{id}",
      "post /accounts",
      "post /accounts/{id}/resume",
      "post /accounts/{id}/suspend",
      "post /accounts/{id}/verify",
      "post /deliveries",
      "post /sign-in",
      "post /tokens",
      "post /tokens/{id}/reveal",
      "post /tokens/{id}/rotate",
    ]);
  });

  it("resolves every reference, and lists parameters, credentials and errors", async () => {
    const document = await describeApi();
    for (const [, pointer = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = pointer
        .split("/")
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
      expect({ pointer, target }).not.toEqual({ pointer, target: undefined });
    }
    const requests = document.paths["/requests"]?.["get"];
    expect(requests?.parameters?.map(({ name, in: place }) => `${place} ${name}`)).toEqual([
      "query limit",
      "query after",
      "query account",
      "query token",
      "query entry_point",
      "query mode",
      "query host",
      "query code",
      "query failed",
      "query cache",
      "query request_id",
      "query since",
      "query until",
    ]);
    expect(requests?.security).toEqual([{ adminToken: [] }, { session: [] }]);
    expect(document.paths["/sign-in"]?.["post"]?.security).toEqual([]);
    expect(Object.keys(requests?.responses ?? {})).toEqual([
      "200",
      "400",
      "401",
      "403",
      "404",
      "408",
      "413",
      "422",
      "431",
      "500",
      "503",
    ]);
  });

  it("requires a body only if it has a required parameter", async () => {
    const { paths } = await describeApi();
    const requires = (path: string, method: string): unknown => paths[path]?.[method]?.requestBody?.required;
    expect(requires("/tokens", "post")).toBe(true);
    expect(requires("/tokens/{id}/rotate", "post")).toBe(false);
  });

  it("omits sign-in without a console", async () => {
    const { paths } = await describeApi({ admin: TOKEN_ONLY });
    expect(paths["/sign-in"]).toBeUndefined();
    expect(paths["/session"]).toBeDefined();
  });

  it("has a unique operation id for each route", () => {
    const ids = ADMIN_ROUTES.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
