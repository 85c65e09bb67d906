import { NEXT_FRAME, ROOTS_OF, SET_STYLE } from "../in-page.ts";
import { ANIMATED_WEBP } from "./animated-images.ts";

const STYLE = `* { caret-color: transparent !important; scroll-behavior: auto !important }`;

/** An SVG image has one clock for all its animations. It is set to this time, or to 0 if an animation is endless. */
const SVG_END_SECONDS = 86_400;

/** Time limit for a call; the next call continues with the rest. */
const FREEZE_MAX_MS = 1_000;
/** An iframe outside the viewport may never be painted, and a page can withhold its animation frames. */
const PAINT_MAX_MS = 500;

const SET_UP = `
  const roots = rootsOf(document);
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const end = performance.now() + ${FREEZE_MAX_MS};
  let isLate = false;
  const untilTimeout = function* (items) {
    for (const item of items) {
      isLate ||= performance.now() > end;
      if (isLate) return;
      yield item;
    }
  };
  // where JavaScript is disabled, timers do not run, so only the work ends the wait
  const painted = (work) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, ${PAINT_MAX_MS}))]);
  // stored between calls; only scripts in this isolated world can see it
  const state = globalThis.snapFrozen ??= { sheet: new CSSStyleSheet(), videos: new WeakSet(), canvases: new WeakMap() };
  if (state.sheet.cssRules.length === 0) state.sheet.replaceSync(${JSON.stringify(STYLE)});
  for (const root of untilTimeout(roots))
    if (!root.adoptedStyleSheets.includes(state.sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, state.sheet];`;

/**
 * Leaves animations that follow the scroll position, and paused ones, where they are. Chromium may not repaint an
 * animation whose time changes before its pause has taken effect.
 */
const FREEZE_ANIMATIONS = `
  const endless = [];
  for (const animation of untilTimeout(roots.flatMap((root) => root.getAnimations()))) {
    if (!(animation.timeline instanceof DocumentTimeline) || animation.playState !== "running") continue;
    const isEndless = animation.effect?.getComputedTiming().endTime === Infinity;
    try {
      if (!isEndless) animation.finish();
      else {
        animation.pause();
        endless.push(animation);
      }
    } catch {
      animation.cancel(); // at a rate of 0 it has no end
    }
  }
  await painted(Promise.allSettled(endless.map(({ ready }) => ready)));
  for (const animation of endless) animation.currentTime = 0;
  for (const svg of untilTimeout(all("svg").filter((element) => element.ownerSVGElement === null))) {
    const animations = [...svg.querySelectorAll("animate, animateMotion, animateTransform, set")];
    if (animations.length === 0) continue;
    const isEndless = animations.some((animation) =>
      ["repeatCount", "repeatDur"].some((name) => animation.getAttribute(name) === "indefinite"));
    svg.pauseAnimations();
    svg.setCurrentTime(isEndless ? 0 : ${SVG_END_SECONDS});
  }`;

/**
 * A canvas draws the first frame of an animated image. It takes the image's place and computed style; the image stays
 * in the document, hidden, so selectors such as `img + p` still match. Chromium shows no canvas in a frame without
 * scripts, such as a sandboxed one.
 */
const FREEZE_IMAGES = `
  const urls = new Set(animatedUrls);
  const isInlined = (url) => /^data:image\\/gif/i.test(url) ||
    (/^data:image\\/webp;base64,/i.test(url) && /${ANIMATED_WEBP}/.test(url.slice(url.indexOf(",") + 1)));
  // the browser reports the URLs without fragments
  const isAnimated = ({ currentSrc }) => urls.has(currentSrc.split("#", 1)[0]) || isInlined(currentSrc);
  const frozen = [];
  for (const image of untilTimeout(matchMedia("(scripting: none)").matches ? [] : all("img"))) {
    if (image.naturalWidth === 0 || !isAnimated(image) || !image.checkVisibility()) continue;
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext("2d").drawImage(image, 0, 0);
    const style = getComputedStyle(image);
    canvas.style.cssText = [...style].map((name) => name + ":" + style.getPropertyValue(name) + "!important").join(";");
    frozen.push([image, canvas]);
  }
  // after all styles are read, because each change would make the browser lay out the page again for the next image
  for (const [image, canvas] of frozen) {
    state.canvases.set(image, canvas); // for SHOWN_FOR
    image.before(canvas);
    setStyle(image, "display", "none");
  }`;

/** A video shows its poster until it plays. One that has played, or is about to, shows its first frame instead. */
const FREEZE_VIDEOS = `
  const plays = (video) => video.autoplay || !video.paused || video.currentTime > 0;
  for (const video of untilTimeout(all("video").filter(plays))) {
    video.autoplay = false;
    video.pause();
    video.currentTime = 0;
    state.videos.add(video);
  }
  const isLoadingVideo = (video) => state.videos.has(video) && video.error === null &&
    video.networkState === HTMLMediaElement.NETWORK_LOADING && video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA;`;

/**
 * A function to evaluate in a frame, with the URLs of animated images that are not inlined. Each call puts everything
 * that moves into a well-defined state. Returns whether it is done: it finished in time, and the frame has loaded
 * everything it needs.
 */
export const FREEZE_FRAME = `async (animatedUrls) => {
  ${ROOTS_OF} ${SET_STYLE} ${NEXT_FRAME} ${SET_UP} ${FREEZE_ANIMATIONS} ${FREEZE_IMAGES} ${FREEZE_VIDEOS}
  await painted(nextFrame().then(nextFrame));
  // a font that did not arrive in time has been replaced with its fallback
  const isAwaited = (font) => font.status === "loading" && font.display !== "swap";
  return !isLate && ![...document.fonts].some(isAwaited) && !all("video").some((video) => video.seeking || isLoadingVideo(video));
}`;
