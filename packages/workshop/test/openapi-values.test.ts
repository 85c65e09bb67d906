import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../server/src/openapi/document.ts";
import { openService } from "../../server/test/http/open-service.ts";

const document = openApiDocument("https://snap.example.com");

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(document, "openapi");

/** Returns the errors of `value` against the schema at a JSON pointer of the description. */
function errorsAt(pointer: string, value: unknown): unknown {
  const validate = ajv.getSchema(`openapi#${pointer}`);
  if (validate === undefined) return `no schema at ${pointer}`;
  return validate(value) === true ? null : validate.errors;
}

interface Example {
  /** JSON pointer of its schema. */
  readonly schema: string;
  readonly value: unknown;
}

/** Finds the examples of schemas, and of parameters and headers, whose schema is beside them. */
function* examplesIn(node: unknown, pointer: string): Generator<Example> {
  if (typeof node !== "object" || node === null) return;
  if ("example" in node)
    yield { schema: "schema" in node ? `${pointer}/schema` : pointer, value: node.example };
  for (const [key, child] of Object.entries(node))
    if (key !== "example")
      yield* examplesIn(child, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

describe("the OpenAPI description", () => {
  const examples = [...examplesIn(document, "")];

  it("has only examples that its schemas allow", () => {
    expect(examples.length).toBeGreaterThan(100);
    const invalid = examples.filter(({ schema, value }) => errorsAt(schema, value) !== null);
    expect(invalid).toEqual([]);
  });

  it("allows what the service returns", async () => {
    const { send, customer } = await openService();
    const { token } = await customer({ credits: 10 });
    const path = "/v1/snap?url=https://example.com/&answer=json";
    for (const cost of [1, 0]) {
      const { body } = await send(path, { token });
      const rendering: unknown = JSON.parse(body.toString());
      expect(rendering).toMatchObject({ credit_cost: cost });
      expect(errorsAt("/components/schemas/Rendering", rendering)).toBeNull();
    }
  });
});
