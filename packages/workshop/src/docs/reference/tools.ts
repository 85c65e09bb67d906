import { TOOLS, type ToolDefinition } from "../../../../server/src/mcp/tools.ts";
import { code, sentence, table, type ReferencePage } from "./page.ts";

export const toolsPage: ReferencePage = {
  file: "tools.md",
  title: "Tools",
  summary: "The tools that an assistant finds at `/mcp`, the Model Context Protocol endpoint.",
  parts: () => [
    "They take the same bearer tokens, spend the same credits and are bound by the same limits as the rest of the service. A failure is an answer of the tool that carries [the code](errors.md) and the message.",
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
      : `Arguments, as [the parameters](parameters.md) describe them: ${inputs.map(code).join(", ")}.`,
    "Its structured content:",
    table(
      ["member", "meaning"],
      flatten(dereference(outputSchema)).map(([member, { description: meaning = "" }]) => [
        code(member),
        meaning && sentence(meaning),
      ]),
    ),
  ];
}

/** A definition with a name of its own stands apart. */
function dereference(schema: ToolDefinition["outputSchema"]): Property {
  const { $ref, $defs } = schema as {
    readonly $ref?: string;
    readonly $defs?: Readonly<Record<string, Property>>;
  };
  return $defs?.[$ref?.replace("#/$defs/", "") ?? ""] ?? schema;
}

/** Members of members too, `credits.used`; those that only gather others have no row. */
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
