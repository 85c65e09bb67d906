import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { CopyButton } from "../../ui/copy-button.tsx";

interface SecretProps {
  readonly label: string;
  readonly hint: string;
  readonly text: string;
}

/** A read-only secret with a button that copies it. */
export function Secret({ label, hint, text }: SecretProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="command">
        <input
          id={id}
          class="mono"
          readOnly
          value={text}
          aria-describedby={`${id}-hint`}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton text={text} what={label} />
      </div>
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
    </div>
  );
}
