import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PageHeadProps {
  readonly title: string;
  /** One sentence. */
  readonly summary?: ComponentChildren;
  /** The list that this screen belongs to. */
  readonly parent?: { readonly label: string; readonly href: string };
  readonly actions?: ComponentChildren;
}

let isFirstScreen = true;

/** The heading of a screen. After navigation, it receives focus, so screen readers announce it. */
export function PageHead({ title, summary, parent, actions }: PageHeadProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirstScreen) heading.current?.focus();
    isFirstScreen = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · snap console`;
  }, [title]);
  return (
    <header class="page-head">
      <div>
        {parent !== undefined && (
          <a class="parent" href={parent.href}>
            {parent.label}
          </a>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {summary !== undefined && <p class="muted">{summary}</p>}
      </div>
      {actions !== undefined && <div class="page-actions">{actions}</div>}
    </header>
  );
}
