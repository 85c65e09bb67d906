/** The pause of an animation whose element the page hides never takes effect. */
const PAUSE_MAX_MS = 500;

/**
 * Defines a function that stops animations that follow the vertical position of an element in the
 * page's viewport. They stop where they would be with the element in the middle or, if it is taller
 * than the viewport, with its top at the viewport's top. Chromium may not repaint an animation
 * whose time changes before its pause has taken effect; changes by the page during this wait are
 * ignored.
 * Needs `WAIT_HELPERS`, `LOADING_HELPERS` and `page`, the element that scrolls the page.
 */
export const SHOW_IN_VIEW = `
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
