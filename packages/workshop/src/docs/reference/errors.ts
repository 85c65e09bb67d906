import { ERROR_CODES, type ErrorCode, type ErrorCodeFacts } from "@snap/protocol";
import { CODES } from "../../../../server/src/openapi/responses.ts";
import { code, readComments, table, type ReferencePage } from "./page.ts";

const OPERATIONS: Readonly<Record<keyof typeof CODES, string>> = {
  snap: "GET /snap",
  signed: "GET /snap/signed",
  submit: "POST /renders",
  poll: "GET /renders/{id}",
  usage: "GET /usage",
  description: "GET /openapi.json",
};

export const errorsPage: ReferencePage = {
  file: "errors.md",
  title: "Errors",
  summary: "Every code that an answer which is not 2xx, or a failed batch item, can carry.",
  parts() {
    const when = readComments("packages/protocol/src/error-codes.ts", "ERROR_CODES");
    const entries = Object.entries(ERROR_CODES) as [ErrorCode, ErrorCodeFacts][];
    return [
      "Branch on `code`. A code keeps its status and its meaning for good; codes are only ever added, so take one that you don't know as its status.",
      ENVELOPE,
      "## Codes",
      table(
        ["code", "status", "when", "repeat the same request", "credit"],
        entries.map(([name, facts]) => [
          code(name),
          String(facts.status),
          when(name),
          adviceOf(name, facts),
          // A process that is about to stop has reserved nothing.
          facts.status >= 500 && name !== "not_ready" ? "refunded" : "none",
        ]),
      ),
      "A credit is reserved before a page is rendered and refunded when that fails: no error ever costs one.",
      "## Where they are met",
      table(
        ["code", ...Object.values(OPERATIONS).map(code)],
        entries.map(([name]) =>
          [code(name)].concat(
            Object.values(CODES).map((codes: readonly ErrorCode[]) => (codes.includes(name) ? "yes" : "")),
          ),
        ),
      ),
      `${code("method_not_allowed")} answers a wrong method on any path, ${code("not_found")} any path that there isn't, and ${code("api_moved")} everything below ${code("/api/v1")}.`,
    ];
  },
};

const ENVELOPE = `\`\`\`json
{
  "code": "validation_failed",
  "message": "quality must be an integer from 1 to 100",
  "errors": { "quality": ["must be an integer from 1 to 100"] },
  "request_id": "7b0c1a5e-3c86-4a3c-9a53-1d9b7f2e6c11"
}
\`\`\`

\`message\` is for people and may be reworded. \`errors\` is there when parameters are at fault, by name; in a batch the names are such as \`items.2.quality\`.`;

function adviceOf(name: ErrorCode, { retryable, retryAfterSeconds }: ErrorCodeFacts): string {
  if (!retryable) return "no";
  if (name === "rate_limited") return "after `Retry-After`";
  return retryAfterSeconds === undefined
    ? "yes, with growing pauses"
    : `after \`Retry-After\`, ${retryAfterSeconds} s`;
}
