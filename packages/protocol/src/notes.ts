/**
 * The notes on a render: in `X-Render-Notes`, in batch items and in tool results. Those whose name ends in `=N` carry a
 * number, as in `blocked=3`. The reference is generated from these sentences.
 */
export const RENDER_NOTES = {
  "wait-capped": "A wait reached its limit, and the page was captured as it was.",
  "consent-declined": "A cookie banner was declined.",
  "consent-hidden": "A cookie banner could not be declined, and was hidden.",
  "consent-remains":
    "A cookie banner could neither be declined nor hidden, or the page was too busy to look for one.",
  "blocked=N": "Number of requests that were blocked.",
  "click-unmatched": "No element matched `click`.",
  "lazy-capped":
    "The page still loaded content as it was scrolled when a limit of time or height was reached.",
  unstable: "The page still changed when the time limit of `stabilize` was reached.",
  "height-capped": "The page is higher than `fullPageMaxHeight`, and was cut.",
  "images-failed=N": "Number of images in the document that failed to load. Absent if requests were blocked.",
  "requests-failed=N":
    "Number of requests without a response, except those that were canceled. Absent if requests were blocked.",
  "glyphs-missing": "No font of the service has some of the page's characters.",
  blank: "The picture is entirely white or transparent.",
  "capture-too-large":
    "The picture, the file or the number of masks exceeds a limit; a retry fails in the same way.",
  "pages-unmatched": "`pageRanges` starts after the last page; a retry fails in the same way.",
  "selector-unmatched":
    "No element matched `selector`, or a selector is not valid CSS; a retry fails in the same way.",
} as const satisfies Readonly<Record<string, string>>;

/**
 * Returns what a note means; `undefined` for a note that is newer than this version.
 *
 * @example
 * explainNote("blocked=3"); // "Number of requests that were blocked."
 */
export function explainNote(note: string): string | undefined {
  const sentences: Readonly<Record<string, string>> = RENDER_NOTES;
  return sentences[note.replace(/=\d+$/, "=N")];
}
