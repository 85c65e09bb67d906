import { OpenApiGeneratorV31, OpenAPIRegistry } from "@asteasolutions/zod-to-openapi";
import { HEADER_COMPONENTS } from "./headers.ts";
import { errorEnvelope } from "./schemas.ts";

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = ReturnType<OpenApiGeneratorV31["generateDocument"]>;

type SecurityScheme = Parameters<OpenAPIRegistry["registerComponent"]>[2] & {
  readonly type: "http" | "apiKey";
};

export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly serverUrl: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
}

/** Generates the description of an API from its operations, with the response headers and the error envelope. */
export function generateDocument(
  { title, version, description, serverUrl, tags, securitySchemes }: ApiDescription,
  register: (registry: OpenAPIRegistry) => void,
): OpenApiDocument {
  const registry = new OpenAPIRegistry();
  for (const [name, scheme] of Object.entries(securitySchemes))
    registry.registerComponent("securitySchemes", name, scheme);
  for (const [name, header] of Object.entries(HEADER_COMPONENTS))
    registry.registerComponent("headers", name, { ...header });
  register(registry);
  return new OpenApiGeneratorV31([
    { type: "schema", schema: errorEnvelope },
    ...registry.definitions,
  ]).generateDocument({
    openapi: "3.1.0",
    info: { title, version, description, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: serverUrl }],
    tags: [...tags],
  });
}
