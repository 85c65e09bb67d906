import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

const SHOWN_MS = 5_000;

let show: (text: string) => void = () => {};

/** Shows a short message, which screen readers announce. */
export function notify(text: string): void {
  show(text);
}

/** Shows the messages of `notify`. */
export function Notices(): JSX.Element {
  const [notice, setNotice] = useState<{ readonly text: string } | null>(null);
  useEffect(() => {
    show = (text) => setNotice({ text });
  }, []);
  useEffect(() => {
    if (notice === null) return;
    const timer = setTimeout(() => setNotice(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notices" role="status">
      {notice !== null && <p class="notice">{notice.text}</p>}
    </div>
  );
}
