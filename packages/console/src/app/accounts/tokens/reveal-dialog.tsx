import type { AdminToken } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../../hooks/use-action.ts";
import { useAdmin } from "../../session/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Failure } from "../../ui/states.tsx";
import { Secret } from "./secret.tsx";
import { titleOf } from "./token-text.ts";

interface RevealProps {
  readonly token: AdminToken;
  readonly onClose: () => void;
}

/** Fetches the signing secret only after a click, because the audit log records it. */
export function RevealDialog({ token, onClose }: RevealProps): JSX.Element {
  const admin = useAdmin();
  const [secret, setSecret] = useState<string | null>(null);
  const { run, isRunning, failure } = useAction(async () => setSecret(await admin.revealSecret(token.id)));
  return (
    <Dialog title={`Signing secret of ${titleOf(token)}`} onClose={onClose}>
      <div class="stack">
        {secret === null ? (
          <p>
            Anyone with this secret can sign URLs that spend the account's credits. The audit log records that
            you reveal it.
          </p>
        ) : (
          <Secret label="Signing secret" hint="Keep it on your server." text={secret} />
        )}
        {failure !== null && <Failure failure={failure} />}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
          {secret === null && (
            <button type="button" class="button primary" onClick={() => run()} disabled={isRunning}>
              Reveal secret
            </button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
