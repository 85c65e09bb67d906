import { openApiDocument, type OpenApiDocument } from "../../../../server/src/openapi/document.ts";
import { HEADER_COMPONENTS } from "../../../../server/src/openapi/headers.ts";
import { code, table, type ReferencePage } from "./page.ts";

export const headersPage: ReferencePage = {
  file: "headers.md",
  title: "Headers",
  summary: "What the headers of requests, answers and webhook deliveries mean.",
  body() {
    const document = openApiDocument("https://snap.example.com");
    return [
      "## Of a request",
      table(["header", "meaning"], requestHeaders(document)),
      "## Of an answer",
      "Headers are only ever added. Besides these there are the usual ones: `Content-Type`, `Allow` with a 405, `WWW-Authenticate` with a 401, and on renderings `X-Content-Type-Options` and, on pictures, a `Content-Security-Policy` that lets nothing in them run. Signed renderings may be embedded by pages of any origin.",
      table(
        ["header", "meaning", "sent with"],
        Object.entries(HEADER_COMPONENTS).map(([name, { description }]) => [
          code(name),
          description,
          describeAnswers(answersWith(document, name), document),
        ]),
      ),
      "## Of a webhook delivery",
      table(["header", "meaning"], webhookHeaders(document)),
    ].join("\n\n");
  },
};

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly description: string;
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>;
  readonly parameters?: readonly Parameter[];
}

type Path = Readonly<Record<string, Operation>>;

function operationsOf(document: OpenApiDocument): [name: string, operation: Operation][] {
  return Object.entries((document.paths ?? {}) as Record<string, Path>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

/** Each operation that sends a header, with the statuses that do. */
function answersWith(document: OpenApiDocument, header: string): [operation: string, statuses: string[]][] {
  return operationsOf(document).flatMap(([name, { responses }]): [string, string[]][] => {
    const statuses = Object.entries(responses).flatMap(([status, { headers = {} }]) =>
      header in headers ? [status] : [],
    );
    return statuses.length === 0 ? [] : [[name, statuses]];
  });
}

/** Operations that send it with the same statuses share a line. */
function describeAnswers(answers: readonly [string, string[]][], document: OpenApiDocument): string {
  const all = operationsOf(document);
  const total = all.reduce((sum, [, { responses }]) => sum + Object.keys(responses).length, 0);
  if (answers.reduce((sum, [, statuses]) => sum + statuses.length, 0) === total) return "every answer";
  const byStatuses = new Map<string, string[]>();
  for (const [name, statuses] of answers) {
    const key = statuses.join(", ");
    byStatuses.set(key, [...(byStatuses.get(key) ?? []), code(name)]);
  }
  return Array.from(byStatuses, ([statuses, names]) => `${names.join(", ")}: ${statuses}`).join("; ");
}

function requestHeaders(document: OpenApiDocument): string[][] {
  const bearer = document.components?.securitySchemes?.["bearer"];
  if (bearer === undefined || !("description" in bearer)) throw new Error("no bearer scheme is described");
  const named = operationsOf(document).flatMap(([, { parameters = [] }]) =>
    parameters.filter((parameter) => parameter.in === "header"),
  );
  const once = new Map(named.map(({ name, description }) => [name, description]));
  return [
    [code("Authorization: Bearer TOKEN"), bearer.description ?? ""],
    ...Array.from(once, ([name, description]) => [code(name), description]),
  ];
}

function webhookHeaders(document: OpenApiDocument): string[][] {
  const webhooks = (document.webhooks ?? {}) as Record<string, Path>;
  return Object.values(webhooks).flatMap((methods) =>
    Object.values(methods).flatMap(({ parameters = [] }) =>
      parameters.map(({ name, description }) => [code(name), description]),
    ),
  );
}
