import { RENDER_NOTES } from "@snap/protocol";
import { openApiDocument } from "../../../../server/src/openapi/document.ts";
import { HEADER_COMPONENTS } from "../../../../server/src/openapi/headers.ts";
import { operationsOf, type Operation } from "./operations.ts";
import { code, table, type ReferencePage } from "./page.ts";

export const headersPage: ReferencePage = {
  file: "headers.md",
  title: "Headers",
  summary: "The headers of requests, responses and webhook deliveries.",
  parts() {
    const document = openApiDocument("https://snap.example.com");
    const operations = operationsOf(document.paths);
    const bearer = document.components?.securitySchemes?.["bearer"];
    if (bearer === undefined || !("description" in bearer))
      throw new Error("the bearer scheme has no description");
    return [
      "## Request headers",
      table(
        ["header", "meaning"],
        [[code("Authorization: Bearer TOKEN"), bearer.description ?? ""], ...headersOf(operations)],
      ),
      "## Response headers",
      "Headers are never removed, but new ones may be added. Responses also have the usual headers: `Content-Type`, `Allow` with a 405, and `WWW-Authenticate` with a 401. All have `X-Content-Type-Options: nosniff`, and images also have a `Content-Security-Policy` that blocks scripts in them. Pages from any origin can embed signed renderings.",
      table(
        ["header", "meaning", "sent with"],
        Object.entries(HEADER_COMPONENTS).map(([name, { description }]) => [
          code(name),
          description,
          sendersOf(name, operations),
        ]),
      ),
      "## Notes",
      "`X-Render-Notes`, batch items and tool results describe how the rendering was made and what is missing. `N` is a number. New notes may be added.",
      table(
        ["note", "meaning"],
        Object.entries(RENDER_NOTES).map(([note, meaning]) => [code(note), meaning]),
      ),
      "## Webhook headers",
      table(["header", "meaning"], headersOf(operationsOf(document.webhooks))),
    ];
  },
};

/** The request headers of the operations, without duplicates. */
function headersOf(operations: readonly Operation[]): string[][] {
  const headers = operations
    .flatMap(({ parameters = [] }) => parameters)
    .filter((parameter) => parameter.in === "header");
  return [...new Map(headers.map(({ name, description }) => [name, [code(name), description]])).values()];
}

/** The operations that send a header, grouped by the statuses that carry it. */
function sendersOf(header: string, operations: readonly Operation[]): string {
  const senders = operations.map(({ name, responses }) => ({
    name,
    all: Object.keys(responses).join(", "),
    statuses: Object.keys(responses)
      .filter((status) => header in (responses[status]?.headers ?? {}))
      .join(", "),
  }));
  if (senders.every(({ statuses, all }) => statuses === all)) return "every response";
  const byStatuses = Map.groupBy(
    senders.filter(({ statuses }) => statuses !== ""),
    ({ statuses }) => statuses,
  );
  return Array.from(byStatuses, ([statuses, same]) => {
    return `${same.map(({ name }) => code(name)).join(", ")}: ${statuses}`;
  }).join("; ");
}
