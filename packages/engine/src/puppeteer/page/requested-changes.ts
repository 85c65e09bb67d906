import {
  effectiveDefault,
  PARAMETERS,
  type ParameterGroup,
  type ParameterRow,
  type SnapParameters,
} from "@snap/protocol";

/** Groups of parameters that configure a page before it loads. */
const CONFIGURATION_GROUPS: ReadonlySet<ParameterGroup> = new Set([
  "Viewport",
  "Appearance",
  "Access",
  "Blocking",
]);
/** Also configures the page before it loads: its viewport is as wide as the printable area. */
const SINGLE_PAGE = "singlePage";
/** Groups of parameters that prepare a loaded page for the capture. */
const PREPARATION_GROUPS: ReadonlySet<ParameterGroup> = new Set(["Wait", "Changes", "Content"]);
/** Parameters in these groups that plain renders also have. */
const PLAIN_PARAMETERS: ReadonlySet<string> = new Set(
  "width height scale waitUntil waitForSelector delay".split(" "),
);

/** A request's changes to a plain render, which only loads the page, waits and captures. */
export interface RequestedChanges {
  /** Whether the page must be configured before its first script runs. */
  readonly beforeLoad: boolean;
  /** Whether the page may look different from a plain render. */
  readonly hasAny: boolean;
}

/** Looks for parameters with non-default values that change what a page shows. */
export function requestedChanges(parameters: SnapParameters): RequestedChanges {
  const rows: Readonly<Record<string, ParameterRow>> = PARAMETERS[parameters.pdf ? "pdf" : "screenshot"];
  const changes = Object.entries(parameters).flatMap(([name, value]) => {
    const row = rows[name];
    const isPlain = row === undefined || PLAIN_PARAMETERS.has(name) || value === undefined;
    return isPlain || value === effectiveDefault(row) ? [] : [row];
  });
  const beforeLoad = changes.some(
    ({ group, name }) => CONFIGURATION_GROUPS.has(group) || name === SINGLE_PAGE,
  );
  return { beforeLoad, hasAny: beforeLoad || changes.some(({ group }) => PREPARATION_GROUPS.has(group)) };
}
