import { effectiveDefault, PARAMETERS } from "./by-mode.ts";
import { canonicalCookies, isDomainOf } from "./cookies.ts";
import { canonicalHeaders } from "./header-fields.ts";
import { checkCaptureSize } from "./image-size.ts";
import { UNITS_PER_INCH, isPaperRequest, paperSizeInches } from "./paper-size.ts";
import type { Mode, Row } from "./row.ts";
import { isTooLongUrl, parseTargetUrl } from "./target-url.ts";

/*
 * Rules across parameters. They also run if individual parameters are invalid, so one response lists every error.
 * Values can therefore have any type here.
 */

/** Parameters by name, defaults filled in. */
type Values = Readonly<Record<string, unknown>>;
type Report = (name: string, message: string) => void;

/**
 * Reports every invalid combination of values under the name of the parameter to fix.
 *
 * @example
 * checkRules("pdf", { width: 210 }, console.log); // "height", "must be sent together with width"
 */
export function checkRules(mode: Mode, values: Values, report: Report): void {
  const rows: Readonly<Record<string, Row>> = PARAMETERS[mode];
  for (const row of Object.values(rows)) checkRow(row, { rows, values, report });
  if (mode === "pdf") {
    checkMargins(values, report);
    checkHeaderMargins(values, report);
  } else checkCaptureSize(values, report);
  checkCookieDomains(values, report);
  checkAuthorization(values, report);
}

/**
 * Reports parameters that cannot be combined with one that was sent, even with its default value.
 *
 * @param sent - The parameters as sent, without defaults.
 */
export function checkSent(mode: Mode, sent: Values, report: Report): void {
  for (const { name, excludesSent = [] } of Object.values(PARAMETERS[mode]))
    if (sent[name] !== undefined)
      for (const other of excludesSent)
        if (sent[other] !== undefined) report(name, `cannot be combined with ${other}`);
}

interface RuleContext {
  readonly rows: Readonly<Record<string, Row>>;
  readonly values: Values;
  readonly report: Report;
}

/** Checks the rules of one row: `together`, `excludes`, `requires` and `needs`. */
function checkRow(row: Row, { rows, values, report }: RuleContext): void {
  const { name, together = [], excludes = [], requires, needs } = row;
  const isActive = (other: Row | undefined): boolean => {
    if (other === undefined) return false;
    const value = values[other.name];
    return other.kind === "flag" ? value === !other.default : value !== undefined && value !== other.default;
  };
  const partners = together.filter((other) => values[other] !== undefined);
  if (values[name] === undefined && partners.length > 0)
    report(name, `must be sent together with ${partners.join(", ")}`);
  if (!isActive(row)) return;
  for (const { names, called } of excludes)
    if (names.some((other) => isActive(rows[other]))) report(name, `cannot be combined with ${called}`);
  if (requires !== undefined && !requires.some((other) => isActive(rows[other])))
    report(name, `requires ${requires.join(" or ")}`);
  else if (needs !== undefined && isDisallowedChoice(rows[needs.name], { needs, values }))
    report(name, needs.message);
}

/** Returns whether the choice has a valid value that is not allowed here. An invalid value is reported separately. */
function isDisallowedChoice(
  choice: Row | undefined,
  { needs, values }: { readonly needs: NonNullable<Row["needs"]>; readonly values: Values },
): boolean {
  if (choice?.kind !== "choice") return false;
  if (needs.unless !== undefined && values[needs.unless] !== undefined) return false;
  const value = values[choice.name] ?? effectiveDefault(choice);
  return typeof value === "string" && choice.values.includes(value) && !needs.values.includes(value);
}

/** Reports margins that leave no printable area. */
function checkMargins(values: Values, report: Report): void {
  const { marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left } = values;
  if (!isPaperRequest(values) || ![top, right, bottom, left].every((side) => typeof side === "number"))
    return;
  const unitsPerInch = UNITS_PER_INCH[values.marginUnit];
  const { width, height } = paperSizeInches(values);
  if ((Number(left) + Number(right)) / unitsPerInch >= width)
    report("marginLeft", "plus marginRight must be less than the paper width");
  if ((Number(top) + Number(bottom)) / unitsPerInch >= height)
    report("marginTop", "plus marginBottom must be less than the paper height");
}

/** Headers and footers, and the margins that they are printed in. */
const MARGIN_OF = { headerHtml: "marginTop", footerHtml: "marginBottom" } as const;

/** Whether the value is 0 in a query, which has at most 15 fraction digits. Wrong types are reported separately. */
function isZero(value: unknown): boolean {
  return typeof value === "number" && Number(value.toFixed(15)) === 0;
}

/** Reports a header or footer without a margin: it would not be visible. */
function checkHeaderMargins(values: Values, report: Report): void {
  for (const [name, margin] of Object.entries(MARGIN_OF))
    if (values[name] !== undefined && isZero(values[margin] ?? 0))
      report(name, `requires a ${margin} above 0; send all four margins, with ${margin}=20 for example`);
}

/** Reports a cookie whose domain does not include the host of `url`. */
function checkCookieDomains({ cookies, url }: Values, report: Report): void {
  const target = typeof url === "string" && !isTooLongUrl(url) ? parseTargetUrl(url) : null;
  const structure = canonicalCookies(cookies);
  if (target === null || typeof structure === "string") return;
  const { hostname } = target;
  const index = structure.findIndex(({ domain }) => domain !== undefined && !isDomainOf(domain, hostname));
  if (index !== -1)
    report(
      "cookies",
      `must have no domain at index ${index}, or one that includes the host of url, ${hostname}`,
    );
}

/** Reports two values for one header field. */
function checkAuthorization({ headers, basicAuth }: Values, report: Report): void {
  const fields = canonicalHeaders(headers);
  if (basicAuth === undefined || typeof fields === "string" || fields["authorization"] === undefined) return;
  report("basicAuth", "cannot be combined with an Authorization field in headers");
}
