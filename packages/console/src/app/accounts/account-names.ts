import type { AdminAccount } from "@snap/protocol";
import { useEffect, useState } from "preact/hooks";
import type { AdminApi } from "../api/admin.ts";
import { useSession } from "../session/session.ts";

/** Accounts beyond this number are shown by their id. */
const NAMED_MAX = 200;

const loading = new WeakMap<AdminApi, Promise<readonly AdminAccount[]>>();

/** Returns the known email addresses by account id; empty for a token holder, who sees only one account. */
export function useAccountNames(): ReadonlyMap<string, string> {
  const session = useSession();
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    if (session.kind !== "operator") return;
    let isCurrent = true;
    const load = async (): Promise<void> => {
      const accounts = await loadAccounts(session.admin);
      if (isCurrent) setNames(new Map(accounts.map(({ id, email }) => [id, email])));
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, [session]);
  return names;
}

/** Makes the next `useAccountNames` reload: an account was created, renamed or deleted. */
export function forgetAccountNames(admin: AdminApi): void {
  loading.delete(admin);
}

function loadAccounts(admin: AdminApi): Promise<readonly AdminAccount[]> {
  const known = loading.get(admin);
  if (known !== undefined) return known;
  const accounts = admin.accounts({ limit: NAMED_MAX }).then(
    ({ entries }) => entries,
    // the screens then show ids
    () => {
      loading.delete(admin);
      return [];
    },
  );
  loading.set(admin, accounts);
  return accounts;
}
