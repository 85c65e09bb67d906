import type { SnapParameters } from "@snap/protocol";
import { invalidParameter } from "../errors.ts";
import type { ObjectStore } from "../ports/object-store.ts";

/** A store that callers can name in `storeTo`. */
export interface NamedStore {
  readonly store: ObjectStore;
  /** Ids of the accounts that can use it; all by default. */
  readonly accountIds?: readonly string[] | undefined;
}

/** The stores by name. */
export type NamedStores = Readonly<Record<string, NamedStore>>;

/** The stores, and the account that wants to use one. */
export interface StoreAccess {
  readonly stores: NamedStores;
  readonly accountId: string;
}

/** Reports a `storeTo` that is not one of the account's stores. Names no other account's store. */
export function checkStore(
  { storeTo }: SnapParameters,
  access: StoreAccess,
  report: (name: string, message: string) => void,
): void {
  if (storeTo === undefined || findStore(storeTo, access) !== null) return;
  const names = Object.keys(access.stores).filter((name) => findStore(name, access) !== null);
  report("storeTo", names.length === 0 ? NO_STORE : `is not the name of a store; use ${names.join(" or ")}`);
}

const NO_STORE =
  "requires a store, and this account has none; ask the operator to set one up for it in SNAP_STORES_FILE (or stores, for an embedded engine)";

/**
 * Returns the store that `storeTo` names; `null` if it was not sent.
 *
 * @throws SnapError `validation_failed` if it is not one of the account's stores.
 */
export function requireStore(parameters: SnapParameters, access: StoreAccess): ObjectStore | null {
  checkStore(parameters, access, (name, message) => {
    throw invalidParameter(name, message);
  });
  return parameters.storeTo === undefined ? null : findStore(parameters.storeTo, access);
}

function findStore(name: string, { stores, accountId }: StoreAccess): ObjectStore | null {
  if (!Object.hasOwn(stores, name)) return null;
  const { store, accountIds } = stores[name] ?? {};
  return store === undefined || accountIds?.includes(accountId) === false ? null : store;
}
