/**
 * The notes on a render: in `X-Render-Notes`, in batch items and in tool results. A name that ends in `=N` carries a
 * number, as in `blocked=3`. The reference is generated from these sentences.
 */
export const RENDER_NOTES = {
  "wait-capped": "A wait reached its limit, or the page kept navigating; it was captured as it was.",
  "consent-declined": "A cookie banner was declined.",
  "consent-hidden": "A cookie banner could not be declined, and was hidden.",
  "consent-remains":
    "A cookie banner could neither be declined nor hidden, or the page was too busy to look for one.",
  "blocked=N": "Number of requests that were blocked.",
  "click-unmatched": "No element matched `click`.",
  "lazy-capped": "Scrolling reached its time or height limit, so content may be missing.",
  unstable: "The page was still changing when `stabilize` reached its time limit.",
  "height-capped": "The page is taller than `fullPageMaxHeight`, and was cut off.",
  "images-failed=N": "Number of images in the document that failed to load. Absent if requests were blocked.",
  "requests-failed=N":
    "Number of requests that failed, before or during their response, except those that were canceled. Absent if requests were blocked, or if `waitUntil` is `load` or `domcontentloaded` without `lazyContent=scroll`.",
  "glyphs-missing": "The service has no font for some of the page's characters.",
  blank: "The image is entirely white or transparent.",
  "capture-too-large":
    "The image, PDF page, file or number of masks exceeds a limit; a retry fails the same way.",
  "pages-unmatched": "`pageRanges` starts after the last page; a retry fails the same way.",
  "selector-unmatched":
    "No element matched `selector`, or a selector is not valid CSS; a retry fails the same way.",
} as const satisfies Readonly<Record<string, string>>;

/**
 * Returns what a note means; `undefined` for a note that is newer than this version.
 *
 * @example
 * explainNote("blocked=3"); // "Number of requests that were blocked."
 */
export function explainNote(note: string): string | undefined {
  const sentences: Readonly<Record<string, string>> = RENDER_NOTES;
  const name = note.replace(/=\d+$/, "=N");
  return Object.hasOwn(sentences, name) ? sentences[name] : undefined;
}
