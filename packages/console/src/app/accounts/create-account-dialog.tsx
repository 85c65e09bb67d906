import type { AdminPlan } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../hooks/use-action.ts";
import { toHash } from "../routing/route.ts";
import { useAdmin } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField } from "../ui/fields.tsx";
import { notify } from "../ui/notices.tsx";
import { FormFailure } from "../ui/form-failure.tsx";
import { ACCOUNT_FIELDS, AccountFields, changeOf, valuesOf } from "./account-fields.tsx";
import { forgetAccountNames } from "./account-names.ts";

interface CreateAccountProps {
  readonly plans: readonly AdminPlan[];
  readonly onClose: () => void;
}

/** Creates an account, then opens its screen. */
export function CreateAccountDialog({ plans, onClose }: CreateAccountProps): JSX.Element {
  const admin = useAdmin();
  const [values, setValues] = useState({ ...valuesOf(null), plan: plans[0]?.slug ?? "" });
  const [isVerified, setVerified] = useState(true);
  const { run, isRunning, failure } = useAction(async () => {
    const account = await admin.createAccount({ ...changeOf(values), verified: isVerified });
    forgetAccountNames(admin);
    notify(`Account ${account.email} created.`);
    location.hash = toHash(["accounts", account.id]);
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title="Create an account" onClose={onClose}>
      <form class="stack" onSubmit={submit} noValidate>
        <AccountFields values={values} plans={plans} problems={failure?.errors ?? {}} onChange={setValues} />
        <CheckField
          label="The email address is verified"
          hint="Otherwise the account cannot render until you verify it."
          isChecked={isVerified}
          onChange={setVerified}
        />
        <FormFailure failure={failure} fields={ACCOUNT_FIELDS} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isRunning}>
            Create account
          </button>
        </div>
      </form>
    </Dialog>
  );
}
