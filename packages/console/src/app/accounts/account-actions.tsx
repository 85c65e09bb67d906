import type { AdminAccount } from "@snap/protocol";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAction } from "../hooks/use-action.ts";
import { useAdmin } from "../session/session.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { notify } from "../ui/notices.tsx";

interface AccountActionsProps {
  readonly account: AdminAccount;
  readonly onDone: () => void;
}

const DONE = { verify: "is verified", resume: "is no longer suspended" } as const;

export function AccountActions({ account, onDone }: AccountActionsProps): JSX.Element {
  const admin = useAdmin();
  const [isDialogOpen, setDialogOpen] = useState(false);
  const { run, isRunning, failure } = useAction(async (action: keyof typeof DONE) => {
    await admin.actOnAccount(account.id, action);
    notify(`${account.email} ${DONE[action]}.`);
    onDone();
  });
  useEffect(() => {
    if (failure !== null) notify(failure.message);
  }, [failure]);
  return (
    <>
      {account.verified_at === null && (
        <button type="button" class="button" onClick={() => run("verify")} disabled={isRunning}>
          Verify email address
        </button>
      )}
      {account.suspended_at === null ? (
        <button type="button" class="button" onClick={() => setDialogOpen(true)}>
          Suspend
        </button>
      ) : (
        <button type="button" class="button" onClick={() => run("resume")} disabled={isRunning}>
          Resume
        </button>
      )}
      {isDialogOpen && (
        <SuspendDialog account={account} onDone={onDone} onClose={() => setDialogOpen(false)} />
      )}
    </>
  );
}

interface SuspendProps extends AccountActionsProps {
  readonly onClose: () => void;
}

function SuspendDialog({ account, onDone, onClose }: SuspendProps): JSX.Element {
  const admin = useAdmin();
  const { run, isRunning, failure } = useAction(async () => {
    await admin.actOnAccount(account.id, "suspend");
    notify(`${account.email} is suspended.`);
    onDone();
  }, onClose);
  return (
    <ConfirmDialog
      title={`Suspend ${account.email}?`}
      action="Suspend account"
      isDisabled={isRunning}
      failure={failure}
      onConfirm={() => run()}
      onClose={onClose}
    >
      <p>
        Every request with its tokens fails with <code>account_suspended</code>, even if the rendering is
        cached. You can resume the account at any time.
      </p>
    </ConfirmDialog>
  );
}
