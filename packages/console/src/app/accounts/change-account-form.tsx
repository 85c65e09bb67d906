import type { AdminAccount } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../hooks/use-action.ts";
import { useLoad } from "../hooks/use-load.ts";
import { useAdmin } from "../session/session.ts";
import { FormFailure } from "../ui/form-failure.tsx";
import { notify } from "../ui/notices.tsx";
import { ACCOUNT_FIELDS, AccountFields, difference, valuesOf } from "./account-fields.tsx";
import { forgetAccountNames } from "./account-names.ts";

interface ChangeAccountProps {
  readonly account: AdminAccount;
  readonly onDone: () => void;
}

/** Sends only the fields that differ. */
export function ChangeAccountForm({ account, onDone }: ChangeAccountProps): JSX.Element {
  const admin = useAdmin();
  const plans = useLoad("plans", admin.plans);
  // not `account`, which is reloaded: saving must not undo what others have changed since
  const [loaded, setLoaded] = useState(valuesOf(account));
  const [values, setValues] = useState(loaded);
  const change = difference(loaded, values);
  const isChanged = Object.keys(change).length > 0;
  const { run, isRunning, failure } = useAction(async () => {
    const changed = valuesOf(await admin.changeAccount(account.id, change));
    setLoaded(changed);
    // keeps what was edited while the change was being saved
    setValues((current) => {
      const edits = Object.entries(current).filter(
        ([name, value]) => value !== values[name as keyof typeof values],
      );
      return { ...changed, ...Object.fromEntries(edits) };
    });
    forgetAccountNames(admin);
    notify("Account changed. The changes apply from the next request.");
    onDone();
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    run();
  };
  return (
    <section class="panel padded" aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <form class="stack" onSubmit={submit} noValidate>
        <AccountFields
          values={values}
          plans={plans.data?.entries ?? null}
          problems={failure?.errors ?? {}}
          onChange={setValues}
        />
        <FormFailure failure={failure ?? plans.failure} fields={ACCOUNT_FIELDS} />
        <div class="form-actions">
          <button type="submit" class="button primary" disabled={!isChanged || isRunning}>
            Save changes
          </button>
        </div>
      </form>
    </section>
  );
}
