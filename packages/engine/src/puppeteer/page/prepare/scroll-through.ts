import { FAILED_IMAGES, MAY_SCROLL_TO_FRAGMENT } from "../measure.ts";
import { ROOTS_OF, SET_STYLE } from "../in-page.ts";
import { LOADING_HELPERS, WAIT_HELPERS } from "./loading.ts";
import { NOTE_CHANGES } from "./note-changes.ts";
import { SHOW_IN_VIEW } from "./show-in-view.ts";

/** The argument of the function in the page. */
export interface ScrollRequest {
  /**
   * `through`: scroll the page once, if its scripts might react. `thoroughly`: wait at each step, and also scroll inner
   * containers.
   */
  readonly scroll: "through" | "thoroughly" | "none";
  /**
   * Which fixed backgrounds to draw like scrolling ones: those of elements that reach beyond the
   * viewport, that of the page itself too, or none.
   */
  readonly releasedBackgrounds: "elements" | "elements-and-page" | "none";
  readonly hasFragment: boolean;
  /** Where to continue, in CSS pixels from the top of the page. */
  readonly fromY: number;
  /** Content below this is not scrolled to. */
  readonly endY: number;
  /** Growth beyond this is not followed. A page that is longer from the start is scrolled to its end. */
  readonly growthLimitY: number;
  readonly budgetMs: number;
  /** How much longer the page may take to react when it is scrolled back to its top. */
  readonly returnMs: number;
}

/** What the function in the page returns. */
export interface ScrollResult {
  /** How far it scrolled; `null` if it did not scroll. */
  readonly reachedY: number | null;
  /**
   * Whether it reached a limit before the end of the page, or while content that scrolling had
   * added was loading.
   */
  readonly isCapped: boolean;
  /** For the next call. */
  readonly growthLimitY: number;
  /** What is left for the next call. */
  readonly returnMs: number;
  readonly failedImages: number;
  /** Whether it made the browser draw content that it leaves out far from the viewport. */
  readonly hasDrawn: boolean;
}

/** An image or a frame with `loading=lazy` that takes longer may be missing from the rendering. */
export const LAZY_MAX_MS = 5_000;
/** Each step leaves part of the previous one in view, so elements across its edge come into view completely. */
const STEP_VIEWPORT_FRACTION = 0.75;
/** Scripts often check the scroll position only a few times a second. */
const THOROUGH_STEP_MS = 150;
/** A page is complete if it has not grown for this long at its end; one that grew before gets more time. */
const STABLE_MS = { thoroughly: 500, grown: 250, through: 50 } as const;
const INNER_SCROLLERS_MAX = 20;

/**
 * Defines a function that makes the browser draw what it leaves out away from the viewport: fixed backgrounds, and the
 * content of elements with `content-visibility: auto`, whose height is an estimate. Returns whether
 * there are any of the latter.
 */
const DRAW_BEYOND_VIEWPORT = `
  ${SET_STYLE} ${MAY_SCROLL_TO_FRAGMENT}
  const isReleased = (element) => {
    if (releasedBackgrounds === "none") return false;
    const isFullPage = releasedBackgrounds === "elements-and-page";
    if (element === document.documentElement || element === document.body) return isFullPage;
    const { top, bottom } = element.getBoundingClientRect();
    // the page is scrolled to its top before the capture
    const shift = isFullPage || mayScrollToFragment(hasFragment) ? scrollY : 0;
    return top + shift < 0 || bottom + shift > innerHeight;
  };
  const drawBeyondViewport = () => {
    // read before any is changed, because each change would make the browser compute the styles again
    const found = [];
    const released = [];
    for (const element of all("*")) {
      const { contentVisibility, contain, backgroundAttachment } = getComputedStyle(element);
      if (contentVisibility === "auto") found.push([element, contain]);
      if (backgroundAttachment.includes("fixed") && isReleased(element)) released.push([element, backgroundAttachment]);
    }
    for (const [element, attachments] of released)
      setStyle(element, "background-attachment", attachments.replaceAll("fixed", "scroll"));
    for (const [element, contain] of found) {
      setStyle(element, "content-visibility", "visible");
      // auto implies this, and the layout depends on it
      if (!/strict|content/.test(contain))
        setStyle(element, "contain", [...new Set([...contain.replace("none", "").split(" "), "layout", "style", "paint"])].join(" "));
    }
    return found.length > 0;
  };`;

