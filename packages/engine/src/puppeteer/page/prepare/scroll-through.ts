import { FAILED_IMAGES, MAY_SCROLL_TO_FRAGMENT } from "../measure.ts";
import { ROOTS_OF, SET_STYLE } from "../in-page.ts";

/** The argument of the function in the page. */
export interface ScrollRequest {
  /**
   * `through`: scroll the page once, if its scripts might react. `thoroughly`: wait at each step, and also scroll inner
   * containers.
   */
  readonly scroll: "through" | "thoroughly" | "none";
  /** Whether to draw `background-attachment: fixed` with elements that leave the viewport, and with the page itself. */
  readonly releasedBackgrounds: "elements" | "elements-and-page" | "none";
  readonly hasFragment: boolean;
  /** Where to continue, in CSS pixels from the top of the page. */
  readonly fromY: number;
  /** Content below this is not scrolled to. */
  readonly endY: number;
  /** Growth beyond this is not followed. A page that is longer from the start is scrolled to its end. */
  readonly followedY: number;
  readonly budgetMs: number;
  /** How much longer the page may take to react when it is scrolled back to its top. */
  readonly returnMs: number;
}

/** What the function in the page returns. */
export interface ScrollResult {
  /** How far it scrolled; `null` if it did not scroll. */
  readonly reachedY: number | null;
  /** Whether it reached a limit before the end of the page, or before everything in it had loaded. */
  readonly isCapped: boolean;
  /** For the next call. */
  readonly followedY: number;
  /** What is left for the next call. */
  readonly returnMs: number;
  readonly failedImages: number;
  /** Whether it made content visible that the page had left out, because it was far from the viewport. */
  readonly hasShown: boolean;
}

/** An image or a frame with `loading=lazy` that takes longer is missing from the rendering. */
export const LAZY_MAX_MS = 5_000;
/**
 * A page whose scripts run, but which paints no frame for half of its time, or for this long if that is longer, is
 * withholding frames.
 */
const FRAME_MIN_MS = 1_000;
const FRAME_TICK_MS = 100;
/** Each step leaves part of the previous one in view, so elements across its edge come into view completely. */
const STEP_VIEWPORT_FRACTION = 0.75;
/** The pause of an animation whose element the page hides never takes effect. */
const PAUSE_MAX_MS = 500;
/** Scripts often check the scroll position only a few times a second. */
const THOROUGH_STEP_MS = 150;
/** A page is complete if it has not grown for this long at its end; one that grew before gets more time. */
const STABLE_MS = { thoroughly: 500, grown: 250, through: 50 } as const;
const INNER_SCROLLERS_MAX = 20;
/** A script that reads the scroll position every 200 ms reacts to the return in this time. */
const RETURN_STABLE_MS = 300;
/** Of attributes. The first are those of elements at the top of the page, which matter after the return. */
const NOTED_CHANGES_MAX = 500;
/** Of an attribute's value. */
const NOTED_LENGTH = 1_000;

/*
 * Waits are counted in frames, because timers do not run where JavaScript is disabled. Intersection observers are
 * called after the frame with the intersection. A late frame is detected by ticks, so a long-running script does not
 * count.
 */
export const WAITING = `
  const ticksMax = Math.max(budgetMs / 2, ${FRAME_MIN_MS}) / ${FRAME_TICK_MS};
  let isHeldBack = false;
  const isOver = (end) => isHeldBack || performance.now() >= end;
  const nextFrame = () => new Promise((resolve) => {
    if (isHeldBack) return resolve();
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
      isHeldBack ||= ticks >= ticksMax;
      if (!isHeldBack) return;
      clearInterval(ticking);
      resolve();
    }, ${FRAME_TICK_MS});
    requestAnimationFrame(() => {
      clearInterval(ticking);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve();
      port2.postMessage(0);
    });
  });
  const waitUntil = async (end, isDone) => {
    while (!isOver(end) && !isDone()) await nextFrame();
    return !isOver(end);
  };
  const settled = (promises) => {
    let isSettled = promises.length === 0;
    Promise.allSettled(promises).then(() => { isSettled = true; });
    return () => isSettled;
  };`;

