import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../server/src/openapi/document.ts";
import { openService, signedQuery, type RequestOptions } from "../../server/test/http/open-service.ts";

const document = openApiDocument("https://snap.example.com");

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(document, "openapi");

/** Validates `value` with the schema at this JSON pointer. Returns what is wrong, or `null`. */
function errorsAt(pointer: string, value: unknown): unknown {
  const validate = ajv.getSchema(`openapi#${pointer}`);
  if (validate === undefined) return `no schema at ${pointer}`;
  return validate(value) === true ? null : validate.errors;
}

/** Returns the member at a JSON pointer of the description. */
function at(pointer: string): unknown {
  const keys = pointer.split("/").slice(1);
  return keys
    .map((key) => key.replaceAll("~1", "/"))
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}

/** The headers that the description defines, in lower case. */
const HEADERS = new Set(Object.keys(document.components?.headers ?? {}).map((name) => name.toLowerCase()));

interface Example {
  /** JSON pointer of its schema. */
  readonly schema: string;
  readonly value: unknown;
}

/** Finds the examples of schemas, and of parameters, headers and bodies, whose schema is beside them. */
function* examplesIn(node: unknown, pointer: string): Generator<Example> {
  if (typeof node !== "object" || node === null) return;
  if ("example" in node)
    yield { schema: "schema" in node ? `${pointer}/schema` : pointer, value: node.example };
  if ("examples" in node && "schema" in node)
    for (const { value } of Object.values(node.examples as Record<string, { readonly value: unknown }>))
      yield { schema: `${pointer}/schema`, value };
  for (const [key, child] of Object.entries(node))
    if (key !== "example" && key !== "examples")
      yield* examplesIn(child, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

describe("the OpenAPI description", () => {
  const examples = [...examplesIn(document, "")];

  it("has only examples that its schemas allow", () => {
    expect(examples.length).toBeGreaterThan(100);
    const invalid = examples.filter(({ schema, value }) => errorsAt(schema, value) !== null);
    expect(invalid).toEqual([]);
  });

  it("allows what the service returns, and lists its headers", async () => {
    const { send, customer, whenLogged } = await openService({ worker: true });
    const { token, tokenId, signingSecret } = await customer({ credits: 10 });
    const url = "https://example.com/";
    const json = { "Content-Type": "application/json" };
    const checked = new Set<string>();
    /** Sends a request and checks its response. Returns the body if it is JSON, else `null`. */
    const check = async (
      [method, path, expected]: readonly [method: string, path: string, status: number],
      { target = path, ...options }: RequestOptions & { readonly target?: string } = {},
    ): Promise<unknown> => {
      const reply = await send(`/v1${target}`, { method, token, ...options });
      expect([method, target, reply.status]).toEqual([method, target, expected]);
      const operation = `/paths/${path.replaceAll("/", "~1")}/${method.toLowerCase()}`;
      checked.add(operation);
      const { headers } = at(`${operation}/responses/${expected}`) as { readonly headers: object };
      const documented = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
      const unlisted = Object.keys(reply.headers).filter(
        (name) => HEADERS.has(name) && !documented.has(name),
      );
      expect(unlisted).toEqual([]);
      if (reply.headers["content-type"]?.startsWith("application/json") !== true) return null;
      const body: unknown = JSON.parse(reply.body.toString());
      const schema = `${operation}/responses/${expected}/content/application~1json/schema`;
      expect(errorsAt(schema, body)).toBeNull();
      return body;
    };

    const query = `/snap?url=${url}`;
    for (const cost of [1, 0])
      expect(await check(["GET", "/snap", 200], { target: `${query}&answer=json` })).toMatchObject({
        credit_cost: cost,
      });
    await check(["GET", "/snap", 200], { target: query });
    await check(["GET", "/snap", 401], { target: query, token: undefined });
    await check(["GET", "/snap", 422], { target: `${query}&width=0` });
    await check(["GET", "/snap/signed", 200], {
      target: `/snap/signed?${signedQuery({ url, tokenId }, signingSecret)}`,
    });
    await check(["GET", "/snap/signed", 403], { target: `/snap/signed?url=${url}` });
    const html = JSON.stringify({ html: "<h1>Hello</h1>", answer: "json" });
    await check(["POST", "/captures", 200], { headers: json, body: html });
    const items = JSON.stringify({ items: [{ url }], webhookUrl: "https://example.com/hook" });
    const batch = await check(["POST", "/renders", 202], { headers: json, body: items });
    const { id } = batch as { readonly id: string };
    await check(["POST", "/renders", 422], { headers: json, body: "{}" });
    await check(["GET", "/renders", 200]);
    await check(["GET", "/renders/{id}", 200], { target: `/renders/${id}` });
    await check(["GET", "/renders/{id}", 404], { target: "/renders/batch_0" });
    await check(["GET", "/renders/{id}/deliveries", 200], { target: `/renders/${id}/deliveries` });
    await whenLogged("webhook delivered");
    await check(["POST", "/renders/{id}/deliveries", 202], { target: `/renders/${id}/deliveries` });
    const page = { headers: { "Content-Type": "text/html" }, body: "<h1>Hello</h1>" };
    const uploaded = (await check(["POST", "/documents", 201], page)) as { readonly id: string };
    await check(["GET", "/documents/{id}", 200], { target: `/documents/${uploaded.id}` });
    await check(["DELETE", "/documents/{id}", 204], { target: `/documents/${uploaded.id}` });
    await check(["GET", "/documents/{id}", 404], { target: `/documents/${uploaded.id}` });
    await check(["GET", "/usage", 200]);
    await check(["GET", "/openapi.json", 200]);
    await check(["GET", "/postman.json", 200]);
    const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `/paths/${path.replaceAll("/", "~1")}/${method}`),
    );
    expect(operations.filter((operation) => !checked.has(operation))).toEqual([]);
  });

  it("shows errors as the service returns them", async () => {
    const { send, customer } = await openService();
    const [allowed, screenshotsOnly, unverified, withoutPlan] = await Promise.all([
      customer(),
      customer({ abilities: ["screenshot"] }),
      customer({ verified: false }),
      customer({ planSlug: null }),
    ]);
    const page = "url=https://example.com/";
    for (const [path, status, { token } = allowed] of [
      [`/snap?${page}`, 401, { token: undefined }],
      [`/snap?${page}`, 402, withoutPlan],
      [`/snap?${page}`, 403, unverified],
      [`/snap?${page}&pdf=true`, 403, screenshotsOnly],
      ["/snap", 422],
      [`/snap?${page}&format=jpeg&quality=101`, 422],
      ["/snap?url=http://10.0.0.1/", 422],
      [`/snap/signed?${page}`, 403],
    ] as const) {
      const reply = await send(`/v1${path}`, { token });
      const body = JSON.parse(reply.body.toString()) as { readonly code: string };
      const operation = path.split("?")[0]?.replaceAll("/", "~1");
      const example = at(
        `/paths/${operation}/get/responses/${status}/content/application~1json/examples/${body.code}`,
      );
      expect([reply.status, { value: { ...body, request_id: expect.any(String) } }]).toEqual([
        status,
        example,
      ]);
    }
  });
});