const SCROLL_HELPERS = `
  const page = document.scrollingElement ?? document.documentElement;
  const goTo = (element, position) => element.scrollTo({ ...position, behavior: "instant" });
  const steps = (size, viewSize) =>
    Array.from({ length: Math.ceil((size - viewSize) / (viewSize * ${STEP_VIEWPORT_FRACTION})) }, (_, i) => (i + 1) * viewSize * ${STEP_VIEWPORT_FRACTION});
  const stay = async (isThorough, end) => {
    await nextFrame();
    if (!isThorough) return;
    const start = performance.now();
    await waitUntil(end, () => performance.now() - start > ${THOROUGH_STEP_MS} && hasLoadedInView());
  };
  const scrollInner = async (end) => {
    const isInner = (element) => element !== page && element !== document.body &&
      element.clientWidth > 0 && element.clientHeight > 0 && /auto|scroll/.test(getComputedStyle(element).overflow) &&
      (element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1);
    for (const inner of all("*").filter(isInner).slice(0, ${INNER_SCROLLERS_MAX})) {
      const { scrollTop, scrollLeft } = inner;
      for (const top of steps(inner.scrollHeight, inner.clientHeight)) {
        if (isOver(end)) break;
        goTo(inner, { top });
        await stay(true, end);
      }
      for (const left of steps(inner.scrollWidth, inner.clientWidth)) {
        if (isOver(end)) break;
        goTo(inner, { left });
        await stay(true, end);
      }
      goTo(inner, { top: scrollTop, left: scrollLeft });
    }
  };`;

/** A function to evaluate in the page, with a `ScrollRequest`. */
export const SCROLL_THROUGH = `async ({ scroll, releasedBackgrounds, hasFragment, fromY, endY, growthLimitY, budgetMs, returnMs }) => {
  ${ROOTS_OF} ${WAIT_HELPERS} ${LOADING_HELPERS} ${DRAW_BEYOND_VIEWPORT} ${SCROLL_HELPERS} ${NOTE_CHANGES} ${SHOW_IN_VIEW}
  // a page can remove its root element
  if (document.documentElement === null)
    return { reachedY: null, isCapped: false, growthLimitY, returnMs, failedImages: 0, hasDrawn: false };
  const start = performance.now();
  let end = start + budgetMs;
  const lazy = all('[loading="lazy" i]');
  const loadedFrames = new Set();
  const lazyFrames = lazy.filter(isUnloadedFrame);
  for (const frame of lazyFrames) frame.addEventListener("load", () => loadedFrames.add(frame));
  for (const element of lazy) element.loading = "eager";
  const haveLazyImagesLoaded = settled(lazy.filter(isImage).map((image) => image.decode()));
  const haveLazyFramesLoaded = () => lazyFrames.every((frame) => loadedFrames.has(frame) || !frame.isConnected);
  const hasDrawn = page.scrollHeight > innerHeight && drawBeyondViewport();
  // the next frame requests backgrounds and fonts
  if (hasDrawn) await nextFrame();
  const isThorough = scroll === "thoroughly";
  const mayReact = document.scripts.length > 0 || document.querySelector("iframe, frame") !== null;
  const firstHeight = page.scrollHeight;
  const growthEnd = fromY > 0 ? growthLimitY : Math.max(firstHeight, growthLimitY);
  const bottom = () => Math.min(page.scrollHeight, endY, growthEnd);
  const isLonger = bottom() > innerHeight;
  const result = { reachedY: null, isCapped: false, growthLimitY: growthEnd, returnMs, failedImages: 0, hasDrawn };
  if (isThorough || (scroll === "through" && mayReact && isLonger)) {
    const before = new Set([...loadingNow(), ...animationsNow()]);
    let y = fromY;
    const isNew = (item) => !before.has(item);
    const hasGrown = () => y + innerHeight < bottom();
    const stableMs = () => {
      if (isThorough) return ${STABLE_MS.thoroughly};
      return fromY > 0 || page.scrollHeight > firstHeight ? ${STABLE_MS.grown} : ${STABLE_MS.through};
    };
    do {
      const untilAsBefore = noteChanges();
      do {
        while (hasGrown() && !isOver(end)) {
          y = Math.min(y + innerHeight * ${STEP_VIEWPORT_FRACTION}, bottom() - innerHeight);
          goTo(page, { top: y });
          await stay(isThorough, end);
        }
      } while (await waitUntil(Math.min(end, performance.now() + stableMs()), hasGrown));
      if (isThorough) await scrollInner(end);
      goTo(page, { top: 0, left: 0 });
      await nextFrame();
      const returned = performance.now();
      await untilAsBefore(returned + result.returnMs);
      const waitedMs = performance.now() - returned;
      result.returnMs -= waitedMs;
      end += waitedMs;
      const loading = loadingNow().filter(isNew);
      await waitUntil(end, () => !loading.some(isLoading));
      await nextFrame();
      await waitUntil(end, settled(animationsNow().filter(isNew).filter(endsBy(end)).map(({ finished }) => finished)));
    } while (hasGrown() && !isOver(end));
    const isCut = page.scrollHeight > bottom() && bottom() < endY;
    result.isCapped = isCut || isOver(end);
    result.reachedY = y;
    if (page.scrollHeight > firstHeight && drawBeyondViewport()) {
      result.hasDrawn = true;
      await nextFrame();
    }
  }
  await waitUntil(start + ${LAZY_MAX_MS}, () => haveLazyImagesLoaded() && haveLazyFramesLoaded());
  await showInView();
  result.failedImages = ${FAILED_IMAGES};
  return result;
}`;
