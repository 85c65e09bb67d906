import type { AdminAccount } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../hooks/use-action.ts";
import { toHash } from "../routing/route.ts";
import { useAdmin } from "../session/session.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { CheckField, TextField } from "../ui/fields.tsx";
import { notify } from "../ui/notices.tsx";
import { forgetAccountNames } from "./account-names.ts";

interface DeleteAccountProps {
  readonly account: AdminAccount;
}

export function DeleteAccount({ account }: DeleteAccountProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="panel padded" aria-labelledby="delete">
      <h2 id="delete">Delete</h2>
      <p class="muted">
        The account's tokens stop working immediately. This cannot be undone; to block the account
        temporarily, suspend it.
      </p>
      <button type="button" class="button danger" onClick={() => setOpen(true)}>
        Delete account…
      </button>
      {isOpen && <DeleteDialog account={account} onClose={() => setOpen(false)} />}
    </section>
  );
}

/** Deletes an account after the operator types its email address. */
function DeleteDialog({
  account,
  onClose,
}: DeleteAccountProps & { readonly onClose: () => void }): JSX.Element {
  const admin = useAdmin();
  const [typed, setTyped] = useState("");
  const [isPurged, setPurged] = useState(false);
  const { run, isRunning, failure } = useAction(
    async () => {
      await admin.deleteAccount(account.id, { purge: isPurged });
      forgetAccountNames(admin);
      notify(`Account ${account.email} deleted.`);
    },
    () => {
      location.hash = toHash(["accounts"]);
    },
  );
  return (
    <ConfirmDialog
      title={`Delete ${account.email}?`}
      action="Delete account"
      isDisabled={isRunning || typed.trim() !== account.email}
      failure={failure}
      onConfirm={() => run()}
      onClose={onClose}
    >
      <p>This deletes its tokens, batches, documents, history and cached renderings.</p>
      <CheckField
        label="Also delete its journal"
        hint="Otherwise its credit records remain, without the email address."
        isChecked={isPurged}
        onChange={setPurged}
      />
      <TextField label={`Type ${account.email} to confirm`} value={typed} onChange={setTyped} />
    </ConfirmDialog>
  );
}
