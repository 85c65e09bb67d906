import { useEffect } from "preact/hooks";

/** Calls `run` at intervals while the page is visible, and when it becomes visible. An interval of `null` stops it. */
export function usePoll(run: () => void, intervalMs: number | null): void {
  useEffect(() => {
    if (intervalMs === null) return;
    const runIfVisible = (): void => {
      if (!document.hidden) run();
    };
    const timer = setInterval(runIfVisible, intervalMs);
    document.addEventListener("visibilitychange", runIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", runIfVisible);
    };
  }, [run, intervalMs]);
}
