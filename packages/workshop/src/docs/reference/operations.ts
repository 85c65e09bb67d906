import type { OpenApiDocument } from "../../../../server/src/openapi/generate.ts";

/** The parts of a JSON Schema that the reference shows. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly default?: string | number | boolean;
  readonly description?: string;
  readonly items?: Schema;
}

/** An operation or a webhook in a generated OpenAPI document. */
export interface Operation {
  /** Such as `GET /accounts`. */
  readonly name: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: { readonly $ref: string } } };
  };
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>;
}

export function operationsOf(paths: OpenApiDocument["paths"]): Operation[] {
  const methodsOfPaths = Object.entries((paths ?? {}) as Record<string, Record<string, Operation>>);
  return methodsOfPaths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      Object.assign({}, operation, { name: `${method.toUpperCase()} ${path}` }),
    ),
  );
}
