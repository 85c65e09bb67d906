import type { AdminToken } from "@snap/protocol";
import type { JSX } from "preact";
import { useAction } from "../../hooks/use-action.ts";
import { useAdmin } from "../../session/session.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { notify } from "../../ui/notices.tsx";
import { titleOf } from "./token-text.ts";

interface RevokeProps {
  readonly token: AdminToken;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

export function RevokeDialog({ token, onRevoked, onClose }: RevokeProps): JSX.Element {
  const admin = useAdmin();
  const { run, isRunning, failure } = useAction(async () => {
    await admin.revokeToken(token.id);
    notify(`Token ${token.id} revoked.`);
    onRevoked();
  }, onClose);
  return (
    <ConfirmDialog
      title={`Revoke ${titleOf(token)}?`}
      action={`Revoke token ${token.id}`}
      isDisabled={isRunning}
      failure={failure}
      onConfirm={() => run()}
      onClose={onClose}
    >
      <p>
        The token, its signed URLs and the webhooks of its batches stop working immediately. This cannot be
        undone.
      </p>
    </ConfirmDialog>
  );
}
