import { openApiDocument, type OpenApiDocument } from "../../../../server/src/openapi/document.ts";
import { HEADER_COMPONENTS } from "../../../../server/src/openapi/headers.ts";
import { code, table, type ReferencePage } from "./page.ts";

export const headersPage: ReferencePage = {
  file: "headers.md",
  title: "Headers",
  summary: "What the headers of requests, answers and webhook deliveries mean.",
  parts() {
    const document = openApiDocument("https://snap.example.com");
    const operations = operationsOf(document.paths);
    const bearer = document.components?.securitySchemes?.["bearer"];
    if (bearer === undefined || !("description" in bearer)) throw new Error("no bearer scheme is described");
    return [
      "## Of a request",
      table(
        ["header", "meaning"],
        [[code("Authorization: Bearer TOKEN"), bearer.description ?? ""], ...headersOf(operations)],
      ),
      "## Of an answer",
      "Headers are only ever added. Besides these there are the usual ones: `Content-Type`, `Allow` with a 405, `WWW-Authenticate` with a 401, and on renderings `X-Content-Type-Options` and, on pictures, a `Content-Security-Policy` that lets nothing in them run. Signed renderings may be embedded by pages of any origin.",
      table(
        ["header", "meaning", "sent with"],
        Object.entries(HEADER_COMPONENTS).map(([name, { description }]) => [
          code(name),
          description,
          sendersOf(name, operations),
        ]),
      ),
      "## Of a webhook delivery",
      table(["header", "meaning"], headersOf(operationsOf(document.webhooks))),
    ];
  },
};

interface Operation {
  readonly name: string;
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly description: string;
  }[];
}

function operationsOf(paths: OpenApiDocument["paths"]): Operation[] {
  return Object.entries((paths ?? {}) as Record<string, Record<string, Omit<Operation, "name">>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        Object.assign({}, operation, { name: `${method.toUpperCase()} ${path}` }),
      ),
  );
}

/** Each that a request of the operations may have, once. */
function headersOf(operations: readonly Operation[]): string[][] {
  const headers = operations
    .flatMap(({ parameters = [] }) => parameters)
    .filter((parameter) => parameter.in === "header");
  return [...new Map(headers.map(({ name, description }) => [name, [code(name), description]])).values()];
}

/** The operations that send a header, with the statuses that do; those with the same statuses together. */
function sendersOf(header: string, operations: readonly Operation[]): string {
  const senders = operations.map(({ name, responses }) => ({
    name,
    all: Object.keys(responses).join(", "),
    statuses: Object.keys(responses)
      .filter((status) => header in (responses[status]?.headers ?? {}))
      .join(", "),
  }));
  if (senders.every(({ statuses, all }) => statuses === all)) return "every answer";
  const byStatuses = Map.groupBy(
    senders.filter(({ statuses }) => statuses !== ""),
    ({ statuses }) => statuses,
  );
  return Array.from(byStatuses, ([statuses, same]) => {
    return `${same.map(({ name }) => code(name)).join(", ")}: ${statuses}`;
  }).join("; ");
}