/** Content that a page shows only after a while: images, frames from its own origin, fonts, and animations that end. */
export const LOADING = `
  const all = (selector) => rootsOf(document).flatMap((root) => [...root.querySelectorAll(selector)]);
  // XML can have elements of the same name
  const isImage = (element) => element instanceof HTMLImageElement;
  const isLoadingFrame = (frame) => frame.contentDocument && frame.contentDocument.readyState !== "complete";
  // a frame has an empty document before it loads; without a URL, or with a script as its URL, it never loads another
  const isUnloadedFrame = (frame) => frame.contentDocument?.URL === "about:blank" &&
    (frame.hasAttribute("srcdoc") || !/^\\s*(about:|javascript:|$)/i.test(frame.getAttribute("src") ?? ""));
  const loadingNow = () => [
    ...all("img").filter((element) => isImage(element) && !element.complete),
    ...all("iframe").filter(isLoadingFrame),
  ];
  const isInView = (element) => {
    const { top, bottom, width, height } = element.getBoundingClientRect();
    return width * height > 0 && bottom > 0 && top < innerHeight;
  };
  const isLoading = (element) => element.isConnected && (isImage(element) ? !element.complete : isLoadingFrame(element));
  const hasLoadedInView = () =>
    document.fonts.status !== "loading" && !loadingNow().some(isInView);
  const animationsNow = () => rootsOf(document).flatMap((root) => root.getAnimations());
  const endsBy = (end) => (animation) => {
    const remaining = animation.effect?.getComputedTiming().endTime - animation.currentTime;
    return animation.playState === "running" && performance.now() + remaining < end;
  };`;

/**
 * Defines a function that makes the browser draw what it leaves out away from the viewport: fixed backgrounds, and the
 * content of elements with `content-visibility: auto`, whose height is an estimate. Returns whether there are any such
 * elements.
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

/**
 * Defines a function that stops animations that follow the vertical position of an element in the page's viewport, as if
 * it was in the middle, or with its top at the viewport's top if it is taller. Chromium may not repaint an animation whose
 * time changes before its pause has taken effect. What the page changes meanwhile does not matter.
 */
const SHOW_IN_VIEW = `
  const followsElement = ({ timeline, playState }) => timeline instanceof ViewTimeline && playState !== "paused";
  const isVertical = (axis) => {
    // the body's applies to the page (CSS Writing Modes 4, section 8.1)
    const { writingMode } = getComputedStyle(document.body ?? document.documentElement);
    return axis === "y" || axis === (writingMode.startsWith("horizontal") ? "block" : "inline");
  };
  const followsPage = ({ timeline: { source, axis, startOffset, endOffset }, startTime }) =>
    [page, document.documentElement].includes(source) && isVertical(axis) && startOffset && endOffset && startTime;
  const stopInView = async (animation) => {
    const { timeline: { startOffset, endOffset }, startTime } = animation;
    const progress = Math.min(50, (innerHeight / (endOffset.value - startOffset.value)) * 100);
    animation.pause();
    await waitUntil(performance.now() + ${PAUSE_MAX_MS}, settled([animation.ready]));
    animation.currentTime = CSS.percent(progress - startTime.value);
  };
  const showInView = async () => {
    if (!animationsNow().some(followsElement)) return;
    // they start only when the page has been laid out for a frame
    await nextFrame();
    await nextFrame();
    await Promise.allSettled(animationsNow().filter(followsElement).filter(followsPage).map(stopInView));
  };`;

/**
 * Defines a function that notes which attributes change while the page is scrolled. It returns a function that waits after
 * the return to the top until the elements above the viewport's bottom have their first values again, or keep others: a
 * script may throttle its scroll events, or follow the scroll position smoothly.
 */
