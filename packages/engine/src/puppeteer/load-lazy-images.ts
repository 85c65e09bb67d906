import { evaluate } from "./evaluate.ts";
import type { Tab } from "./tab.ts";

/** An image that takes longer is left out of the picture, as it would be at the edge of a window. */
const LAZY_IMAGES_MAX_MS = 5_000;

/** Images that wait to be scrolled to (HTML, lazy loading attributes) would be missing below the fold. */
const LOAD_LAZY_IMAGES = `(async () => {
  const lazy = [...document.querySelectorAll('[loading="lazy" i]')];
  for (const element of lazy) element.loading = "eager";
  const images = lazy.filter((element) => element instanceof HTMLImageElement);
  const loaded = Promise.allSettled(images.map((image) => image.decode()));
  const late = new Promise((resolve) => setTimeout(resolve, ${LAZY_IMAGES_MAX_MS}));
  await Promise.race([loaded, late]);
})()`;

/** Has the images loaded that are out of sight, for a capture of more than the viewport. */
export async function loadLazyImages(tab: Tab, signal: AbortSignal): Promise<void> {
  await evaluate(tab, LOAD_LAZY_IMAGES, signal);
}
