import { SnapError } from "../errors.ts";
import { FaultList } from "./fault-list.ts";
import { readQuery, type QueryPairs } from "./read-query.ts";
import { pdfParameters, screenshotParameters, type SnapParameters } from "./schemas.ts";
import { suggestName } from "./suggest-name.ts";

/**
 * Validates the parameters of a rendering as they stand in a query (`GET /snap`).
 *
 * @throws SnapError `invalid_url` when `url` is all that is at fault, else `validation_failed`; both
 * carry every fault in `errors` (decisions.md, Errors).
 * @example
 * const parameters = parseQuery(new URLSearchParams("url=https%3A%2F%2Fexample.com&fullPage=1"));
 */
export function parseQuery(pairs: QueryPairs): SnapParameters {
  const { input, faults } = readQuery(pairs);
  return parse(Object.fromEntries(input), faults);
}

/**
 * Validates parameters given as an object with real booleans and numbers.
 *
 * @throws SnapError as `parseQuery` does.
 * @example
 * const parameters = parseParameters({ url: "https://example.com", pdf: true, paperFormat: "letter" });
 */
export function parseParameters(input: Readonly<Record<string, unknown>>): SnapParameters {
  return parse(input, new FaultList());
}

function parse(input: Readonly<Record<string, unknown>>, faults: FaultList): SnapParameters {
  const [schema, other] =
    input["pdf"] === true ? [pdfParameters, screenshotParameters] : [screenshotParameters, pdfParameters];
  const result = schema.safeParse(input);
  // A name that was sent twice is no question of what an address may be.
  const malformedQuery = faults.names.length > 0;
  if (!result.success) {
    for (const issue of result.error.issues) {
      if (issue.code === "unrecognized_keys") {
        for (const name of issue.keys) faults.add(name, explainUnknown(name, schema, other));
      } else faults.add(String(issue.path[0]), issue.message);
    }
  }
  if (result.success && faults.names.length === 0) return result.data;
  const onlyUrl = faults.names.length === 1 && faults.names[0] === "url";
  const code = onlyUrl && !malformedQuery ? "invalid_url" : "validation_failed";
  throw new SnapError(code, describe(faults), { errors: faults.toRecord() });
}

function explainUnknown(
  name: string,
  schema: typeof screenshotParameters | typeof pdfParameters,
  other: typeof screenshotParameters | typeof pdfParameters,
): string {
  if (Object.hasOwn(other.shape, name))
    return schema === pdfParameters
      ? "is for screenshots only: leave it out, or leave out pdf=true"
      : "is for PDFs only: send pdf=true with it, or leave it out";
  const near = suggestName(name, Object.keys({ ...schema.shape, ...other.shape }));
  return near === null ? "is not a parameter" : `is not a parameter; did you mean ${near}?`;
}

function describe(faults: FaultList): string {
  const [first = "", ...rest] = faults.names;
  const more = rest.length === 0 ? "" : ` (and ${rest.length} more at fault)`;
  return `${first.slice(0, 64)} ${faults.toRecord()[first]?.[0] ?? ""}${more}`;
}
