import type { AdminAccountDetails, AdminMintedToken, Mode } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../../hooks/use-action.ts";
import { useAdmin } from "../../session/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/fields.tsx";
import { FormFailure } from "../../ui/form-failure.tsx";

interface CreateTokenProps {
  readonly account: AdminAccountDetails;
  readonly onCreated: (minted: AdminMintedToken) => void;
  readonly onClose: () => void;
}

const ABILITIES: readonly {
  readonly value: string;
  readonly label: string;
  readonly abilities: readonly Mode[];
}[] = [
  { value: "both", label: "Screenshots and PDFs", abilities: ["screenshot", "pdf"] },
  { value: "screenshot", label: "Screenshots only", abilities: ["screenshot"] },
  { value: "pdf", label: "PDFs only", abilities: ["pdf"] },
];

const FIELDS = ["name", "abilities", "expires_in_seconds"];

/** In seconds. */
const EXPIRIES = [
  { value: "", label: "Never" },
  { value: "604800", label: "In 7 days" },
  { value: "2592000", label: "In 30 days" },
  { value: "7776000", label: "In 90 days" },
  { value: "31536000", label: "In a year" },
];

export function CreateTokenDialog({ account, onCreated, onClose }: CreateTokenProps): JSX.Element {
  const admin = useAdmin();
  const [name, setName] = useState("");
  const [ability, setAbility] = useState("both");
  const [expiry, setExpiry] = useState("");
  const { run, isRunning, failure } = useAction(async () => {
    const abilities = ABILITIES.find(({ value }) => value === ability)?.abilities ?? [];
    const minted = await admin.createToken({
      account_id: account.id,
      abilities,
      ...(name.trim() !== "" && { name: name.trim() }),
      ...(expiry !== "" && { expires_in_seconds: Number(expiry) }),
    });
    onCreated(minted);
  });
  const problemOf = (field: string): string | undefined => failure?.errors[field]?.join("; ");
  const submit = (event: Event): void => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title={`Create a token for ${account.email}`} onClose={onClose}>
      <form class="stack" onSubmit={submit} noValidate>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          placeholder="e.g. blog or nightly report"
          hint="Optional: what the token is for."
          problem={problemOf("name")}
        />
        <SelectField
          label="May render"
          value={ability}
          onChange={setAbility}
          options={ABILITIES}
          problem={problemOf("abilities")}
        />
        <SelectField
          label="Expires"
          value={expiry}
          onChange={setExpiry}
          options={EXPIRIES}
          problem={problemOf("expires_in_seconds")}
        />
        <FormFailure failure={failure} fields={FIELDS} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isRunning}>
            Create token
          </button>
        </div>
      </form>
    </Dialog>
  );
}
