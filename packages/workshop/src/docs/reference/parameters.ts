import { isSnapError, parseQuery } from "@snap/engine";
import {
  DEVICES,
  effectiveDefault,
  LIMITS,
  PARAMETER_GROUPS,
  PARAMETER_TABLE,
  type ParameterGroup,
  type ParameterRow,
} from "@snap/protocol";
import {
  ANSWER_PARAMETERS,
  SIGNED_URL_PARAMETERS,
  type OperationParameter,
} from "../../../../server/src/openapi/parameters.ts";
import { renderingDocument } from "../../../../server/src/openapi/rendering-schemas.ts";
import { batchSubmission } from "../../../../server/src/openapi/batch-schemas.ts";
import { linkToEntry } from "../../gallery/page.ts";
import { code, count, plain, table, type ReferencePage } from "./page.ts";

export const parametersPage: ReferencePage = {
  file: "parameters.md",
  title: "Parameters",
  summary: "The parameters of a render request.",
  parts: () => [
    "The query of `GET /snap` and `GET /snap/signed`, the body of `POST /captures`, the items of a batch, the client and the tools accept these parameters, unless the meaning says otherwise. `pdf=true` selects the PDF mode; a tool has a fixed mode. Booleans are `true`, `false`, `1` or `0`. A parameter that the mode does not accept is an error.",
    ...PARAMETER_GROUPS.flatMap((group) => [`## ${group}`, parameterTable(group)]),
    "## Devices",
    "Values of `device`. Most also exist in landscape: append `-landscape`.",
    DEVICES.filter((name) => !name.endsWith("-landscape"))
      .map(code)
      .join(", "),
    "## Conflicting parameters",
    "Each of these returns 422 `validation_failed`, and costs nothing. The response names each of these parameters.",
    table(["request", "parameter", "message"], CONFLICTS.flatMap(conflictRows)),
    "## Response",
    "`GET /snap` and `POST /captures` also accept `answer`. It affects neither the rendering, its cost nor its cache entry.",
    operationParameters(ANSWER_PARAMETERS),
    "The members of the JSON object:",
    table(
      ["member", "meaning"],
      Object.entries(renderingDocument.shape).map(([name, { description = "" }]) => [
        code(name),
        description,
      ]),
    ),
    "If the rendering was cached by a release without `answer`, `title`, `final_url` and `pages` are null. The response has the headers of the file, except `ETag`, and is never 304.",
    "## Signed URLs",
    "`GET /snap/signed` also accepts:",
    operationParameters(SIGNED_URL_PARAMETERS),
    "## Batches",
    "The body of `POST /renders` is a JSON object:",
    table(
      ["name", "required", "meaning"],
      Object.entries(batchSubmission.shape).map(([name, field]) => [
        code(name),
        field.safeParse(undefined).success ? "" : "yes",
        field.description ?? "",
      ]),
    ),
  ],
};

function operationParameters(parameters: readonly OperationParameter[]): string {
  return table(
    ["name", "type", "required", "meaning"],
    parameters.map(({ name, schema, required, description }) => [
      code(name),
      Array.isArray(schema["enum"])
        ? schema["enum"].map(String).map(code).join(", ")
        : String(schema["type"]),
      required ? "yes" : "",
      description,
    ]),
  );
}

/** Examples of conflicts between parameters. */
const CONFLICTS = [
  "width=800",
  "clipX=0&clipY=0",
  "fullPage=1&selector=main",
  "selector=main&clipX=0&clipY=0&clipWidth=10&clipHeight=10",
  "fullPage=1&clipX=0&clipY=0&clipWidth=10&clipHeight=10",
  "quality=80",
  "format=jpeg&omitBackground=1",
  "cache=0&cacheTtl=3600",
  "format=webp&width=9000&height=100&scale=2",
  "width=10000&height=10000&scale=2",
  "device=iphone-15-pro&scale=2",
  "latitude=47.4",
  "padding=20",
  "output=avif&format=webp",
  "resizeFit=cover",
  "resizeWidth=400&resizePosition=top",
  "fullPageMaxHeight=5000",
  "maskColor=black",
  'cookies=[{"name":"a","value":"b","domain":"example.org"}]',
  "pdf=1&fullPage=1",
  "landscape=1",
  "pdf=1&width=210",
  "pdf=1&marginTop=10",
  "pdf=1&marginTop=0&marginRight=110&marginBottom=0&marginLeft=110",
  "pdf=1&scale=3",
];

/** Reads the messages from the service's own validation. */
function conflictRows(query: string): string[][] {
  const pairs = new URLSearchParams(`url=https://example.com/&${query}`);
  try {
    parseQuery(pairs);
  } catch (error) {
    if (isSnapError(error) && error.errors !== undefined)
      return Object.entries(error.errors).map(([name, messages]) => [
        code(query),
        code(name),
        plain(messages.join("; ")),
      ]);
    throw error;
  }
  throw new Error(`${query} is valid; remove it from the list of conflicts`);
}

function parameterTable(group: ParameterGroup): string {
  const rows = PARAMETER_TABLE.filter((row) => row.group === group).map((row) => {
    const value = effectiveDefault(row);
    return [
      code(row.name),
      row.modes.length > 1 ? "both" : row.modes.includes("pdf") ? "PDFs" : "screenshots",
      describeType(row),
      row.kind === "url" ? "required" : value === undefined ? "" : code(String(value)),
      describeMeaning(row),
    ];
  });
  return table(["name", "for", "type", "default", "meaning"], rows);
}

/** The gallery has screenshots only. */
function describeMeaning({ name, modes, description }: ParameterRow): string {
  const link = modes.includes("screenshot") ? linkToEntry(name) : null;
  return link === null ? description : `${description} [Screenshots](${link}).`;
}

function describeType(row: ParameterRow): string {
  switch (row.kind) {
    case "flag":
      return "boolean";
    case "choice":
      return row.values.map(code).join(", ");
    case "integer":
      return `integer from ${count(row.min)} to ${count(row.max)}`;
    case "decimal":
    case "pixels":
      return `number from ${count(row.min)} to ${count(row.max)}`;
    case "url":
      return `URL, at most ${count(LIMITS.urlCharacters)} characters`;
    case "selector":
      return `CSS selector, at most ${count(row.maxCharacters)} characters${row.isStrict ? ", without single quotes and backslashes" : ""}`;
    case "json":
      return `JSON: ${plain(row.syntax)}, at most ${count(row.maxCharacters)} characters`;
    case "text":
      return `${plain(row.syntax)}, at most ${count(row.maxCharacters)} characters`;
  }
}
