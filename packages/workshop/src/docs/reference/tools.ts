import { TOOLS, type ToolDefinition } from "../../../../server/src/mcp/tools.ts";
import { code, sentence, table, type ReferencePage } from "./page.ts";

export const toolsPage: ReferencePage = {
  file: "tools.md",
  title: "Tools",
  summary: "The tools of `/mcp`, the Model Context Protocol endpoint.",
  parts: () => [
    "The tools use the same bearer tokens, credits and limits as the rest of the service. If a call fails, the tool's result contains [the code](errors.md) and the message.",
    ...Object.entries(TOOLS as Record<string, ToolDefinition>).flatMap(([name, tool]) =>
      describeTool(name, tool),
    ),
  ],
};

interface Property {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Property[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
}

function describeTool(
  name: string,
  { title, description, inputSchema, outputSchema }: ToolDefinition,
): string[] {
  const inputs = Object.keys((inputSchema as Property).properties ?? {});
  return [
    `## ${name}`,
    `${title}. ${description}`,
    inputs.length === 0
      ? "It takes no arguments."
      : `Arguments, described in [Parameters](parameters.md): ${inputs.map(code).join(", ")}.`,
    "Structured content:",
    table(
      ["member", "meaning"],
      flatten(dereference(outputSchema)).map(([member, { description: meaning = "" }]) => [
        code(member),
        meaning && sentence(meaning),
      ]),
    ),
  ];
}

/** Resolves a reference to a named definition. */
function dereference(schema: ToolDefinition["outputSchema"]): Property {
  const { $ref, $defs } = schema as {
    readonly $ref?: string;
    readonly $defs?: Readonly<Record<string, Property>>;
  };
  return $defs?.[$ref?.replace("#/$defs/", "") ?? ""] ?? schema;
}

/** Includes nested members, such as `credits.used`. Objects without a description get no row. */
function flatten({ properties = {} }: Property, prefix = ""): [string, Property][] {
  return Object.entries(properties).flatMap(([name, property]): [string, Property][] => {
    const object = [property, ...(property.anyOf ?? [])].find((each) => each.properties !== undefined);
    const path = `${prefix}${name}`;
    if (object === undefined) return [[path, property]];
    const inner = flatten(object, `${path}.`);
    return property.description === undefined
      ? inner
      : [[path, property] as [string, Property]].concat(inner);
  });
}
