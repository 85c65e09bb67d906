import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

const SHOWN_MS = 5_000;

interface Notice {
  readonly text: string;
}

let latest: Notice | null = null;

/** The update function of each mounted `Notices`, the innermost last. */
const updaters: (() => void)[] = [];

/** Shows a short message, which screen readers announce. */
export function notify(text: string): void {
  latest = { text };
  updaters.at(-1)?.();
}

/** Shows the messages of `notify`. An open dialog has its own, because everything outside it is inert. */
export function Notices(): JSX.Element {
  const [notice, setNotice] = useState<Notice | null>(null);
  useEffect(() => {
    const update = (): void => setNotice(latest);
    updaters.push(update);
    return () => {
      updaters.splice(updaters.indexOf(update), 1);
      updaters.at(-1)?.();
    };
  }, []);
  useEffect(() => {
    if (notice === null) return;
    const timer = setTimeout(() => {
      if (latest === notice) latest = null;
      setNotice(null);
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notices" role="status">
      {notice !== null && <p class="notice">{notice.text}</p>}
    </div>
  );
}
