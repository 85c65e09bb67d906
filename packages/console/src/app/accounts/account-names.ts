import type { AdminAccount } from "@snap/protocol";
import { useEffect, useState } from "preact/hooks";
import type { AdminApi } from "../api/admin.ts";
import { useSession } from "../session/session.ts";

/** Accounts beyond this number are shown by their id. */
const NAMED_MAX = 200;

const loads = new WeakMap<AdminApi, Promise<readonly AdminAccount[]>>();

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

/** Call this after creating, changing or deleting an account: the next `useAccountNames` loads the accounts again. */
export function forgetAccountNames(admin: AdminApi): void {
  loads.delete(admin);
}

function loadAccounts(admin: AdminApi): Promise<readonly AdminAccount[]> {
  const known = loads.get(admin);
  if (known !== undefined) return known;
  const accounts = admin.accounts({ limit: NAMED_MAX }).then(
    ({ entries }) => entries,
    // the screens then show ids
    () => {
      loads.delete(admin);
      return [];
    },
  );
  loads.set(admin, accounts);
  return accounts;
}
