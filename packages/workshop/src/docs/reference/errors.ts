import { ERROR_CODES, type ErrorCode, type ErrorCodeFacts } from "@snap/protocol";
import { CODES } from "../../../../server/src/openapi/responses.ts";
import { code, readComments, table, type ReferencePage } from "./page.ts";

const OPERATIONS: Readonly<Record<keyof typeof CODES, string>> = {
  snap: "GET /snap, POST /captures",
  signed: "GET /snap/signed",
  submit: "POST /renders",
  upload: "POST /documents",
  list: "GET /renders, GET /renders/{id}/deliveries",
  resend: "POST /renders/{id}/deliveries",
  poll: "GET /renders/{id}, GET and DELETE /documents/{id}",
  usage: "GET /usage",
  description: "GET /openapi.json, GET /postman.json",
  signIn: "POST /admin/v1/sign-in",
  admin: "/admin/v1",
};

export const errorsPage: ReferencePage = {
  file: "errors.md",
  title: "Errors",
  summary: "The codes of error responses and failed batch items.",
  parts() {
    const when = readComments("packages/protocol/src/error-codes.ts", "ERROR_CODES");
    const entries = Object.entries(ERROR_CODES) as [ErrorCode, ErrorCodeFacts][];
    const operations = Object.entries(OPERATIONS).map(([key, paths]) => ({
      paths,
      codes: CODES[key as keyof typeof CODES] as readonly ErrorCode[],
    }));
    return [
      "Branch on `code`. The status and meaning of a code never change, but new codes may be added; handle an unknown code by its status.",
      ENVELOPE,
      "## Codes",
      table(
        ["code", "status", "when", "retry", "credit"],
        entries.map(([name, facts]) => [
          code(name),
          String(facts.status),
          when(name),
          adviceOf(name, facts),
          isRefunded(name, facts) ? "refunded" : "none",
        ]),
      ),
      "The service reserves a credit before it renders a page, and refunds it if the render fails. Errors never cost a credit.",
      "## Codes by operation",
      table(
        ["code", ...operations.map(({ paths }) => code(paths))],
        entries.map(([name]) =>
          [code(name)].concat(operations.map(({ codes }) => (codes.includes(name) ? "yes" : ""))),
        ),
      ),
      `Known paths return ${code("method_not_allowed")} for an unsupported method. Unknown paths return ${code("not_found")}, and every path under ${code("/api/v1")} returns ${code("api_moved")}.`,
    ];
  },
};

/** Client errors that a render can find. `blocked_host` can also be found before a credit is reserved. */
const FOUND_BY_RENDER: ReadonlySet<ErrorCode> = new Set([
  "blocked_host",
  "target_unreachable",
  "script_failed",
]);

/** `not_ready`: a process that is stopping rejects the request before it reserves a credit. */
function isRefunded(name: ErrorCode, { status }: ErrorCodeFacts): boolean {
  return (status >= 500 && name !== "not_ready") || FOUND_BY_RENDER.has(name);
}

const ENVELOPE = `\`\`\`json
{
  "code": "validation_failed",
  "message": "quality must be an integer from 1 to 100",
  "errors": { "quality": ["must be an integer from 1 to 100"] },
  "request_id": "7b0c1a5e-3c86-4a3c-9a53-1d9b7f2e6c11"
}
\`\`\`

\`message\` is for people, and its wording may change. If parameters are invalid, \`errors\` lists the messages by parameter name; in a batch, the names have the form \`items.2.quality\`.`;

function adviceOf(name: ErrorCode, { retryable, retryAfterSeconds }: ErrorCodeFacts): string {
  if (!retryable) return "no";
  if (name === "rate_limited") return "after `Retry-After`";
  return retryAfterSeconds === undefined
    ? "yes, with exponential backoff"
    : `after \`Retry-After\`, ${retryAfterSeconds} s`;
}
