import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icon.tsx";
import { notify } from "./notices.tsx";

interface CopyButtonProps {
  /** `null` disables the button. */
  readonly text: string | null;
  /** Name of the copied text in messages, such as `Request id`. */
  readonly what: string;
  /** Visible label; only the icon is visible without it. */
  readonly children?: ComponentChildren;
}

export function CopyButton({ text, what, children }: CopyButtonProps): JSX.Element {
  const copy = async (): Promise<void> => {
    if (text === null) return;
    const isCopied = await copyText(text);
    notify(isCopied ? `${what} copied.` : "This browser does not allow copying; select the text instead.");
  };
  return (
    <button
      type="button"
      class={children ? "button small" : "button small icon-only"}
      onClick={() => void copy()}
      disabled={text === null}
    >
      <Icon name="copy" />
      {children ?? <span class="visually-hidden">Copy {what.toLowerCase()}</span>}
    </button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // `navigator.clipboard` is unavailable over plain HTTP
    return copySelection(text);
  }
}

function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "visually-hidden";
  // while a dialog is open, nothing outside it can be selected
  const parent = document.querySelector("dialog[open]") ?? document.body;
  parent.append(area);
  area.select();
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- the only way over plain HTTP
    return document.execCommand("copy");
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
