import type { AdminMintedToken } from "@snap/protocol";
import type { JSX } from "preact";
import { toHash } from "../../routing/route.ts";
import { storeToken } from "../../session/stored-tokens.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Time } from "../../ui/time.tsx";
import { Secret } from "./secret.tsx";

interface SecretsProps {
  readonly minted: AdminMintedToken;
  readonly onClose: () => void;
}

/** Shows the credentials of a new or rotated token. The token is shown only here. */
export function SecretsDialog({ minted, onClose }: SecretsProps): JSX.Element {
  const openPlayground = (): void => {
    storeToken("playground", minted.token);
    onClose();
    location.hash = toHash(["playground"]);
  };
  return (
    <Dialog title={`Credentials of token ${minted.id}`} onClose={onClose}>
      <div class="stack">
        <p>Store them now. The token is not shown again.</p>
        <Secret label="Token" hint="Send it as the bearer token of each request." text={minted.token} />
        <Secret
          label="Signing secret"
          hint="Signs URLs and verifies webhooks. Keep it on your server."
          text={minted.signing_secret}
        />
        {minted.overlap_ends_at !== null && (
          <p class="muted">
            The previous credentials work until <Time at={minted.overlap_ends_at} />.
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={openPlayground}>
            Use in the playground
          </button>
          <button type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  );
}
