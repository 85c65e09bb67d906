/**
 * A page whose scripts run, but which paints no frame for half of `budgetMs`, or for this long if
 * that is longer, is holding back its frames. The waits then end.
 */
const FRAME_MIN_MS = 1_000;
const FRAME_TICK_MS = 100;

/*
 * Conditions are checked once per frame, because timers do not run where JavaScript is disabled.
 * Intersection observers are called after the frame with the intersection. Ticks detect a late
 * frame, so a long-running script, which also stops the ticks, does not count.
 */
export const WAIT_HELPERS = `
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
export const LOADING_HELPERS = `
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
