import type { AdminMintedToken, AdminToken } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../../hooks/use-action.ts";
import { useAdmin } from "../../session/session.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { titleOf } from "./token-text.ts";

interface RotateProps {
  readonly token: AdminToken;
  readonly onRotated: (minted: AdminMintedToken) => void;
  readonly onClose: () => void;
}

/** In seconds. The service allows at most 30 days. */
const OVERLAPS = [
  { value: "0", label: "Immediately" },
  { value: "3600", label: "After 1 hour" },
  { value: "86400", label: "After 24 hours" },
  { value: "604800", label: "After 7 days" },
  { value: "2592000", label: "After 30 days" },
];

export function RotateDialog({ token, onRotated, onClose }: RotateProps): JSX.Element {
  const admin = useAdmin();
  const [overlap, setOverlap] = useState("86400");
  const { run, isRunning, failure } = useAction(async () => {
    onRotated(await admin.rotateToken(token.id, Number(overlap)));
  });
  return (
    <ConfirmDialog
      title={`Rotate ${titleOf(token)}?`}
      action={`Rotate token ${token.id}`}
      isDisabled={isRunning}
      failure={failure}
      onConfirm={() => run()}
      onClose={onClose}
    >
      <p>This replaces the token and its signing secret. The token id stays the same.</p>
      <SelectField
        label="Previous credentials stop working"
        value={overlap}
        onChange={setOverlap}
        options={OVERLAPS}
        hint="Until then, the previous and the new credentials work, which gives programs time to switch. Existing signed URLs stop working at the same time."
      />
    </ConfirmDialog>
  );
}
