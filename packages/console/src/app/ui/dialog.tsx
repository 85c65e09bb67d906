import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { ApiFailure } from "../api/failure.ts";
import { Notices } from "./notices.tsx";
import { Failure } from "./states.tsx";

interface DialogProps {
  readonly title: string;
  /** Also called for Escape. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. It traps focus, and restores it when it closes. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // the browser restores focus only if the dialog stays in the page
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={element} class="dialog" aria-labelledby={titleId} onCancel={cancel}>
      <h2 id={titleId}>{title}</h2>
      {children}
      <Notices />
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** Label of the confirm button, such as `Revoke token 7`. */
  readonly action: string;
  /** Whether the confirm button is disabled. */
  readonly isDisabled: boolean;
  readonly failure: ApiFailure | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks for confirmation. If the action fails, shows the failure and stays open. */
export function ConfirmDialog(props: ConfirmProps): JSX.Element {
  const { title, action, isDisabled, failure, onConfirm, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {failure !== null && <Failure failure={failure} />}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="button danger" onClick={onConfirm} disabled={isDisabled}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
