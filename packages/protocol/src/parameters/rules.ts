import { UNITS_PER_INCH, isPaperRequest, paperSizeInches } from "./paper-size.ts";
import type { Mode } from "./table.ts";

/*
 * The rules between fields (interface.md, GET /snap). They run even when single fields have failed, so
 * that one answer names every fault: values may be of any type here.
 */

/** Parameters by name, defaults filled in. */
type Values = Readonly<Record<string, unknown>>;
type Report = (name: string, message: string) => void;

const MARGINS = ["marginTop", "marginRight", "marginBottom", "marginLeft"] as const;
const CLIP = ["clipX", "clipY", "clipWidth", "clipHeight"] as const;

/** What Chromium can encode: decisions.md, Rendering. */
export const CAPTURE_BOUNDS = {
  devicePixels: 100_000_000,
  sidePixels: { png: Number.POSITIVE_INFINITY, jpeg: 65_535, webp: 16_383 },
} as const;

/** Viewport of a screenshot that sends none, in CSS pixels (decisions.md, Rendering). */
export const DEFAULT_VIEWPORT = { width: 1280, height: 800 } as const;

/**
 * Reports every combination of values that a mode refuses, under the parameter at fault.
 *
 * @example
 * checkRules("pdf", { width: 210 }, console.log); // "height", "must be sent together with width"
 */
export function checkRules(mode: Mode, values: Values, report: Report): void {
  requireTogether(values, ["width", "height"], report);
  requireTogether(values, mode === "pdf" ? MARGINS : CLIP, report);
  if (isSent(values, "cacheTtl") && values["cache"] === false)
    report("cacheTtl", "cannot be combined with cache false: nothing is kept");
  if (mode === "pdf") checkMargins(values, report);
  else checkScreenshot(values, report);
}

function checkScreenshot(values: Values, report: Report): void {
  const clipped = CLIP.some((name) => isSent(values, name));
  if (isSent(values, "selector") && values["fullPage"] === true)
    report("selector", "cannot be combined with fullPage");
  if (isSent(values, "selector") && clipped) report("selector", "cannot be combined with a clip region");
  if (values["fullPage"] === true && clipped) report("fullPage", "cannot be combined with a clip region");
  if (isSent(values, "quality") && values["format"] === "png")
    report("quality", "is for lossy formats only: needs format jpeg or webp");
  if (values["omitBackground"] === true && values["format"] === "jpeg")
    report("omitBackground", "needs a format that holds transparency: png or webp");
  checkCaptureSize(values, report);
}

function isSent(values: Values, name: string): boolean {
  return values[name] !== undefined;
}

/** The absent members of a group that has begun are at fault. */
function requireTogether(values: Values, names: readonly string[], report: Report): void {
  const missing = names.filter((name) => !isSent(values, name));
  if (missing.length === 0 || missing.length === names.length) return;
  const sent = names.filter((name) => isSent(values, name));
  for (const name of missing) report(name, `must be sent together with ${sent.join(", ")}`);
}

/** Margins must leave something of the paper to print on. */
function checkMargins(values: Values, report: Report): void {
  const [top, right, bottom, left] = MARGINS.map((name) => values[name]);
  if (!isPaperRequest(values) || ![top, right, bottom, left].every((side) => typeof side === "number"))
    return;
  const unit = UNITS_PER_INCH[values.marginUnit];
  const { width, height } = paperSizeInches(values);
  if ((Number(left) + Number(right)) / unit >= width)
    report("marginLeft", "and marginRight together leave nothing of the paper's width");
  if ((Number(top) + Number(bottom)) / unit >= height)
    report("marginTop", "and marginBottom together leave nothing of the paper's height");
}

/** Refuses at once what the parameters alone show to be too large to encode. */
function checkCaptureSize(values: Values, report: Report): void {
  if (isSent(values, "selector")) return;
  const clipped = CLIP.every((name) => isSent(values, name));
  const [widthName, heightName] = clipped ? ["clipWidth", "clipHeight"] : ["width", "height"];
  const width = values[widthName] ?? DEFAULT_VIEWPORT.width;
  const height = values[heightName] ?? DEFAULT_VIEWPORT.height;
  const { scale, format } = values;
  if (typeof width !== "number" || typeof height !== "number" || typeof scale !== "number") return;
  const sideBound = format === "webp" || format === "jpeg" ? CAPTURE_BOUNDS.sidePixels[format] : Infinity;
  for (const [name, side] of [
    [widthName, width],
    [heightName, height],
  ] as const) {
    if (side * scale > sideBound)
      report(name, `times scale must be at most ${sideBound} pixels for format=${String(format)}`);
  }
  if (width * height * scale * scale > CAPTURE_BOUNDS.devicePixels)
    report(
      scale > 1 ? "scale" : widthName,
      `makes a picture of more than ${CAPTURE_BOUNDS.devicePixels} pixels: send a smaller size or scale`,
    );
}
