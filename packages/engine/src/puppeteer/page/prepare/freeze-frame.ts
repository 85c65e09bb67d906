import { ROOTS_OF } from "../shadow-roots.ts";

const STYLE = `* { caret-color: transparent !important; scroll-behavior: auto !important }`;

/** SVG has one clock for all animations of a picture: it stands at the start if one of them is endless. */
const SVG_END_SECONDS = 86_400;

const SET_UP = `
  const roots = rootsOf(document);
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  // kept between calls: only scripts of this isolated world see it
  const state = globalThis.snapFrozen ??= { sheet: new CSSStyleSheet(), videos: new WeakSet() };
  state.sheet.replaceSync(${JSON.stringify(STYLE)});
  for (const root of roots)
    if (!root.adoptedStyleSheets.includes(state.sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, state.sheet];`;

/**
 * Animations that follow the scroll position stay where it puts them, and paused ones where they are. Chromium does not
 * repaint an animation that is moved before its pause has taken effect, if it rests at that time.
 */
const FREEZE_ANIMATIONS = `
  const endless = [];
  for (const animation of roots.flatMap((root) => root.getAnimations())) {
    if (!(animation.timeline instanceof DocumentTimeline) || animation.playState !== "running") continue;
    const isEndless = animation.effect?.getComputedTiming().endTime === Infinity;
    try {
      if (!isEndless) animation.finish();
      else {
        animation.pause();
        endless.push(animation);
      }
    } catch {
      animation.cancel(); // it has no end, at a rate of 0
    }
  }
  await Promise.allSettled(endless.map(({ ready }) => ready));
  for (const animation of endless) animation.currentTime = 0;
  for (const svg of all("svg").filter((element) => element.ownerSVGElement === null)) {
    const animations = [...svg.querySelectorAll("animate, animateMotion, animateTransform, set")];
    if (animations.length === 0) continue;
    const isEndless = animations.some((animation) =>
      ["repeatCount", "repeatDur"].some((name) => animation.getAttribute(name) === "indefinite"));
    svg.pauseAnimations();
    svg.setCurrentTime(isEndless ? 0 : ${SVG_END_SECONDS});
  }`;

/**
 * A canvas draws the first frame of an animated image. It takes the place and the computed style of the image, which
 * stays in the document, hidden, so that selectors match what they matched before. Without JavaScript, Chromium shows no
 * canvas.
 */
const FREEZE_IMAGES = `
  const isAnimated = ({ currentSrc }) =>
    animatedUrls !== null && (animatedUrls.includes(currentSrc) || /^data:image\\/gif/i.test(currentSrc));
  for (const image of all("img").filter((image) => image.naturalWidth > 0 && image.checkVisibility() && isAnimated(image))) {
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext("2d").drawImage(image, 0, 0);
    const style = getComputedStyle(image);
    for (const name of style) canvas.style.setProperty(name, style.getPropertyValue(name), "important");
    image.before(canvas);
    image.style.setProperty("display", "none", "important");
  }`;

/** A video shows its poster until it plays. One that has played, or is about to, shows its first frame instead. */
const FREEZE_VIDEOS = `
  const plays = (video) => video.autoplay || !video.paused || video.currentTime > 0;
  for (const video of all("video").filter(plays)) {
    video.autoplay = false;
    video.pause();
    video.currentTime = 0;
    state.videos.add(video);
  }
  const isLoadingVideo = (video) => state.videos.has(video) && video.error === null &&
    video.networkState === HTMLMediaElement.NETWORK_LOADING && video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA;`;

/**
 * A function to evaluate in a frame, with the URLs of animated images, or `null` if they cannot be stopped. Brings everything that moves to one defined state,
 * as often as it is called, and returns whether the frame has loaded what it needs for that.
 */
export const FREEZE_FRAME = `(async (animatedUrls) => {
  ${ROOTS_OF} ${SET_UP} ${FREEZE_ANIMATIONS} ${FREEZE_IMAGES} ${FREEZE_VIDEOS}
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  // a font that did not arrive in time has been replaced by its fallback
  const isAwaited = (font) => font.status === "loading" && font.display !== "swap";
  return ![...document.fonts].some(isAwaited) && !all("video").some((video) => video.seeking || isLoadingVideo(video));
})`;
