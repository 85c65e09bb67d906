import type { AdminAccountDetails, AdminMintedToken, AdminToken } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toHash } from "../../routing/route.ts";
import { Badge } from "../../ui/badge.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { CreateTokenDialog } from "./create-token-dialog.tsx";
import { RevealDialog } from "./reveal-dialog.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { SecretsDialog } from "./secrets-dialog.tsx";
import { abilitiesText } from "./token-text.ts";

interface TokensProps {
  readonly account: AdminAccountDetails;
  readonly onDone: () => void;
}

/** The dialog that is open, with what it shows. */
type OpenDialog =
  | { readonly kind: "create" }
  | { readonly kind: "rotate" | "revoke" | "reveal"; readonly token: AdminToken }
  | { readonly kind: "secrets"; readonly minted: AdminMintedToken };

export function Tokens({ account, onDone }: TokensProps): JSX.Element {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const close = (): void => setOpen(null);
  const showSecrets = (minted: AdminMintedToken): void => {
    setOpen({ kind: "secrets", minted });
    onDone();
  };
  return (
    <section class="section" aria-labelledby="tokens">
      <div class="section-head">
        <h2 id="tokens">Tokens</h2>
        <button type="button" class="button primary" onClick={() => setOpen({ kind: "create" })}>
          Create a token
        </button>
      </div>
      <div class="panel">
        {account.tokens.length === 0 ? (
          <Empty title="No tokens yet.">
            <p>Every request needs a token. Create one for each program that renders.</p>
          </Empty>
        ) : (
          <TokenTable tokens={account.tokens} onOpen={setOpen} />
        )}
      </div>
      {open?.kind === "create" && (
        <CreateTokenDialog account={account} onCreated={showSecrets} onClose={close} />
      )}
      {open?.kind === "rotate" && <RotateDialog token={open.token} onRotated={showSecrets} onClose={close} />}
      {open?.kind === "reveal" && <RevealDialog token={open.token} onClose={close} />}
      {open?.kind === "revoke" && <RevokeDialog token={open.token} onRevoked={onDone} onClose={close} />}
      {open?.kind === "secrets" && <SecretsDialog minted={open.minted} onClose={close} />}
    </section>
  );
}

interface TokenTableProps {
  readonly tokens: readonly AdminToken[];
  readonly onOpen: (open: OpenDialog) => void;
}

function TokenTable({ tokens, onOpen }: TokenTableProps): JSX.Element {
  return (
    <Table
      caption="Tokens"
      rows={tokens}
      rowKey={({ id }) => id}
      columns={[
        {
          label: "Id",
          cell: ({ id }) => <a href={toHash(["requests"], { token: String(id) })}>{id}</a>,
        },
        { label: "Name", cell: ({ name }) => <span class="any-text">{name ?? "–"}</span>, isWide: true },
        { label: "May render", cell: ({ abilities }) => abilitiesText(abilities) },
        { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
        { label: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} placeholder="never" /> },
        { label: "Expires", cell: (token) => <Expiry token={token} /> },
        { label: "Actions", cell: (token) => <TokenActions token={token} onOpen={onOpen} /> },
      ]}
    />
  );
}

function Expiry({ token }: { readonly token: AdminToken }): JSX.Element {
  const { expires_at: expiresAt, overlap_ends_at: overlapEndsAt } = token;
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  return (
    <>
      {isExpired && <Badge tone="bad">Expired</Badge>} <Time at={expiresAt} placeholder="never" />
      {overlapEndsAt !== null && (
        <span class="cell-note">
          previous credentials work until <Time at={overlapEndsAt} />
        </span>
      )}
    </>
  );
}

const ACTIONS = [
  ["rotate", "Rotate"],
  ["reveal", "Reveal"],
  ["revoke", "Revoke"],
] as const;

function TokenActions({
  token,
  onOpen,
}: {
  readonly token: AdminToken;
  readonly onOpen: TokenTableProps["onOpen"];
}): JSX.Element {
  return (
    <span class="row-actions">
      {ACTIONS.map(([kind, label]) => (
        <button
          key={kind}
          type="button"
          class="button small"
          aria-label={`${label} token ${token.id}`}
          onClick={() => onOpen({ kind, token })}
        >
          {label}
        </button>
      ))}
    </span>
  );
}
