import type { JSX } from "preact";
import { CopyButton } from "../../ui/copy-button.tsx";

/** A snippet with a button that copies it. */
export function Code({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  return (
    <div class="code">
      <CopyButton text={text} what={what}>
        Copy
      </CopyButton>
      <pre tabIndex={0} role="region" aria-label={what}>
        <code>{text}</code>
      </pre>
    </div>
  );
}
