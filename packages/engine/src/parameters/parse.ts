import {
  checkSent,
  explainUnknownName,
  ProblemList,
  modeOf,
  toQuery,
  type SnapParameters,
} from "@snap/protocol";
import { rejectProblems } from "../errors.ts";
import { readQuery, typedParameters, type QueryPairs } from "./read-query.ts";
import { pdfParameters, screenshotParameters } from "./schemas.ts";

/**
 * Validates the parameters of a query (`GET /snap`).
 *
 * @throws SnapError `invalid_url` if only `url` is invalid, `validation_failed` otherwise; both list the
 * errors of up to 50 parameters in `errors`.
 * @example
 * const parameters = parseQuery(new URLSearchParams("url=https%3A%2F%2Fexample.com&fullPage=1"));
 */
export function parseQuery(pairs: QueryPairs): SnapParameters {
  const { input, problems } = readQuery(pairs);
  return parse(Object.fromEntries(input), problems);
}

/**
 * Validates the parameters of an object with real booleans and numbers. Ignores properties that are `undefined`. Limits
 * numbers to what a query can represent, so a signed URL identifies the same rendering.
 *
 * @throws SnapError as `parseQuery` does.
 * @example
 * const parameters = parseParameters({ url: "https://example.com", pdf: true, paperFormat: "letter" });
 */
export function parseParameters(input: Readonly<Record<string, unknown>>): SnapParameters {
  return parseSent(input).parameters;
}

/**
 * Validates the parameters of a batch item: a JSON object whose values may also be text, as in a query. Ignores
 * properties that are `undefined`.
 *
 * @returns the parameters, and in `sent` the typed values without defaults, limited to what a query can represent, so a
 * signed URL identifies the same rendering.
 * @throws SnapError as `parseQuery` does.
 */
export function parseItem(item: Readonly<Record<string, unknown>>): {
  readonly sent: Readonly<Record<string, unknown>>;
  readonly parameters: SnapParameters;
} {
  return parseSent(typedParameters(item));
}

/** Validates twice: first the input's types, then its query form, which is authoritative. */
function parseSent(input: Readonly<Record<string, unknown>>): ReturnType<typeof parseItem> {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  parse(given, new ProblemList());
  const sent = Object.fromEntries(readQuery(toQuery(given)).input);
  return { sent, parameters: parse(sent, new ProblemList()) };
}

function parse(input: Readonly<Record<string, unknown>>, problems: ProblemList): SnapParameters {
  const mode = modeOf(input);
  const result = (mode === "pdf" ? pdfParameters : screenshotParameters).safeParse(input);
  // a repeated name is not `invalid_url`, even if that name is `url`
  const isMalformedQuery = !problems.isEmpty;
  if (!result.success) {
    for (const issue of result.error.issues) {
      if (issue.code === "unrecognized_keys") {
        problems.addEach(issue.keys, (name) => explainUnknownName(name, mode));
      } else problems.add(String(issue.path[0]), issue.message);
    }
  }
  checkSent(mode, input, (name, message) => problems.add(name, message));
  rejectProblems(problems, isMalformedQuery ? "validation_failed" : undefined);
  if (!result.success) throw result.error;
  return result.data;
}
