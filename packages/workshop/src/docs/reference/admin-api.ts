import { adminDocument } from "../../../../server/src/admin/openapi.ts";
import { ADMIN_ROUTES } from "../../../../server/src/admin/routes/all-routes.ts";
import { operationsOf, type Operation, type Schema } from "./operations.ts";
import { code, sentence, table, type ReferencePage } from "./page.ts";

export const adminApiPage: ReferencePage = {
  file: "admin-api.md",
  title: "Admin API",
  summary: "The operator's API at `/admin/v1`, which the console also uses.",
  parts: () => [
    "The service serves this API if the console is on (`SNAP_CONSOLE=on` or `serve --dev`) or `SNAP_ADMIN_TOKEN` is set; otherwise, every path returns 404. Send the value of `SNAP_ADMIN_TOKEN` as a bearer token. [Use the console](../how-to/use-the-console.md#scripts) has examples, and `/admin/v1/openapi.json` describes every response. It is not part of the [specification](specification.md) of `/v1`: any release may add fields, parameters and operations.",
    "Errors have the usual [envelope](errors.md). Unknown parameters are rejected with 422 `validation_failed`, and unknown ids with 404 `not_found`. Bodies are JSON objects. Lists return `entries` and `has_more`; some also return `more`, the number of remaining entries.",
    ...[...Map.groupBy(OPERATIONS, ({ tags }) => tags[0])].flatMap(([tag, operations]) =>
      [
        `## ${tag}`,
        table(
          ["operation", "description"],
          operations.map(({ name, summary, description = "" }) => [
            code(name),
            [sentence(summary), description].filter((text) => text !== "").join(" "),
          ]),
        ),
      ].concat(parameterTables(operations)),
    ),
  ],
};

const { paths, components } = adminDocument("https://snap.example.com", ADMIN_ROUTES);
const OPERATIONS = operationsOf(paths);

/** Returns a table of some operations' parameters; nothing if there are none. */
function parameterTables(operations: readonly Operation[]): readonly string[] {
  const rows = operations.flatMap((operation) =>
    [...queryOf(operation), ...bodyOf(operation)].map(([location, name, required, schema], index) => [
      index === 0 ? code(operation.name) : "",
      `${code(name)}${required ? " (required)" : ""}`,
      location,
      valuesOf(schema),
      schema.description ?? throwMissingDescription(name),
    ]),
  );
  return rows.length === 0 ? [] : [table(["operation", "parameter", "in", "values", "meaning"], rows)];
}

type Parameter = readonly [place: string, name: string, required: boolean, schema: Schema];

function queryOf({ parameters = [] }: Operation): Parameter[] {
  return parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, required = false, schema }) => ["query", name, required, schema]);
}

function bodyOf({ requestBody }: Operation): Parameter[] {
  const name = requestBody?.content["application/json"].schema.$ref.split("/").at(-1) ?? "";
  const { properties = {}, required = [] } = (components?.schemas?.[name] ?? {}) as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([member, schema]) => [
    "body",
    member,
    required.includes(member),
    schema,
  ]);
}

/** Fails, because no other page explains the parameters. */
function throwMissingDescription(name: string): never {
  throw new Error(`the admin API's parameter ${name} has no description`);
}

function valuesOf({
  enum: values,
  type,
  minimum,
  maximum,
  maxLength,
  format,
  items,
  ...schema
}: Schema): string {
  const defaultText =
    schema.default === undefined ? "" : `; ${code(JSON.stringify(schema.default))} by default`;
  if (items !== undefined) return `list of ${valuesOf(items)}`;
  if (values !== undefined)
    return values.length > 10
      ? `an [error code](errors.md)`
      : `${values.map((value) => code(value)).join(", ")}${defaultText}`;
  const types = Array.isArray(type) ? type : [type];
  const orNull = types.includes("null") ? ", or null" : "";
  if (types.includes("integer"))
    return maximum === Number.MAX_SAFE_INTEGER
      ? "integer"
      : `${minimum} to ${maximum}${orNull}${defaultText}`;
  if (types.includes("boolean")) return `${code("true")}, ${code("false")}${defaultText}`;
  if (format !== undefined) return format;
  return maxLength === undefined ? "text" : `text${orNull}`;
}
