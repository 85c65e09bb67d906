import type { AdminList, AdminPlan } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../hooks/use-action.ts";
import type { Loaded } from "../hooks/use-load.ts";
import { toHash } from "../routing/route.ts";
import { useAdmin } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField } from "../ui/fields.tsx";
import { notify } from "../ui/notices.tsx";
import { FormFailure } from "../ui/form-failure.tsx";
import { WhenLoaded } from "../ui/states.tsx";
import { ACCOUNT_FIELDS, AccountFields, toApiFields, valuesOf } from "./account-fields.tsx";
import { forgetAccountNames } from "./account-names.ts";

interface CreateAccountProps<Plans> {
  readonly plans: Plans;
  readonly onClose: () => void;
}

/** Creates an account, then opens its screen. */
export function CreateAccountDialog(props: CreateAccountProps<Loaded<AdminList<AdminPlan>>>): JSX.Element {
  const { plans, onClose } = props;
  return (
    <Dialog title="Create an account" onClose={onClose}>
      <WhenLoaded loaded={plans} what="the plans">
        {({ entries }) => <CreateAccountForm plans={entries} onClose={onClose} />}
      </WhenLoaded>
      {plans.data === null && (
        <div class="dialog-actions">
          <CancelButton onClose={onClose} />
        </div>
      )}
    </Dialog>
  );
}

function CreateAccountForm({ plans, onClose }: CreateAccountProps<readonly AdminPlan[]>): JSX.Element {
  const admin = useAdmin();
  const [values, setValues] = useState({ ...valuesOf(null), plan: plans[0]?.slug ?? "" });
  const [isVerified, setVerified] = useState(true);
  const { run, isRunning, failure } = useAction(
    async () => {
      const account = await admin.createAccount({ ...toApiFields(values), verified: isVerified });
      forgetAccountNames(admin);
      notify(`Account ${account.email} created.`);
      return account;
    },
    ({ id }) => {
      location.hash = toHash(["accounts", id]);
    },
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    run();
  };
  return (
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
        <CancelButton onClose={onClose} />
        <button type="submit" class="button primary" disabled={isRunning}>
          Create account
        </button>
      </div>
    </form>
  );
}

function CancelButton({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <button type="button" class="button" onClick={onClose}>
      Cancel
    </button>
  );
}
