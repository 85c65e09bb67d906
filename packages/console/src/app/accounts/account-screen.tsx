import type { AdminAccountDetails } from "@snap/protocol";
import type { JSX } from "preact";
import { useLoad } from "../hooks/use-load.ts";
import type { ScreenProps } from "../layout/screens.ts";
import { toHash } from "../routing/route.ts";
import { useAdmin } from "../session/session.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Facts } from "../ui/facts.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { WhenLoaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { CreditFigures } from "../usage/credit-figures.tsx";
import { AccountActions } from "./account-actions.tsx";
import { AccountBadge } from "./account-state.tsx";
import { ChangeAccountForm } from "./change-account-form.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { Tokens } from "./tokens/tokens.tsx";

export function AccountScreen({ id }: ScreenProps): JSX.Element {
  const admin = useAdmin();
  const account = useLoad(id, (signal) => admin.account(id, signal));
  return (
    <>
      <PageHead
        title={account.data?.email ?? "Account"}
        summary={
          <>
            <code class="any-text">{id}</code> <CopyButton text={id} what="Account id" />
          </>
        }
        parent={{ label: "Accounts", href: toHash(["accounts"]) }}
        actions={account.data !== null && <AccountActions account={account.data} onDone={account.reload} />}
      />
      <WhenLoaded loaded={account} what="the account">
        {(data) => (
          <div class="stack">
            <CreditFigures report={data.usage} />
            <Tokens account={data} onDone={account.reload} />
            <div class="columns">
              <ChangeAccountForm account={data} onDone={account.reload} />
              <div class="stack">
                <AccountFacts account={data} />
                <DeleteAccount account={data} />
              </div>
            </div>
          </div>
        )}
      </WhenLoaded>
    </>
  );
}

function AccountFacts({ account }: { readonly account: AdminAccountDetails }): JSX.Element {
  return (
    <section class="panel padded" aria-labelledby="facts">
      <h2 id="facts">Details</h2>
      <Facts
        facts={[
          { label: "State", value: <AccountBadge account={account} /> },
          { label: "Created", value: <Time at={account.created_at} /> },
          { label: "Verified", value: <Time at={account.verified_at} placeholder="no" /> },
          ...(account.suspended_at === null
            ? []
            : [{ label: "Suspended", value: <Time at={account.suspended_at} /> }]),
        ]}
      />
      <p class="links">
        <a href={toHash(["requests"], { account: account.id })}>Requests</a>
        <a href={toHash(["batches"], { account: account.id })}>Batches</a>
        <a href={toHash(["usage"], { account: account.id })}>Usage</a>
      </p>
    </section>
  );
}