const NOTE_CHANGES = `
  // a control named like a method hides that of its form
  const { getAttribute, getBoundingClientRect } = Element.prototype;
  const isSeen = (element) => element.isConnected && getBoundingClientRect.call(element).top < innerHeight;
  const style = new Image().style;
  const valueOf = (name, text) => {
    if (name === "class") return text ?? "";
    if (name !== "style") return text;
    style.cssText = text?.slice(0, ${NOTED_LENGTH}) ?? "";
    return style.cssText;
  };
  // what is set again is in another order, and what follows smoothly never quite arrives
  const comparable = (name, text) => valueOf(name, text)?.slice(0, ${NOTED_LENGTH})
    .replaceAll(/-?\\d*\\.?\\d+(e[+-]?\\d+)?/g, (number) => String(Math.round(number * 10) / 10))
    .split(/[\\s;]+/).sort().join(" ").trim();
  const noteChanges = () => {
    const changes = [];
    const names = new Map();
    const observer = new MutationObserver((records) => {
      for (const { target, attributeName: name, oldValue } of records) {
        if (changes.length >= ${NOTED_CHANGES_MAX} || names.get(target)?.has(name)) continue;
        names.set(target, (names.get(target) ?? new Set()).add(name));
        changes.push({ target, name, before: comparable(name, oldValue) });
      }
    });
    for (const root of rootsOf(document)) observer.observe(root, { subtree: true, attributeOldValue: true });
    const different = () => JSON.stringify(changes.flatMap(({ target, name, before }) => {
      const now = comparable(name, getAttribute.call(target, name));
      return now !== before && isSeen(target) ? [now] : [];
    }));
    return async (end) => {
      let [last, lastChange] = ["", performance.now()];
      await waitUntil(end, () => {
        const now = different();
        if (now !== last) [last, lastChange] = [now, performance.now()];
        return now === "[]" || performance.now() - lastChange > ${RETURN_STABLE_MS};
      });
      observer.disconnect();
    };
  };`;

const SCROLLING = `
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
export const SCROLL_THROUGH = `async ({ scroll, releasedBackgrounds, hasFragment, fromY, endY, followedY, budgetMs, returnMs }) => {
  ${ROOTS_OF} ${WAITING} ${LOADING} ${DRAW_BEYOND_VIEWPORT} ${SCROLLING} ${NOTE_CHANGES} ${SHOW_IN_VIEW}
  const start = performance.now();
  let end = start + budgetMs;
  const lazy = all('[loading="lazy" i]');
  const loadedFrames = new Set();
  const lazyFrames = lazy.filter(isUnloadedFrame);
  for (const frame of lazyFrames) frame.addEventListener("load", () => loadedFrames.add(frame));
  for (const element of lazy) element.loading = "eager";
  const haveLazyImagesLoaded = settled(lazy.filter(isImage).map((image) => image.decode()));
  const haveLazyFramesLoaded = () => lazyFrames.every((frame) => loadedFrames.has(frame) || !frame.isConnected);
  const hasShown = page.scrollHeight > innerHeight && drawBeyondViewport();
  // the next frame requests backgrounds and fonts
  if (hasShown) await nextFrame();
  const isThorough = scroll === "thoroughly";
  const mayReact = document.scripts.length > 0 || document.querySelector("iframe, frame") !== null;
  const firstHeight = page.scrollHeight;
  const growthEnd = fromY > 0 ? followedY : Math.max(firstHeight, followedY);
  const bottom = () => Math.min(page.scrollHeight, endY, growthEnd);
  const isLonger = bottom() > innerHeight;
  const result = { reachedY: null, isCapped: false, followedY: growthEnd, returnMs, failedImages: 0, hasShown };
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
      result.hasShown = true;
      await nextFrame();
    }
  }
  await waitUntil(start + ${LAZY_MAX_MS}, () => haveLazyImagesLoaded() && haveLazyFramesLoaded());
  await showInView();
  result.failedImages = ${FAILED_IMAGES};
  return result;
}`;
