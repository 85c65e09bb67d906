import type { FilteredDocument } from "../../../filter-lists/compile.ts";
import { evaluate } from "../evaluate.ts";
import type { Step } from "./step.ts";
import { addSheet } from "./style-page.ts";

/**
 * Limits for the elements to search, and for the length of each class, id and link: a document can
 * have any number of any length.
 */
const ELEMENTS_MAX = 100_000;
const NAME_CHARACTERS_MAX = 200;
/** For all names, counting one more per name. An escaped character takes up to 6 bytes of the 4 MiB response. */
const CHARACTERS_MAX = 600_000;

const READ_DOCUMENT = `(() => {
  const classes = new Set(), ids = new Set(), hrefs = new Set();
  let charactersLeft = ${CHARACTERS_MAX};
  const add = (names, name) => {
    if (name === "" || name.length > ${NAME_CHARACTERS_MAX} || name.length >= charactersLeft || names.has(name)) return;
    names.add(name);
    charactersLeft -= name.length + 1;
  };
  const elements = document.getElementsByTagName("*");
  for (let index = 0; index < Math.min(elements.length, ${ELEMENTS_MAX}); index += 1) {
    const element = elements[index];
    for (const name of element.classList) add(classes, name);
    add(ids, element.getAttribute("id") ?? "");
    add(hrefs, element.getAttribute("href") ?? "");
  }
  return { url: location.href, classes: [...classes], ids: [...ids], hrefs: [...hrefs] };
})()`;

/**
 * `blockAds` and `blockTrackers`: hides the elements in the main frame that match the filter lists. Runs early, so no
 * later step encounters them, and again for elements added since then.
 */
export const hideFilteredElements: Step = async ({ tab, filterLists }, signal) => {
  if (filterLists.length === 0) return [];
  const document = await evaluate<FilteredDocument>(tab, READ_DOCUMENT, signal);
  const css = filterLists.map((list) => list.styleSheet(document)).join("\n");
  if (css.trim() !== "") await addSheet(tab, css, signal);
  return [];
};
