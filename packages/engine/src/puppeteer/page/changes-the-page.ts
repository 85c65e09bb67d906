import {
  effectiveDefault,
  PARAMETERS,
  type ParameterGroup,
  type ParameterRow,
  type SnapParameters,
} from "@snap/protocol";

/** The parameters that change what a page shows. Without any of them, a render waits for nothing more than `load`. */
const GROUPS: ReadonlySet<ParameterGroup> = new Set([
  "Viewport",
  "Appearance",
  "Access",
  "Region",
  "Wait",
  "Blocking",
  "Changes",
  "Content",
]);
/** Of these groups, the parameters of plain renders. */
const PLAIN: ReadonlySet<string> = new Set(
  "width height scale fullPage selector clipX clipY clipWidth clipHeight waitUntil waitForSelector delay".split(
    " ",
  ),
);

/** The parameter of another group that does: the page is loaded at the width of the paper. */
const SINGLE_PAGE = "singlePage";

/** Returns whether a value that is not the default was sent for a parameter that changes what a page shows. */
export function changesThePage(parameters: SnapParameters): boolean {
  const rows: Readonly<Record<string, ParameterRow>> = PARAMETERS[parameters.pdf ? "pdf" : "screenshot"];
  return Object.entries(parameters).some(([name, value]) => {
    const row = rows[name];
    if (row === undefined || value === undefined) return false;
    const isOne = (GROUPS.has(row.group) && !PLAIN.has(name)) || name === SINGLE_PAGE;
    return isOne && value !== effectiveDefault(row);
  });
}
