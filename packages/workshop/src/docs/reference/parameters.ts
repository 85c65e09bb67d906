import { isSnapError, parseQuery } from "@snap/engine";
import {
  effectiveDefault,
  LIMITS,
  PARAMETER_GROUPS,
  PARAMETER_TABLE,
  type ParameterGroup,
  type ParameterRow,
} from "@snap/protocol";
import { PROOF_PARAMETERS } from "../../../../server/src/openapi/parameters.ts";
import { batchSubmission } from "../../../../server/src/openapi/batch-schemas.ts";
import { code, count, table, type ReferencePage } from "./page.ts";

export const parametersPage: ReferencePage = {
  file: "parameters.md",
  title: "Parameters",
  summary: "Everything that a request for a rendering can say.",
  parts: () => [
    "They are the query of `GET /snap` and `GET /snap/signed`, the members of a batch item, and the arguments of the client and of the tools. `pdf=true` chooses the mode. Booleans are written `true`, `false`, `1` or `0`. A parameter that the mode doesn't accept is refused, not ignored.",
    ...PARAMETER_GROUPS.flatMap((group) => [`## ${group}`, parameterTable(group)]),
    "## Rules between parameters",
    "Each of these is a 422 `validation_failed`, and costs nothing. One answer names every fault.",
    table(["sent", "at fault", "because it"], CONFLICTS.flatMap(conflictRows)),
    "## Signed URLs",
    "Beside the parameters above, `GET /snap/signed` takes:",
    table(
      ["name", "type", "required", "meaning"],
      PROOF_PARAMETERS.map(({ name, schema, required, description }) => [
        code(name),
        String(schema["type"]),
        required ? "yes" : "",
        description,
      ]),
    ),
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

/** One of each way in which parameters can contradict each other. */
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
  "pdf=1&fullPage=1",
  "landscape=1",
  "pdf=1&width=210",
  "pdf=1&marginTop=10",
  "pdf=1&marginTop=0&marginRight=110&marginBottom=0&marginLeft=110",
  "pdf=1&scale=3",
];

/** What the service itself says of them. */
function conflictRows(query: string): string[][] {
  const pairs = new URLSearchParams(`url=https://example.com/&${query}`);
  try {
    parseQuery(pairs);
  } catch (error) {
    if (isSnapError(error) && error.errors !== undefined)
      return Object.entries(error.errors).map(([name, messages]) => [
        code(query),
        code(name),
        messages.join("; "),
      ]);
    throw error;
  }
  throw new Error(`nothing is wrong with ${query}: take it off the list of conflicts`);
}

function parameterTable(group: ParameterGroup): string {
  const rows = PARAMETER_TABLE.filter((row) => row.group === group).map((row) => {
    const value = effectiveDefault(row);
    return [
      code(row.name),
      row.modes.length > 1 ? "both" : row.modes.includes("pdf") ? "PDFs" : "screenshots",
      describeType(row),
      row.kind === "url" ? "required" : value === undefined ? "" : code(String(value)),
      row.description,
    ];
  });
  return table(["name", "for", "type", "default", "meaning"], rows);
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
      return `address, at most ${count(LIMITS.urlCharacters)} characters`;
    case "selector":
      return `CSS selector, at most ${count(LIMITS.selectorCharacters)} characters`;
  }
}
