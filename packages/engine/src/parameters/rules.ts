import type * as z from "zod";
import { UNITS_PER_INCH, isPaperRequest, paperSizeInches } from "./paper-size.ts";

/*
 * The rules between fields (interface.md, GET /snap). They run even when single fields have failed, so
 * that one answer names every fault: values may be of any type here.
 */

type Values = Readonly<Record<string, unknown>>;
type Report = (name: string, message: string) => void;

const MARGINS = ["marginTop", "marginRight", "marginBottom", "marginLeft"] as const;
const CLIP = ["clipX", "clipY", "clipWidth", "clipHeight"] as const;

/** What Chromium can encode: decisions.md, Rendering. */
export const CAPTURE_BOUNDS = {
  devicePixels: 100_000_000,
  sidePixels: { png: Number.POSITIVE_INFINITY, jpeg: 65_535, webp: 16_383 },
} as const;

export function checkScreenshot(value: unknown, context: z.core.$RefinementCtx): void {
  const values = value as Values;
  const report = reporter(context);
  requireTogether(values, ["width", "height"], report);
  requireTogether(values, CLIP, report);
  checkCacheTtl(values, report);
  const clipped = CLIP.some((name) => isSent(values, name));
  if (isSent(values, "selector") && values["fullPage"] === true)
    report("selector", "cannot be combined with fullPage");
  if (isSent(values, "selector") && clipped) report("selector", "cannot be combined with a clip region");
  if (values["fullPage"] === true && clipped) report("fullPage", "cannot be combined with a clip region");
  if (isSent(values, "quality") && values["format"] === "png")
    report("quality", "is for lossy formats only: send format=jpeg or format=webp with it");
  if (values["omitBackground"] === true && values["format"] === "jpeg")
    report("omitBackground", "needs a format that holds transparency: png or webp");
  checkCaptureSize(values, report);
}

export function checkPdf(value: unknown, context: z.core.$RefinementCtx): void {
  const values = value as Values;
  const report = reporter(context);
  requireTogether(values, ["width", "height"], report);
  requireTogether(values, MARGINS, report);
  checkCacheTtl(values, report);
  checkMargins(values, report);
}

function reporter(context: z.core.$RefinementCtx): Report {
  return (name, message) => context.addIssue({ code: "custom", path: [name], message });
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

function checkCacheTtl(values: Values, report: Report): void {
  if (isSent(values, "cacheTtl") && values["cache"] === false)
    report("cacheTtl", "cannot be combined with cache=0: nothing is kept");
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
  const width = values[widthName] ?? 1280;
  const height = values[heightName] ?? 800;
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
