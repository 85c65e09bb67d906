import {
  effectiveDefault,
  PARAMETERS,
  type ParameterGroup,
  type ParameterRow,
  type SnapParameters,
} from "@snap/protocol";

/** The parameters that configure a page before it loads. */
const CONFIGURING: ReadonlySet<ParameterGroup> = new Set([
  "Viewport",
  "Appearance",
  "Access",
  "Region",
  "Blocking",
]);
/** So does this one: the page is laid out for the width of the paper. */
const SINGLE_PAGE = "singlePage";
/** Those that prepare it for the capture once it has loaded. */
const PREPARING: ReadonlySet<ParameterGroup> = new Set(["Wait", "Changes", "Content"]);
/** Of these groups, the parameters of plain renders. */
const PLAIN: ReadonlySet<string> = new Set(
  "width height scale fullPage selector clipX clipY clipWidth clipHeight waitUntil waitForSelector delay".split(
    " ",
  ),
);

/** What a request asks for beyond a plain render, which waits for nothing more than `load`. */
export interface RequestedChanges {
  /** Whether the page must be configured before its first script runs. */
  readonly beforeLoad: boolean;
  /** Whether the page shows anything else than in a plain render. */
  readonly any: boolean;
}

/** Looks for parameters that change what a page shows, with a value that is not the default. */
export function requestedChanges(parameters: SnapParameters): RequestedChanges {
  const rows: Readonly<Record<string, ParameterRow>> = PARAMETERS[parameters.pdf ? "pdf" : "screenshot"];
  const changes = Object.entries(parameters).flatMap(([name, value]) => {
    const row = rows[name];
    const isPlain = row === undefined || PLAIN.has(name) || value === undefined;
    return isPlain || value === effectiveDefault(row) ? [] : [row];
  });
  const beforeLoad = changes.some(({ group, name }) => CONFIGURING.has(group) || name === SINGLE_PAGE);
  return { beforeLoad, any: beforeLoad || changes.some(({ group }) => PREPARING.has(group)) };
}
