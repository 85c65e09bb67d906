import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Returns a number that changes when the chart must be redrawn: with the element's width or the color scheme. */
export function useRedraws(container: RefObject<HTMLElement | null>, isShown: boolean): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const redraw = (): void => setCount((before) => before + 1);
    let { clientWidth } = element;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === clientWidth) return;
      ({ clientWidth } = element);
      redraw();
    });
    observer.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", redraw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener("change", redraw);
    };
  }, [isShown]);
  return count;
}
